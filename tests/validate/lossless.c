/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/validate.h"

#include "lib/units.h"
#include "pfc/headroom.h"

static const uint32_t speeds[] = { 25, 100, 200, 400 };

static void drains(struct report *report)
{
	static const uint32_t senders[] = { 2, 4, 8, 15 };
	struct trial trial;

	report_section(report, "Incast drain time",
		"us until N senders of 4 MB each, Not-ECT and paused as needed, are through "
		"one "
		"100G port: N S / B; nothing may be lost.");
	for (size_t i = 0; i < COUNT_OF(senders); i++) {
		trial_open(&trial, "leaves: 1\nspines: 1\nhosts_per_leaf: 16\nspeed: 100G\n"
				   "policy: {buffer: 4MiB}\n");
		for (uint32_t s = 1; s <= senders[i]; s++)
			trial_flow(&trial, s, 0, 4000000)->not_ect = true;
		trial_run(&trial, 1);
		report_row(report,
			(senders[i] * 4e6 / payload_rate(&trial.fabric) +
				leaf_latency_ns(&trial.fabric)) /
				1e3,
			trial_end_ns(&trial) / 1e3, CLOSED_FORM, "%u:1", senders[i]);
		report_row(report, 0,
			(double)(trial.result.totals.dropped_headroom +
				 trial.result.totals.dropped_buffer),
			0, "%u:1, packets dropped", senders[i]);
		trial_close(&trial);
	}
}

/* A storming NIC says XOFF again when half of 65535 quanta are over. */
static void quanta(struct report *report)
{
	struct trial trial;

	report_section(report, "Pause quanta",
		"us between two XOFF frames of a NIC that never stops: half of 65535 quanta of "
		"512 "
		"bit times (IEEE 802.3 annex 31B), over 20 ms.");
	for (size_t i = 0; i < COUNT_OF(speeds); i++) {
		uint64_t frames;

		trial_open(&trial,
			"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: %uG\nfaults:\n- "
			"{kind: "
			"pause-storm, place: host2}\n",
			speeds[i]);
		trial.stage.deadline_ns = 20 * NS_PER_MS;
		trial_flow(&trial, 0, 1, 1000000);
		trial_run(&trial, 1);
		frames = trial_counter(&trial, "leaf1:2", "rx_prio3_pause");
		report_row(report, 65535.0 * 512 / speeds[i] / 2 / 1e3, 20e3 / (double)frames,
			CLOSED_FORM, "%uG", speeds[i]);
		report_row(report, 20000,
			(double)trial_counter(&trial, "leaf1:2", "rx_prio3_pause_duration"),
			CLOSED_FORM, "%uG, us held of 20 ms", speeds[i]);
		trial_close(&trial);
	}
}

static void headrooms(struct report *report)
{
	static const uint32_t lengths[] = { 5, 100, 300 };
	struct trial trial;

	report_section(report, "Headroom",
		"Bytes of headroom that one port needs at most, when nothing leaves the switch "
		"and "
		"its peer obeys as late as IEEE 802.3 lets it (80, 394, 453, 905 quanta, by "
		"secondary sources): two frames, and what comes during 2 x cable + reaction + "
		"the "
		"PFC frame, in whole frames of 4,158 bytes. One byte less drops a packet "
		"(`tests/unit/test_pfc_table.c`). In brackets the published formula with two "
		"frames of 9,216 bytes, which is what ports set aside.");
	for (size_t s = 0; s < COUNT_OF(speeds); s++)
		for (size_t l = 0; l < COUNT_OF(lengths); l++) {
			uint32_t gbps = speeds[s];
			uint64_t obey_ns =
				(headroom_quanta(gbps * GBPS) * UINT64_C(512) + gbps - 1) /
				gbps;
			uint64_t bits =
				(2 * lengths[l] * UINT64_C(5) + obey_ns) * gbps + 84 * 8;

			trial_open(&trial,
				"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: %uG\ncable: "
				"{host: %um}\nlatency: {pause: %lluns}\npolicy: {xoff: 300000, "
				"ack_every: 1024}\nfaults:\n- {kind: pause-storm, place: "
				"host2}\n",
				gbps, lengths[l], (unsigned long long)obey_ns);
			trial.stage.deadline_ns = NS_PER_MS;
			trial_flow(&trial, 0, 1, 10000000)->not_ect = true;
			trial_run(&trial, 1);
			report_row(report, (double)((2 + bits / (4178 * 8)) * 4158),
				(double)trial_counter(
					&trial, "leaf1:1", "rx_prio3_headroom_peak_bytes"),
				0, "%uG, %u m (%llu)", gbps, lengths[l],
				(unsigned long long)headroom_bytes(gbps * GBPS, lengths[l]));
			trial_close(&trial);
		}
}

void validate_lossless(struct report *report)
{
	drains(report);
	quanta(report);
	headrooms(report);
}
