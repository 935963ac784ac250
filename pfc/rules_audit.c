/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/rule.h"
#include "pfc/rule_audit.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

const struct fact *audit_wanted(
	const struct facts *facts, const char *place, const char *device, const char *name)
{
	const struct fact *any = NULL;

	FACTS_EACH (facts, FACT_WANTED, wanted) {
		if (strcmp(wanted->place, place) != 0 || strcmp(wanted->name, name) != 0)
			continue;
		if (strcmp(wanted->subject, device) == 0)
			return wanted;
		if (!*wanted->subject)
			any = wanted;
	}
	return any;
}

int audit_priority(const struct facts *facts, const struct fact *rail, int dscp, bool *said)
{
	double priority;

	*said = port_value(facts, FACT_DSCP_MAP, rail->place, rail->name, dscp, &priority);
	return *said ? scan_int(priority) : dscp / 8;
}

/* A check of one port against the file. */
typedef enum outcome audit_check(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted);

/* Each port of which the file says something under this name, until one fires. Unknown
 * when any is. */
static enum outcome each(const struct rule *rule, const struct facts *facts,
	struct explain *out, const char *name, audit_check *check)
{
	enum outcome outcome = RULE_UNKNOWN;
	bool doubt = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		const struct fact *wanted =
			audit_wanted(facts, rail->place, rail->subject, name);
		enum outcome one = RULE_UNKNOWN;

		if (!wanted)
			continue;
		one = check(rule, facts, out, rail, wanted);
		if (one == RULE_FIRED) {
			explain_fact(out, "host", "%s", rail->place);
			explain_fact(out, "iface", "%s", rail->name);
			return one;
		}
		doubt = doubt || one == RULE_UNKNOWN;
		outcome = one;
	}
	return doubt ? RULE_UNKNOWN : outcome;
}

static enum outcome check_map(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *dscp = audit_wanted(facts, rail->place, rail->subject, "dscp");
	bool said;
	int priority;

	if (!dscp || !facts_find(facts, FACT_TRUST, rail->place, rail->name, NULL))
		return RULE_UNKNOWN;
	priority = audit_priority(facts, rail, scan_int(dscp->number), &said);
	if (priority == scan_int(wanted->number))
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s puts DSCP %.0f in priority %d%s; the file says %.0f (%s)", rail->place,
		rail->name, dscp->number, priority, said ? "" : " (by default)", wanted->number,
		wanted->extra);
}

static enum outcome map(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "priority", check_map);
}

static enum outcome check_trust(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *trust = facts_find(facts, FACT_TRUST, rail->place, rail->name, NULL);

	if (!trust)
		return RULE_UNKNOWN;
	if (strcmp(trust->text, "dscp") == 0)
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s trusts %s; DSCP %.0f of the file means nothing there", rail->place,
		rail->name, trust->text, wanted->number);
}

static enum outcome trust(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "dscp", check_trust);
}

static enum outcome check_pfc(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *pfc = audit_wanted(facts, rail->place, rail->subject, "pfc");
	int priority = scan_int(wanted->number);
	bool asked = pfc && pfc->number > 0;
	double on;

	if (!port_value(facts, FACT_PFC, rail->place, rail->name, priority, &on))
		return RULE_UNKNOWN;
	if ((on > 0) == asked)
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s: PFC of priority %d is %s, the file wants it %s (%s)", rail->place,
		rail->name, priority, on > 0 ? "on" : "off", asked ? "on" : "off",
		pfc ? pfc->extra : wanted->extra);
}

static enum outcome pfc(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "priority", check_pfc);
}

static enum outcome check_extra(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	bool known = false;

	for (int i = 0; i < 8; i++) {
		double on;

		if (!port_value(facts, FACT_PFC, rail->place, rail->name, i, &on))
			continue;
		known = true;
		if (on > 0 && i != scan_int(wanted->number))
			return explain_code(out, rule, rule->level,
				"%s %s has PFC on priority %d, of which the file says nothing",
				rail->place, rail->name, i);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome extra(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "priority", check_extra);
}

static enum outcome check_buffer(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *priority =
		audit_wanted(facts, rail->place, rail->subject, "priority");
	const struct fact *speed = audit_wanted(facts, rail->place, rail->subject, "speed");
	const struct fact *cable = audit_wanted(facts, rail->place, rail->subject, "cable");
	double buffer, size;

	if (!priority || !speed || !cable ||
		!port_value(facts, FACT_PRIO_BUFFER, rail->place, rail->name,
			scan_int(priority->number), &buffer) ||
		!port_value(
			facts, FACT_BUFFER, rail->place, rail->name, scan_int(buffer), &size))
		return RULE_UNKNOWN;
	if (size >= wanted->number)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%s %s: buffer %.0f of priority %.0f has %.0f bytes; %.0f Gb/s and %.0f m of "
		"cable need %.0f after XOFF: %.0f bytes short",
		rail->place, rail->name, buffer, priority->number, size, speed->number,
		cable->number, wanted->number, wanted->number - size);
	explain_number(out, "shortfall_bytes", wanted->number - size);
	return RULE_FIRED;
}

static enum outcome buffer(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "headroom", check_buffer);
}

static enum outcome check_ecn(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *priority =
		audit_wanted(facts, rail->place, rail->subject, "priority");
	static const char *const sides[] = { "rp", "np" };
	bool known = true;

	for (int i = 0; i < 2; i++) {
		double on;

		if (!priority || !port_value(facts, FACT_CC_ENABLE, rail->place, sides[i],
					 scan_int(priority->number), &on)) {
			known = false;
			continue;
		}
		if ((on > 0) != (wanted->number > 0))
			return explain_code(out, rule, rule->level,
				"%s %s: the %s point is %s for priority %.0f, the file wants "
				"ECN %s (%s)",
				rail->place, rail->name, i ? "notification" : "reaction",
				on > 0 ? "on" : "off", priority->number,
				wanted->number > 0 ? "on" : "off", wanted->extra);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome ecn(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "ecn", check_ecn);
}

static enum outcome check_cnp(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *set =
		facts_find(facts, FACT_CNP_DSCP, rail->place, rail->name, NULL);
	const struct fact *priority =
		audit_wanted(facts, rail->place, rail->subject, "cnp priority");
	bool said;
	int goes;

	if (!set || !priority)
		return RULE_UNKNOWN;
	goes = audit_priority(facts, rail, scan_int(set->number), &said);
	if (set->number == wanted->number && goes == scan_int(priority->number))
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s sends CNPs with DSCP %.0f in priority %d; the file says DSCP %.0f and "
		"priority %.0f",
		rail->place, rail->name, set->number, goes, wanted->number, priority->number);
}

static enum outcome cnp(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "cnp dscp", check_cnp);
}

static enum outcome check_mtu(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *mtu =
		facts_find(facts, FACT_ACTIVE_MTU, rail->place, rail->subject, NULL);

	if (!mtu)
		return RULE_UNKNOWN;
	if (mtu->number == wanted->number)
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s has RoCE MTU %.0f, the file says %.0f", rail->place, rail->subject,
		mtu->number, wanted->number);
}

static enum outcome mtu(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "RoCE MTU", check_mtu);
}

static enum outcome check_speed(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	double gbps = port_gbps(facts, rail->place, rail->name);

	if (gbps <= 0)
		return RULE_UNKNOWN;
	if (gbps == wanted->number)
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%s %s runs at %.0f Gb/s, the file says %.0f", rail->place, rail->name, gbps,
		wanted->number);
}

static enum outcome speed(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "speed", check_speed);
}

/* Only a switch whose name the file has is told from another: names may differ. */
static enum outcome check_leaf(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *wanted)
{
	const struct fact *seen =
		facts_find(facts, FACT_NEIGHBOUR, rail->place, rail->name, NULL);
	bool named = false;

	if (!seen)
		return RULE_UNKNOWN;
	FACTS_EACH (facts, FACT_WANTED, other)
		named = named || (strcmp(other->name, "leaf") == 0 &&
					 strcmp(other->text, seen->text) == 0);
	if (strcmp(seen->text, wanted->text) == 0)
		return RULE_CLEAR;
	if (!named)
		return RULE_UNKNOWN;
	return explain_code(out, rule, rule->level,
		"%s %s sees %s (%s) at its other end, the file says %s", rail->place,
		rail->name, seen->text, seen->extra, wanted->text);
}

static enum outcome leaf(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, "leaf", check_leaf);
}

/* A device that the file names and the host has not. */
static enum outcome missing(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_WANTED, wanted)
		if (strcmp(wanted->name, "speed") == 0 && *wanted->subject &&
			facts_find(facts, FACT_RAIL, wanted->place, NULL, NULL) &&
			!facts_find(facts, FACT_RAIL, wanted->place, wanted->subject, NULL))
			return explain_code(out, rule, rule->level,
				"%s has no device %s, which the file names", wanted->place,
				wanted->subject);
	return RULE_CLEAR;
}

/* What a port counted in one direction: in the policy's priority, in all, and where most of
 * the rest was. */
struct counted {
	double in_class, all, most, passed;
	int most_priority;
	bool known; /* of the policy's priority */
};

static struct counted counted_of(
	const struct facts *facts, const struct fact *rail, const char *way, int priority)
{
	struct counted counted = { .most_priority = -1 };

	FACTS_EACH (facts, FACT_PROOF, proof) {
		if (strcmp(proof->place, rail->place) != 0 ||
			strcmp(proof->subject, rail->name) != 0 ||
			strcmp(proof->text, way) != 0)
			continue;
		counted.all += proof->number;
		counted.passed = proof->more;
		if (atoi(proof->name) == priority) {
			counted.known = true;
			counted.in_class = proof->number;
		} else if (proof->number > counted.most) {
			counted.most = proof->number;
			counted.most_priority = atoi(proof->name);
		}
	}
	return counted;
}

/* Bytes that no priority counted were seen by nobody: that is no other class. */
static enum outcome check_proof(const struct rule *rule, const struct facts *facts,
	struct explain *out, const struct fact *rail, const struct fact *asked)
{
	static const char *const ways[] = { "sent", "received" };
	const struct fact *wanted = audit_wanted(facts, rail->place, rail->subject, "priority");
	int priority = wanted ? scan_int(wanted->number) : -1, proved = 0;

	(void)asked;
	for (int i = 0; i < 2 && wanted; i++) {
		struct counted counted = counted_of(facts, rail, ways[i], priority);

		if (!counted.known || counted.passed < 1 || counted.all < counted.passed)
			continue;
		if (counted.in_class < counted.passed)
			return explain_code(out, rule, rule->level,
				"%s %s %s %.0f bytes and counted %.0f of them in priority %d "
				"of the file (%s), and %.0f in priority %d",
				rail->place, rail->name, ways[i], counted.passed,
				counted.in_class, priority, wanted->extra, counted.most,
				counted.most_priority);
		proved++;
	}
	return proved == 2 ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome proof(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return each(rule, facts, out, AUDIT_WANTS_PROOF, check_proof);
}

const struct rule rules_audit[] = {
	{ "AUDIT_DEVICE_MISSING", VERDICT_FAIL, "audit",
		"a device that the fabric file names is not on the host",
		"its rail does not exist", "Correct the name in the file, or find the card.",
		"weft: the fabric file", { FACT_WANTED, FACT_RAIL, NO_NEED }, missing },
	{ "AUDIT_TRUST", VERDICT_FAIL, "audit",
		"a port does not go by the DSCP that the policy is made of",
		"its traffic is classified by something that the policy does not set",
		"Set trust to dscp (mlnx_qos -i IFACE --trust dscp, or dcb apptrust set dev "
		"IFACE order dscp).",
		"losslessnetwork.com host-side-lossless", { FACT_WANTED, FACT_RAIL, NO_NEED },
		trust },
	{ "AUDIT_DSCP_MAP", VERDICT_FAIL, "audit",
		"a port puts the policy's DSCP in another priority",
		"data of the lossless class leave in a lossy one",
		"Map the DSCP (dcb app add dev IFACE dscp-prio DSCP:PRIORITY, or mlnx_qos -i "
		"IFACE --dscp2prio set,DSCP,PRIORITY).",
		"openucx/ucx#2434", { FACT_WANTED, FACT_RAIL, NO_NEED }, map },
	{ "AUDIT_PFC", VERDICT_FAIL, "audit",
		"PFC of the policy's priority is not as the file says",
		"the class is lossless on a part of its way only",
		"Set PFC for the priority (dcb pfc set dev IFACE prio-pfc PRIORITY:on, or "
		"mlnx_qos -i IFACE --pfc); that can take the link down for a moment.",
		"IEEE 802.1Qbb", { FACT_WANTED, FACT_RAIL, NO_NEED }, pfc },
	{ "AUDIT_PFC_EXTRA", VERDICT_WARN, "audit",
		"PFC is on for a priority that the policy does not name",
		"it takes headroom, and what it carries can stop the port",
		"Switch PFC off for it, or put the class in the fabric file.", "IEEE 802.1Qbb",
		{ FACT_WANTED, FACT_RAIL, NO_NEED }, extra },
	{ "AUDIT_BUFFER", VERDICT_FAIL, "audit",
		"the buffer of the lossless priority does not hold its headroom",
		"what the peer still sends until it obeys XOFF does not fit and is dropped",
		"Make the buffer larger by the shortfall (dcb buffer set dev IFACE "
		"buffer-size, or mlnx_qos -i IFACE --buffer_size).",
		"IEEE 802.1Qbb annex O", { FACT_WANTED, FACT_RAIL, NO_NEED }, buffer },
	{ "AUDIT_ECN", VERDICT_FAIL, "audit",
		"congestion control of the policy's priority is not as the file says",
		"a sender that does not react leaves all congestion to PFC",
		"Switch reaction and notification point as the file says "
		"(/sys/class/net/IFACE/ecn/roce_rp/enable/PRIORITY and roce_np, or mlxconfig "
		"ROCE_CC_PRIO_MASK_P1).",
		"Zhu et al., SIGCOMM 2015", { FACT_WANTED, FACT_RAIL, NO_NEED }, ecn },
	{ "AUDIT_CNP", VERDICT_WARN, "audit",
		"congestion notifications are not sent in the policy's class",
		"they wait behind the data, or are not where switches expect them",
		"Set cnp_dscp (/sys/class/net/IFACE/ecn/roce_np/cnp_dscp) and its priority.",
		"Mellanox/network-operator#179", { FACT_WANTED, FACT_RAIL, NO_NEED }, cnp },
	{ "AUDIT_MTU", VERDICT_FAIL, "audit", "the RoCE MTU is not that of the fabric file",
		"ends of different MTUs stall, and limits are reckoned for the file's",
		"Set the interface MTU to the RoCE MTU and 104 bytes or more.",
		"linux include/rdma/ib_addr.h iboe_get_mtu()",
		{ FACT_WANTED, FACT_RAIL, NO_NEED }, mtu },
	{ "AUDIT_SPEED", VERDICT_FAIL, "audit", "a port does not run at the file's speed",
		"headroom, thresholds and limits are reckoned for the file's",
		"Look at cable, optic, autonegotiation and breakout; or correct the file.",
		"NVIDIA/nccl#307", { FACT_WANTED, FACT_RAIL, NO_NEED }, speed },
	{ "AUDIT_CABLE", VERDICT_FAIL, "audit", "a port is cabled to another switch",
		"the rail goes through the wrong leaf: more hops, or no failover",
		"Move the cable, or correct the file.", "luxingcom/aicad-nccl-optimization#1",
		{ FACT_WANTED, FACT_RAIL, FACT_NEIGHBOUR }, leaf },
	{ "AUDIT_CLASS_PROOF", VERDICT_FAIL, "audit",
		"bytes that were sent in the policy's class are counted in another",
		"whatever the settings say, the traffic is not in the lossless class there",
		"Compare the DSCP map and trust of this port with what AUDIT_DSCP_MAP and "
		"AUDIT_TRUST say; where only what is received is off, a switch on the way has "
		"changed the DSCP.",
		"weft: bytes sent against counters by priority (weft audit --prove)",
		{ FACT_WANTED, FACT_RAIL, FACT_PROOF }, proof },
	{ .code = NULL },
};
