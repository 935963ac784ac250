/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/hand.h"

static const struct opt ring_opts[] = {
	HAND_OPTS,
	{ OPT_COUNT, "ranks N", HAND(ranks), 2, 65536, "the first N NICs; all unless given" },
	{ OPT_COUNT, "rail N", HAND(rail), 1, 64, "which NIC of each host; 1 unless given" },
	{ OPT_BYTES, "bytes SIZE", HAND(bytes), 1, HAND_BYTES_MAX,
		"reduced per rank; 1MiB for each rank unless given" },
	{ OPT_COUNT, "iterations N", HAND(iterations), 1, 10000,
		"all-reduces; 5 unless given" },
	HAND_OPT_QPS("QPs of each edge; 1 unless given"),
	HAND_OPTS_END,
};

int cmd_ring(int argc, char **argv)
{
	return hand_run("ring",
		"Runs ring all-reduces over the NICs of a rail, and tells time and bandwidth.",
		ring_opts, plan_ring, argc, argv);
}
