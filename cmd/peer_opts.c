/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer_opts.h"

#include <stdio.h>

#include "cmd/cmd.h"

#define BANDWIDTH_BYTES (64 * KIB) /* perftest's, as the next */
#define LATENCY_BYTES 2u
#define SECONDS 5u
#define SECONDS_OF_ALL 1u

/* DSCP of the default policy, and ECT(0) so that switches may mark. */
static uint64_t policy_class(void)
{
	struct policy policy;

	policy_defaults(&policy);
	return policy.dscp * 4u + 2u;
}

static const char *wrong(const struct peer_args *args)
{
	uint64_t mtu = args->mtu_bytes;

	if (!!args->address + !!args->listen + !!args->ssh != 1)
		return "expected one of --ssh HOST, which starts the other end there, --listen "
		       "ADDRESS, and the ADDRESS where the other weft listens (or --fabric "
		       "FILE, for a simulated fabric)";
	if (!args->ssh && (args->weft || args->peer_device || args->peer_gid))
		return "--weft, --peer-device and --peer-gid are for an end that is started by "
		       "--ssh: give that end its own -d and -x";
	if (args->ssh && args->tcp_port != CONTROL_PORT)
		return "-p: with --ssh there is no port of weft's own, and that of ssh belongs "
		       "into ~/.ssh/config: leave it out";
	if (mtu & (mtu - 1))
		return "-m: expected 256, 512, 1024, 2048 or 4096";
	if (args->both && args->work == VERBS_READ)
		return "-b: both ends reading is the same as both ends writing: choose --op "
		       "write";
	if (args->latency && args->work == VERBS_WRITE_IMM)
		return "--op write-imm: latency is measured by write, send or read";
	if (args->connection && args->work != VERBS_SEND)
		return "-c UD: datagrams are sent: add --op send";
	if (args->connection && args->cm)
		return "--cm: datagrams need no connection: leave it out, or -c UD";
	if (args->all && args->at)
		return "--at and -a: a start at an absolute time is that of one test";
	if (args->all && args->listen)
		return "-a: sizes come from the peer: leave it out here, and give it there";
	if (args->rate_bps && args->period_ns)
		return "--rate and --period: either bursts at a rate, or one every period";
	if (args->period_ns && !args->burst_bytes)
		return "--period: expected --burst SIZE, of what leaves every period";
	if (args->burst_bytes && !args->rate_bps && !args->period_ns)
		return "--burst: expected --rate RATE, or --period TIME for bursts on and off";
	return NULL;
}

int peer_main(const struct opt *opts, const char *about, struct peer_args *args, int argc,
	char **argv)
{
	const char *what;
	int status;

	args->tcp_port = CONTROL_PORT;
	args->port = 1;
	args->traffic_class = policy_class();
	args->interval_ns = 100 * NS_PER_MS;
	args->seed = 1;
	if (!opt_read(args->command, about, opts, argc, argv, args, &status))
		return status;
	what = wrong(args);
	if (what) {
		fprintf(stderr, "weft %s: %s\n", args->command, what);
		return EXIT_UNKNOWN;
	}
	if (!args->bytes && (args->all || args->latency || !args->connection))
		args->bytes = args->all ? 2 : args->latency ? LATENCY_BYTES : BANDWIDTH_BYTES;
	if (!args->seconds)
		args->seconds = args->all ? SECONDS_OF_ALL : SECONDS;
	if (!args->wait_ns)
		args->wait_ns = (args->listen ? 600 : args->ssh ? 30 : 10) * NS_PER_S;
	return peer_run(args);
}
