/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/policy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
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

	if (policy->buffer_bytes == 0)
		policy->buffer_bytes = 32 * MIB * (gbps > 200 ? gbps : 200) / 200;
	if (policy->ecn_kmin_bytes == 0)
		policy->ecn_kmin_bytes = 4000 * gbps;
	if (policy->ecn_kmax_bytes == 0)
		policy->ecn_kmax_bytes = 4 * policy->ecn_kmin_bytes;
	if (policy->dcqcn.rai_bps == 0)
		policy->dcqcn.rai_bps = nic_bps / 1000;
	if (policy->dcqcn.rhai_bps == 0)
		policy->dcqcn.rhai_bps = 10 * policy->dcqcn.rai_bps;
}

__attribute__((format(printf, 4, 5))) static int fault_in(
	struct policy_fault *fault, const char *key, const char *other, const char *format, ...)
{
	va_list args;

	fault->key = key;
	fault->other = other;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return -EINVAL;
}

static int check_classes(const struct policy *policy, struct policy_fault *fault)
{
	if (policy->dscp > 63)
		return fault_in(fault, "dscp", "", "%u: expected 0 to 63", policy->dscp);
	if (policy->cnp_dscp > 63)
		return fault_in(
			fault, "cnp_dscp", "", "%u: expected 0 to 63", policy->cnp_dscp);
	if (policy->priority >= PRIORITIES)
		return fault_in(fault, "priority", "", "%u: expected 0 to 7", policy->priority);
	if (policy->cnp_priority >= PRIORITIES)
		return fault_in(
			fault, "cnp_priority", "", "%u: expected 0 to 7", policy->cnp_priority);
	if (policy->cnp_priority == policy->priority)
		return fault_in(fault, "cnp_priority", "priority",
			"%u: the priority of the data: expected another, so that CNPs do not "
			"wait behind it",
			policy->cnp_priority);
	if (policy->cnp_dscp == policy->dscp)
		return fault_in(fault, "cnp_dscp", "dscp",
			"%u: the DSCP of the data: expected another, so that switches can tell "
			"CNPs apart",
			policy->cnp_dscp);
	return 0;
}

static int check_buffers(const struct policy *policy, struct policy_fault *fault)
{
	if (policy->ecn_kmin_bytes > policy->ecn_kmax_bytes)
		return fault_in(fault, "ecn.kmin", "ecn.kmax",
			"%" PRIu64 " bytes: expected at most ecn.kmax, %" PRIu64 " bytes",
			policy->ecn_kmin_bytes, policy->ecn_kmax_bytes);
	if (policy->ecn_pmax_ppb > PPB)
		return fault_in(fault, "ecn.pmax", "", "more than 1: expected at most 1");
	if (policy->headroom_bytes > policy->buffer_bytes)
		return fault_in(fault, "headroom", "buffer",
			"%" PRIu64 " bytes: expected less than the buffer, %" PRIu64 " bytes",
			policy->headroom_bytes, policy->buffer_bytes);
	if (policy->reserved_bytes > policy->buffer_bytes)
		return fault_in(fault, "reserved", "buffer",
			"%" PRIu64 " bytes: expected less than the buffer, %" PRIu64 " bytes",
			policy->reserved_bytes, policy->buffer_bytes);
	if (policy->xoff_bytes > policy->buffer_bytes)
		return fault_in(fault, "xoff", "buffer",
			"%" PRIu64 " bytes: expected less than the buffer, %" PRIu64 " bytes",
			policy->xoff_bytes, policy->buffer_bytes);
	if (policy->xoff_bytes && policy->xon_offset_bytes >= policy->xoff_bytes)
		return fault_in(fault, "xon_offset", "xoff",
			"%" PRIu64 " bytes: expected less than xoff, %" PRIu64 " bytes",
			policy->xon_offset_bytes, policy->xoff_bytes);
	return 0;
}

static int check_dcqcn(const struct dcqcn *dcqcn, uint64_t nic_bps, struct policy_fault *fault)
{
	if (dcqcn->min_rate_bps > nic_bps)
		return fault_in(fault, "dcqcn.min_rate", "",
			"%" PRIu64 " b/s: expected at most the speed of the NICs",
			dcqcn->min_rate_bps);
	if (dcqcn->rai_bps > nic_bps)
		return fault_in(fault, "dcqcn.rai", "",
			"%" PRIu64 " b/s: expected at most the speed of the NICs",
			dcqcn->rai_bps);
	if (dcqcn->rhai_bps < dcqcn->rai_bps)
		return fault_in(fault, "dcqcn.rhai", "dcqcn.rai",
			"%" PRIu64 " b/s: expected at least dcqcn.rai, %" PRIu64 " b/s",
			dcqcn->rhai_bps, dcqcn->rai_bps);
	return 0;
}

int policy_check(const struct policy *policy, uint64_t nic_bps, struct policy_fault *fault)
{
	int err = check_classes(policy, fault);

	if (!err)
		err = check_buffers(policy, fault);
	return err ? err : check_dcqcn(&policy->dcqcn, nic_bps, fault);
}
