/*
 * netlink - asks the kernel over netlink, read only; the wrapper of libnl's sockets.
 *
 * One question, one answer: the messages of the answer as they came, in one buffer.
 * The parsers (lib/dcb.h, lib/ethtool.h, lib/rdma_counters.h, lib/routes.h) take such
 * bytes from wherever they come: from the kernel, or recorded in a file of a host's
 * root (lib/host.h) under the question's name.
 *
 * A question is one that a GET of its family answers; nothing here can set.
 */
#ifndef LIB_NETLINK_H
#define LIB_NETLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host.h"

#define NETLINK_ANSWER_MAX ((size_t)1 << 20)

struct diag;

enum netlink_family {
	NETLINK_OF_ROUTE,   /* dcbnl, links, addresses, routes */
	NETLINK_OF_ETHTOOL, /* over the generic family of that name */
	NETLINK_OF_RDMA,
	NETLINK_FAMILIES
};

struct netlink {
	struct host host;
	void *sockets[NETLINK_FAMILIES]; /* owned; opened when first asked */
	uint16_t ethtool_type;           /* message type of the generic family */
};

#define NETLINK_INIT                                                                           \
	{                                                                                      \
		{ NULL, NULL }, { NULL }, 0                                                    \
	}

#define NETLINK_BODY_MAX 256u

/* Message type (ethtool: its command), what follows the header, and a name under
 * which the answer is recorded, such as "dcb-eth0". */
struct netlink_question {
	enum netlink_family family;
	uint16_t type;
	bool dump; /* all of them */
	char name[HOST_NAME];
	size_t size;
	uint8_t body[NETLINK_BODY_MAX];
};

struct netlink_answer {
	uint8_t *bytes; /* owned */
	size_t size, room;
};

#define NETLINK_ANSWER_INIT                                                                    \
	{                                                                                      \
		NULL, 0, 0                                                                     \
	}

/* host is copied; its strings are borrowed. Asks nothing yet. */
void netlink_init(struct netlink *netlink, const struct host *host);
void netlink_close(struct netlink *netlink); /* safe twice */

/* Appends to a question: bytes, or an attribute with its header and padding. */
void netlink_put(struct netlink_question *question, const void *bytes, size_t size);
void netlink_put_attr(
	struct netlink_question *question, uint16_t type, const void *bytes, size_t size);
/* An attribute that holds others: what is put between open and close. */
size_t netlink_nest(struct netlink_question *question, uint16_t type);
void netlink_nest_end(struct netlink_question *question, size_t nest);

/* Asks and waits for the whole answer. Returns 0, or the negative errno that the
 * kernel answered with (-EOPNOTSUPP: the driver does not offer it), or of the socket.
 * The answer is used again when it has been filled before. */
int netlink_ask(struct netlink *netlink, const struct netlink_question *question,
	struct netlink_answer *answer, struct diag *diag);
void netlink_answer_free(struct netlink_answer *answer); /* safe twice */

/* --- for the parsers --- */

struct netlink_message {
	uint16_t type;
	const uint8_t *body; /* borrowed */
	size_t size;
};

/* The next message of an answer; *at is 0 at first. False at the end or where the
 * bytes are no message. */
bool netlink_next(
	const uint8_t *bytes, size_t size, size_t *at, struct netlink_message *message);
/* The errno of an answer that is an error message; 0 when it is none. */
int netlink_error(const uint8_t *bytes, size_t size);

struct netlink_attr {
	uint16_t type; /* without the flags for nesting and byte order */
	const uint8_t *data;
	size_t size;
};

/* The next attribute; *at is 0 at first. */
bool netlink_attr(const uint8_t *bytes, size_t size, size_t *at, struct netlink_attr *attr);
/* The first of this type; false when there is none. */
bool netlink_find(const uint8_t *bytes, size_t size, uint16_t type, struct netlink_attr *attr);

/* Numbers of the machine's byte order at any address; 0 when the attribute is shorter. */
uint8_t netlink_u8(const struct netlink_attr *attr);
uint16_t netlink_u16(const struct netlink_attr *attr);
uint32_t netlink_u32(const struct netlink_attr *attr);
uint64_t netlink_u64(const struct netlink_attr *attr);
/* Text that may lack its NUL. room >= 1. */
void netlink_text(const struct netlink_attr *attr, char *text, size_t room);

#endif
