/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/validate.h"

#include "lib/units.h"

static const uint32_t speeds[] = { 25, 100, 200, 400, 800 }, mtus[] = { 1024, 2048, 4096 };

static void rates(struct report *report)
{
	struct trial trial;

	report_section(report, "Payload rate of a pair",
		"Goodput of one queue pair in Gb/s: line x M / (M + 82), M the RoCE MTU; 82 "
		"bytes "
		"are preamble, gap, Ethernet, IPv4, UDP, BTH, ICRC and FCS (IEEE 802.3, "
		"InfiniBand annex A17).");
	for (size_t s = 0; s < COUNT_OF(speeds); s++)
		for (size_t m = 0; m < COUNT_OF(mtus); m++) {
			uint64_t bytes = speeds[s] * UINT64_C(400000);

			trial_open(&trial,
				"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: %uG\nmtu: "
				"%u\n",
				speeds[s], mtus[m]);
			trial_flow(&trial, 0, 1, bytes);
			trial_run(&trial, 1);
			report_row(report, speeds[s] * (double)mtus[m] / (mtus[m] + 82),
				(double)bytes * 8 / trial_end_ns(&trial), CLOSED_FORM,
				"%uG, MTU %u", speeds[s], mtus[m]);
			trial_close(&trial);
		}
}

/* Packets of a message go through each store-and-forward hop one behind the other. */
static void latencies(struct report *report)
{
	static const uint32_t sizes[] = { 64, 4096, 65536, 1 << 20 };
	struct trial trial;

	report_section(report, "One message, one way",
		"ns from posting to the last byte, at 100G: both NICs (800 ns each), a switch "
		"of "
		"600 ns and a cable of 5 ns a metre at each hop, and the frame once a hop: "
		"S / B + hops x frame + latencies. Across leaves: three switches, 5 + 100 + "
		"100 + "
		"5 m.");
	for (size_t i = 0; i < COUNT_OF(sizes); i++)
		for (uint32_t across = 0; across < 2; across++) {
			uint32_t packets = (sizes[i] + 4095) / 4096;
			uint32_t last = sizes[i] - (packets - 1) * 4096;
			double wire = (sizes[i] + packets * 82.0 + 16) * 0.08;
			/* The last hops carry the last packet behind a full one. */
			double frame = ((packets > 1 ? 4096 : last + 16) + 82) * 0.08;
			double expected = wire + (across ? 3 : 1) * frame + 1600 +
					  (across ? 3 * 600 + 210 * 5 : 600 + 10 * 5);

			trial_open(&trial,
				"leaves: 2\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n");
			trial_flow(&trial, 0, across ? 2 : 1, sizes[i]);
			trial_run(&trial, 1);
			report_row(report, expected, trial_end_ns(&trial), CLOSED_FORM,
				"%u bytes, %s", sizes[i],
				across ? "across leaves" : "same leaf");
			trial_close(&trial);
		}
}

#define WINDOWS 24u

/* Selective repeat keeps at most 4,096 packets on the way. */
static void window(struct report *report)
{
	static const uint32_t delays_ms[] = { 1, 4, 10 };
	const double bytes = 4096.0 * 4096;
	struct trial trial;

	report_section(report, "Credit window",
		"ms for 24 windows of W = 4,096 packets of 4,096 bytes, of which a sender with "
		"selective repeat may have one on the way: 23 round trips, and W / B and one "
		"way "
		"for the last.");
	for (size_t i = 0; i < COUNT_OF(delays_ms); i++) {
		double way_ns, expected;

		trial_open(&trial,
			"leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\npolicy: "
			"{transport: "
			"selective-repeat, timeout: 18}\nfaults:\n- {kind: delay, place: "
			"host2, "
			"amount: %ums}\n",
			delays_ms[i]);
		trial_flow(&trial, 0, 1, (uint64_t)bytes * WINDOWS);
		trial_run(&trial, 1);
		way_ns = delays_ms[i] * 1e6 + leaf_latency_ns(&trial.fabric);
		expected = (WINDOWS - 1) * 2 * way_ns + bytes / payload_rate(&trial.fabric) +
			   way_ns;
		report_row(report, expected / 1e6, trial_end_ns(&trial) / 1e6, CLOSED_FORM,
			"round trip %u ms", 2 * delays_ms[i]);
		trial_close(&trial);
	}
}

void validate_links(struct report *report)
{
	rates(report);
	latencies(report);
	window(report);
}
