/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of bw and lat to the plan that both ends follow. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cmd/opt_value.h"
#include "cmd/peer.h"
#include "fabric/gen_pace.h"
#include "lib/diag.h"
#include "lib/units.h"

#define SOFT_RETRY 6u        /* 7 is "for ever" on rxe */
#define SOFT_TIMEOUT_EXP 17u /* 0.54 s: the kernel may be late */
#define TIMEOUT_EXP 14u
#define RETRY 7u

/* Seconds since 1970, with a fraction or without. */
static int start_of(const char *text, uint64_t *start_ns, struct diag *diag)
{
	struct timespec time;
	char seconds[48];
	uint64_t now;

	if (!text)
		return 0;
	snprintf(seconds, sizeof(seconds), "%.40ss", text);
	if (opt_value_parse(OPT_NS, seconds, start_ns) || *start_ns > INT64_MAX)
		return diag_error(diag, -EINVAL,
			"--at \"%.40s\": expected seconds since 1970, as date +%%s.%%N prints",
			text);
	clock_gettime(CLOCK_REALTIME, &time);
	now = (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
	if (*start_ns > now && *start_ns - now <= GEN_AHEAD_NS_MAX)
		return 0;
	return diag_error(diag, -EINVAL,
		"--at %.40s: expected a time within the next hour, it is %" PRIu64 " now", text,
		now / NS_PER_S);
}

static int pace_of(const struct peer_args *args, struct gen_plan *plan, struct diag *diag)
{
	uint64_t share;

	if (!args->rate_bps && !args->period_ns)
		return 0;
	plan->burst = (args->burst_bytes + plan->bytes - 1) / plan->bytes;
	plan->burst += plan->burst == 0;
	plan->period_ps =
		args->rate_bps ? gen_pace_period_ps(plan->burst * plan->bytes, args->rate_bps)
			       : args->period_ns * PS_PER_NS;
	if (plan->period_ps == UINT64_MAX)
		return diag_error(diag, -EINVAL,
			"--rate: a burst of %" PRIu64
			" bytes would take more than 10 s: choose "
			"a smaller --burst or -s",
			plan->burst * plan->bytes);
	/* So that a burst can leave whole. */
	share = (plan->burst + plan->qps - 1) / plan->qps;
	if (share > plan->depth)
		plan->depth = share < GEN_DEPTH_MAX ? (uint32_t)share : GEN_DEPTH_MAX;
	return 0;
}

/* So long that the series has room for the whole of it. */
static uint64_t interval_of(const struct peer_args *args)
{
	uint64_t least = args->seconds * NS_PER_S / (GEN_SERIES_MAX - 1);

	least = (least + NS_PER_MS - 1) / NS_PER_MS * NS_PER_MS;
	return args->messages || args->interval_ns > least ? args->interval_ns : least;
}

int peer_plan(const struct peer_args *args, const struct verbs *verbs, struct gen_plan *plan,
	struct diag *diag)
{
	uint64_t timeout = verbs->soft ? SOFT_TIMEOUT_EXP : TIMEOUT_EXP;
	uint64_t retry = verbs->soft ? SOFT_RETRY : RETRY;
	uint64_t mtu = args->mtu_bytes ? args->mtu_bytes : verbs->mtu_bytes;
	int err;

	*plan = (struct gen_plan){
		.work = (enum verbs_work)args->work,
		.qps = (uint32_t)args->qps,
		.bytes = args->bytes ? args->bytes : mtu,
		.depth = (uint32_t)args->depth,
		.every = (uint32_t)args->every,
		.messages = args->messages,
		.warmup_ns = args->messages ? 0 : args->warmup_ns,
		.duration_ns = args->seconds * NS_PER_S,
		.interval_ns = interval_of(args),
		.mtu_bytes = (uint32_t)mtu,
		.traffic_class = (uint8_t)args->traffic_class,
		.timeout_exp = (uint8_t)(args->timeout_exp ? args->timeout_exp : timeout),
		.retry = (uint8_t)(args->retry ? args->retry : retry),
		.inline_bytes = (uint32_t)args->inline_bytes,
		.both = args->both,
		.check = args->check,
		.latency = args->latency,
		.datagrams = args->connection == 1,
		.cm = args->cm,
		.seed = args->seed,
	};
	if (mtu > verbs->mtu_bytes)
		return diag_error(diag, -EINVAL,
			"-m %" PRIu64 ": %s port %u carries at most %u", mtu, verbs->device,
			verbs->port, verbs->mtu_bytes);
	err = start_of(args->at, &plan->start_ns, diag);
	if (!err)
		err = pace_of(args, plan, diag);
	return err ? err : gen_plan_complete(plan, diag);
}
