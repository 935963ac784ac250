/*
 * stage_build - what the builders of stages share: the fabric sorted by leaf,
 * volumes from times, permutations across leaves, and the closing of a stage
 * (expected time, deadline, sampling). Known to fabric/stages*.c alone.
 */
#ifndef FABRIC_STAGE_BUILD_H
#define FABRIC_STAGE_BUILD_H

#include <stdint.h>

#include "fabric/leafnics.h"
#include "fabric/stages.h"
#include "lib/rng.h"

struct stage_build {
	const struct fabric *fabric; /* borrowed */
	struct plan *plan;           /* borrowed */
	struct leafnics by_leaf;
	enum profile profile;
	uint64_t seed;
	uint64_t live_ns;    /* on real NICs: how long a stage sends; 0: simulated, by budget */
	uint64_t total_mbps; /* of all NICs that have a cable */
};

/* The plan gets the seed, and the name of the profile for its own. */
void stage_build_init(struct stage_build *build, struct plan *plan, const struct fabric *fabric,
	enum profile profile, uint64_t seed);
void stage_build_free(struct stage_build *build);

/* Purposes of random numbers: one stream for each, so that a change in one layer
 * leaves the others as they were. */
enum stage_stream {
	STREAM_PAIRS = 1,
	STREAM_PERMUTATION = 100,
	STREAM_INCAST = 10000,
	STREAM_LOCAL = 20000,
	STREAM_MIXED = 30000,
	STREAM_LEAF_WIDE = 40000,
	STREAM_BURST = 50000,
	STREAM_HAND = 60000,
};

void stage_rng(const struct stage_build *build, uint64_t stream, struct rng *rng);

/* Adds a stage with a name and a note, printf-like. */
struct plan_stage *stage_begin(struct stage_build *build, enum plan_layer layer);
__attribute__((format(printf, 2, 3))) void stage_name(
	struct plan_stage *stage, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void stage_note(
	struct plan_stage *stage, const char *fmt, ...);

/* Fills expected_ns, deadline_ns and sample_ns from the flows and the ring. */
void stage_end(const struct stage_build *build, struct plan_stage *stage);

/* Adds a flow of at least one byte. */
struct plan_flow *stage_flow(
	struct plan_stage *stage, uint32_t src, uint32_t dst, uint32_t qps, uint64_t bytes);

/* Payload that a NIC receives in this time at its ceiling, and the time for it.
 * bytes < 2^50. */
uint64_t stage_bytes(const struct stage_build *build, uint32_t nic, uint64_t ns);
uint64_t stage_ns(const struct stage_build *build, uint32_t nic, uint64_t bytes);

/* From the first bit sent to the last received of one packet across the fabric,
 * with idle queues: an upper figure for any path of a two-tier fabric. */
uint64_t stage_latency_ns(const struct stage_build *build);

/*
 * How long all NICs may send at line rate in each of so many stages, if the work is
 * not to pass a budget of packet-hops; at most most_ns, at least 20 us. hops_x10:
 * links that a packet and its share of ACKs cross, times ten. quick_hops is the
 * budget for 32 NICs in the quick profile: smaller fabrics get their share, larger
 * ones more (4 times at 1024 NICs, never above), the full profile ten times.
 */
uint64_t stage_budget_ns(const struct stage_build *build, uint64_t quick_hops, uint32_t stages,
	uint32_t hops_x10, uint64_t most_ns);

/* What a switch holds in its lossless class when so many of its ports stand at
 * their pause threshold: n / (n + 1 / alpha) of its buffer, or n times a fixed XOFF. */
uint64_t stage_held_bytes(const struct stage_build *build, uint32_t busy_ports);

/*
 * A random permutation across leaves: src[i] sends to dst[i], on another leaf; every
 * NIC is in src once and in dst once, except that a leaf with more than half of all
 * NICs sends with only as many as the others have. Both arrays have room for
 * by_leaf.count. Returns how many; 0 with fewer than two leaves in use.
 */
uint32_t stage_permutation(
	const struct stage_build *build, struct rng *rng, uint32_t *src, uint32_t *dst);

/* NICs of one rail, from 0, in order of leaf, then of host; nics has room for
 * by_leaf.count. Returns how many. */
uint32_t stage_rail(const struct stage_build *build, uint32_t rail, uint32_t *nics);

/* The layers, each adding its stages to build->plan. */
void stages_pairs(struct stage_build *build);
void stages_nonblocking(struct stage_build *build);
void stages_lossless(struct stage_build *build);
void stages_burst(struct stage_build *build);
void stages_ring(struct stage_build *build);

#endif
