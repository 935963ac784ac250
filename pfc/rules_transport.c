/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/bundle.h"
#include "pfc/rule_command.h"
#include "pfc/scan.h"
#include "pfc/wc.h"

#define NO_NEED FACT_KEYS

static enum outcome decode(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int statuses = 0;

	FACTS_EACH (facts, FACT_WC_QUERY, query) {
		const char *status = wc_name(scan_int(query->number));
		char name[16];

		if (!status)
			continue;
		snprintf(name, sizeof(name), "%d", scan_int(query->number));
		explain_fact(out, name, "%s", status);
		statuses++;
	}
	if (statuses == 0) /* numbers, and none is a status */
		return RULE_CLEAR;
	return explain_code(
		out, rule, rule->level, "%d completion statuses turned into names", statuses);
}

/* The first error that is no flush, and how many flushes there are. */
static const struct fact *root_of(const struct facts *facts, int *flushes)
{
	const struct fact *root = NULL;

	*flushes = 0;
	FACTS_EACH (facts, FACT_WC, error) {
		if (scan_int(error->number) == WC_WR_FLUSH_ERR)
			(*flushes)++;
		else if (!root)
			root = error;
	}
	return root;
}

static enum outcome protection(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int flushes;
	const struct fact *root = root_of(facts, &flushes);
	bool gpu = facts_first(facts, FACT_MODULE) != NULL;

	if (!root || scan_int(root->number) != WC_LOC_PROT_ERR)
		return RULE_CLEAR;
	FACTS_EACH (facts, FACT_CHANNEL, channel)
		gpu = gpu || channel->number > 0;
	FACTS_EACH (facts, FACT_COMMAND, command)
		gpu = gpu || scan_has(command->text, "cuda") ||
		      scan_has(command->text, "rocm") || scan_has(command->text, "_perf") ||
		      scan_has(command->text, "gpu");
	FACTS_EACH (facts, FACT_WC, error)
		gpu = gpu || scan_has(error->text, "NCCL") || scan_has(error->text, "GDR") ||
		      scan_has(error->text, "gpu") || scan_has(error->text, "cuda");
	FACTS_EACH (facts, FACT_WC, error)
		gpu = gpu ||
		      (error->section && (scan_has(error->section->title, "gpu") ||
						 scan_has(error->section->title, "cuda")));
	FACTS_EACH (facts, FACT_ENV, variable)
		gpu = gpu || scan_has(variable->name, "GDR") ||
		      scan_has(variable->name, "CUDA");
	if (!gpu)
		return RULE_UNKNOWN;
	explain_code(out, rule, rule->level,
		"local protection error: the own NIC may not read the own GPU memory");
	explain_number(out, "wc_status", root->number);
	explain_fact(out, "wc_name", "%s", wc_name(scan_int(root->number)));
	explain_number(out, "root_status", root->number);
	if (flushes > 0)
		explain_number(out, "flush_count", flushes);
	if (*root->subject)
		explain_fact(out, "hca", "%s", root->subject);
	return RULE_FIRED;
}

/* Whether the input says that no byte got through: 1 yes, 0 no, -1 not known. */
static int first_failed(const struct facts *facts)
{
	const struct fact *bytes = facts_find(facts, FACT_WC_COUNT, NULL, NULL, "bytes");
	const struct fact *done = facts_find(facts, FACT_WC_COUNT, NULL, NULL, "completed");

	if (bytes)
		return bytes->number <= 0;
	if (done)
		return done->number <= 0;
	return -1;
}

static enum outcome unreachable(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int flushes;
	const struct fact *root = root_of(facts, &flushes);

	if (!root || scan_int(root->number) != WC_RETRY_EXC_ERR)
		return RULE_CLEAR;
	if (explain_has_any(out, "GID_") || explain_has(out, "PATH_MTU_TOO_BIG") ||
		explain_has(out, "ETH_SRC_EQUALS_DST") ||
		explain_has(out, "CROSS_RAIL_UNREACHABLE") ||
		explain_has(out, "PEER_MTU_MISMATCH"))
		return RULE_CLEAR; /* it says why */
	if (first_failed(facts) < 0)
		return RULE_UNKNOWN;
	if (first_failed(facts) == 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"status 12 before any data had moved: the two NICs never talked RoCE");
	explain_number(out, "wc_status", root->number);
	explain_fact(out, "wc_name", "%s", wc_name(scan_int(root->number)));
	explain_fact(out, "first_message_failed", "yes");
	if (*root->subject)
		explain_fact(out, "hca", "%s", root->subject);
	return RULE_FIRED;
}

static enum outcome root_12(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int flushes;
	const struct fact *root = root_of(facts, &flushes);

	if (root && scan_int(root->number) != WC_RETRY_EXC_ERR)
		out->doubt = true; /* something failed, and perhaps no rule says why */
	if (!root || scan_int(root->number) != WC_RETRY_EXC_ERR)
		return RULE_CLEAR;
	if (flushes == 0 && out->code_count > 0)
		return RULE_CLEAR; /* a single time-out that a cause explains */
	explain_code(out, rule, rule->level,
		"retry exceeded is the first error%s%s; %d lines after it are flushes",
		*root->subject ? " on " : "", root->subject, flushes);
	explain_number(out, "root_status", root->number);
	explain_number(out, "wc_status", root->number);
	explain_fact(out, "wc_name", "%s", wc_name(scan_int(root->number)));
	explain_number(out, "flush_count", flushes);
	if (*root->subject)
		explain_fact(out, "hca", "%s", root->subject);
	explain_advice(out,
		"Status 5 lines are only queue flushes after the first failure; work on the "
		"first line (retry exceeded%s%s: no "
		"acknowledgement came in time): look at the link, routing, GID and lossless "
		"settings between these two ends.",
		*root->subject ? " on " : "", root->subject);
	return RULE_FIRED;
}

static enum outcome vendor_retry(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *status = facts_find(facts, FACT_CQE, NULL, NULL, "status");
	double number = 0;
	bool exceeded =
		status && scan_number(status->text, &number, NULL) && scan_int(number) == 0x15;

	if (!status)
		return RULE_UNKNOWN;
	if (!exceeded)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "completion status %s is transport retry exceeded",
		status->text);
	explain_fact(out, "cqe_status", "%s", status->text);
	FACTS_EACH (facts, FACT_CQE, ends) {
		if (strcmp(ends->name, "status") == 0)
			continue;
		explain_fact(out, "local", "%s", ends->subject);
		explain_fact(out, "peer", "%s", ends->name);
		explain_advice(out,
			"The retransmission limit was reached between %s and %s; check the "
			"link history on both ports (hccn_tool "
			"-link_stat), reachability of these two device addresses, and whether "
			"the peer process died first.",
			ends->subject, ends->name);
		break;
	}
	return RULE_FIRED;
}

const struct rule rules_transport[] = {
	{ "WC_DECODE", VERDICT_PASS, "transport", "completion status numbers turned into names",
		"the number alone sends the search to the wrong end",
		"1 and 9: sizes or path MTU differ between the ends; 4: local key or GPU "
		"memory access; 5: a flush after another "
		"error, look for the first one; 10: remote key, permission or atomics on GPU "
		"memory; 11: the peer's side failed; 12: no "
		"acknowledgement; 13: the receiver posted no buffers.",
		"rdma-core libibverbs/verbs.h enum ibv_wc_status",
		{ FACT_WC_QUERY, NO_NEED, NO_NEED }, decode },
	{ "LOC_PROT_GPU_MEMORY", VERDICT_FAIL, "transport",
		"the own NIC may not read the own GPU memory",
		"the error is in this host, before anything reached the network",
		"The fault is in this host: the registration of GPU memory is not valid for "
		"the NIC. Load nvidia-peermem (or use "
		"dma-buf) in a version that fits driver and kernel, check IOMMU and ACS, and "
		"confirm by a run with "
		"NCCL_NET_GDR_LEVEL=0 (or perftest without --use_cuda), which must work.",
		"NVIDIA/nccl#1715", { FACT_WC, NO_NEED, NO_NEED }, protection },
	{ "ROCE_RETRY_EXCEEDED", VERDICT_FAIL, "transport",
		"a vendor completion status that means transport retry exceeded",
		"no acknowledgement came: loss, a dead link or a dead peer",
		"The retransmission limit was reached; check link history on both ports and "
		"whether the peer process died first.",
		"hiascend.com hcclug_000061", { FACT_CQE, NO_NEED, NO_NEED }, vendor_retry },
	{ "ROCE_UNREACHABLE", VERDICT_FAIL, "transport",
		"the very first message timed out: no RoCE path at all",
		"patience does not help: nothing was ever delivered",
		"The very first RoCE message timed out, so the two NICs cannot talk RoCE at "
		"all: check GID index and version, routing "
		"between the subnets, VLAN, MTU and filters on UDP 4791 (ACL, firewall, "
		"policer). A longer time-out will not help.",
		"NVIDIA/nccl#426", { FACT_WC, NO_NEED, NO_NEED }, unreachable },
	{ "ROOT_STATUS_12", VERDICT_FAIL, "transport",
		"retry exceeded is the first error; what follows is flushes",
		"the flushes are a consequence and name nothing", "Work on the first line.",
		"NVIDIA/nccl#1405", { FACT_WC, NO_NEED, NO_NEED }, root_12 },
	{ .code = NULL },
};
