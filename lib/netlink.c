/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/netlink.h"

#include <assert.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define RECORDED "netlink/"
/* The kernel answers at once, or after asking firmware. */
#define WAIT_S 5

/* The kernel's own macros are of signed types. */
#define MESSAGE_HEAD sizeof(struct nlmsghdr)
#define ATTR_HEAD sizeof(struct nlattr)
#define TYPE_MASK 0x3fffu
#define ALIGNED(size) (((size) + 3) & ~(size_t)3)

/* libnl has its own numbers; strerror() of them is another error's sentence. */
static int errno_of(int nle)
{
	switch (abs(nle)) {
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_PERM:
		return -EPERM;
	case NLE_NOACCESS:
		return -EACCES;
	case NLE_OBJ_NOTFOUND:
		return -ENOENT;
	case NLE_AGAIN:
		return -EAGAIN;
	case NLE_BAD_SOCK:
	case NLE_AF_NOSUPPORT:
	case NLE_PROTO_MISMATCH:
		return -EOPNOTSUPP;
	case NLE_NODEV:
		return -ENODEV;
	default:
		return -EIO;
	}
}

void netlink_init(struct netlink *netlink, const struct host *host)
{
	*netlink = (struct netlink)NETLINK_INIT;
	netlink->host = *host;
}

void netlink_close(struct netlink *netlink)
{
	for (int i = 0; i < NETLINK_FAMILIES; i++) {
		nl_socket_free(netlink->sockets[i]);
		netlink->sockets[i] = NULL;
	}
}

void netlink_put(struct netlink_question *question, const void *bytes, size_t size)
{
	assert(question->size + ALIGNED(size) <= NETLINK_BODY_MAX);
	memcpy(question->body + question->size, bytes, size);
	memset(question->body + question->size + size, 0, ALIGNED(size) - size);
	question->size += ALIGNED(size);
}

void netlink_put_attr(
	struct netlink_question *question, uint16_t type, const void *bytes, size_t size)
{
	struct nlattr header = { .nla_len = (uint16_t)(ATTR_HEAD + size), .nla_type = type };

	netlink_put(question, &header, sizeof(header));
	netlink_put(question, bytes, size);
}

size_t netlink_nest(struct netlink_question *question, uint16_t type)
{
	struct nlattr header = { .nla_len = 0, .nla_type = type | NLA_F_NESTED };
	size_t at = question->size;

	netlink_put(question, &header, sizeof(header));
	return at;
}

void netlink_nest_end(struct netlink_question *question, size_t nest)
{
	uint16_t length = (uint16_t)(question->size - nest);

	memcpy(question->body + nest, &length, sizeof(length));
}

static const int protocols[] = { [NETLINK_OF_ROUTE] = NETLINK_ROUTE,
	[NETLINK_OF_ETHTOOL] = NETLINK_GENERIC,
	[NETLINK_OF_RDMA] = NETLINK_RDMA };

static int connect_family(
	struct netlink *netlink, enum netlink_family family, struct diag *diag)
{
	struct timeval wait = { .tv_sec = WAIT_S };
	struct nl_sock *sock = nl_socket_alloc();
	int err;

	if (!sock)
		out_of_memory();
	err = nl_connect(sock, protocols[family]);
	if (err) {
		nl_socket_free(sock);
		return diag_error(
			diag, errno_of(err), "netlink: no socket: %s", nl_geterror(err));
	}
	setsockopt(nl_socket_get_fd(sock), SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	if (family == NETLINK_OF_ETHTOOL) {
		err = genl_ctrl_resolve(sock, "ethtool");
		if (err < 0) {
			nl_socket_free(sock);
			return diag_error(diag, -EOPNOTSUPP,
				"netlink: this kernel has no ethtool family (Linux 5.6 and "
				"later "
				"have it)");
		}
		netlink->ethtool_type = (uint16_t)err;
	}
	netlink->sockets[family] = sock;
	return 0;
}

static int send_question(struct netlink *netlink, const struct netlink_question *question,
	uint32_t *sequence, struct diag *diag)
{
	struct nl_sock *sock = netlink->sockets[question->family];
	bool generic = question->family == NETLINK_OF_ETHTOOL;
	struct genlmsghdr command = { .cmd = (uint8_t)question->type, .version = 1 };
	union {
		struct nlmsghdr header;
		uint8_t bytes[MESSAGE_HEAD + GENL_HDRLEN + NETLINK_BODY_MAX];
	} message;
	size_t head = MESSAGE_HEAD + (generic ? GENL_HDRLEN : 0);
	int sent;

	*sequence = nl_socket_use_seq(sock);
	message.header = (struct nlmsghdr){
		.nlmsg_len = (uint32_t)(head + question->size),
		.nlmsg_type = generic ? netlink->ethtool_type : question->type,
		.nlmsg_flags =
			(uint16_t)(NLM_F_REQUEST | (question->dump ? NLM_F_DUMP : NLM_F_ACK)),
		.nlmsg_seq = *sequence,
	};
	if (generic)
		memcpy(message.bytes + MESSAGE_HEAD, &command, sizeof(command));
	memcpy(message.bytes + head, question->body, question->size);
	sent = nl_sendto(sock, message.bytes, head + question->size);
	if (sent < 0)
		return diag_error(diag, errno_of(sent), "netlink: %s: %s", question->name,
			nl_geterror(sent));
	return 0;
}

static void append(struct netlink_answer *answer, const void *bytes, size_t size)
{
	if (answer->size + size > answer->room) {
		size_t room = 2 * (answer->size + size);
		uint8_t *grown = realloc(answer->bytes, room);

		if (!grown)
			out_of_memory();
		answer->bytes = grown;
		answer->room = room;
	}
	memcpy(answer->bytes + answer->size, bytes, size);
	answer->size += size;
}

/* Keeps what answers this question; what an earlier one left is let go. True when the
 * answer is whole: an acknowledgement, an error, or the end of a dump. */
static bool take(
	struct netlink_answer *answer, const uint8_t *bytes, size_t size, uint32_t sequence)
{
	struct netlink_message message;
	struct nlmsghdr header;

	for (size_t at = 0, start = 0; netlink_next(bytes, size, &at, &message); start = at) {
		memcpy(&header, bytes + start, sizeof(header));
		if (header.nlmsg_seq != sequence)
			continue;
		append(answer, bytes + start, at < size ? at - start : size - start);
		if (message.type == NLMSG_ERROR || message.type == NLMSG_DONE)
			return true;
	}
	return false;
}

static int receive(struct netlink *netlink, const struct netlink_question *question,
	uint32_t sequence, struct netlink_answer *answer, struct diag *diag)
{
	bool whole = false;

	while (!whole) {
		struct sockaddr_nl from;
		unsigned char *bytes = NULL;
		int got = nl_recv(netlink->sockets[question->family], &from, &bytes, NULL);

		if (got <= 0) {
			free(bytes);
			return diag_error(diag, got ? errno_of(got) : -EIO,
				"netlink: %s: no answer within %d s", question->name, WAIT_S);
		}
		whole = take(answer, bytes, (size_t)got, sequence);
		free(bytes);
		if (answer->size > NETLINK_ANSWER_MAX)
			return diag_error(diag, -EMSGSIZE,
				"netlink: %s: the answer is above %zu KiB", question->name,
				NETLINK_ANSWER_MAX >> 10);
	}
	return 0;
}

static int ask_kernel(struct netlink *netlink, const struct netlink_question *question,
	struct netlink_answer *answer, struct diag *diag)
{
	uint32_t sequence;
	int err = 0;

	if (!netlink->sockets[question->family])
		err = connect_family(netlink, question->family, diag);
	if (!err)
		err = send_question(netlink, question, &sequence, diag);
	if (!err)
		err = receive(netlink, question, sequence, answer, diag);
	return err;
}

static int ask_recorded(const struct netlink *netlink, const char *name,
	struct netlink_answer *answer, struct diag *diag)
{
	int got;

	if (answer->room < NETLINK_ANSWER_MAX) {
		free(answer->bytes);
		answer->room = NETLINK_ANSWER_MAX;
		answer->bytes = zeroed(answer->room, 1);
	}
	got = host_recorded(&netlink->host, name, answer->bytes, answer->room);
	if (got < 0)
		return diag_system(diag, got, "%.200s/%s", netlink->host.root, name);
	answer->size = (size_t)got;
	return 0;
}

int netlink_ask(struct netlink *netlink, const struct netlink_question *question,
	struct netlink_answer *answer, struct diag *diag)
{
	char name[HOST_NAME + sizeof(RECORDED)];
	int err;

	snprintf(name, sizeof(name), RECORDED "%s", question->name);
	answer->size = 0;
	if (netlink->host.root)
		err = ask_recorded(netlink, name, answer, diag);
	else
		err = ask_kernel(netlink, question, answer, diag);
	if (err) {
		host_record_error(&netlink->host, name, err);
		return err;
	}
	host_record(&netlink->host, name, answer->bytes, answer->size);
	err = netlink_error(answer->bytes, answer->size);
	if (err)
		return diag_system(diag, err, "netlink: %s", question->name);
	return 0;
}

void netlink_answer_free(struct netlink_answer *answer)
{
	free(answer->bytes);
	*answer = (struct netlink_answer)NETLINK_ANSWER_INIT;
}

bool netlink_next(
	const uint8_t *bytes, size_t size, size_t *at, struct netlink_message *message)
{
	struct nlmsghdr header;

	if (*at > size || size - *at < MESSAGE_HEAD)
		return false;
	memcpy(&header, bytes + *at, sizeof(header));
	if (header.nlmsg_len < MESSAGE_HEAD || header.nlmsg_len > size - *at)
		return false;
	*message = (struct netlink_message){ .type = header.nlmsg_type,
		.body = bytes + *at + MESSAGE_HEAD,
		.size = header.nlmsg_len - MESSAGE_HEAD };
	*at += ALIGNED((size_t)header.nlmsg_len);
	return true;
}

int netlink_error(const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	size_t at = 0;

	while (netlink_next(bytes, size, &at, &message)) {
		int32_t err = 0;

		if ((message.type == NLMSG_ERROR || message.type == NLMSG_DONE) &&
			message.size >= sizeof(err))
			memcpy(&err, message.body, sizeof(err));
		if (err < 0 && err > -4096)
			return err;
	}
	return 0;
}

bool netlink_attr(const uint8_t *bytes, size_t size, size_t *at, struct netlink_attr *attr)
{
	struct nlattr header;

	if (*at > size || size - *at < ATTR_HEAD)
		return false;
	memcpy(&header, bytes + *at, sizeof(header));
	if (header.nla_len < ATTR_HEAD || header.nla_len > size - *at)
		return false;
	*attr = (struct netlink_attr){ .type = (uint16_t)(header.nla_type & TYPE_MASK),
		.data = bytes + *at + ATTR_HEAD,
		.size = (size_t)header.nla_len - ATTR_HEAD };
	*at += ALIGNED((size_t)header.nla_len);
	return true;
}

bool netlink_find(const uint8_t *bytes, size_t size, uint16_t type, struct netlink_attr *attr)
{
	struct netlink_attr found;

	for (size_t at = 0; netlink_attr(bytes, size, &at, &found);)
		if (found.type == type) {
			*attr = found;
			return true;
		}
	return false;
}

/* A number of the attribute's first bytes. */
static uint64_t number(const struct netlink_attr *attr, size_t bytes)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value = { .u64 = 0 };

	if (attr->size < bytes)
		return 0;
	memcpy(&value, attr->data, bytes);
	return bytes == 1   ? value.u8
	       : bytes == 2 ? value.u16
	       : bytes == 4 ? value.u32
			    : value.u64;
}

uint8_t netlink_u8(const struct netlink_attr *attr)
{
	return (uint8_t)number(attr, 1);
}

uint16_t netlink_u16(const struct netlink_attr *attr)
{
	return (uint16_t)number(attr, 2);
}

uint32_t netlink_u32(const struct netlink_attr *attr)
{
	return (uint32_t)number(attr, 4);
}

uint64_t netlink_u64(const struct netlink_attr *attr)
{
	return number(attr, 8);
}

void netlink_text(const struct netlink_attr *attr, char *text, size_t room)
{
	size_t length = strnlen((const char *)attr->data, attr->size);

	length = length < room ? length : room - 1;
	memcpy(text, attr->data, length);
	text[length] = '\0';
}
