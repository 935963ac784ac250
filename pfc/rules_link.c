/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <string.h>

#include "pfc/rule_counters.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

/* Rates are compared where they should be equal: over hosts, and within a host
 * over devices that are no bond and not of another class (a quarter or less is a
 * management port, not a lost lane). */
static bool comparable(const struct fact *a, const struct fact *b)
{
	double less = a->number < b->number ? a->number : b->number;
	double more = a->number < b->number ? b->number : a->number;

	if (!*a->subject || !*b->subject || scan_has(a->subject, "bond") ||
		scan_has(b->subject, "bond"))
		return false;
	if (strcmp(a->place, b->place) != 0)
		return strcmp(a->subject, b->subject) == 0 || less * 4 >= more;
	return strcmp(a->subject, b->subject) != 0 && less * 4 >= more;
}

static enum outcome outlier(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *worst = NULL;
	double expected = 0;
	bool compared = false;

	FACTS_EACH (facts, FACT_RATE, a) {
		int same = 1, faster = 0;
		double other = 0;

		FACTS_EACH (facts, FACT_RATE, b) {
			if (b == a || !comparable(a, b))
				continue;
			compared = true;
			same += b->number == a->number;
			faster += b->number > a->number;
			other = b->number > other ? b->number : other;
		}
		if (faster > 0 && faster >= same && (!worst || a->number < worst->number)) {
			worst = a;
			expected = other;
		}
	}
	if (!compared)
		return RULE_UNKNOWN;
	/* Below half of the rails it is told as a device that is none. */
	if (!worst || (worst->number < expected / 2 && explain_has(out, "EXTRA_HCA_SELECTED")))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%s %s runs at %.0f Gb/s, its peers at %.0f",
		worst->place, worst->subject, worst->number, expected);
	explain_fact(out, "host", "%s", worst->place);
	explain_fact(out, "hca", "%s", worst->subject);
	explain_number(out, "rate", worst->number);
	explain_number(out, "expected", expected);
	explain_advice(out,
		"A ring runs at its slowest link; replace the cable or optic, or fix the port "
		"speed (autonegotiation, FEC, "
		"breakout) on %s %s and on its switch port.",
		worst->place, worst->subject);
	return RULE_FIRED;
}

static enum outcome history(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count total = count_of(facts, NULL, MEANS_LINK_DOWN, ANY_PRIORITY, false);
	struct count delta = count_of(facts, NULL, MEANS_LINK_DOWN, ANY_PRIORITY, true);

	FACTS_EACH (facts, FACT_LINK_HISTORY, row) {
		if (row->number <= 0)
			continue;
		explain_code(out, rule, rule->level,
			"device %s lost its link %.0f time(s) so far", row->subject,
			row->number);
		explain_fact(out, "devid", "%s", row->subject);
		explain_number(out, "link_down_count", row->number);
		return RULE_FIRED;
	}
	if (!total.present && !facts_first(facts, FACT_LINK_HISTORY))
		return RULE_UNKNOWN;
	if (total.sum <= 0 || delta.present)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%s %s lost its link %.0f time(s) since the driver started", total.most->place,
		total.most->subject, total.sum);
	explain_number(out, "link_down_count", total.sum);
	if (*total.most->place)
		explain_fact(out, "host", "%s", total.most->place);
	if (*total.most->subject)
		explain_fact(out, "iface", "%s", total.most->subject);
	return RULE_FIRED;
}

static enum outcome flap(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count down = count_of(facts, NULL, MEANS_LINK_DOWN, ANY_PRIORITY, true);
	struct count changes = count_of(facts, NULL, MEANS_CARRIER_CHANGES, ANY_PRIORITY, true);
	const struct fact *first = NULL, *where;
	double times = 0;

	FACTS_EACH (facts, FACT_LINK_EVENT, event)
		if (strcmp(event->text, "down") == 0) {
			first = first ? first : event;
			times += strcmp(event->subject, first->subject) == 0;
		}
	if (!down.present && !changes.present && !facts_first(facts, FACT_LINK_EVENT))
		return RULE_UNKNOWN;
	if (times <= 0)
		times = down.sum > 0 ? down.sum : changes.sum / 2;
	if (times <= 0)
		return RULE_CLEAR;
	where = first ? first : down.sum > 0 ? down.most : changes.most;
	explain_code(out, rule, rule->level, "%s %s lost its link %.0f time(s) during the run",
		where->place, where->subject, times);
	if (*where->place)
		explain_fact(out, "host", "%s", where->place);
	if (*where->subject)
		explain_fact(out, "iface", "%s", where->subject);
	explain_number(out, "link_down_count", times);
	return RULE_FIRED;
}

/* "Effective Physical BER : 2E-12": what is left behind the FEC; 15E-255 is
 * mlxlink's way to print none. */
static enum outcome post_fec(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	struct count blocks = count_of(facts, NULL, MEANS_FEC_UNCORRECTED, ANY_PRIORITY, false);
	struct count symbols = count_of(facts, NULL, MEANS_SYMBOL, ANY_PRIORITY, false);
	struct count corrected =
		count_of(facts, NULL, MEANS_FEC_CORRECTED, ANY_PRIORITY, false);
	const struct fact *most = blocks.most ? blocks.most : symbols.most;
	double errors = blocks.sum + symbols.sum;
	const struct fact *worst = NULL;

	FACTS_EACH (facts, FACT_POST_FEC_BER, ber)
		worst = !worst || ber->number > worst->number ? ber : worst;
	if (!blocks.present && !symbols.present && !worst)
		return RULE_UNKNOWN;
	/* Below one bit in 10^15 nothing was seen: tools print 1.5e-254 and the like. */
	if (errors <= 0 && (!worst || worst->number < 1e-15))
		return RULE_CLEAR;
	if (errors <= 0) {
		explain_code(out, rule, rule->level,
			"%s %s: the bit error rate behind the FEC is %.2g", worst->place,
			worst->subject, worst->number);
		explain_fact(out, "post_fec_ber", "%.3g", worst->number);
		if (*worst->place)
			explain_fact(out, "host", "%s", worst->place);
		if (*worst->subject)
			explain_fact(out, "iface", "%s", worst->subject);
		return RULE_FIRED;
	}
	explain_code(out, rule, rule->level, "%s %s: %.0f errors are left after FEC (%s)",
		most->place, most->subject, errors, most->name);
	if (*most->place)
		explain_fact(out, "host", "%s", most->place);
	if (*most->subject)
		explain_fact(out, "iface", "%s", most->subject);
	explain_number(out, "uncorrectable", errors);
	explain_number(out, "post_fec_errors", errors);
	if (corrected.present)
		explain_number(out, "corrected", corrected.sum);
	return RULE_FIRED;
}

static const struct fact *planned_at(const struct facts *facts, const char *end)
{
	FACTS_EACH (facts, FACT_CABLE, cable)
		if (strcmp(cable->text, "planned") == 0 &&
			(strcmp(cable->subject, end) == 0 || strcmp(cable->name, end) == 0))
			return cable;
	return NULL;
}

static bool port_is(const char *end, const char *port)
{
	const char *colon = strchr(end, ':');

	return colon && strcmp(colon + 1, port) == 0;
}

/* Whether the cable is right: 1, wrong: 0, no rule for it: -1. */
static int judge_cable(const struct facts *facts, const struct fact *cable)
{
	const struct fact *rule = facts_first(facts, FACT_CABLE_RULE);
	const struct fact *plan = planned_at(facts, cable->subject);

	if (plan)
		return (strcmp(plan->subject, cable->subject) == 0 &&
			       strcmp(plan->name, cable->name) == 0) ||
		       (strcmp(plan->subject, cable->name) == 0 &&
			       strcmp(plan->name, cable->subject) == 0);
	if (!rule)
		return -1;
	return (port_is(cable->subject, rule->text) && port_is(cable->name, rule->extra)) ||
	       (port_is(cable->subject, rule->extra) && port_is(cable->name, rule->text));
}

static void add_cable(char *list, size_t room, const struct fact *cable)
{
	size_t used = strlen(list);

	if (used < room)
		snprintf(list + used, room - used, "%s%s-%s", used ? "," : "", cable->subject,
			cable->name);
}

static enum outcome miscabled(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *wanted = facts_first(facts, FACT_CABLE_RULE);
	char good[320] = "", bad[320] = "";
	int judged = 0, wrong = 0;

	FACTS_EACH (facts, FACT_CABLE, cable) {
		int right;

		if (strcmp(cable->text, "found") != 0)
			continue;
		right = judge_cable(facts, cable);
		judged += right >= 0;
		wrong += right == 0;
		if (right == 0)
			add_cable(bad, sizeof(bad), cable);
		else if (right > 0)
			add_cable(good, sizeof(good), cable);
	}
	if (judged == 0)
		return RULE_UNKNOWN;
	if (wrong == 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%d of %d cables join the wrong ports: %.200s",
		wrong, judged, bad);
	explain_fact(out, "bad_cables", "%s", bad);
	explain_fact(out, "good_cables", "%s", *good ? good : "none");
	if (wanted)
		explain_advice(out,
			"%d cable(s) join the wrong ports (%.200s); move them so that every "
			"cable goes %s to %s, then run the pair "
			"test again.",
			wrong, bad, wanted->text, wanted->extra);
	return RULE_FIRED;
}

const struct rule rules_link[] = {
	{ "LINK_SPEED_OUTLIER", VERDICT_FAIL, "link",
		"a port runs at another rate than its peers", "a ring runs at its slowest link",
		"Replace the cable or optic, or fix the port speed.", "NVIDIA/nccl#307",
		{ FACT_RATE, NO_NEED, NO_NEED }, outlier },
	{ "LINK_FLAP", VERDICT_FAIL, "link", "the link was lost during the run",
		"what was in flight is lost, and a job stalls for the time-out",
		"The link went down while the test ran: look at optics and cable (clean, "
		"reseat, swap), FEC and bit errors of both "
		"ends, firmware, and at what resets the port (DCB changes bounce mlx5 links); "
		"then run again and compare carrier "
		"changes.",
		"Alibaba HPN, SIGCOMM 2024", { NO_NEED, NO_NEED, NO_NEED }, flap },
	{ "LINK_FLAP_HISTORY", VERDICT_WARN, "link",
		"the port lost its link at some time before",
		"a link that went once may go again",
		"The port lost its link before this run; compare the times with the trouble, "
		"and watch this link (optics, cable, "
		"switch port).",
		"hiascend.com hcclug_000060", { NO_NEED, NO_NEED, NO_NEED }, history },
	{ "POST_FEC_ERRORS", VERDICT_FAIL, "link",
		"errors are left after FEC (raw BER alone says nothing on PAM4)",
		"each uncorrectable block is at least one lost frame",
		"Frames are lost on this wire: clean and reseat the optic, swap cable, optic "
		"and port one after the other and see "
		"whether the errors follow; check that both ends use the same FEC. Corrected "
		"bits and raw BER are normal on PAM4 "
		"and no reason to swap.",
		"IEEE 802.3 clause 91; ethtool --show-fec", { NO_NEED, NO_NEED, NO_NEED },
		post_fec },
	{ "MISCABLED", VERDICT_FAIL, "link", "a cable joins the wrong ports",
		"traffic leaves by a port whose other end waits on another one",
		"Move the cables as planned and run the pair test again.",
		"luxingcom/aicad-nccl-optimization#1", { FACT_CABLE, NO_NEED, NO_NEED },
		miscabled },
	{ .code = NULL },
};
