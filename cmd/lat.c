/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/cmd.h"
#include "cmd/peer_opts.h"

static const struct opt lat_opts[] = {
	PEER_OPTS_BEGIN("2"),
	{ OPT_COUNT, "n N", PEER(messages), 1, UINT32_MAX, "messages; by time unless given" },
	PERFTEST_LAT_OPTS,
	PEER_OPTS_END,
};

int cmd_lat(int argc, char **argv)
{
	struct peer_args args = {
		.command = "lat",
		.warmup_ns = 100 * NS_PER_MS,
		.qps = 1,
		.depth = 64,
		.inline_bytes = 220,
		.latency = true,
	};

	return peer_main(lat_opts,
		"Measures how long a message takes from one host to another, as half of a "
		"round "
		"trip.",
		&args, argc, argv);
}
