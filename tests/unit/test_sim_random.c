/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random fabrics, loads and faults. The simulator asserts at the end of every
 * stage that no packet and no byte of buffer was made or lost; here it is given
 * reasons to get that wrong.
 */
#include "simbed.h"

#include <stdlib.h>

#include "lib/rng.h"

#define RUNS 150u

static uint64_t draw(struct rng *rng, uint64_t least, uint64_t most)
{
	return least + rng_below(rng, most - least + 1);
}

enum at { LINK, SWITCH, UPLINK, NIC };

static const struct {
	const char *kind;
	enum at at;
	const char *more; /* keys; "" */
} kinds[] = {
	{ "loss", LINK, "" },
	{ "rate", LINK, "" },
	{ "down", LINK, "" },
	{ "flap", LINK, ", amount: 30us, period: 90us" },
	{ "pfc-off", SWITCH, "" },
	{ "dscp-map", SWITCH, "" },
	{ "ecn-off", SWITCH, "" },
	{ "slow-receiver", NIC, "" },
	{ "pause-storm", NIC, "" },
	{ "burst-loss", LINK, ", amount: 0.01, burst: 8" },
	{ "corrupt", LINK, ", amount: 0.01" },
	{ "cnp-loss", LINK, ", amount: 0.5" },
	{ "delay", LINK, ", amount: 20us" },
	{ "down", SWITCH, "" },
	{ "mtu", SWITCH, ", amount: 1100" },
	{ "mtu", NIC, ", amount: 1100" },
	{ "xoff", SWITCH, ", amount: 8KiB" },
	{ "alpha", SWITCH, "" },
	{ "headroom", SWITCH, ", amount: 0.05" },
	{ "watchdog", SWITCH, ", amount: 20us" },
	{ "watchdog-off", SWITCH, "" },
	{ "ecn", SWITCH, "" },
	{ "scheduler", SWITCH, "" },
	{ "policer", SWITCH, "" },
	{ "drop-size", SWITCH, "" },
	{ "drop-flows", SWITCH, ", amount: 0.2" },
	{ "black-hole", SWITCH, "" },
	{ "same-hash", SWITCH, "" },
	{ "pair-hash", SWITCH, "" },
	{ "spray", SWITCH, "" },
	{ "cnp-map", SWITCH, "" },
	{ "cnp-map", NIC, "" },
	{ "route-missing", UPLINK, "" },
	{ "route", UPLINK, ", towards: leaf" },
	{ "cc-off", NIC, "" },
	{ "cnp-off", NIC, "" },
	{ "cnp-period", NIC, "" },
	{ "cc-step", NIC, "" },
	{ "timeout", NIC, ", amount: 3" },
	{ "back-to-zero", NIC, "" },
	{ "slow-recovery", NIC, ", amount: 30us" },
	{ "slow-post", NIC, ", amount: 30us" },
	{ "stall", NIC, ", to: 900us" },
	{ "rising-loss", LINK, ", period: 200us" },
	{ "watchdog-forward", SWITCH, "" },
	{ "rnr", NIC, "" },
	{ "loopback", NIC, "" },
	{ "slow-restart", NIC, "" },
};

/* One fault at a place of the right kind, for a while or for good; appended to yaml. */
static void add_fault(struct rng *rng, char *yaml, size_t room, unsigned leaves,
	unsigned spines, unsigned hosts)
{
	unsigned kind = (unsigned)draw(rng, 0, COUNT_OF(kinds) - 1);
	unsigned leaf = (unsigned)draw(rng, 1, leaves), spine = (unsigned)draw(rng, 1, spines);
	unsigned from = (unsigned)draw(rng, 0, 200);
	char place[64], more[64], until[32] = "";
	size_t used = strlen(yaml);

	switch (kinds[kind].at) {
	case LINK:
		snprintf(place, sizeof(place), "leaf%u-spine%u", leaf, spine);
		break;
	case SWITCH:
		snprintf(place, sizeof(place), "%s%u", leaf % 2 ? "leaf" : "spine",
			leaf % 2 ? leaf : spine);
		break;
	case UPLINK:
		snprintf(place, sizeof(place), "leaf%u:%u", leaf, hosts + spine);
		break;
	case NIC:
		snprintf(place, sizeof(place), "host%u",
			(unsigned)draw(rng, 1, (uint64_t)hosts * leaves));
		break;
	}
	snprintf(more, sizeof(more), "%s", kinds[kind].more);
	if (strcmp(kinds[kind].kind, "route") == 0) {
		if (leaves == 1) /* nowhere to lead to */
			return;
		snprintf(more, sizeof(more), ", towards: leaf%u", leaf % leaves + 1);
	}
	if (!strstr(more, "to:") && draw(rng, 0, 2) == 0)
		snprintf(
			until, sizeof(until), ", to: %uus", from + (unsigned)draw(rng, 1, 400));
	snprintf(yaml + used, room - used, "- {kind: %s, place: \"%s\", from: %uus%s%s}\n",
		kinds[kind].kind, place, from, more, until);
}

static void make_fabric(struct rng *rng, char *yaml, size_t room, bool *hurt)
{
	static const unsigned speeds[] = { 25, 100, 400 }, mtus[] = { 1024, 4096 };
	unsigned leaves = (unsigned)draw(rng, 1, 4), spines = (unsigned)draw(rng, 1, 4);
	unsigned hosts = (unsigned)draw(rng, 2, 4), faults = (unsigned)draw(rng, 0, 4);

	snprintf(yaml, room,
		"leaves: %u\nspines: %u\nhosts_per_leaf: %u\nspeed: %uG\nmtu: %u\n"
		"policy: {buffer: %uMiB, timeout: 6, transport: %s%s}\n",
		leaves, spines, hosts, speeds[draw(rng, 0, 2)], mtus[draw(rng, 0, 1)],
		(unsigned)draw(rng, 2, 8), draw(rng, 0, 1) ? "go-back-n" : "selective-repeat",
		draw(rng, 0, 2) ? "" : ", watchdog: 200us");
	*hurt = faults > 0;
	if (faults) /* one that does nothing, so that the list is never empty */
		strncat(yaml, "faults:\n- {kind: cc-step, place: host1, amount: 1}\n",
			room - strlen(yaml) - 1);
	while (faults--)
		add_fault(rng, yaml, room, leaves, spines, hosts);
}

static void add_load(struct rng *rng, struct bed *bed)
{
	uint32_t nics = bed->fabric.nic_count;

	for (uint64_t flows = draw(rng, 1, 20); flows; flows--) {
		uint32_t src = (uint32_t)rng_below(rng, nics);
		uint32_t dst = (src + 1 + (uint32_t)rng_below(rng, nics - 1)) % nics;
		struct plan_flow *flow =
			bed_flow(bed, src, draw(rng, 0, 1) ? dst : (src ? 0 : 1),
				(uint32_t)draw(rng, 1, 8), draw(rng, 1, 1500000));

		flow->not_ect = rng_below(rng, 2);
		flow->start_ns = rng_below(rng, 50000);
		if (rng_below(rng, 3) == 0) {
			flow->burst_bytes = draw(rng, 1000, 100000);
			flow->burst_period_ns = draw(rng, 1000, 20000);
		}
	}
	if (rng_below(rng, 2))
		return;
	bed->stage.ring = (struct plan_ring){ .nics = calloc(nics, sizeof(uint32_t)),
		.ranks = nics,
		.qps = (uint32_t)draw(rng, 1, 3),
		.bytes = 4 * draw(rng, 1, 100000),
		.elem_bytes = 4,
		.iterations = (uint32_t)draw(rng, 1, 2) };
	for (uint32_t rank = 0; rank < nics; rank++)
		bed->stage.ring.nics[rank] = rank;
}

static void no_packet_and_no_byte_is_made_or_lost(void **state)
{
	unsigned completed = 0, cut = 0;

	(void)state;
	for (uint64_t run = 0; run < RUNS; run++) {
		char yaml[1024];
		struct rng rng;
		struct bed bed;
		bool hurt;

		rng_init(&rng, run);
		make_fabric(&rng, yaml, sizeof(yaml), &hurt);
		bed_open(&bed, yaml);
		add_load(&rng, &bed);
		bed.stage.deadline_ns = (hurt ? 20 : 200) * NS_PER_MS;
		bed.stage.sample_ns = 100 * NS_PER_US;
		bed_run(&bed, run);
		completed += bed.result.stage.status == RUN_COMPLETE;
		cut += bed.result.stage.status == RUN_PARTIAL;
		/* In a long queue a short timeout uses up its retries without a fault. */
		for (size_t i = 0; i < bed.result.flow_count; i++)
			hurt |= bed.result.flows[i].qp_error;
		if (!hurt && bed.result.stage.status != RUN_COMPLETE)
			fail_msg("run %u did not complete: %s", (unsigned)run,
				bed.result.stage.reason);
		assert_true(bed.result.totals.packet_hops >= bed.result.totals.data_sent);
		for (size_t i = 0; i < bed.result.flow_count; i++) {
			const struct run_flow *flow = &bed.result.flows[i];

			assert_true(flow->bytes_delivered <= flow->bytes_posted);
			assert_true(flow->bytes_posted <= flow->bytes_planned);
			assert_true(flow->packets_received <= flow->packets_sent);
			if (!hurt && !flow->timeouts) /* a short one may be spurious */
				assert_int_equal(flow->packets_resent, 0);
		}
		bed_close(&bed);
	}
	assert_true(completed > RUNS / 2 && cut > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_packet_and_no_byte_is_made_or_lost),
	};

	return cmocka_run_group_tests_name("sim_random", tests, NULL, NULL);
}
