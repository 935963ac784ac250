/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "pfc/rule.h"
#include "pfc/rule_counters.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* Fewer packets than this in a window prove no class. */
#define PROOF_PACKETS 100

static enum outcome untagged_pcp(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_TRUST, trust) {
		bool read;
		int lossless = port_lossless(facts, trust->place, trust->subject, &read);

		if (!read || lossless == -1)
			continue;
		known = true;
		if (strcmp(trust->text, "pcp") != 0 || lossless == 0 ||
			facts_find(facts, FACT_VLAN, trust->place, NULL, NULL) ||
			explain_has(out, "TRUST_PCP_WITH_DSCP"))
			continue;
		explain_code(out, rule, rule->level,
			"%s %s trusts the VLAN priority and there is no VLAN: all traffic is "
			"priority 0, and PFC is on for another",
			trust->place, trust->subject);
		explain_fact(out, "iface", "%s", trust->subject);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* Whether anything leaves a VLAN interface with this priority in its tag. */
static bool marks(const struct facts *facts, const struct fact *vlan, int priority)
{
	FACTS_EACH (facts, FACT_VLAN_EGRESS, row)
		if (strcmp(row->place, vlan->place) == 0 &&
			strcmp(row->subject, vlan->subject) == 0 &&
			scan_int(row->number) == priority)
			return true;
	return false;
}

static enum outcome unmarked_vlan(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_VLAN, vlan) {
		const struct fact *trust =
			facts_find(facts, FACT_TRUST, vlan->place, vlan->text, NULL);
		bool read;
		int lossless = port_lossless(facts, vlan->place, vlan->text, &read);

		if (!*vlan->text || !trust || !read || lossless < 0)
			continue;
		known = true;
		if (strcmp(trust->text, "pcp") != 0 || lossless == 0 ||
			marks(facts, vlan, lossless))
			continue;
		explain_code(out, rule, rule->level,
			"%s %s trusts the VLAN priority, PFC is on for %d, and %s puts nothing "
			"in it",
			vlan->place, vlan->text, lossless, vlan->subject);
		explain_fact(out, "iface", "%s", vlan->subject);
		explain_number(out, "prio", lossless);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* A class that the job's traffic would be put in: variable, forced class, or ToS. */
static const struct fact *class_of(const struct facts *facts)
{
	const struct fact *class = facts_first(facts, FACT_TC);

	return class ? class : facts_first(facts, FACT_ROCE_TOS);
}

static enum outcome class_unset(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PFC, pfc) {
		if (pfc->number <= 0)
			continue;
		if (class_of(facts))
			return RULE_CLEAR;
		if (strcmp(pfc->name, "0") == 0)
			continue;
		return explain_code(out, rule, rule->level,
			"%s pauses priority %s, and nothing here says that RoCE uses it: no "
			"NCCL_IB_TC, HCCL_RDMA_TC or UCX_IB_TRAFFIC_CLASS in this environment, "
			"no forced traffic class, no default_roce_tos",
			*pfc->place ? pfc->place : "the host", pfc->name);
	}
	return RULE_UNKNOWN;
}

static enum outcome without_ect(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_TC, class)
		if (class->number > 0 && (scan_int(class->number) & 3) == 0) {
			int value = scan_int(class->number);

			explain_code(out, rule, rule->level,
				"%s=%d is DSCP %d without the ECN-capable bit; %d has it",
				class->name, value, value >> 2, value | 2);
			return RULE_FIRED;
		}
	return RULE_CLEAR;
}

static enum outcome tos_against_class(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_TC, class)
		FACTS_EACH (facts, FACT_ROCE_TOS, tos)
			if (strcmp(tos->place, class->place) == 0 &&
				scan_int(tos->number) >> 2 != scan_int(class->number) >> 2)
				return explain_code(out, rule, rule->level,
					"%s=%.0f is DSCP %d, default_roce_tos of %s is %.0f, "
					"DSCP %d",
					class->name, class->number,
					scan_int(class->number) >> 2, tos->subject, tos->number,
					scan_int(tos->number) >> 2);
	return RULE_CLEAR;
}

/* RDMA moved packets within the window, and the lossless priorities counted none. */
static enum outcome outside_class(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool judged = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		double moved = 0, counted = 0, lossless = 0, on;
		bool has_prio = false, has_pfc = false;

		FACTS_EACH (facts, FACT_COUNTER, counter) {
			bool packets = counter->means == MEANS_TX || counter->means == MEANS_RX;
			bool prio = counter->means == MEANS_PRIO_TX ||
				    counter->means == MEANS_PRIO_RX;

			if (counter->more < 1 || strcmp(counter->place, rail->place) != 0)
				continue;
			if (packets && strcmp(counter->subject, rail->subject) == 0)
				moved += counter->number;
			if (!prio || strcmp(counter->subject, rail->name) != 0)
				continue;
			has_prio = true;
			counted += counter->number;
			if (!port_value(facts, FACT_PFC, rail->place, rail->name,
				    counter->priority, &on))
				continue;
			has_pfc = true;
			lossless += on > 0 ? counter->number : 0;
		}
		if (!has_prio || !has_pfc || moved < PROOF_PACKETS)
			continue;
		judged = true;
		if (lossless >= moved / 2)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s moved %.0f RDMA packets, and its lossless priorities counted "
			"%.0f of %.0f",
			rail->place, rail->subject, moved, lossless, counted);
		explain_fact(out, "iface", "%s", rail->name);
		return RULE_FIRED;
	}
	return judged ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_mark[] = {
	{ "TRUST_PCP_UNTAGGED", VERDICT_FAIL, "class",
		"a port trusts the VLAN priority and has no VLAN",
		"all its traffic is priority 0, whatever the DSCP, and so never lossless",
		"Set trust to dscp (mlnx_qos -i IFACE --trust dscp, or dcb apptrust set dev "
		"IFACE order dscp).",
		"losslessnetwork.com host-side-lossless", { FACT_RAIL, FACT_TRUST, FACT_PFC },
		untagged_pcp },
	{ "VLAN_UNMARKED", VERDICT_FAIL, "class",
		"a VLAN interface never tags with the lossless priority that its port trusts",
		"all its traffic is priority 0, and so never lossless",
		"Map the kernel's priority (ip link set VLAN type vlan egress "
		"PRIORITY:PRIORITY; "
		"for rdma_cm the priority follows from its ToS), or set trust to dscp.",
		"linux net/8021q/vlanproc.c", { FACT_VLAN, FACT_TRUST, FACT_PFC },
		unmarked_vlan },
	{ "ROCE_CLASS_UNSET", VERDICT_WARN, "class",
		"PFC is on, and nothing says that RoCE uses its class",
		"libraries and tests send DSCP 0 by default: the lossy class",
		"Set the traffic class of the job (NCCL_IB_TC=106 for DSCP 26), "
		"default_roce_tos, or a forced traffic class of the device. Run weft doctor in "
		"the job's environment.",
		"linux-rdma/perftest README", { FACT_RAIL, FACT_PFC, NO_NEED }, class_unset },
	{ "TC_WITHOUT_ECT", VERDICT_WARN, "class",
		"the traffic class lacks the ECN-capable bits",
		"a switch drops where it would mark, unless the NIC sets the bits itself",
		"Add 2 to the traffic class (106 for 104).", "RFC 3168",
		{ FACT_RAIL, FACT_TC, NO_NEED }, without_ect },
	{ "TOS_AGAINST_TC", VERDICT_WARN, "class",
		"rdma_cm and the library mark with different DSCPs",
		"connections of one job lie in two classes",
		"Set default_roce_tos (cma_roce_tos) and the library's traffic class to one "
		"DSCP.",
		"linux-rdma/perftest#56", { FACT_RAIL, FACT_TC, FACT_ROCE_TOS },
		tos_against_class },
	{ "ROCE_OUTSIDE_CLASS", VERDICT_FAIL, "class",
		"RDMA moves and the lossless priority counts nothing",
		"the traffic runs in a lossy class, whatever was configured",
		"Follow the DSCP from the job to the port: traffic class of the job, trust, "
		"DSCP map, PFC.",
		"bytedance/byteps#179", { FACT_RAIL, FACT_PFC, FACT_COUNTER }, outside_class },
	{ .code = NULL },
};
