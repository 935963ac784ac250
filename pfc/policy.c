/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/policy.h"

#include <string.h>

#include "lib/units.h"

void policy_defaults(struct policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	policy->dscp = 26;
	policy->priority = 3;
	policy->cnp_dscp = 48;
	policy->cnp_priority = 6;
	policy->ecn = true;
	policy->ecn_pmax_ppb = PPB / 5;
	policy->pfc = true;
	policy->buffer_bytes = 32 * MIB;
	policy->alpha_shift = 3;
	policy->xon_offset_bytes = 3 * KIB;
	policy->timeout_exp = 14;
	policy->retry = 7;
	policy->ack_every = 16;
	policy->dcqcn = (struct dcqcn){
		.g_shift = 8,
		.alpha_period_ns = 55 * NS_PER_US,
		.increase_period_ns = 55 * NS_PER_US,
		.increase_bytes = 10000000,
		.fast_recovery = 5,
		.min_rate_bps = GBPS / 10,
		.cnp_period_ns = 50 * NS_PER_US,
	};
}

void policy_complete(struct policy *policy, uint64_t nic_bps)
{
	uint64_t gbps = nic_bps / GBPS;

	if (policy->ecn_kmin_bytes == 0)
		policy->ecn_kmin_bytes = 4000 * gbps;
	if (policy->ecn_kmax_bytes == 0)
		policy->ecn_kmax_bytes = 4 * policy->ecn_kmin_bytes;
	if (policy->dcqcn.rai_bps == 0)
		policy->dcqcn.rai_bps = nic_bps / 1000;
	if (policy->dcqcn.rhai_bps == 0)
		policy->dcqcn.rhai_bps = 10 * policy->dcqcn.rai_bps;
}
