/*
 * gen_wire - what two ends of traffic tell each other, in frames of JSON: the plan, how to
 * reach an end, and what came of it.
 *
 * The readers trust nothing: every number has its range, every text its length, and a
 * plan must be whole. They return 0, or -EPROTO with what is wrong.
 */
#ifndef FABRIC_GEN_WIRE_H
#define FABRIC_GEN_WIRE_H

#include "fabric/gen.h"
#include "lib/hwcounters.h"

struct diag;
struct json;

#define GEN_BOUND 96

/* One end, as both tell it. */
struct gen_side {
	char device[VERBS_NAME], address[GID_TEXT];
	uint32_t port, gid_index, mtu_bytes;
	uint64_t speed_bps;
	enum gid_rule gid_rule;
	bool soft;
	char bound[GEN_BOUND];               /* to which processors, and why */
	bool elsewhere;                      /* it may not use those of its NIC's NUMA node */
	uint64_t messages, bytes, window_ns; /* what it sent, in its window; 0: it did not */
	uint64_t nic_window_ns;              /* the window by its NIC's clock; 0: not told */
	uint64_t start_late_ns, pace_late_ns;
	uint64_t messages_all, messages_least, received, dry, checked, corrupt, cpu_ns;
	bool has_counters, reset; /* reset: one went down meanwhile */
	bool tells_loss;          /* by counters that can be trusted */
	struct hwcounters grown;
};

void gen_put_plan(struct json *object, const struct gen_plan *plan);
void gen_put_end(struct json *object, const struct gen_end *end);
void gen_put_side(struct json *object, const struct gen_side *side);
int gen_get_plan(const struct json *object, struct gen_plan *plan, struct diag *diag);
int gen_get_end(const struct json *object, struct gen_end *end, struct diag *diag);
/* An object of names and values; NULL: none. */
int gen_get_counters(const struct json *counters, struct hwcounters *grown, struct diag *diag);
int gen_get_side(const struct json *object, struct gen_side *side, struct diag *diag);

#endif
