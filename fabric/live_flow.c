/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/live.h"

#include "lib/rng.h"
#include "lib/units.h"

#define WINDOWS_PER_S 20u /* 50 ms of the line are under way: more than any round trip */
#define WINDOW_MIN (64 * KIB)
#define WINDOW_MAX (8 * MIB)
#define MESSAGE_MAX (256 * KIB)
#define DEPTH_MIN 2u
#define ECT0 2u
#define SOFT_RETRY_MAX 6u /* 7 is "for ever" on rxe */

static uint64_t clamp(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static uint64_t divided(uint64_t bytes, uint64_t by)
{
	return (bytes + by - 1) / by;
}

static const struct gen_side *device_of(const struct live *live, uint32_t nic)
{
	const struct agents_host *host = agents_of_nic(&live->agents, nic);

	return &host->devices[nic - host->first_nic];
}

struct live_terms live_terms(
	const struct live *live, uint32_t src_nic, uint32_t dst_nic, bool not_ect)
{
	const struct policy *policy = &live->fabric->policy;
	const struct gen_side *src = device_of(live, src_nic), *dst = device_of(live, dst_nic);
	uint32_t least = src->mtu_bytes < dst->mtu_bytes ? src->mtu_bytes : dst->mtu_bytes;
	bool ect = policy->ecn && !not_ect, soft = src->soft || dst->soft;

	return (struct live_terms){
		.mtu_bytes = live->fabric->mtu_bytes < least ? live->fabric->mtu_bytes : least,
		.traffic_class = (uint8_t)((unsigned)policy->dscp << 2 | (ect ? ECT0 : 0)),
		.timeout_exp = (uint8_t)policy->timeout_exp,
		.retry = (uint8_t)(soft ? clamp(policy->retry, 0, SOFT_RETRY_MAX)
					: policy->retry),
	};
}

/* Messages of a size that bursts, or the flow, are a whole number of. */
static void cut(const struct plan_flow *flow, uint64_t window, struct gen_plan *plan,
	struct agent_pace *pace)
{
	bool bursts = flow->burst_bytes != 0;
	uint64_t whole = divided(bursts ? flow->burst_bytes : flow->bytes, plan->qps);
	uint64_t most =
		bursts ? MESSAGE_MAX
		       : clamp(window / plan->qps / DEPTH_MIN, plan->mtu_bytes, MESSAGE_MAX);
	uint64_t pieces = divided(whole, most);

	plan->bytes = divided(whole, pieces);
	plan->depth = (uint32_t)clamp(window / plan->qps / plan->bytes, DEPTH_MIN, 1024);
	plan->messages = pieces;
	if (bursts) {
		pace->messages = pieces;
		pace->period_ns = flow->burst_period_ns;
		plan->messages = pieces * divided(flow->bytes, flow->burst_bytes);
		plan->depth = (uint32_t)clamp(pieces, DEPTH_MIN, 1024);
	} else if (flow->rate_bps) {
		pace->messages = 1;
		pace->period_ns = plan->bytes * plan->qps * 8 * (NS_PER_S / NS_PER_US) /
				  (flow->rate_bps / NS_PER_US + 1);
		pace->period_ns += pace->period_ns == 0;
	}
}

void live_flow_plan(const struct live *live, const struct plan_flow *flow, uint64_t interval_ns,
	struct gen_plan *plan, struct agent_pace *pace)
{
	struct live_terms terms = live_terms(live, flow->src, flow->dst, flow->not_ect);
	uint64_t src = fabric_nic_bps(live->fabric, flow->src);
	uint64_t dst = fabric_nic_bps(live->fabric, flow->dst);

	*pace = (struct agent_pace){ .start_ns = flow->start_ns };
	*plan = (struct gen_plan){
		.work = VERBS_WRITE,
		.qps = flow->qps,
		.every = 1,
		.slots = 1,
		.interval_ns = interval_ns,
		.mtu_bytes = terms.mtu_bytes,
		.traffic_class = terms.traffic_class,
		.timeout_exp = terms.timeout_exp,
		.retry = terms.retry,
		.seed = rng_derive(live->plan->seed, (uint64_t)flow->src << 32 | flow->dst) >>
			1,
	};
	cut(flow, clamp((src < dst ? src : dst) / 8 / WINDOWS_PER_S, WINDOW_MIN, WINDOW_MAX),
		plan, pace);
}
