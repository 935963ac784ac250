/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/rule_counters.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
#define CODE_POINTS 64
#define CNP_DSCP 48

/* Two readings of one place and interface, the later one without a priority that
 * the earlier one had. */
static const struct fact *reverted_at(const struct facts *facts, const struct fact **before)
{
	FACTS_EACH (facts, FACT_PFC, first) {
		if (first->number < 1)
			continue;
		for (const struct fact *later = facts_next(facts, first); later;
			later = facts_next(facts, later))
			if (later->section != first->section && later->number < 1 &&
				strcmp(later->place, first->place) == 0 &&
				(!*later->subject || !*first->subject ||
					strcmp(later->subject, first->subject) == 0) &&
				strcmp(later->name, first->name) == 0) {
				*before = first;
				return later;
			}
	}
	return NULL;
}

static bool read_twice(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_PFC, a)
		for (const struct fact *b = facts_next(facts, a); b; b = facts_next(facts, b))
			if (a->section != b->section && strcmp(a->place, b->place) == 0 &&
				strcmp(a->subject, b->subject) == 0)
				return true;
	return false;
}

static enum outcome reverted(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *before = NULL, *now = reverted_at(facts, &before);

	if (!now)
		return read_twice(facts) ? RULE_CLEAR : RULE_UNKNOWN;
	explain_code(out, rule, rule->level, "%s %s: PFC of priority %s was on and is off now",
		now->place, now->subject, now->name);
	explain_fact(out, "prio", "%s", now->name);
	if (*now->place)
		explain_fact(out, "host", "%s", now->place);
	if (*now->subject)
		explain_fact(out, "iface", "%s", now->subject);
	return RULE_FIRED;
}

static enum outcome lldpad(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *before = NULL, *daemon = facts_first(facts, FACT_LLDPAD);

	for (; daemon && daemon->number < 1; daemon = facts_next(facts, daemon))
		;
	if (!daemon)
		return RULE_CLEAR;
	if (!reverted_at(facts, &before))
		return read_twice(facts) ? RULE_CLEAR : RULE_UNKNOWN;
	return explain_code(out, rule, rule->level,
		"lldpad runs%s%s and writes its own DCB settings", *daemon->place ? " on " : "",
		daemon->place);
}

/* Packets by code point of one direction; which is the commonest. */
static double tally(const struct facts *facts, const char *direction,
	double packets[CODE_POINTS], int *commonest)
{
	double sum = 0;

	memset(packets, 0, CODE_POINTS * sizeof(*packets));
	*commonest = 0;
	FACTS_EACH (facts, FACT_CAPTURE_DSCP, seen) {
		int dscp = scan_int(seen->number);

		if (strcmp(seen->subject, direction) != 0 || dscp < 0 || dscp >= CODE_POINTS ||
			dscp == CNP_DSCP)
			continue;
		packets[dscp] += seen->more;
		sum += seen->more;
		if (packets[dscp] > packets[*commonest])
			*commonest = dscp;
	}
	return sum;
}

static enum outcome mixed(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *directions[256];
	size_t count = facts_subjects(facts, FACT_CAPTURE_DSCP, NULL, directions, 256);

	for (size_t i = 0; i < count; i++) {
		double packets[CODE_POINTS], sum;
		int most, other = -1;

		sum = tally(facts, directions[i], packets, &most);
		for (int dscp = 0; dscp < CODE_POINTS; dscp++)
			if (dscp != most && packets[dscp] > 0 &&
				(other < 0 || packets[dscp] > packets[other]))
				other = dscp;
		if (other < 0)
			continue;
		explain_code(out, rule, rule->level,
			"%.1f %% of the RoCE packets leave with DSCP %d, %.1f %% with DSCP %d",
			packets[most] / sum * 100, most, packets[other] / sum * 100, other);
		explain_fact(out, "dscp", "%d,%d", most, other);
		explain_number(out, "other_dscp", other);
		explain_fact(out, "share", "%.3f", packets[other] / sum);
		explain_advice(out,
			"A part of the RoCE packets carries DSCP %d instead of %d and is not "
			"in the lossless class: find what sends them "
			"(another library or rank without the traffic class, rdma_cm "
			"connections without --tos, ACKs or another "
			"process), set the class in every one of them or globally "
			"(cma_roce_tos, traffic_class in sysfs), and capture again.",
			other, most);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

/* "a>b" and "b>a". */
static bool is_reverse(const char *one, const char *other)
{
	const char *arrow = strchr(one, '>'), *back = strchr(other, '>');
	size_t length, other_length;

	if (!arrow || !back)
		return false;
	length = (size_t)(arrow - one);
	other_length = (size_t)(back - other);
	return strlen(back + 1) == length && strncmp(back + 1, one, length) == 0 &&
	       strlen(arrow + 1) == other_length &&
	       strncmp(arrow + 1, other, other_length) == 0;
}

/* Packets, or bytes where packets were not collected. */
static struct count by_priority(
	const struct facts *facts, const char *place, enum meaning packets, enum meaning bytes)
{
	struct count count = count_of(facts, place, packets, ANY_PRIORITY, true);

	return count.most ? count : count_of(facts, place, bytes, ANY_PRIORITY, true);
}

/* A host that sends all in one priority and receives all in another: what it marks,
 * its peer does not. */
static enum outcome by_counters(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_COUNTER, places, 64);
	bool known = facts_first(facts, FACT_CAPTURE_DSCP) != NULL;

	for (size_t i = 0; i < count; i++) {
		struct count sent =
			by_priority(facts, places[i], MEANS_PRIO_TX, MEANS_PRIO_TX_BYTES);
		struct count came =
			by_priority(facts, places[i], MEANS_PRIO_RX, MEANS_PRIO_RX_BYTES);

		if (!sent.most || !came.most)
			continue;
		known = true;
		if (sent.priority == came.priority || sent.most->number < 1000 ||
			came.most->number < 1000 || sent.most->number < sent.sum * 0.95 ||
			came.most->number < came.sum * 0.95)
			continue;
		explain_code(out, rule, rule->level,
			"%s sends in priority %d and receives in priority %d",
			*places[i] ? places[i] : "this host", sent.priority, came.priority);
		explain_number(out, "prio", sent.priority);
		explain_number(out, "actual_prio", came.priority);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome by_settings(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_TC, a)
		for (const struct fact *b = facts_next(facts, a); b; b = facts_next(facts, b)) {
			if (strcmp(a->place, b->place) == 0 || strcmp(a->name, b->name) != 0 ||
				scan_int(a->number) >> 2 == scan_int(b->number) >> 2)
				continue;
			explain_code(out, rule, rule->level, "%s sets %s=%.0f, %s sets %.0f",
				a->place, a->name, a->number, b->place, b->number);
			explain_fact(out, a->place, "%d", scan_int(a->number) >> 2);
			explain_fact(out, b->place, "%d", scan_int(b->number) >> 2);
			return RULE_FIRED;
		}
	return by_counters(rule, facts, out);
}

static enum outcome asymmetric(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *directions[256];
	size_t count = facts_subjects(facts, FACT_CAPTURE_DSCP, NULL, directions, 256);

	for (size_t i = 0; i < count; i++)
		for (size_t j = i + 1; j < count; j++) {
			double packets[CODE_POINTS];
			int there, back;
			char name[96];

			if (!is_reverse(directions[i], directions[j]))
				continue;
			tally(facts, directions[i], packets, &there);
			tally(facts, directions[j], packets, &back);
			if (there == back)
				continue;
			explain_code(out, rule, rule->level,
				"%s carries DSCP %d, %s carries DSCP %d", directions[i], there,
				directions[j], back);
			snprintf(name, sizeof(name), "%.*s.dscp",
				(int)strcspn(directions[i], ">"), directions[i]);
			explain_number(out, name, there);
			snprintf(name, sizeof(name), "%.*s.dscp",
				(int)strcspn(directions[j], ">"), directions[j]);
			explain_number(out, name, back);
			explain_number(out, "dscp", there > back ? there : back);
			explain_fact(out, "host", "%.*s",
				(int)strcspn(there > back ? directions[j] : directions[i], ">"),
				there > back ? directions[j] : directions[i]);
			return RULE_FIRED;
		}
	return by_settings(rule, facts, out);
}

/* What was pasted without a place may be of any host, unless one command printed it. */
static bool of_one_host(const struct fact *a, const struct fact *b)
{
	return strcmp(a->place, b->place) == 0 && (*a->place || a->section == b->section);
}

static enum outcome same_mac(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_MAC_PAIR, frame) {
		known = true;
		if (strcmp(frame->text, frame->extra) != 0)
			continue;
		explain_code(out, rule, rule->level, "a frame goes from %s to the same address",
			frame->text);
		explain_fact(out, "mac", "%s", frame->text);
		if (*frame->place)
			explain_fact(out, "host", "%s", frame->place);
		return RULE_FIRED;
	}
	FACTS_EACH (facts, FACT_NEIGHBOUR_MAC, neighbour)
		FACTS_EACH (facts, FACT_MAC, own) {
			if (!of_one_host(own, neighbour))
				continue;
			known = true;
			if (strcmp(own->text, neighbour->text) != 0)
				continue;
			explain_code(out, rule, rule->level,
				"%s is taken to be at %s, which is this host's own address",
				neighbour->name, own->text);
			explain_fact(out, "mac", "%s", own->text);
			if (*own->place)
				explain_fact(out, "host", "%s", own->place);
			return RULE_FIRED;
		}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static double ecmp(const struct facts *facts, const char *name)
{
	const struct fact *fact = facts_find_last(facts, FACT_ECMP, NULL, NULL, name);

	return fact ? fact->number : 0;
}

/* How many random draws reach all of m equal paths with probability p:
 * (1 - ((m - 1) / m)^n)^m >= p, solved for n (coupon collector, paths taken as
 * independent). */
static double draws_needed(double paths, double probability)
{
	return ceil(log(1 - pow(probability, 1 / paths)) / log((paths - 1) / paths));
}

static enum outcome coverage(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double paths = ecmp(facts, "paths"), wanted = ecmp(facts, "probability");
	double cap = ecmp(facts, "cap"), needed, reached;

	if (paths < 2 || cap < 1)
		return RULE_UNKNOWN;
	if (wanted <= 0 || wanted >= 1)
		wanted = 0.99;
	needed = draws_needed(paths, wanted);
	if (cap >= needed)
		return RULE_CLEAR;
	reached = pow(1 - pow((paths - 1) / paths, cap), paths);
	explain_code(out, rule, rule->level,
		"%.0f source ports for %.0f equal paths: all are reached with probability "
		"%.2f, wanted %.3g needs %.0f",
		cap, paths, reached, wanted, needed);
	explain_number(out, "needed", needed);
	explain_number(out, "cap", cap);
	explain_fact(out, "coverage", "%.3f", reached);
	explain_advice(out,
		"%.0f source ports reach all of %.0f paths with probability %.2f only; raise "
		"the limit to %.0f (source ports or flow "
		"labels), or say the lower coverage with the result: a path that no probe took "
		"is unknown, not healthy.",
		cap, paths, reached, needed);
	return RULE_FIRED;
}

static enum outcome filtered(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double pairs = 0;

	FACTS_EACH (facts, FACT_PROBE_FILTER, filter)
		pairs += filter->number;
	if (pairs < 1)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%.0f pairs were left out of the plan: %s", pairs,
		facts_first(facts, FACT_PROBE_FILTER)->text);
	explain_number(out, "filtered_pairs", pairs);
	return RULE_FIRED;
}

const struct rule rules_wire[] = {
	{ "PFC_CONFIG_REVERTED", VERDICT_FAIL, "qos",
		"a PFC setting was changed back by somebody",
		"the class is lossy again, although it was set up",
		"Something set PFC back: look for a second master of DCB (lldpad or lldpd with "
		"DCBX, the NIC's firmware DCBX, a "
		"configuration tool, a driver reload or reboot without a persistent setting), "
		"leave one only, and make the "
		"setting persist.",
		"intel/openlldp#41", { FACT_PFC, NO_NEED, NO_NEED }, reverted },
	{ "LLDPAD_OVERRIDE", VERDICT_FAIL, "qos", "lldpad is the one who changed it",
		"it writes its own DCB settings at start and whenever DCBX negotiates",
		"Stop and disable lldpad (systemctl disable --now lldpad lldpad.socket), or "
		"configure PFC through it (lldptool -T -V "
		"PFC willing=no enabled=PRIO); then set PFC again with one tool only and watch "
		"that it stays.",
		"intel/openlldp#41", { FACT_LLDPAD, FACT_PFC, NO_NEED }, lldpad },
	{ "MIXED_DSCP_ON_ROCE", VERDICT_WARN, "qos",
		"a part of the RoCE packets leaves with another DSCP",
		"that part runs in another queue: lossy, and out of order to the rest",
		"Set the traffic class in everything that sends RoCE.", "yuuki/rpingmesh#34",
		{ FACT_CAPTURE_DSCP, NO_NEED, NO_NEED }, mixed },
	{ "TC_ASYMMETRIC", VERDICT_WARN, "qos", "only one end marks its traffic",
		"data or acknowledgements of one direction are not in the lossless class",
		"Only one end marks its traffic; set the traffic class on both ends "
		"(NCCL_IB_TC, UCX_IB_TRAFFIC_CLASS, or "
		"/sys/class/infiniband/DEV/tc/PORT/traffic_class for all), since each end "
		"stamps what it sends itself, answers too.",
		"openucx/ucx#10325", { NO_NEED, NO_NEED, NO_NEED }, asymmetric },
	{ "ETH_SRC_EQUALS_DST", VERDICT_FAIL, "address",
		"the frame goes to the own MAC address",
		"a switch drops or returns it: it never reaches the peer",
		"The destination MAC was resolved to the sender's own: the peer's address is "
		"taken for a local one or was answered "
		"by another rail of this host. Check duplicate IP addresses, ip neigh and ip "
		"route get of the peer, arp_ignore and "
		"arp_announce when rails share a subnet, and macvlan or ipvlan parents.",
		"linux-rdma/rdma-core#471", { NO_NEED, NO_NEED, NO_NEED }, same_mac },
	{ "ECMP_COVERAGE_CAPPED", VERDICT_WARN, "paths",
		"too few source ports to reach all paths with the wanted certainty",
		"a path that no probe took is unknown, and a fault on it is not seen",
		"Raise the number of source ports.", "yuuki/rpingmesh#32",
		{ FACT_ECMP, NO_NEED, NO_NEED }, coverage },
	{ "PROBE_PLAN_FILTERED", VERDICT_PASS, "paths",
		"pairs of GIDs that cannot be probed were left out: not a loss",
		"a probe between address families, or of a host to itself, can never arrive",
		"No packet was lost: pairs that can never work (an IPv6 GID with an "
		"IPv4-mapped one, link-local, NICs of the same "
		"host) were left out on purpose. If such a pair should work, give both NICs a "
		"GID of the same family.",
		"yuuki/rpingmesh#45", { FACT_PROBE_FILTER, NO_NEED, NO_NEED }, filtered },
	{ .code = NULL },
};
