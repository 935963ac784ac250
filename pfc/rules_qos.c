/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/rule_command.h"
#include "pfc/rule_counters.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

/* The DSCP that the job asks for: from its traffic class byte, or as told. */
static bool job_dscp(const struct facts *facts, int *dscp, int *tc)
{
	const struct fact *class = facts_first(facts, FACT_TC);
	const struct fact *data = facts_first(facts, FACT_DATA_DSCP);

	*tc = class ? scan_int(class->number) : -1;
	if (class)
		*dscp = scan_int(class->number) >> 2;
	else if (data)
		*dscp = scan_int(data->number);
	return class || data;
}

/* Where a place sends a DSCP: its own row, the newest first, else the default of
 * drivers, which is DSCP / 8. */
static int priority_of(const struct facts *facts, const char *place, int dscp)
{
	char name[16];
	const struct fact *row;

	snprintf(name, sizeof(name), "%d", dscp);
	row = facts_find_last(facts, FACT_DSCP_MAP, place, NULL, name);
	return row ? scan_int(row->number) : dscp / 8;
}

static bool has_pfc(const struct facts *facts, const char *place, int priority)
{
	char name[16];
	const struct fact *row;

	snprintf(name, sizeof(name), "%d", priority);
	row = facts_find_last(facts, FACT_PFC, place, NULL, name);
	return row && row->number > 0;
}

/* "3" or "3,4" of the priorities with PFC; "none". */
static void lossless_list(const struct facts *facts, const char *place, char *list, size_t room)
{
	size_t used = 0;

	snprintf(list, room, "none");
	for (int i = 0; i < 8; i++)
		if (has_pfc(facts, place, i))
			used += (size_t)snprintf(
				list + used, room - used, "%s%d", used ? "," : "", i);
}

static const char *trust_of(const struct facts *facts, const char *place)
{
	const struct fact *trust = facts_find_last(facts, FACT_TRUST, place, NULL, NULL);

	if (trust)
		return trust->text;
	/* Drivers trust the DSCP once there is a map. */
	return facts_find(facts, FACT_DSCP_MAP, place, NULL, NULL) ? "dscp" : NULL;
}

static enum outcome trust_pcp(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int dscp, tc;
	bool known = job_dscp(facts, &dscp, &tc);

	FACTS_EACH (facts, FACT_TRUST, trust) {
		struct count seen;
		char list[32];

		if (strcmp(trust->text, "pcp") != 0)
			continue;
		if (!known)
			return RULE_UNKNOWN;
		if (dscp == 0 || facts_find(facts, FACT_VLAN, trust->place, NULL, NULL))
			continue;
		if (strcmp(trust_of(facts, trust->place), "pcp") != 0)
			continue; /* a later reading says dscp */
		seen = count_of(facts, trust->place, MEANS_PRIO_TX, ANY_PRIORITY, false);
		lossless_list(facts, trust->place, list, sizeof(list));
		explain_code(out, rule, rule->level,
			"packets carry DSCP %d, but %s trusts the VLAN priority and there is "
			"no VLAN: they land in priority %d",
			dscp, *trust->place ? trust->place : "the port",
			seen.most ? seen.priority : 0);
		explain_number(out, "dscp", dscp);
		explain_fact(out, "lossless_prio", "%s", list);
		explain_number(out, "actual_prio", seen.most ? seen.priority : 0);
		explain_advice(out,
			"Packets carry DSCP %d but the port trusts the VLAN priority and there "
			"is no VLAN, so everything lands in "
			"priority %d, which is not the lossless one (%s); set trust to dscp "
			"(mlnx_qos -i IFACE --trust dscp, or dcb "
			"apptrust set dev IFACE order dscp) on both ends and on the switch.",
			dscp, seen.most ? seen.priority : 0, list);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

/* Every DSCP that reaches a priority with PFC. */
static void give_lossless(
	const struct facts *facts, const char *place, struct explain *out, int *recommended)
{
	char list[300] = "";
	size_t used = 0;

	*recommended = -1;
	for (int dscp = 0; dscp < 64; dscp++) {
		if (!has_pfc(facts, place, priority_of(facts, place, dscp)))
			continue;
		used += (size_t)snprintf(
			list + used, sizeof(list) - used, "%s%d", used ? "," : "", dscp);
		*recommended = dscp;
	}
	explain_fact(out, "lossless_dscp", "%s", used ? list : "none");
}

static enum outcome dscp_not_lossless(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_PFC, places, 64);
	int dscp, tc, recommended;
	bool judged = false;

	if (!job_dscp(facts, &dscp, &tc) || explain_has(out, "TRUST_PCP_WITH_DSCP"))
		return explain_has(out, "TRUST_PCP_WITH_DSCP") ? RULE_CLEAR : RULE_UNKNOWN;
	for (size_t i = 0; i < count; i++) {
		int priority = priority_of(facts, places[i], dscp);
		const char *trust = trust_of(facts, places[i]);
		char list[32];

		if (trust && strcmp(trust, "pcp") == 0)
			continue;
		judged = true;
		if (has_pfc(facts, places[i], priority) ||
			explain_has(out, "PFC_CONFIG_REVERTED"))
			continue;
		lossless_list(facts, places[i], list, sizeof(list));
		explain_code(out, rule, rule->level,
			"DSCP %d goes to priority %d, which has no PFC (PFC on: %s)", dscp,
			priority, list);
		if (tc >= 0) {
			explain_number(out, "tc", tc);
			explain_number(out, "ecn_bits", tc & 3);
		}
		explain_number(out, "dscp", dscp);
		explain_number(out, "prio", priority);
		explain_fact(out, "lossless_prio", "%s", list);
		give_lossless(facts, places[i], out, &recommended);
		if (recommended >= 0)
			explain_advice(out,
				"Traffic class %d means DSCP %d -> priority %d, which is lossy "
				"here; use a traffic class whose DSCP maps "
				"to priority %s (%d is DSCP %d), or move PFC to priority %d on "
				"NICs and switches.",
				tc >= 0 ? tc : dscp * 4, dscp, priority, list, recommended * 4,
				recommended, priority);
		return RULE_FIRED;
	}
	return judged ? RULE_CLEAR : RULE_UNKNOWN;
}

/* The priority of a DSCP on a switch; -1 when the map was not collected. */
static int switch_priority(const struct facts *facts, int dscp)
{
	char name[16];
	const struct fact *row;

	snprintf(name, sizeof(name), "%d", dscp);
	row = facts_find(facts, FACT_SWITCH_MAP, NULL, NULL, name);
	return row ? scan_int(row->number) : -1;
}

static enum outcome pfc_mismatch(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *host = facts_first(facts, FACT_PFC)->place;
	int dscp, tc, ours, mapped, theirs = -1;
	bool both = false;
	char name[16];

	if (!job_dscp(facts, &dscp, &tc)) {
		/* Without the job: the first DSCP that the host maps to its lossless
		 * priority. */
		for (dscp = 0; dscp < 64; dscp++)
			if (has_pfc(facts, host, priority_of(facts, host, dscp)) &&
				switch_priority(facts, dscp) >= 0)
				break;
		if (dscp == 64)
			dscp = -1;
	}
	ours = dscp >= 0 ? priority_of(facts, host, dscp) : -1;
	if (ours < 0 || !has_pfc(facts, host, ours))
		for (int i = 0; i < 8; i++)
			if (has_pfc(facts, host, i))
				ours = i;
	if (ours < 0)
		return RULE_UNKNOWN;
	mapped = dscp >= 0 ? switch_priority(facts, dscp) : -1;
	FACTS_EACH (facts, FACT_SWITCH_PFC, row) {
		int priority = atoi(row->name);

		both = both || priority == ours;
		if (theirs < 0 || priority == mapped)
			theirs = priority;
	}
	if (both && (mapped < 0 || mapped == ours))
		return RULE_CLEAR;
	if (both)
		theirs = mapped;
	snprintf(name, sizeof(name), "%d", ours);
	explain_code(out, rule, rule->level,
		"the host pauses priority %d, the switch priority %d%s", ours, theirs,
		mapped >= 0 && mapped != ours ? " for the same DSCP" : "");
	if (dscp >= 0)
		explain_number(out, "dscp", dscp);
	explain_number(out, "host_pfc_prio", ours);
	explain_number(out, "switch_pfc_prio", theirs);
	explain_advice(out,
		"Host pauses priority %d, switch pauses priority %d: neither end honours the "
		"other's pause. Map DSCP %d to the "
		"same priority on both and enable PFC for that one only, on every hop.",
		ours, theirs, dscp >= 0 ? dscp : ours * 8);
	return RULE_FIRED;
}

static enum outcome cnp_queue(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *cnp = facts_first(facts, FACT_CNP_DSCP);
	int dscp, tc, data;

	if (!job_dscp(facts, &dscp, &tc))
		return RULE_UNKNOWN;
	data = priority_of(facts, cnp->place, dscp);
	if (priority_of(facts, cnp->place, scan_int(cnp->number)) != data)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"CNPs carry DSCP %.0f and share priority %d with the data (DSCP %d)",
		cnp->number, data, dscp);
	explain_number(out, "cnp_dscp", cnp->number);
	explain_number(out, "recommended_cnp_dscp", 48);
	return RULE_FIRED;
}

static enum outcome sl_ignored(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_COMMAND, command) {
		const struct fact *seen = facts_first(facts, FACT_CAPTURE_DSCP);
		char value[32] = "", tos[32];

		if (!command_option(command->text, "-R", tos, sizeof(tos)) &&
			!command_option(command->text, "--rdma_cm", tos, sizeof(tos)))
			continue;
		if ((!command_option(command->text, "-S", value, sizeof(value)) &&
			    !command_option(command->text, "--sl", value, sizeof(value))) ||
			atoi(value) == 0)
			continue;
		if (command_option(command->text, "-T", tos, sizeof(tos)) ||
			command_option(command->text, "--tos", tos, sizeof(tos)) ||
			(seen && seen->number > 0))
			continue;
		explain_code(out, rule, rule->level,
			"service level %s was asked for with rdma_cm, and the packets carry "
			"DSCP %.0f",
			value, seen ? seen->number : 0);
		explain_number(out, "dscp", seen ? seen->number : 0);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

const struct rule rules_qos[] = {
	{ "TRUST_PCP_WITH_DSCP", VERDICT_FAIL, "qos",
		"packets carry a DSCP but the port trusts the VLAN priority",
		"untagged packets are priority 0 then: lossy, whatever their DSCP",
		"Set trust to dscp on both ends and on the switch.",
		"losslessnetwork.com host-side-lossless", { FACT_TRUST, NO_NEED, NO_NEED },
		trust_pcp },
	{ "PFC_PRIORITY_MISMATCH", VERDICT_FAIL, "qos",
		"host and switch pause different priorities for this DSCP",
		"a pause for a priority that the other end does not use stops nothing",
		"Map the DSCP to the same priority on both and enable PFC for that one.",
		"hiascend.com hcclug_000060", { FACT_PFC, FACT_SWITCH_PFC, NO_NEED },
		pfc_mismatch },
	{ "DSCP_NOT_LOSSLESS", VERDICT_FAIL, "qos",
		"the job's DSCP maps to a priority without PFC",
		"the job's packets are dropped under load while the lossless class stays empty",
		"No priority of this port has PFC: enable it for the priority of the job's "
		"DSCP on NICs and switches, or set the "
		"job's traffic class to the DSCP of the lossless class.",
		"openucx/ucx#2434", { FACT_PFC, NO_NEED, NO_NEED }, dscp_not_lossless },
	{ "CNP_IN_DATA_QUEUE", VERDICT_WARN, "qos",
		"congestion notifications use the class of the data they should slow down",
		"a notification that waits behind the congestion comes too late",
		"Congestion notifications wait behind the data they should slow down; give CNP "
		"its own high or strict priority "
		"(commonly DSCP 48, priority 6) on NICs and switches.",
		"Mellanox/network-operator#179", { FACT_CNP_DSCP, NO_NEED, NO_NEED },
		cnp_queue },
	{ "SL_IGNORED_WITH_RDMACM", VERDICT_WARN, "qos",
		"the service level given is not applied with rdma_cm",
		"the test ran in the default class and says nothing of the lossless one",
		"With -R the service level option is not applied; use --tos/-T with a type of "
		"service such as 104 (DSCP 26, or "
		"106 with ECT), or set default_roce_tos (cma_roce_tos), and check the DSCP on "
		"the wire.",
		"linux-rdma/perftest#56", { FACT_COMMAND, NO_NEED, NO_NEED }, sl_ignored },
	{ .code = NULL },
};
