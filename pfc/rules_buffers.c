/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/rule_counters.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

static bool covers(const char *priorities, int priority)
{
	int from = atoi(priorities);
	const char *dash = strchr(priorities, '-');
	int to = dash ? atoi(dash + 1) : from;

	return priority >= from && priority <= to;
}

static bool is_lossless(const struct facts *facts, const char *port, const char *priorities)
{
	bool any = false;

	FACTS_EACH (facts, FACT_SWITCH_PFC, pfc) {
		any = true;
		/* "Ethernet4,Ethernet12" names two ports. */
		if (covers(priorities, atoi(pfc->name)) &&
			(!*pfc->subject || scan_word(pfc->subject, port)))
			return true;
	}
	return !any;
}

/* A switch's lossless priority groups whose profile leaves nothing behind XOFF. */
static enum outcome headroom_switch(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	char ports[300] = "";
	size_t used = 0;
	bool judged = false;

	FACTS_EACH (facts, FACT_PG, group) {
		const struct fact *xoff =
			facts_find(facts, FACT_PROFILE, NULL, group->text, "xoff");

		if (!xoff || !is_lossless(facts, group->subject, group->name) ||
			(scan_has(group->text, "lossy") &&
				!facts_first(facts, FACT_SWITCH_PFC)))
			continue;
		judged = true;
		if (xoff->number > 0 || scan_word(ports, group->subject) ||
			used > sizeof(ports) - 70)
			continue;
		used += (size_t)snprintf(ports + used, sizeof(ports) - used, "%s%s",
			used ? "," : "", group->subject);
	}
	if (!judged)
		return RULE_UNKNOWN;
	if (!*ports)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"PFC is on, but the lossless priority groups of %s have a headroom of 0 bytes",
		ports);
	explain_fact(out, "ports", "%s", ports);
	explain_fact(out, "xoff", "0");
	return RULE_FIRED;
}

/* A NIC: the receive buffer of a lossless priority has no bytes. */
static enum outcome headroom_nic(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool judged = false;

	FACTS_EACH (facts, FACT_PFC, pfc) {
		const struct fact *buffer = facts_find(
			facts, FACT_PRIO_BUFFER, pfc->place, pfc->subject, pfc->name);
		const struct fact *size;
		char name[16];

		if (pfc->number < 1 || !buffer)
			continue;
		snprintf(name, sizeof(name), "%d", scan_int(buffer->number));
		size = facts_find(facts, FACT_BUFFER, pfc->place, pfc->subject, name);
		if (!size)
			continue;
		judged = true;
		if (size->number > 0)
			continue;
		explain_code(out, rule, rule->level,
			"priority %s has PFC, but its receive buffer %s has 0 bytes", pfc->name,
			name);
		explain_fact(out, "ports", "%s", pfc->subject);
		explain_fact(out, "xoff", "0");
		return RULE_FIRED;
	}
	return judged ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome headroom(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum outcome of_switch = headroom_switch(rule, facts, out), of_nic;

	if (of_switch == RULE_FIRED)
		return of_switch;
	of_nic = headroom_nic(rule, facts, out);
	return of_nic == RULE_UNKNOWN ? of_switch : of_nic;
}

static const struct fact *threshold(const struct facts *facts, const char *name)
{
	return facts_find(facts, FACT_WRED, NULL, NULL, name);
}

static enum outcome wred_drop(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *drop = threshold(facts, "drop"), *xoff = threshold(facts, "xoff");
	struct count dropped = count_of(facts, NULL, MEANS_WRED_DROP, ANY_PRIORITY, false);
	struct count sent = count_of(facts, NULL, MEANS_PFC_TX, ANY_PRIORITY, false);

	if (!drop || !xoff)
		return RULE_UNKNOWN;
	if (drop->number >= xoff->number)
		return RULE_CLEAR;
	explain_code(out, rule,
		dropped.present && dropped.sum <= 0 ? VERDICT_WARN : VERDICT_FAIL,
		"the queue drops from %.3g megabytes on and pauses only from %.3g",
		drop->number, xoff->number);
	explain_number(out, "drop_mb", drop->number);
	explain_number(out, "xoff_mb", xoff->number);
	if (sent.present)
		explain_number(out, "pfc_tx", sent.sum);
	if (dropped.present)
		explain_number(out, "drops", dropped.sum);
	return RULE_FIRED;
}

/* Pause frames without end and no data behind them: the port that sends them takes
 * nothing in that priority, or the one that gets them sends nothing. */
static const struct fact *stalled(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_COUNTER, fact) {
		bool sends = fact->means == MEANS_PFC_TX, gets = fact->means == MEANS_PFC_RX;
		struct count data;

		if ((!sends && !gets) || fact->more < 1 || fact->number < 1000 ||
			fact->priority < 0)
			continue;
		data = count_of(facts, fact->place, sends ? MEANS_PRIO_RX : MEANS_PRIO_TX,
			fact->priority, true);
		if (!data.present) /* some count no data by priority */
			data = count_of(facts, fact->place, sends ? MEANS_RX : MEANS_TX,
				ANY_PRIORITY, true);
		if (data.present && data.sum <= 0)
			return fact;
	}
	return NULL;
}

/* A pause that the watchdogs name, or that fills the window: a device that holds
 * its peer for half of the time and takes nothing is not congested, it is stuck. */
static enum outcome storm(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *most = NULL, *told = facts_first(facts, FACT_STORM);
	struct count events = count_of(facts, NULL, MEANS_STORM, ANY_PRIORITY, false);
	int priority = -1;
	double share = share_of(facts, MEANS_PFC_TX_TIME, &most, &priority);
	const struct fact *held = NULL, *stuck = stalled(facts);
	int held_priority = -1;
	double held_share = share_of(facts, MEANS_PFC_RX_TIME, &held, &held_priority);

	if (share < 0.5 && held_share > 0.9) {
		share = held_share;
		most = held;
		priority = held_priority;
	}
	if (!told && !events.present && share < 0 && !stuck)
		return RULE_UNKNOWN;
	if (!told && events.sum <= 0 && share < 0.5 && !stuck)
		return RULE_CLEAR;
	if (share < 0.5 && events.sum <= 0 && stuck) {
		most = stuck;
		priority = stuck->priority;
	}
	if (share < 0.5 && events.most)
		most = events.most;
	explain_code(out, rule, rule->level, "%s",
		told             ? told->text
		: share >= 0.5   ? "one port pauses the other for most of the time"
		: events.sum > 0 ? "the NIC's own watchdog counted a pause storm"
				 : "pause frames without end and no data in that priority");
	if (most && *most->place)
		explain_fact(out, "host", "%s", most->place);
	if (most && *most->subject)
		explain_fact(out, "iface", "%s", most->subject);
	if (!most && told && *told->subject)
		explain_fact(out, "ports", "%s", told->subject);
	if (priority >= 0)
		explain_number(out, "prio", priority);
	if (share >= 0.5)
		explain_fact(out, "pause_fraction", "%.3f", share);
	if (most == held && held)
		explain_advice(out,
			"%s is held by its peer without end: walk along the pause to the port "
			"that receives none itself (leaf, spine, "
			"host). There a NIC or host takes no packets: restart or replace it, "
			"and turn on the PFC watchdog of the switch "
			"and the storm prevention of the NIC.",
			*held->place ? held->place : "This port");
	return RULE_FIRED;
}

const struct rule rules_buffers[] = {
	{ "PFC_STORM", VERDICT_FAIL, "congestion", "a device pauses its peer without end",
		"the pause spreads hop by hop and stops hosts that have nothing to do with it",
		"Take the device that pauses out of the fabric: its host or firmware takes no "
		"packets (hung driver, PCIe stall, "
		"slow consumer). Restart it, look at PCIe and firmware, and turn on the PFC "
		"watchdog of the switch port and the "
		"NIC's storm prevention so that one host cannot stop the others.",
		"SONiC pfcwd; Guo et al., SIGCOMM 2016", { NO_NEED, NO_NEED, NO_NEED }, storm },
	{ "HEADROOM_ZERO", VERDICT_FAIL, "congestion",
		"a lossless priority group has no headroom",
		"packets in flight after the pause was sent find no room and are dropped on "
		"arrival",
		"PFC is on but the lossless priority groups have no headroom, so packets in "
		"flight after the pause are dropped "
		"on ingress; install the profile for this speed and cable length (in SONiC "
		"pg_lossless_SPEED_LENGTH_profile: "
		"check cable length table and pg_profile_lookup.ini) and read xoff again.",
		"sonic-net/SONiC#480", { NO_NEED, NO_NEED, NO_NEED }, headroom },
	{ "WRED_DROP_BELOW_XOFF", VERDICT_FAIL, "congestion",
		"a lossless queue drops before it pauses",
		"PFC never gets to act: the class is lossy",
		"The queue drops before it can pause: for a lossless class WRED may mark but "
		"must not drop below the pause "
		"threshold; disable WRED drop for this queue (ECN marking only, vendor fix) "
		"and test again.",
		"sonic-net/sonic-buildimage#27606", { FACT_WRED, NO_NEED, NO_NEED },
		wred_drop },
	{ .code = NULL },
};
