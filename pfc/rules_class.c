/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/headroom.h"
#include "pfc/rule.h"
#include "pfc/rule_counters.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* A NIC of a fabric pauses one class, two where storage has its own. */
#define LOSSLESS_MAX 2
/* Below this share of the line the lossless class is starved under load (own default). */
#define SHARE_MIN_PERCENT 10
/* As drivers reckon when nobody has told them the length. */
#define CABLE_USUAL_M 7

/* Calls a check for each interface whose PFC was read, until it fires. */
static enum outcome each_port(const struct rule *rule, const struct facts *facts,
	struct explain *out,
	enum outcome (*check)(const struct rule *, const struct facts *, struct explain *,
		const struct fact *any))
{
	enum outcome outcome = RULE_UNKNOWN;

	FACTS_EACH (facts, FACT_PFC, fact) {
		enum outcome one;

		if (facts_find(facts, FACT_PFC, fact->place, fact->subject, NULL) != fact)
			continue; /* one of the eight stands for all */
		one = check(rule, facts, out, fact);
		if (one == RULE_FIRED)
			return one;
		if (one == RULE_CLEAR)
			outcome = one;
	}
	return outcome;
}

static enum outcome fire(struct explain *out, const struct fact *port)
{
	if (*port->place)
		explain_fact(out, "host", "%s", port->place);
	if (*port->subject)
		explain_fact(out, "iface", "%s", port->subject);
	return RULE_FIRED;
}

static int count_lossless(const struct facts *facts, const struct fact *port)
{
	int count = 0;

	for (int i = 0; i < 8; i++) {
		double on = 0;

		count += port_value(facts, FACT_PFC, port->place, port->subject, i, &on) &&
			 on > 0;
	}
	return count;
}

static enum outcome check_off(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *port)
{
	if (count_lossless(facts, port) > 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%s %s has PFC on no priority", port->place,
		port->subject);
	return fire(out, port);
}

static enum outcome pfc_off(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each_port(rule, facts, out, check_off);
}

static enum outcome check_many(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *port)
{
	const struct fact *capacity =
		facts_find(facts, FACT_PFC_CAPACITY, port->place, port->subject, NULL);
	int count = count_lossless(facts, port);
	bool over = capacity && capacity->number > 0 && count > capacity->number;

	if (count <= LOSSLESS_MAX && !over)
		return RULE_CLEAR;
	explain_code(out, rule, over ? VERDICT_FAIL : rule->level,
		"%s %s has PFC on %d priorities%s", port->place, port->subject, count,
		over ? ", more than the port can keep apart" : "");
	return fire(out, port);
}

static enum outcome pfc_many(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each_port(rule, facts, out, check_many);
}

static enum outcome check_default(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *port)
{
	double on = 0;

	if (!port_value(facts, FACT_PFC, port->place, port->subject, 0, &on))
		return RULE_UNKNOWN;
	if (on <= 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%s %s pauses priority 0, which all unmarked traffic has", port->place,
		port->subject);
	return fire(out, port);
}

static enum outcome pfc_default(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each_port(rule, facts, out, check_default);
}

static bool pauses(const struct facts *facts, const struct fact *port, bool *known)
{
	const struct fact *rx =
		facts_find(facts, FACT_PAUSE_PARAM, port->place, port->subject, "rx");
	const struct fact *tx =
		facts_find(facts, FACT_PAUSE_PARAM, port->place, port->subject, "tx");

	*known = rx || tx;
	return (rx && rx->number > 0) || (tx && tx->number > 0);
}

static enum outcome check_both(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *port)
{
	bool known, on = pauses(facts, port, &known);

	if (!known)
		return RULE_UNKNOWN;
	if (!on || count_lossless(facts, port) == 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%s %s has 802.3x pause and PFC on at once",
		port->place, port->subject);
	return fire(out, port);
}

static enum outcome both_pauses(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each_port(rule, facts, out, check_both);
}

static enum outcome peer_differs(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_PEER_PFC, peer) {
		double own;

		if (!port_value(facts, FACT_PFC, peer->place, peer->subject, atoi(peer->name),
			    &own))
			continue;
		known = true;
		if ((own > 0) == (peer->number > 0))
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: PFC of priority %s is %s here and %s at the switch port",
			peer->place, peer->subject, peer->name, own > 0 ? "on" : "off",
			peer->number > 0 ? "on" : "off");
		return fire(out, peer);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome two_masters(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_DCBX, dcbx) {
		const struct fact *lldpad =
			facts_find(facts, FACT_LLDPAD, dcbx->place, NULL, NULL);

		known = known || lldpad;
		if (strcmp(dcbx->text, "firmware") != 0 || !lldpad || lldpad->number <= 0)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: the firmware owns DCB and lldpad runs", dcbx->place,
			dcbx->subject);
		return fire(out, dcbx);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome willing(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_DCBX, dcbx)
		if (dcbx->number > 0) {
			explain_code(out, rule, rule->level,
				"%s %s takes its settings from its peer", dcbx->place,
				dcbx->subject);
			return fire(out, dcbx);
		}
	return RULE_CLEAR;
}

/* Shares of the classes that go by ETS; -1 when none does. */
static double ets_sum(const struct facts *facts, const struct fact *port)
{
	double sum = -1;

	FACTS_EACH (facts, FACT_CLASS, class)
		if (strcmp(class->place, port->place) == 0 &&
			strcmp(class->subject, port->subject) == 0 &&
			strcmp(class->text, "ets") == 0)
			sum = (sum < 0 ? 0 : sum) + class->number;
	return sum;
}

static enum outcome bad_sum(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_CLASS, class) {
		double sum = ets_sum(facts, class);

		known = known || sum >= 0;
		if (sum < 0 || sum == 100)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: the shares of its ETS classes add up to %.0f %%", class->place,
			class->subject, sum);
		return fire(out, class);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome starved(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_PFC, pfc) {
		double class;
		char name[16];
		const struct fact *share;

		if (pfc->number <= 0 || !port_value(facts, FACT_PRIO_CLASS, pfc->place,
						pfc->subject, atoi(pfc->name), &class))
			continue;
		snprintf(name, sizeof(name), "%.0f", class);
		share = facts_find(facts, FACT_CLASS, pfc->place, pfc->subject, name);
		if (!share)
			continue;
		known = true;
		if (strcmp(share->text, "ets") != 0 || share->number >= SHARE_MIN_PERCENT)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: priority %s has PFC, and its class %.0f only %.0f %% of the "
			"line (least taken for sound: %d %%, own default)",
			pfc->place, pfc->subject, pfc->name, class, share->number,
			SHARE_MIN_PERCENT);
		return fire(out, pfc);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* A lossless and a lossy priority in one class, or in one buffer. */
static enum outcome shared(const struct rule *rule, const struct facts *facts,
	struct explain *out, enum fact_key key, const char *what)
{
	bool known = false;

	FACTS_EACH (facts, FACT_PFC, pfc) {
		double own, other, on;

		if (pfc->number <= 0 || !port_value(facts, key, pfc->place, pfc->subject,
						atoi(pfc->name), &own))
			continue;
		known = true;
		for (int i = 0; i < 8; i++) {
			if (!port_value(facts, FACT_PFC, pfc->place, pfc->subject, i, &on) ||
				on > 0 ||
				!port_value(facts, key, pfc->place, pfc->subject, i, &other) ||
				own != other)
				continue;
			explain_code(out, rule, rule->level,
				"%s %s: priority %s (PFC on) and priority %d (PFC off) share "
				"%s %.0f",
				pfc->place, pfc->subject, pfc->name, i, what, own);
			return fire(out, pfc);
		}
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome shared_class(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return shared(rule, facts, out, FACT_PRIO_CLASS, "traffic class");
}

static enum outcome shared_buffer(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return shared(rule, facts, out, FACT_PRIO_BUFFER, "buffer");
}

static enum outcome headroom(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_PFC, pfc) {
		const struct fact *cable =
			facts_find(facts, FACT_CABLE_LENGTH, pfc->place, pfc->subject, NULL);
		double gbps = port_gbps(facts, pfc->place, pfc->subject), buffer, size;
		uint32_t length =
			cable ? (uint32_t)abs(scan_int(cable->number)) : CABLE_USUAL_M;
		double needed;

		if (pfc->number <= 0 || gbps <= 0 ||
			!port_value(facts, FACT_PRIO_BUFFER, pfc->place, pfc->subject,
				atoi(pfc->name), &buffer) ||
			!port_value(facts, FACT_BUFFER, pfc->place, pfc->subject,
				scan_int(buffer), &size))
			continue;
		known = true;
		needed = (double)headroom_bytes((uint64_t)(gbps * 1e9), length);
		if (size >= needed)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: buffer %.0f of priority %s has %.0f bytes; %.0f Gb/s and %u m "
			"of cable%s need %.0f: %.0f bytes short",
			pfc->place, pfc->subject, buffer, pfc->name, size, gbps, length,
			cable ? "" : " (default)", needed, needed - size);
		explain_number(out, "shortfall_bytes", needed - size);
		return fire(out, pfc);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_class[] = {
	{ "PFC_OFF", VERDICT_FAIL, "class", "PFC is on for no priority of a RoCE port",
		"the port neither pauses its peer nor obeys it: RoCE is lossy under load",
		"Enable PFC for the lossless priority on NICs and switches (mlnx_qos -i IFACE "
		"--pfc 0,0,0,1,0,0,0,0, or dcb pfc set dev IFACE prio-pfc 3:on).",
		"bytedance/byteps#179", { FACT_RAIL, FACT_PFC, NO_NEED }, pfc_off },
	{ "PFC_TOO_MANY", VERDICT_WARN, "class", "PFC is on for many priorities",
		"each lossless class needs its own headroom, and what need not be lossless "
		"stops others",
		"Leave PFC on for the RoCE priority alone.", "Guo et al., SIGCOMM 2016",
		{ FACT_RAIL, FACT_PFC, NO_NEED }, pfc_many },
	{ "PFC_ON_DEFAULT", VERDICT_WARN, "class", "PFC is on for priority 0",
		"TCP, storage and management then pause the ports that they cross",
		"Give RoCE a priority of its own (commonly 3) and switch PFC off for 0.",
		"Guo et al., SIGCOMM 2016", { FACT_RAIL, FACT_PFC, NO_NEED }, pfc_default },
	{ "PFC_AND_PAUSE", VERDICT_FAIL, "class",
		"802.3x pause and PFC are on at the same port",
		"global pause stops all classes, and devices obey only one of the two",
		"Switch 802.3x pause off (ethtool -A IFACE rx off tx off).", "IEEE 802.1Qbb",
		{ FACT_RAIL, FACT_PFC, FACT_PAUSE_PARAM }, both_pauses },
	{ "PFC_PEER_DIFFERS", VERDICT_FAIL, "class",
		"this end and the switch port have PFC on different priorities",
		"a pause for a priority that the other end does not have stops nothing",
		"Set the same priority at both ends.", "IEEE 802.1Qaz",
		{ FACT_PFC, FACT_PEER_PFC, NO_NEED }, peer_differs },
	{ "DCBX_TWO_MASTERS", VERDICT_WARN, "class",
		"firmware and lldpad both manage one port's DCB",
		"one sets back what the other has set",
		"Leave one of them: stop lldpad, or switch the firmware's agent off (ethtool "
		"--set-priv-flags IFACE fw-lldp-agent off; mlnx_qos -d os).",
		"intel/openlldp#125", { FACT_DCBX, FACT_LLDPAD, NO_NEED }, two_masters },
	{ "DCBX_WILLING", VERDICT_WARN, "class", "a port takes its settings from its peer",
		"PFC and ETS are what the switch says at the moment, not what was set here",
		"Make the port not willing, or set the policy at the switch and check it here.",
		"IEEE 802.1Qaz", { FACT_DCBX, NO_NEED, NO_NEED }, willing },
	{ "ETS_SUM", VERDICT_FAIL, "class", "the ETS shares do not add up to 100 %",
		"what the hardware makes of it is not defined",
		"Set shares that add up to 100.", "IEEE 802.1Qaz",
		{ FACT_CLASS, NO_NEED, NO_NEED }, bad_sum },
	{ "LOSSLESS_STARVED", VERDICT_WARN, "class",
		"the lossless class has a small share of the line",
		"under load the other classes leave it little, and it pauses its peers",
		"Give the class of RoCE the largest ETS share (50 % and more), or strict "
		"priority below that of CNPs.",
		"IEEE 802.1Qaz", { FACT_PFC, FACT_PRIO_CLASS, FACT_CLASS }, starved },
	{ "LOSSLESS_SHARES_CLASS", VERDICT_WARN, "class",
		"a lossless and a lossy priority share a traffic class",
		"a pause of the one stops the other",
		"Map the lossless priority to a traffic class of its own.", "IEEE 802.1Qaz",
		{ FACT_PFC, FACT_PRIO_CLASS, NO_NEED }, shared_class },
	{ "LOSSLESS_SHARES_BUFFER", VERDICT_FAIL, "class",
		"a lossless and a lossy priority share a receive buffer",
		"lossy packets fill what is kept for the time after XOFF, and lossless ones "
		"are "
		"dropped",
		"Map the lossless priority to a buffer of its own (mlnx_qos -i IFACE "
		"--prio2buffer, or dcb buffer set).",
		"linux mlx5 en_dcbnl.c", { FACT_RAIL, FACT_PFC, FACT_PRIO_BUFFER },
		shared_buffer },
	{ "HEADROOM_SHORT", VERDICT_FAIL, "class",
		"the buffer of a lossless priority is smaller than its headroom",
		"what the peer still sends until it obeys XOFF does not fit and is dropped",
		"Make the buffer larger by at least the shortfall (mlnx_qos -i IFACE "
		"--buffer_size, or dcb buffer set), and tell the port the length of its cable.",
		"IEEE 802.1Qbb annex O", { FACT_RAIL, FACT_BUFFER, FACT_PRIO_BUFFER },
		headroom },
	{ .code = NULL },
};
