/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/hand.h"
#include "cmd/peer_opts.h"

static const struct opt fabric_opts[] = {
	HAND_OPTS,
	{ OPT_TEXT, "src NIC", HAND(src), 0, 0, "who sends; drawn unless given" },
	{ OPT_TEXT, "dst NIC", HAND(dst), 0, 0, "who receives; drawn unless given" },
	HAND_OPT_QPS("QPs of the flow; 4 unless given"),
	{ OPT_BYTES, "bytes SIZE", HAND(bytes), 1, HAND_BYTES_MAX,
		"payload; 64MiB unless given" },
	HAND_OPT_NOT_ECT,
	HAND_OPTS_END,
};

static const struct opt host_opts[] = {
	PEER_OPTS_BEGIN("64KiB"),
	{ OPT_COUNT, "n N", PEER(messages), 1, UINT32_MAX,
		"messages of each QP; by time unless given" },
	{ OPT_COUNT, "q N", PEER(qps), 1, VERBS_QPS_MAX,
		"QPs, each with a source port of its own" },
	{ OPT_COUNT, "t N", PEER(depth), 1, GEN_DEPTH_MAX, "messages under way on each QP" },
	{ OPT_COUNT, "Q N", PEER(every), 1, GEN_DEPTH_MAX,
		"a completion per so many; 16, or fewer of 1MiB, unless given" },
	{ OPT_FLAG, "b", PEER(both), 0, 0, "both ends send" },
	{ OPT_FLAG, "check", PEER(check), 0, 0, "compare the CRC32C of what arrives" },
	{ OPT_NS, "interval TIME", PEER(interval_ns), NS_PER_MS, 3600 * NS_PER_S,
		"of the bandwidth over time" },
	{ OPT_RATE, "rate RATE", PEER(rate_bps), 1, UINT64_C(10000) * GBPS,
		"send no faster than this" },
	{ OPT_BYTES, "burst SIZE", PEER(burst_bytes), 1, GEN_BURST_MAX,
		"leaves at once, in whole messages; one message unless given" },
	{ OPT_NS, "period TIME", PEER(period_ns), NS_PER_US, GEN_PERIOD_NS_MAX,
		"from one burst to the next, instead of a rate" },
	{ OPT_TEXT, "at SECONDS", PEER(at), 0, 0,
		"since 1970, when sending starts: $(date -d +10sec +%s)" },
	{ OPT_RATE, "min RATE", PEER(least_bps), 0, UINT64_MAX / 2,
		"fail below this bandwidth" },
	PERFTEST_BW_OPTS,
	PEER_OPTS_END,
};

/* On a simulated fabric, or between two hosts? */
static bool is_simulated(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "--fabric") == 0 || strncmp(argv[i], "--fabric=", 9) == 0)
			return true;
	return false;
}

static const char about[] =
	"Sends from one host to another over their NICs and tells the bandwidth.";

/* Of both ways to use it. */
static int help(struct peer_args *args)
{
	char option[] = "-h", *argv[] = { option, NULL };

	printf("usage: weft bw --fabric FILE [OPTION ...]\n");
	peer_main(host_opts, about, args, 1, argv);
	printf("\nOn a simulated fabric:\n\n");
	opt_help(stdout, "bw", "Sends from one NIC of it to another and tells the bandwidth.",
		fabric_opts, NULL);
	return EXIT_PASS;
}

int cmd_bw(int argc, char **argv)
{
	struct peer_args args = {
		.command = "bw",
		.warmup_ns = 500 * NS_PER_MS,
		.qps = 1,
		.depth = 128,
	};

	if (is_simulated(argc, argv))
		return hand_run("bw", "Sends from one NIC to another and tells the bandwidth.",
			fabric_opts, plan_bw, argc, argv);
	if (opt_wants_help(argc, argv))
		return help(&args);
	return peer_main(host_opts, about, &args, argc, argv);
}
