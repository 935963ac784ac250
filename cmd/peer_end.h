/*
 * peer_end - one end of weft bw and weft lat: what it has open, what it says and hears, and
 * the two roles. Known to cmd/peer*.c alone.
 */
#ifndef CMD_PEER_END_H
#define CMD_PEER_END_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/peer.h"
#include "fabric/gen.h"
#include "lib/control.h"
#include "lib/hwcounters.h"
#include "lib/launch.h"
#include "lib/verbs.h"

struct diag;
struct json;

#define PEER_TALK_NS (20 * NS_PER_S) /* for one answer; opening 256 QPs takes a while */

struct peer {
	struct peer_args *args; /* borrowed */
	struct control control;
	struct launch launch; /* of the other end, where this one has started it */
	bool met;             /* then, that it has answered */
	struct peer_match match;
	const struct verbs_end *use; /* borrowed; what this end is to use; NULL: it chooses */
	enum gid_rule use_rule;
	struct verbs verbs;
	struct gen gen;
	struct gen_plan plan;
	struct hwcounters before;
	struct peer_view view;
	struct peer_all all; /* with -a */
	int status;          /* of the command, once the last test is reported */
	bool unreachable;    /* told by the peer: the network did not deliver */
};

/* The whole of each role, up to what there is to report. Errors: -EHOSTUNREACH where the network
 * did not deliver; any other means that we could not find out. */
int peer_listen(struct peer *peer, struct diag *diag);
int peer_connect(struct peer *peer, struct diag *diag);

/* --- an end that is started through ssh (peer_ssh.c) --- */

/* Starts it, and agrees with it on devices and GIDs. */
int peer_start(struct peer *peer, struct diag *diag);
/* The other side of that, over standard input and output. */
int peer_serve_stdio(struct peer *peer, struct diag *diag);
/* Why the other end cannot be heard any more, as far as ssh tells; *diag says so far. */
void peer_explain(struct peer *peer, int err, struct diag *diag);

/* --- for both --- */

/* Whether this end was started by the other one, which says what to use, and reports. */
bool peer_is_stdio(const struct peer_args *args);

/* After each test; with -a more may follow. */
void peer_report(struct peer *peer, bool last);
/* Before the next one: memory and QPs of the last go, device and control channel stay. */
void peer_again(struct peer *peer);

/* Both ends must be of one version. */
void peer_put_program(struct json *body);
int peer_check_program(const struct json *body, struct diag *diag);

/* "-x": into wish. -EINVAL. name: of the option. */
int peer_gid_index(
	const char *name, const char *text, struct gid_wish *wish, struct diag *diag);

/* Traffic has failed with err: if the other end is the cause, what it says, or that it has gone.
 * wanted: what it would say if all were well. */
int peer_cause(struct peer *peer, int err, uint8_t wanted, struct diag *diag);

/* Takes the body over. */
int peer_say(struct peer *peer, uint8_t kind, struct json *body, struct diag *diag);

/* Why this end gives up. What becomes of it is not looked at. */
void peer_refuse(struct peer *peer, int err, const struct diag *why);

/* The next frame must be of this kind; *body is the caller's. A refusal is an error with the
 * peer's sentence. */
int peer_hear(struct peer *peer, uint8_t wanted, struct json **body, uint64_t wait_ns,
	struct diag *diag);

int peer_open(struct peer *peer, enum gid_family only, struct diag *diag);
void peer_counters_begin(struct peer *peer);
void peer_facts(struct peer *peer);              /* of the device, into the view */
void peer_outcome(struct peer *peer);            /* of the traffic */
struct json *peer_side(const struct peer *peer); /* the view of this end, for the other one */
uint64_t peer_longest_ns(const struct gen_plan *plan); /* how long traffic may take */

#endif
