/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/hand.h"
#include "lib/units.h"

static const struct opt burst_opts[] = {
	HAND_OPTS,
	{ OPT_TEXT, "dst NIC", HAND(dst), 0, 0, "who receives; drawn unless given" },
	{ OPT_COUNT, "senders N", HAND(senders), 1, 65536, "on other leaves; 8 unless given" },
	{ OPT_BYTES, "size SIZE", HAND(burst_bytes), 1, HAND_BYTES_MAX,
		"a burst of one sender; 64KiB unless given" },
	{ OPT_NS, "period TIME", HAND(burst_period_ns), 1, NS_PER_S,
		"from burst to burst; twice what the receiver needs unless given" },
	{ OPT_COUNT, "bursts N", HAND(bursts), 1, 100000, "how many; 20 unless given" },
	HAND_OPT_QPS("QPs of each sender; 1 unless given"),
	HAND_OPT_NOT_ECT,
	HAND_OPTS_END,
};

int cmd_burst(int argc, char **argv)
{
	return hand_run("burst",
		"Sends aligned bursts from many NICs to one, and tells how the switch took "
		"them.",
		burst_opts, plan_burst, argc, argv);
}
