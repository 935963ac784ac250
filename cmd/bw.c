/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/hand.h"

static const struct opt bw_opts[] = {
	HAND_OPTS,
	{ OPT_TEXT, "src NIC", HAND(src), 0, 0, "who sends; drawn unless given" },
	{ OPT_TEXT, "dst NIC", HAND(dst), 0, 0, "who receives; drawn unless given" },
	HAND_OPT_QPS("QPs of the flow; 4 unless given"),
	{ OPT_BYTES, "bytes SIZE", HAND(bytes), 1, HAND_BYTES_MAX,
		"payload; 64MiB unless given" },
	HAND_OPT_NOT_ECT,
	HAND_OPTS_END,
};

int cmd_bw(int argc, char **argv)
{
	return hand_run("bw", "Sends from one NIC to another and tells the bandwidth.", bw_opts,
		plan_bw, argc, argv);
}
