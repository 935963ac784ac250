/*
 * script - conversations with something gone wrong in them, and the truth about
 * what a tap sees of it. Of each kind there are as many as there are seeds.
 */
#ifndef TESTS_WIRE_SCRIPT_H
#define TESTS_WIRE_SCRIPT_H

#include "lib/rng.h"
#include "tests/wire/build.h"

/* End 0 sends requests to QP_FORTH; what answers goes to QP_BACK. */
#define QP_FORTH 69u
#define QP_BACK 72u

struct stream_truth {
	uint32_t gap_events, gap_psns, missing, repeated, resent, out_of_order;
	const char *gap_cause, *resend_cause; /* NULL: none */
};

struct script {
	struct made_packet *packets; /* owned */
	size_t count, room;
	struct rng rng;
	uint64_t now_ns;
	uint32_t psn, mtu, msn;

	struct stream_truth requests, responses; /* of end 0; to end 0 */
	uint32_t lost_behind, naks, rnr_naks, cnps, ce;
	int status; /* what the shell is told: 0, 1, 2 */
};

typedef void script_writer(struct script *script);

extern const struct script_kind {
	const char *name;
	script_writer *write;
} script_kinds[];
extern const size_t script_kind_count;

/* Random first PSN, often just before the wrap, and path MTU. */
void script_write(struct script *script, const struct script_kind *kind, uint64_t seed);
void script_free(struct script *script);

#endif
