/*
 * control - what two wefts tell each other over TCP, or over the standard input and output of
 * an agent: frames of JSON, versioned, with a length in front and hard limits.
 *
 * A frame is 'W' 'F', the version (1), its kind (1 byte), its length in bytes (4, most
 * significant first), and that many bytes of one JSON object. One that is longer than
 * CONTROL_FRAME_MAX, of another version or not JSON ends the connection: -EPROTO with
 * a sentence. Every wait is bounded: -ETIMEDOUT. -EPIPE: the peer has gone. -ENOTCONN: no
 * way there for TCP. -EHOSTUNREACH is never returned: it is for what the NICs do not deliver.
 */
#ifndef LIB_CONTROL_H
#define LIB_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/gid.h"

#define CONTROL_VERSION 1u
#define CONTROL_FRAME_MAX (2048u * 1024u)
#define CONTROL_PEER 64
#define CONTROL_PORT                                                                           \
	18515u /* perftest's, so that a firewall that lets it through does so for us */

struct diag;
struct json;

struct control {
	int fd;                   /* what is received comes from here, */
	int out;                  /* and what is sent goes there; the same for TCP */
	char peer[CONTROL_PEER];  /* who is at the other end: an address, or a host's name */
	uint8_t local[GID_BYTES]; /* our own; IPv4 as a GID holds it */
};

#define CONTROL_INIT                                                                           \
	{                                                                                      \
		.fd = -1, .out = -1                                                            \
	}

/* Binds to address (a name or a number; all others are not listened on), waits for one
 * peer and stops listening. */
int control_accept(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag);

/* Tries until wait_ns is over: the other end may be a moment late. */
int control_connect(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag);

/* Takes over two descriptors that are open already, such as 0 and 1; peer names the other
 * end in messages. SIGPIPE is to be ignored where out is a pipe. */
void control_adopt(struct control *control, int in, int out, const char *peer);
/* Takes over the standard input and output. What a library or a program that is started here prints
 * would be mistaken for frames, and what it reads would be missing: from now on the channel has
 * descriptors that no other knows, output goes to stderr, and there is no input. */
void control_take_stdio(struct control *control, const char *peer);

int control_send(struct control *control, uint8_t kind, const struct json *body,
	uint64_t wait_ns, struct diag *diag);

/* *body is the caller's, by json_free(). */
int control_receive(struct control *control, uint8_t *kind, struct json **body,
	uint64_t wait_ns, struct diag *diag);

/* Whether something, or the end, is there to be received. Waits at most wait_ns, in whole
 * milliseconds. */
bool control_ready(const struct control *control, uint64_t wait_ns);

/* Whether the other end has closed, though what it said before may still be there. */
bool control_hung_up(const struct control *control);

void control_close(struct control *control); /* safe on CONTROL_INIT, safe twice */

#endif
