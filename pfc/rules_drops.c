/* SPDX-License-Identifier: Apache-2.0 */
/* What a NIC drops on arrival, and whether the priority of it is one that must not. */
#include <stdio.h>
#include <string.h>

#include "pfc/rule.h"
#include "pfc/rule_counters.h"
#include "pfc/rule_port.h"

#define NO_NEED FACT_KEYS

/* Without rows by priority: the port dropped, and all that came was of one lossy
 * priority. */
static enum outcome discard_by_traffic(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_COUNTER, places, 64);

	for (size_t i = 0; i < count; i++) {
		struct count drops =
			count_of(facts, places[i], MEANS_RX_DROP, ANY_PRIORITY, true);
		struct count came =
			count_of(facts, places[i], MEANS_PRIO_RX, ANY_PRIORITY, true);
		int priority;
		const struct counter_row *row =
			drops.most ? counter_find(drops.most->name, &priority) : NULL;

		if (!row || row->where == 'W' || !came.most ||
			came.most->number < came.sum * 0.95 ||
			port_class(facts, places[i], drops.most->subject, came.priority) !=
				CLASS_LOSSY)
			continue;
		explain_code(out, rule, rule->level,
			"%s dropped %.0f packets on arrival, and all that came was of priority "
			"%d, which has no PFC",
			*places[i] ? places[i] : "the NIC", drops.sum, came.priority);
		explain_number(out, "prio", came.priority);
		explain_number(out, "drops", drops.sum);
		explain_fact(out, "loss_location", "receiver");
		return RULE_FIRED;
	}
	return RULE_UNKNOWN;
}

/* A total that a difference stands beside: that one tells what is dropped now. */
static bool is_outdone(const struct facts *facts, const struct fact *total)
{
	if (total->more > 0)
		return false;
	FACTS_EACH (facts, FACT_COUNTER, it)
		if (it->more > 0 && strcmp(it->name, total->name) == 0 &&
			strcmp(it->place, total->place) == 0 &&
			strcmp(it->subject, total->subject) == 0)
			return true;
	return false;
}

/* Drops by priority; what went down was reset and says nothing. */
static bool counts_drops(const struct facts *facts, const struct fact *fact)
{
	return fact->means == MEANS_PRIO_DROP && fact->priority >= 0 && fact->number >= 0 &&
	       !is_outdone(facts, fact);
}

static enum port_class class_of(const struct facts *facts, const struct fact *fact)
{
	return port_class(facts, fact->place, fact->subject, fact->priority);
}

static void tell_place(struct explain *out, const struct fact *fact)
{
	explain_number(out, "prio", fact->priority);
	explain_number(out, "drops", fact->number);
	explain_fact(out, "loss_location", "receiver");
	if (*fact->place)
		explain_fact(out, "host", "%s", fact->place);
	if (*fact->subject)
		explain_fact(out, "iface", "%s", fact->subject);
}

static const char *named(const struct fact *fact)
{
	return *fact->place ? fact->place : "the NIC";
}

static void tell_lossy(const struct rule *rule, const struct facts *facts, struct explain *out,
	const struct fact *fact)
{
	char lossless[32] = "";
	size_t used = 0;

	for (int i = 0; i < 8; i++)
		if (port_class(facts, fact->place, fact->subject, i) == CLASS_LOSSLESS)
			used += (size_t)snprintf(lossless + used, sizeof(lossless) - used,
				"%s%d", used ? "," : "", i);
	explain_code(out, rule, rule->level,
		"%s dropped %.0f packets of priority %d, which has no PFC, in its own "
		"port buffer",
		named(fact), fact->number, fact->priority);
	if (used)
		explain_fact(out, "lossless_prio", "%s", lossless);
	tell_place(out, fact);
	explain_advice(out,
		"The receiving NIC drops in the buffer of priority %d, which is lossy, "
		"so no pause is sent: move the RoCE "
		"traffic to the lossless priority%s%s (DSCP, trust and traffic class "
		"at the sender), or give priority %d more "
		"buffer or PFC; then find why the host is slow to take packets (PCIe, "
		"memory, NUMA).",
		fact->priority, used ? " " : "", lossless, fact->priority);
}

static enum outcome lossy_discard(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool judged = false, undecided = false;

	FACTS_EACH (facts, FACT_COUNTER, fact) {
		enum port_class class;

		if (!counts_drops(facts, fact))
			continue;
		class = class_of(facts, fact);
		if (fact->number > 0 && class == CLASS_LOSSY) {
			tell_lossy(rule, facts, out, fact);
			return RULE_FIRED;
		}
		undecided |= fact->number > 0 && class == CLASS_UNTOLD;
		judged |= fact->number <= 0 || class == CLASS_LOSSLESS;
	}
	if (undecided)
		return RULE_UNKNOWN;
	return judged ? RULE_CLEAR : discard_by_traffic(rule, facts, out);
}

/* Drops that neither this rule's neighbour nor LOSSLESS_DROP can judge: nobody told
 * whether the priority has PFC, or it has and the figure is a total. */
static enum outcome undecided_drop(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool judged = false;

	FACTS_EACH (facts, FACT_COUNTER, fact) {
		enum port_class class;

		if (!counts_drops(facts, fact))
			continue;
		judged = true;
		class = fact->number > 0 ? class_of(facts, fact) : CLASS_LOSSY;
		if (class == CLASS_LOSSY || (class == CLASS_LOSSLESS && fact->more > 0))
			continue;
		if (class == CLASS_UNTOLD) {
			explain_code(out, rule, rule->level,
				"%s dropped %.0f packets of priority %d (%s), and nothing here "
				"says whether that priority has PFC",
				named(fact), fact->number, fact->priority, fact->name);
		} else {
			explain_code(out, rule, rule->level,
				"%s has dropped %.0f packets of priority %d, which has PFC, "
				"since its counters began (%s)",
				named(fact), fact->number, fact->priority, fact->name);
			explain_advice(out,
				"Read the counters twice and give the difference, under a "
				"title that ends with \"delta\": packets of a priority with "
				"PFC must not be dropped, but a total does not tell when.");
		}
		tell_place(out, fact);
		return RULE_FIRED;
	}
	return judged ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_drops[] = {
	{ "RX_BUFFER_DISCARD_LOSSY_PRIO", VERDICT_FAIL, "congestion",
		"the NIC's port buffer of a lossy priority overflows",
		"the loss is in the receiving NIC, not in the fabric",
		"Move the RoCE traffic to the lossless priority.", "bytedance/byteps#179",
		{ FACT_COUNTER, NO_NEED, NO_NEED }, lossy_discard },
	{ "PRIO_DROP_UNDECIDED", VERDICT_UNKNOWN, "congestion",
		"packets of a priority were dropped, and it is not told whether that one is "
		"lossless, or when it was",
		"of a lossless priority each drop is a fault; of another one it is a question "
		"of buffers",
		"Add the PFC setting of that port (mlnx_qos -i IFACE, or dcb pfc show dev "
		"IFACE), and counters as a difference over a window of load.",
		"linux mlx5 en_stats.c", { FACT_COUNTER, NO_NEED, NO_NEED }, undecided_drop },
	{ .code = NULL },
};
