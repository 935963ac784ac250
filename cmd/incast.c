/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/hand.h"

static const struct opt incast_opts[] = {
	HAND_OPTS,
	{ OPT_TEXT, "dst NIC", HAND(dst), 0, 0, "who receives; drawn unless given" },
	{ OPT_COUNT, "senders N", HAND(senders), 1, 65536, "on other leaves; 8 unless given" },
	HAND_OPT_QPS("QPs of each sender; 4 unless given"),
	{ OPT_BYTES, "bytes SIZE", HAND(bytes), 1, HAND_BYTES_MAX,
		"payload of each sender; 64MiB unless given" },
	HAND_OPT_NOT_ECT,
	HAND_OPTS_END,
};

int cmd_incast(int argc, char **argv)
{
	return hand_run("incast",
		"Sends from many NICs to one, with a victim beside, and tells what was lost.",
		incast_opts, plan_incast, argc, argv);
}
