/*
 * peer - what bw and lat share between two hosts: options, the talk with the other weft,
 * the run, and its report. One end listens and takes one peer; the other one connects and
 * says what is to be done.
 *
 *	connecting end          listening end
 *	HELLO   plan, end   ->
 *	                    <-  READY  end, facts     (or REFUSE, with a sentence)
 *	START               ->                        both are connected
 *	        traffic, over the NICs
 *	DONE    side        ->                        or REFUSE, when it broke down
 *	                    <-  RESULT side
 */
#ifndef CMD_PEER_H
#define CMD_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/opt.h"
#include "fabric/gen.h"
#include "fabric/gen_wire.h"
#include "lib/control.h"
#include "lib/hwcounters.h"

struct diag;
struct json;

enum peer_kind { PEER_HELLO = 1, PEER_READY, PEER_START, PEER_DONE, PEER_RESULT, PEER_REFUSE };

struct peer_args {
	const char *command; /* "bw", "lat" */
	const char *address, *listen, *device, *gid, *at;
	uint64_t tcp_port, port, mtu_bytes, bytes, messages, seconds, qps, depth, every;
	uint64_t timeout_exp, retry, traffic_class, inline_bytes, warmup_ns, interval_ns;
	uint64_t rate_bps, burst_bytes, period_ns;
	uint64_t wait_ns, least_bps, seed;
	unsigned work;       /* enum verbs_work */
	unsigned connection; /* 0 RC, 1 UD */
	unsigned family;     /* of the GID: 0 IPv4 first, 1 IPv6 first */
	unsigned bind;       /* 0 to the NIC's NUMA node, 1 not */
	bool both, check, json, latency, lossy, cm;
};

struct peer_view {
	const struct peer_args *args; /* borrowed */
	const struct gen *gen;        /* borrowed */
	struct gen_side here, there;
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
/* Payload that arrived from one side at the other, in its window. */
uint64_t peer_rate_bps(
	const struct peer_view *view, const struct gen_side *from, const struct gen_side *to);
uint64_t peer_total_bps(const struct peer_view *view);
/* Who sends; the end that listens is told of by the other one. */
const struct gen_side *peer_sender(const struct peer_view *view);
/* EXIT_PASS, or another with why, a sentence a line; before it what is to be kept in mind. */
int peer_verdict(FILE *out, const struct peer_view *view);

#endif
