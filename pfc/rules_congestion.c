/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/rule_counters.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

static struct count any(const struct facts *facts, enum meaning means)
{
	return count_of(facts, NULL, means, ANY_PRIORITY, true);
}

static enum outcome global_pause(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *most = NULL;
	int priority;
	struct count frames = any(facts, MEANS_PAUSE_RX), drops = any(facts, MEANS_RX_DROP);
	double share = share_of(facts, MEANS_PAUSE_RX_TIME, &most, &priority);

	if (!frames.present && share < 0)
		return RULE_UNKNOWN;
	if (share >= 0 ? share < 0.01 : frames.sum <= 0)
		return RULE_CLEAR;
	if (share < 0) {
		explain_code(
			out, rule, rule->level, "%.0f 802.3x pause frames arrived", frames.sum);
	} else {
		explain_code(out, rule, rule->level,
			"the port was held by 802.3x pause for %.1f %% of the time",
			share * 100);
		explain_fact(out, "pause_fraction", "%.3f", share);
		explain_advice(out,
			"The port was held by 802.3x pause for %.1f %% of the time%s; find the "
			"slow receiver that sends it, or "
			"replace global pause with PFC on the RoCE priority (ethtool -A IFACE "
			"rx off tx off, then PFC).",
			share * 100, drops.present && drops.sum <= 0 ? " with zero drops" : "");
	}
	if (drops.present)
		explain_number(out, "drops", drops.sum);
	return RULE_FIRED;
}

/* N senders to one receiver: said in a title or a result, or seen as several
 * senders. */
static bool is_incast(const struct facts *facts)
{
	static const char *const words[] = { "-to-1", "to-one", "incast", "senders", "N-to-1",
		":1 " };

	if (facts_first(facts, FACT_SUM))
		return true;
	for (enum fact_key key = 0; key < FACT_KEYS; key++) {
		const struct section *before = NULL;

		FACTS_EACH (facts, key, fact) {
			if (!fact->section || fact->section == before)
				continue;
			before = fact->section;
			for (size_t i = 0; i < COUNT_OF(words); i++)
				if (scan_has(fact->section->title, words[i]))
					return true;
		}
	}
	return false;
}

static double lost_signs(const struct facts *facts)
{
	return any(facts, MEANS_OOS).sum + any(facts, MEANS_SEQ_NAK).sum +
	       any(facts, MEANS_TIMEOUT).sum + any(facts, MEANS_WRED_DROP).sum +
	       any(facts, MEANS_PG_DROP).sum;
}

static bool dropped_by_switch(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_COUNTER, fact) {
		int priority;
		const struct counter_row *row;

		if ((fact->means != MEANS_RX_DROP && fact->means != MEANS_TX_DROP &&
			    fact->means != MEANS_WRED_DROP && fact->means != MEANS_PG_DROP) ||
			fact->number <= 0)
			continue;
		row = counter_find(fact->name, &priority);
		if (row && row->where == 'W')
			return true;
	}
	return false;
}

/* Where the packets went: the receiver's own port, a bad link, or between. */
static const char *loss_place(const struct facts *facts)
{
	if (dropped_by_switch(facts))
		return "switch";
	if (any(facts, MEANS_RX_DROP).sum > 0 || any(facts, MEANS_PRIO_DROP).sum > 0)
		return "receiver";
	if (any(facts, MEANS_CRC).sum > 0 || any(facts, MEANS_FEC_UNCORRECTED).sum > 0 ||
		any(facts, MEANS_ICRC).sum > 0)
		return "link";
	if (any(facts, MEANS_TX_DROP).sum > 0 && any(facts, MEANS_OOS).sum <= 0)
		return "sender";
	return "switch";
}

static double line_rate(const struct facts *facts)
{
	const struct fact *rate = facts_first(facts, FACT_RATE);

	return rate ? rate->number : 0;
}

static enum outcome lossy_incast(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count ce = any(facts, MEANS_CE_RX), cnp = any(facts, MEANS_CNP_TX);
	struct count in = any(facts, MEANS_PFC_RX), sent = any(facts, MEANS_PFC_TX);
	struct count global = any(facts, MEANS_PAUSE_RX);
	const struct fact *sum = facts_first(facts, FACT_SUM);
	double paused = in.sum + sent.sum + global.sum;

	if (!is_incast(facts))
		return RULE_UNKNOWN;
	if (lost_signs(facts) <= 0)
		return any(facts, MEANS_OOS).present ? RULE_CLEAR : RULE_UNKNOWN;
	if ((!ce.present && !cnp.present) || (!in.present && !sent.present && !global.present))
		return RULE_UNKNOWN;
	if (ce.sum + cnp.sum > 0 || paused > 0 || explain_has_any(out, "HEADROOM"))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"packets are lost under N-to-1 load (gaps at the receiver %.0f, NAKs %.0f, "
		"time-outs %.0f) while ECN marks and pause frames are 0",
		any(facts, MEANS_OOS).sum, any(facts, MEANS_SEQ_NAK).sum,
		any(facts, MEANS_TIMEOUT).sum);
	if (sum)
		explain_number(out, "sum_gbps", sum->number);
	if (line_rate(facts) > 0)
		explain_number(out, "line_gbps", line_rate(facts));
	explain_number(out, "ecn_marks", ce.sum);
	explain_number(out, "pause_frames", paused);
	explain_fact(out, "loss_location", "%s", loss_place(facts));
	if (strcmp(loss_place(facts), "switch") == 0)
		explain_advice(out,
			"Packets are lost in the switch (the receiver sees gaps and its own "
			"port drops nothing) and neither ECN nor PFC "
			"ever acts; mark RoCE with the right DSCP (traffic class of the job), "
			"map it to the lossless priority, and "
			"enable ECN and PFC for it end to end on NICs and switches.");
	return RULE_FIRED;
}

/* "busbw: 0.41 GB/s at 1 GB (was 21.9 GB/s at 256 MB)": two figures of one line,
 * or two lines; the smaller as a share of the larger, 1 when there is one only. */
static double fall(const struct facts *facts)
{
	double least = 0, most = 0;

	FACTS_EACH (facts, FACT_FIGURE, figure) {
		least = least <= 0 || figure->number < least ? figure->number : least;
		most = figure->number > most ? figure->number : most;
	}
	FACTS_EACH (facts, FACT_EXPECTED, figure)
		most = figure->number * 8 > most ? figure->number * 8 : most;
	FACTS_EACH (facts, FACT_PERF_AVG, figure)
		least = least <= 0 || figure->number < least ? figure->number : least;
	return most > 0 && least > 0 ? least / most : 1;
}

static enum outcome retransmission(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count again = any(facts, MEANS_RETRANSMIT), nak = any(facts, MEANS_SEQ_NAK);
	struct count late = any(facts, MEANS_TIMEOUT), dup = any(facts, MEANS_DUPLICATE);
	double retry = again.sum > 0 ? again.sum : nak.sum + late.sum;
	const struct fact *most = again.most ? again.most : late.most ? late.most : nak.most;
	const struct fact *history;

	if (!again.present && !nak.present && !late.present)
		return RULE_UNKNOWN;
	if (retry <= 0)
		retry = dup.sum;
	if (retry <= 0 || explain_has(out, "LOSSY_UNDER_INCAST"))
		return RULE_CLEAR;
	if (fall(facts) > 0.8) {
		if (!facts_first(facts, FACT_FIGURE) && !facts_first(facts, FACT_PERF_AVG))
			out->doubt = true; /* retransmissions, and no bandwidth beside them */
		return RULE_UNKNOWN;
	}
	explain_code(out, rule, rule->level,
		"bandwidth is %.0f %% of what it was while %.0f packets were sent again",
		fall(facts) * 100, retry);
	history = facts_first(facts, FACT_LINK_HISTORY);
	if (history && *history->subject)
		explain_fact(out, "devid", "%s", history->subject);
	if (most && *most->place)
		explain_fact(out, "host", "%s", most->place);
	explain_number(out, "retry", retry);
	explain_advice(out,
		"Bandwidth that collapses with rising retransmissions means packet loss%s; "
		"check that link (history, FEC, "
		"optics), then PFC on both leaf and spine and the DSCP-to-queue mapping along "
		"the path.",
		history && history->number > 0 ? ", and this device's link was down before"
					       : "");
	return RULE_FIRED;
}

static double notified_share(const struct facts *facts)
{
	struct count sent = any(facts, MEANS_CNP_TX), used = any(facts, MEANS_CNP_RX);

	return sent.sum > 0 ? used.sum / sent.sum : 0;
}

static enum outcome controlled(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count ce = any(facts, MEANS_CE_RX), sent = any(facts, MEANS_CNP_TX);
	struct count used = any(facts, MEANS_CNP_RX), drops = any(facts, MEANS_RX_DROP);
	struct count gaps = any(facts, MEANS_OOS), frames = any(facts, MEANS_PFC_RX);
	const struct fact *most;
	int priority;
	double share = share_of(facts, MEANS_PFC_RX_TIME, &most, &priority);
	double lost = lost_signs(facts) + drops.sum + any(facts, MEANS_PRIO_DROP).sum +
		      any(facts, MEANS_TX_DROP).sum + any(facts, MEANS_RETRANSMIT).sum;

	if (!ce.present && !sent.present && !used.present)
		return RULE_UNKNOWN;
	/* A sender was told and took no notice. One that only receives tells others, and has
	 * nothing to take notice of. */
	if (used.present && used.sum <= 0 && any(facts, MEANS_CNP_IGNORED).sum > 0)
		out->doubt = true;
	if (ce.sum + sent.sum + used.sum <= 0 || share > 0.01)
		return RULE_CLEAR;
	if (lost > 0) {
		out->doubt = true; /* not controlled: if no other rule says why, no pass */
		return RULE_CLEAR;
	}
	if (!drops.present && !gaps.present && !any(facts, MEANS_TIMEOUT).present &&
		!any(facts, MEANS_SEQ_NAK).present && !any(facts, MEANS_TX_DROP).present)
		return RULE_UNKNOWN; /* nothing says that no packet was lost */
	if (sent.sum > 0 && used.present && notified_share(facts) < 0.5)
		return RULE_CLEAR;
	if (share < 0 && frames.sum > ce.sum && frames.sum > 10000)
		return RULE_CLEAR; /* more pause than marks */
	explain_code(out, rule, rule->level,
		"%.0f packets were marked, %.0f notifications sent, and nothing was lost",
		ce.sum, sent.sum);
	explain_number(out, "ecn_marks", ce.sum);
	explain_number(out, "drops", 0);
	if (share >= 0)
		explain_fact(out, "pause_fraction", "%.4f", share);
	if (frames.present)
		explain_number(out, "pause_frames", frames.sum);
	return RULE_FIRED;
}

/* The priority of the RoCE traffic: said, or the only one with PFC, or from the
 * job's DSCP. -1: not known. */
static int roce_priority(const struct facts *facts)
{
	const struct fact *told = facts_first(facts, FACT_ROCE_PRIO);
	const struct fact *class = facts_first(facts, FACT_TC);
	int only = -1;

	if (told)
		return scan_int(told->number);
	FACTS_EACH (facts, FACT_PFC, pfc)
		if (pfc->number > 0) {
			if (only >= 0 && only != atoi(pfc->name))
				only = -2;
			else if (only != -2)
				only = atoi(pfc->name);
		}
	if (only >= 0)
		return only;
	return class ? scan_int(class->number) >> 5 : -1;
}

static const struct fact *enabled(
	const struct facts *facts, const char *place, const char *side, int priority)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", priority);
	return facts_find(facts, FACT_CC_ENABLE, place, side, name);
}

/* Where nobody tells the priority: notifications that are ignored came for one whose
 * reaction point is off, and here only one is. */
static int ignored_priority(const struct facts *facts)
{
	int off = -1;

	FACTS_EACH (facts, FACT_CC_ENABLE, row) {
		if (strcmp(row->subject, "rp") != 0 || row->number > 0 ||
			count_of(facts, row->place, MEANS_CNP_IGNORED, ANY_PRIORITY, true)
					.sum <= 0)
			continue;
		if (off >= 0 && off != atoi(row->name))
			return -1;
		off = atoi(row->name);
	}
	return off;
}

static enum outcome rp_disabled(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int priority = roce_priority(facts);
	bool told = false; /* of this priority */

	if (priority < 0)
		priority = ignored_priority(facts);
	if (priority < 0)
		return RULE_UNKNOWN;
	FACTS_EACH (facts, FACT_CC_ENABLE, row) {
		struct count used, ignored;

		if (strcmp(row->subject, "rp") != 0 || atoi(row->name) != priority)
			continue;
		told = true;
		if (row->number > 0)
			continue;
		used = count_of(facts, row->place, MEANS_CNP_RX, ANY_PRIORITY, true);
		ignored = count_of(facts, row->place, MEANS_CNP_IGNORED, ANY_PRIORITY, true);
		if (used.sum > ignored.sum)
			continue; /* it reacts all the same */
		explain_code(out, rule, rule->level,
			"%s does not react to CNPs on priority %d (handled %.0f, ignored %.0f)",
			*row->place ? row->place : "the sender", priority, used.sum,
			ignored.sum);
		explain_number(out, "prio", priority);
		explain_fact(out, "host", "%s", row->place);
		explain_advice(out,
			"Enable the reaction point on priority %d of the sender %s (echo 1 > "
			"/sys/class/net/IFACE/ecn/roce_rp/enable/%d, "
			"or mlxconfig ROCE_CC_PRIO_MASK_P1). A notification point that shows 0 "
			"there and still sends CNPs is not the "
			"fault.",
			priority, row->place, priority);
		return RULE_FIRED;
	}
	return told ? RULE_CLEAR : RULE_UNKNOWN;
}

/* Judged by what it does: marked packets came and no notification left. */
static enum outcome np_disabled(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_COUNTER, places, 64);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		struct count ce = count_of(facts, places[i], MEANS_CE_RX, ANY_PRIORITY, true);
		struct count sent =
			count_of(facts, places[i], MEANS_CNP_TX, ANY_PRIORITY, true);
		const struct fact *np = enabled(facts, places[i], "np", roce_priority(facts));

		if (!ce.present || !sent.present)
			continue;
		known |= sent.sum > 0 || ce.sum <= 0;
		if (ce.sum < 1000 || sent.sum > 0) /* fewer marks may be too few */
			continue;
		explain_code(out, rule, rule->level,
			"%s received %.0f marked packets and sent no CNP%s", places[i], ce.sum,
			np && np->number < 1 ? "; its notification point is off" : "");
		explain_number(out, "ecn_marks", ce.sum);
		explain_fact(out, "host", "%s", places[i]);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_congestion[] = {
	{ "GLOBAL_PAUSE_ACTIVE", VERDICT_WARN, "congestion",
		"802.3x pause holds the port for a relevant share of time",
		"global pause stops every class, also those that did nothing",
		"Find the slow receiver that sends the pause, or replace global pause with PFC "
		"on the RoCE priority.",
		"NVIDIA/daqiri#252", { FACT_COUNTER, NO_NEED, NO_NEED }, global_pause },
	{ "LOSSY_UNDER_INCAST", VERDICT_FAIL, "congestion",
		"packets are lost under N-to-1 load and neither ECN nor PFC acts",
		"each loss costs a retransmission of everything in flight",
		"Mark RoCE with the right DSCP and enable ECN and PFC for it end to end.",
		"bytedance/byteps#179", { FACT_COUNTER, NO_NEED, NO_NEED }, lossy_incast },
	{ "RP_DISABLED_ON_PRIO", VERDICT_FAIL, "congestion",
		"the sender does not react to CNPs on the RoCE priority",
		"marks and notifications are made and nobody slows down: PFC or loss follows",
		"Enable the reaction point on the RoCE priority of the sender.",
		"ROCm/mori#658", { FACT_CC_ENABLE, NO_NEED, NO_NEED }, rp_disabled },
	{ "NP_DISABLED", VERDICT_FAIL, "congestion", "the receiver sends no CNPs",
		"senders are never told of congestion",
		"Enable the notification point on the RoCE priority of the receiver (echo 1 > "
		".../ecn/roce_np/enable/PRIO).",
		"ROCm/mori#658", { FACT_COUNTER, NO_NEED, NO_NEED }, np_disabled },
	{ "RETRANSMISSION_LOSS", VERDICT_FAIL, "congestion",
		"bandwidth falls while retransmissions rise",
		"packets are lost between the two ends",
		"Check the link, then PFC on leaf and spine and the DSCP-to-queue mapping.",
		"hiascend.com hcclug_000060", { FACT_COUNTER, NO_NEED, NO_NEED },
		retransmission },
	{ "CONGESTION_CONTROLLED", VERDICT_PASS, "congestion",
		"congestion was met by ECN with little pause and no loss: nothing to mend",
		"marks and notifications are the mechanism at work, not an error",
		"Nothing to mend: ECN marked, the senders slowed down, little or no pause was "
		"needed and nothing was lost. If "
		"more bandwidth is wanted, look at the traffic pattern (N-to-1), not at "
		"errors.",
		"SONiC RoCEv2 test plan, 3:1 incast with DCQCN",
		{ FACT_COUNTER, NO_NEED, NO_NEED }, controlled },
	{ .code = NULL },
};
