/*
 * peer - what bw and lat share between two hosts: options, the talk with the other weft,
 * the run, and its report. One end listens and takes one peer; the other one connects, or starts
 * it through ssh, and says what is to be done.
 *
 *	connecting end          listening end
 *	ASK     wishes      ->                        only where it was started through ssh:
 *	                    <-  ENDS   devices, GIDs  or REFUSE, with a sentence, as anywhere
 *	HELLO   plan, end   ->
 *	                    <-  READY  end, facts     (or REFUSE, with a sentence; or READY with a
 *	                                              smaller MTU, then HELLO again)
 *	START               ->                        both are connected
 *	        traffic, over the NICs
 *	DONE    side        ->                        or REFUSE, when it broke down
 *	                    <-  RESULT side
 *	LAST    side        ->                        what came in after DONE is in it; or REFUSE
 */
#ifndef CMD_PEER_H
#define CMD_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/opt.h"
#include "cmd/peer_match.h"
#include "fabric/gen.h"
#include "fabric/gen_wire.h"
#include "lib/control.h"
#include "lib/hwcounters.h"

struct diag;
struct json;

enum peer_kind {
	PEER_HELLO = 1,
	PEER_READY,
	PEER_START,
	PEER_DONE,
	PEER_RESULT,
	PEER_REFUSE,
	PEER_ASK,
	PEER_ENDS,
	PEER_LAST,
};

struct peer_args {
	const char *command; /* "bw", "lat" */
	const char *address, *listen, *ssh, *weft, *device, *gid, *peer_device, *peer_gid, *at;
	uint64_t bytes; /* of a message; 0: as many as the MTU */
	uint64_t tcp_port, port, mtu_bytes, messages, seconds, qps, depth, every;
	uint64_t timeout_exp, retry, traffic_class, inline_bytes, warmup_ns, interval_ns;
	uint64_t rate_bps, burst_bytes, period_ns;
	uint64_t wait_ns, least_bps, seed;
	unsigned work;       /* enum verbs_work */
	unsigned connection; /* 0 RC, 1 UD */
	unsigned family;     /* of the GID: 0 IPv4 first, 1 IPv6 first */
	unsigned bind;       /* 0 to the NIC's NUMA node, 1 not */
	bool both, check, json, latency, lossy, cm, all;
};

struct peer_view {
	const struct peer_args *args; /* borrowed */
	const struct gen *gen;        /* borrowed */
	const struct peer_match
		*match; /* borrowed; NULL: devices were named, or each end's own */
	struct gen_side here, there;
	uint32_t
		devices; /* of this host, where none was named and the address decided; else 0 */
};

/* The whole command. Returns the exit status. */
int peer_run(struct peer_args *args);

/* What the options ask of a device (peer_plan.c). Returns 0, or -EINVAL with what does not
 * go together. */
int peer_plan(const struct peer_args *args, const struct verbs *verbs, struct gen_plan *plan,
	struct diag *diag);

/* --- the report (peer_show.c, peer_verdict.c) --- */

void peer_show(FILE *out, const struct peer_view *view);
int peer_show_json(FILE *out, const struct peer_view *view);
/* What both ends are and do: the head of the report. */
void peer_show_head(FILE *out, const struct peer_view *view);
/* Those of both ports that moved, a line each, behind an indent. */
void peer_show_counters(FILE *out, const char *indent, const struct peer_view *view);
/* One test, into an object. */
void peer_put_test(struct json *object, const struct peer_view *view);
struct json *peer_document(const struct peer_view *view); /* with who wrote it alone */
/* Payload that arrived from one side at the other, in its window. */
uint64_t peer_rate_bps(
	const struct peer_view *view, const struct gen_side *from, const struct gen_side *to);
uint64_t peer_total_bps(const struct peer_view *view);
/* The payload that the port of a side can carry in messages of this size, headers and gaps
 * between packets counted; 0: its speed is not told, or the kernel is the NIC. */
uint64_t peer_ceiling_bps(const struct gen_plan *plan, const struct gen_side *side);
/* Who sends; the end that listens is told of by the other one. */
const struct gen_side *peer_sender(const struct peer_view *view);
/* EXIT_PASS, or another with why, a sentence a line; before it what is to be kept in mind. */
int peer_verdict(FILE *out, const struct peer_view *view);
/* Whether a pass says that nothing was lost: datagrams are counted, packets of RC by both ports. */
bool peer_tells_loss(const struct peer_view *view);

/* --- all sizes, a row each (peer_all.c) --- */

#define PEER_ALL_MOST (UINT64_C(1) << 23) /* the largest message, as perftest's */

struct peer_note {
	char *text;     /* owned; with the figures of its first size */
	uint64_t bytes; /* of that */
	uint32_t sizes; /* that it holds of */
	bool varies;    /* in its figures */
};

struct peer_all {
	uint32_t count, failed, unknown, untold; /* sizes; untold: losses are not known */
	struct peer_note *notes;                 /* owned */
	size_t note_count, note_room;
	struct json *root;  /* owned; NULL: none, or text */
	struct json *tests; /* in it */
};

void peer_all_add(struct peer_all *all, const struct peer_view *view);
/* The verdict of the whole: the worst of all sizes. */
int peer_all_end(struct peer_all *all, const struct peer_view *view);
/* The same, where it went no further. status: that of the error, whose sentence is why. */
int peer_all_break(
	struct peer_all *all, const struct peer_view *view, int status, const char *why);
void peer_all_drop(struct peer_all *all);

#endif
