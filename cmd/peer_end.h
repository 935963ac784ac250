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
#include "lib/verbs.h"

struct diag;
struct json;

#define PEER_TALK_NS (20 * NS_PER_S) /* for one answer; opening 256 QPs takes a while */

struct peer {
	struct peer_args *args; /* borrowed */
	struct control control;
	struct verbs verbs;
	struct gen gen;
	struct gen_plan plan;
	struct hwcounters before;
	struct peer_view view;
	bool unreachable; /* told by the peer: the network did not deliver */
};

/* The whole of each role, up to what there is to report. Errors: -EHOSTUNREACH where the network
 * did not deliver; any other means that we could not find out. */
int peer_listen(struct peer *peer, struct diag *diag);
int peer_connect(struct peer *peer, struct diag *diag);

/* --- for both --- */

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
