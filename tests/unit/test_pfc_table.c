/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The truth table of PFC, ECN and the watchdog, every cell: the cases of the
 * SONiC RoCEv2 test plan (1 to 5 and 11) and of its PFC watchdog tests, on two
 * leaves. And the headroom that they rest on, to the byte.
 */
#include "simbed.h"

#include "lib/counters.h"
#include "lib/grow.h"
#include "pfc/headroom.h"

#define LEAVES "leaves: 2\nspines: 8\nhosts_per_leaf: 8\nspeed: 100G\n"
#define POLICY "policy: {buffer: 6MiB, watchdog: 1ms"
#define STORM(to) "faults:\n- {kind: pause-storm, place: host1, from: 100us, to: " to "}\n"

enum load { PAIR, INCAST, BOTH_WAYS };

/* 0 none, 1 some. */
struct cells {
	unsigned drops : 1;    /* by any switch, for want of buffer */
	unsigned naks : 1;     /* or gaps, or packets sent again */
	unsigned pfc : 1;      /* XOFF from the leaf of the target */
	unsigned upstream : 1; /* XOFF from a leaf of the senders to its hosts */
	unsigned ce : 1;
	unsigned cnp : 1;
	unsigned watchdog : 1; /* dropped something */
	unsigned slow : 1;     /* the victim has less than three quarters of its own */
	unsigned late : 1;     /* the flows to host1 did not end within 20 ms */
};

struct row {
	const char *name, *yaml;
	enum load load;
	bool not_ect;
	struct cells cells;
};

static const struct row rows[] = {
	{ "case 1: no congestion, Not-ECT", LEAVES POLICY "}\n", PAIR, true, { 0 } },
	{ "case 1: no congestion, ECT", LEAVES POLICY "}\n", PAIR, false, { 0 } },
	{ "case 2: 3:1, PFC alone", LEAVES POLICY "}\n", INCAST, true,
		{ .pfc = 1, .upstream = 1, .slow = 1 } },
	{ "case 3: 3:1, ECN before PFC", LEAVES "policy: {buffer: 128MiB, watchdog: 1ms}\n",
		INCAST, false, { .ce = 1, .cnp = 1 } },
	/* In a small buffer the burst before the first cut is paused, and the victim is
	 * marked in queues that pause has built. */
	{ "case 3: 3:1, ECN, the first burst meets PFC", LEAVES POLICY "}\n", INCAST, false,
		{ .pfc = 1, .upstream = 1, .ce = 1, .cnp = 1, .slow = 1 } },
	{ "case 3 with ECN off", LEAVES POLICY ", ecn: {off: yes}}\n", INCAST, false,
		{ .pfc = 1, .upstream = 1, .slow = 1 } },
	{ "case 3 with DCQCN off", LEAVES POLICY ", dcqcn: {off: yes}}\n", INCAST, false,
		{ .pfc = 1, .upstream = 1, .ce = 1, .slow = 1 } },
	/* The victim has losses of its own, where its QPs meet others on an uplink; a lost
	 * tail waits for the ACK timeout. */
	{ "case 2 with PFC off", LEAVES POLICY ", pfc: no, ack_every: 1}\n", INCAST, true,
		{ .drops = 1, .naks = 1, .slow = 1, .late = 1 } },
	{ "case 5: a pause from the host is passed on",
		LEAVES "policy: {buffer: 6MiB}\n" STORM("5ms"), PAIR, true,
		{ .pfc = 1, .upstream = 1, .slow = 1 } },
	{ "case 11: control while paused", LEAVES POLICY "}\n", BOTH_WAYS, true,
		{ .pfc = 1, .upstream = 1, .slow = 1 } },
	{ "watchdog, a storm of half its time", LEAVES POLICY "}\n" STORM("600us"), PAIR, true,
		{ .pfc = 1, .upstream = 1 } },
	{ "watchdog, a storm of twice its time", LEAVES POLICY "}\n" STORM("2100us"), PAIR,
		true, { .pfc = 1, .upstream = 1, .naks = 1, .watchdog = 1, .late = 1 } },
	{ "no watchdog, a storm without end", LEAVES "policy: {buffer: 6MiB}\n" STORM("1s"),
		PAIR, true, { .pfc = 1, .upstream = 1, .slow = 1, .late = 1 } },
};

#define VICTIM_BYTES 60000000u

/* host9 to host11 send to host1; the victim is host12 to host2, over the same
 * spines. The first flow is the victim. */
static void load(struct bed *bed, const struct row *row)
{
	uint32_t senders = row->load == PAIR ? 1 : 3;

	bed_flow(bed, 11, 1, 8, VICTIM_BYTES)->not_ect = row->not_ect;
	for (uint32_t s = 0; s < senders; s++)
		bed_flow(bed, 8 + s, 0, 8, 20000000)->not_ect = row->not_ect;
	for (uint32_t s = 0; row->load == BOTH_WAYS && s < 4; s++)
		bed_flow(bed, 0, 12 + s, 2, 5000000)->not_ect = row->not_ect;
}

static uint64_t count(const struct bed *bed, const char *prefix, const char *name)
{
	return bed_sum(bed, prefix, name);
}

static struct cells seen(const struct bed *bed)
{
	const struct sim_totals *totals = &bed->result.totals;
	struct cells cells = { 0 };

	cells.drops =
		totals->dropped_buffer + totals->dropped_headroom + totals->dropped_egress > 0;
	cells.naks = count(bed, "host", C_PACKET_SEQ_ERR) +
			     count(bed, "host", C_OUT_OF_SEQUENCE) +
			     count(bed, "host", C_DUPLICATE) >
		     0;
	cells.pfc = count(bed, "leaf1", "tx_prio3_pause") > 0;
	for (uint32_t port = 1; port <= 4; port++) {
		char name[16];

		snprintf(name, sizeof(name), "leaf2:%u", port);
		cells.upstream |= bed_counter(bed, name, "tx_prio3_pause") > 0;
	}
	cells.ce = count(bed, "host", C_NP_CE) > 0;
	cells.cnp = count(bed, "host", C_NP_CNP_SENT) > 0;
	cells.watchdog = totals->dropped_watchdog > 0;
	cells.slow = bed_gbps(bed, 0) < 0.75 * 98.03;
	for (uint32_t flow = 1; flow < bed->result.flow_count; flow++)
		cells.late |= !bed->result.flows[flow].complete ||
			      bed->result.flows[flow].end_ns > 20 * NS_PER_MS;
	return cells;
}

static void every_cell_of_the_row_holds(void **state)
{
	const struct row *row = *state;
	struct cells cells;
	struct bed bed;

	bed_open(&bed, row->yaml);
	bed.stage.deadline_ns = 100 * NS_PER_MS;
	load(&bed, row);
	bed_run(&bed, 1);
	cells = seen(&bed);
#define CELL(what)                                                                             \
	if (cells.what != row->cells.what)                                                     \
	fail_msg("%s: %s is %u, expected %u", row->name, #what, cells.what, row->cells.what)
	CELL(drops);
	CELL(naks);
	CELL(pfc);
	CELL(upstream);
	CELL(ce);
	CELL(cnp);
	CELL(watchdog);
	CELL(slow);
	CELL(late);
#undef CELL
	bed_close(&bed);
}

/* --- headroom --- */

static const uint64_t speeds[] = { 25, 100, 200, 400 };
static const uint32_t lengths[] = { 5, 100, 300 };

/* What still arrives when nothing leaves: the packet for which there was no room in
 * the share; one that the peer has begun; and all that it sends until the pause has
 * come and was obeyed, seen a cable later. */
static uint32_t needed(const struct fabric *fabric, uint64_t gbps, uint32_t length_m)
{
	uint64_t frame = fabric->mtu_bytes + 62, wire_bits = (frame + 20) * 8;
	uint64_t away_ns = 2 * length_m * UINT64_C(5) + fabric->obey_ns;
	uint64_t away_bits = away_ns * gbps + (64 + 20) * 8;

	return (uint32_t)((2 + away_bits / wire_bits) * frame);
}

/* One host sends to another that pauses all the time. */
static void fill(struct bed *bed, uint64_t gbps, uint32_t length_m, uint32_t less)
{
	char yaml[256];

	snprintf(yaml, sizeof(yaml),
		"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: %uG\ncable: {host: %um}\n"
		"policy: {xoff: 300000, ack_every: 1024}\n"
		"faults:\n- {kind: pause-storm, place: host2}\n",
		(unsigned)gbps, (unsigned)length_m);
	bed_open(bed, yaml);
	/* As slow as the formula allows; whole ns, rounded up. */
	bed->fabric.obey_ns =
		(headroom_quanta(gbps * GBPS) * BITS_PER_QUANTUM + gbps - 1) / gbps;
	bed->fabric.policy.headroom_bytes = needed(&bed->fabric, gbps, length_m) - less;
	bed->stage.deadline_ns = NS_PER_MS;
	bed_flow(bed, 0, 1, 1, 10000000)->not_ect = true;
	bed_run(bed, 1);
}

static void headroom_is_enough_to_the_byte(void **state)
{
	(void)state;
	for (size_t s = 0; s < COUNT_OF(speeds); s++)
		for (size_t l = 0; l < COUNT_OF(lengths); l++) {
			struct bed bed;
			uint32_t bytes;

			fill(&bed, speeds[s], lengths[l], 0);
			bytes = needed(&bed.fabric, speeds[s], lengths[l]);
			assert_int_equal(bed.result.totals.dropped_headroom, 0);
			assert_int_equal(
				bed_counter(&bed, "leaf1:1", "rx_prio3_headroom_peak_bytes"),
				bytes);
			assert_true(bytes <= headroom_bytes(speeds[s] * GBPS, lengths[l]));
			bed_close(&bed);
			fill(&bed, speeds[s], lengths[l], 1);
			assert_int_equal(bed.result.totals.dropped_headroom, 1);
			bed_close(&bed);
		}
}

/* It stops its peer all the same, and what comes until then is dropped. */
static void headroom_of_less_than_a_packet_pauses(void **state)
{
	struct bed bed;
	uint32_t bytes;

	(void)state;
	fill(&bed, 100, 5, 0);
	bytes = needed(&bed.fabric, 100, 5);
	bed_close(&bed);
	fill(&bed, 100, 5, bytes - 1); /* leaves one byte */
	assert_true(bed.result.totals.dropped_headroom > 0);
	assert_true(bed_counter(&bed, "leaf1:1", "tx_prio3_pause") > 0);
	bed_close(&bed);
}

/* Three to one over a spine, with what is in the pipelines of slow switches. */
static uint64_t dropped_behind_switches_of(const char *latency, uint64_t headroom_bytes)
{
	uint64_t dropped;
	struct bed bed;
	char yaml[256];

	snprintf(yaml, sizeof(yaml),
		"leaves: 2\nspines: 1\nhosts_per_leaf: 4\nspeed: 100G\nlinks_per_spine: 4\n"
		"latency: {switch: %s}\npolicy: {xoff: 100000}\n",
		latency);
	bed_open(&bed, yaml);
	bed.fabric.policy.headroom_bytes = headroom_bytes;
	bed.stage.deadline_ns = 100 * NS_PER_MS;
	for (uint32_t i = 0; i < 3; i++)
		bed_flow(&bed, i, 4, 4, 10000000)->not_ect = true;
	bed_run(&bed, 1);
	dropped = bed.result.totals.dropped_headroom;
	bed_close(&bed);
	return dropped;
}

static void headroom_grows_with_the_latency_of_switches(void **state)
{
	(void)state;
	assert_int_equal(dropped_behind_switches_of("600ns", 0), 0);
	assert_int_equal(dropped_behind_switches_of("20us", 0), 0);
	/* The formula's figure for 100 m, which knows of no such switch. */
	assert_true(dropped_behind_switches_of("20us", 56148) > 0);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(rows) + 3] = {
		cmocka_unit_test(headroom_is_enough_to_the_byte),
		cmocka_unit_test(headroom_of_less_than_a_packet_pauses),
		cmocka_unit_test(headroom_grows_with_the_latency_of_switches),
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = every_cell_of_the_row_holds,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	return cmocka_run_group_tests_name("pfc_table", tests, NULL, NULL);
}
