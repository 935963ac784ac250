/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
#define RAILS 64

/* The prefix that most interfaces of one place share; how many, 0 when none
 * shares any. *any is one of them. */
static int shared_prefix(const struct facts *facts, const char *place, const struct fact **any)
{
	int best = 0;

	FACTS_EACH (facts, FACT_ADDRESS, a) {
		int same = 0;

		if (strcmp(a->place, place) != 0 || a->more >= 32)
			continue;
		FACTS_EACH (facts, FACT_ADDRESS, b)
			same += strcmp(b->place, place) == 0 && b->more == a->more &&
				((scan_address(a->number) ^ scan_address(b->number)) &
					scan_mask(a->more)) == 0 &&
				(b == a || strcmp(a->subject, b->subject) != 0);
		if (same > best) {
			best = same;
			*any = a;
		}
	}
	return best >= 2 ? best : 0;
}

static void give_subnet(struct explain *out, const struct fact *any, int rails)
{
	unsigned net = scan_address(any->number) & scan_mask(any->more);

	explain_number(out, "rails_in_same_subnet", rails);
	explain_fact(out, "subnet", "%u.%u.%u.%u/%d", net >> 24, net >> 16 & 255,
		net >> 8 & 255, net & 255, scan_int(any->more));
}

/* The kernel takes the larger of "all" and the interface's own value. -1: neither
 * was collected. */
static int effective(
	const struct facts *facts, const char *place, const char *iface, const char *name)
{
	const struct fact *all = facts_find(facts, FACT_SYSCTL, place, "all", name);
	const struct fact *own = facts_find(facts, FACT_SYSCTL, place, iface, name);
	int value = -1;

	if (all)
		value = scan_int(all->number);
	if (own && own->number > value)
		value = scan_int(own->number);
	return value;
}

static enum outcome arp_flux(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[RAILS];
	size_t count = facts_places(facts, FACT_ADDRESS, places, RAILS);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		const struct fact *any = NULL;
		int rails = shared_prefix(facts, places[i], &any), ignore;

		if (rails == 0) {
			known = true;
			continue;
		}
		ignore = effective(facts, places[i], any->subject, "arp_ignore");
		if (ignore < 0)
			continue;
		known = true;
		if (ignore > 0)
			continue;
		explain_code(out, rule, rule->level,
			"%s: %d interfaces share one subnet and arp_ignore is 0: any of them "
			"answers for the address of any other",
			*places[i] ? places[i] : "this host", rails);
		give_subnet(out, any, rails);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome source_routing(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[RAILS];
	size_t count = facts_places(facts, FACT_IP_RULE, places, RAILS);

	for (size_t i = 0; i < count; i++) {
		const struct fact *any = NULL;
		int rails = shared_prefix(facts, places[i], &any);
		bool by_source = false;

		FACTS_EACH (facts, FACT_IP_RULE, it)
			by_source = by_source ||
				    (strcmp(it->place, places[i]) == 0 && it->number > 0);
		if (rails == 0 || by_source)
			continue;
		explain_code(out, rule, rule->level,
			"%s: %d rails in one subnet and no routing rule by source address: all "
			"leave by one interface",
			*places[i] ? places[i] : "this host", rails);
		give_subnet(out, any, rails);
		return RULE_FIRED;
	}
	return facts_first(facts, FACT_ADDRESS) ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome rp_filter(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[RAILS], *ifaces[RAILS];
	size_t count = facts_places(facts, FACT_ADDRESS, places, RAILS);
	bool known = false;

	for (size_t i = 0; i < count; i++) {
		size_t rails = facts_subjects(facts, FACT_ADDRESS, places[i], ifaces, RAILS);
		int strict = 0;

		for (size_t j = 0; j < rails; j++) {
			int value = effective(facts, places[i], ifaces[j], "rp_filter");

			known = known || value >= 0;
			strict += value == 1;
		}
		if (rails < 2 || strict == 0)
			continue;
		return explain_code(out, rule, VERDICT_WARN,
			"%s: rp_filter is strict on %d of %zu interfaces",
			*places[i] ? places[i] : "this host", strict, rails);
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* The library's own pairing: a channel that leaves by one NIC and arrives at
 * another. */
static bool pairs_across(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_CHANNEL, send)
		FACTS_EACH (facts, FACT_CHANNEL, receive)
			if (strcmp(send->name, "send") == 0 &&
				strcmp(receive->name, "receive") == 0 &&
				strcmp(send->subject, receive->subject) == 0 &&
				send->more >= 0 && receive->more >= 0 &&
				send->more != receive->more)
				return true;
	return false;
}

/* Somebody asked for just this: ip route get, ping by a source. */
static bool asked_for_route(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_NO_ROUTE, none)
		if (none->section && (scan_has(none->section->title, "route get") ||
					     scan_has(none->section->title, "ping")))
			return true;
	return false;
}

static bool subnets_differ(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_ADDRESS, a)
		FACTS_EACH (facts, FACT_ADDRESS, b)
			if (strcmp(a->place, b->place) == 0 &&
				((scan_address(a->number) ^ scan_address(b->number)) &
					scan_mask(a->more)) != 0)
				return true;
	return false;
}

static bool shows_failure(const struct facts *facts)
{
	return facts_first(facts, FACT_WC) || facts_first(facts, FACT_CALL_FAILED);
}

/* The interface that has this address, at the place or at any other; NULL: not known. */
static const char *interface_of(
	const struct facts *facts, const char *place, bool there, const char *address)
{
	FACTS_EACH (facts, FACT_ADDRESS, it)
		if (strcmp(it->text, address) == 0 && (strcmp(it->place, place) == 0) == there)
			return it->subject;
	return NULL;
}

static bool is_address(const char *text)
{
	unsigned address;
	int length;

	return scan_ipv4(text, &address, &length);
}

/* Whether a reading joins two rails: it names them, or addresses of interfaces with
 * different names. */
static bool crosses(const struct facts *facts, const struct fact *reach)
{
	const char *from = reach->subject, *to = reach->name;

	if (!is_address(to))
		return reach->more > 0;
	if (is_address(from)) {
		from = interface_of(facts, "", false, from);
		to = interface_of(facts, "", false, to);
	} else {
		to = interface_of(facts, reach->place, false, to);
	}
	return from && *from && to && strcmp(from, to) != 0;
}

static enum outcome cross_rail(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *bad = NULL;
	bool same_rail_bad = false, cross = false, paired = pairs_across(facts);

	FACTS_EACH (facts, FACT_REACH, reach) {
		bool across = crosses(facts, reach);

		cross = cross || across;
		if (reach->number > 0)
			continue;
		if (across)
			bad = bad ? bad : reach;
		else
			same_rail_bad = true;
	}
	if (!bad && facts_first(facts, FACT_NO_ROUTE) &&
		(paired || facts_first(facts, FACT_ADDRESS) || asked_for_route(facts)))
		bad = facts_first(facts, FACT_NO_ROUTE);
	if (!bad && paired && subnets_differ(facts) && shows_failure(facts)) {
		const struct fact *route = facts_first(facts, FACT_ROUTE);

		for (; route && route->number < 1; route = facts_next(facts, route))
			;
		if (!route)
			return explain_code(out, rule, rule->level,
				"the library pairs NICs of different rails, whose subnets have "
				"no gateway between "
				"them, and the connection failed");
	}
	if (!bad)
		return cross ? RULE_CLEAR : RULE_UNKNOWN;
	if (same_rail_bad)
		return RULE_UNKNOWN;
	explain_code(out, rule, rule->level, "no route between rails: %s", bad->text);
	if (*bad->subject && *bad->name)
		explain_fact(out, "pair", "%s-%s", bad->subject, bad->name);
	return RULE_FIRED;
}

/* The rate that most devices of the list have; 0 when not known for two. */
static double usual_rate(const struct facts *facts)
{
	double best = 0;
	int votes = 0, known = 0;

	FACTS_EACH (facts, FACT_RATE, a) {
		int same = 0;

		if (!facts_find(facts, FACT_HCA_USED, NULL, a->subject, NULL) || !*a->subject)
			continue;
		known++;
		FACTS_EACH (facts, FACT_RATE, b)
			same += *b->subject && b->number == a->number;
		if (same > votes || (same == votes && a->number > best)) {
			votes = same;
			best = a->number;
		}
	}
	return known >= 2 ? best : 0;
}

static enum outcome extra_hca(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *devices[RAILS];
	size_t count = facts_subjects(facts, FACT_HCA_USED, NULL, devices, RAILS);
	double usual = usual_rate(facts), slow = 0;
	char extra[256] = "", keep[1024] = "";

	if (usual <= 0)
		return RULE_UNKNOWN;
	for (size_t i = 0; i < count; i++) {
		const struct fact *rate =
			*devices[i] ? facts_find(facts, FACT_RATE, NULL, devices[i], NULL)
				    : NULL;
		bool out_of_place = rate && rate->number < usual / 2;
		char *list = out_of_place ? extra : keep;
		size_t room = out_of_place ? sizeof(extra) : sizeof(keep), used = strlen(list);

		if (!*devices[i])
			continue;
		if (out_of_place)
			slow = rate->number;
		snprintf(list + used, room - used, "%s%s", used ? "," : "", devices[i]);
	}
	if (!*extra)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"the library uses %s (%.0f Gb/s) beside rails of %.0f Gb/s", extra, slow,
		usual);
	explain_fact(out, "extra", "%s", extra);
	explain_number(out, "rate", slow);
	explain_fact(out, "suggested", "NCCL_IB_HCA==%.300s", keep);
	explain_advice(out,
		"%s runs at %.0f Gb/s and is no rail (management or storage); restrict the "
		"list to the rails: "
		"NCCL_IB_HCA==%.300s (a leading = asks for exact names).",
		extra, slow, keep);
	return RULE_FIRED;
}

/* Hosts named by a host file, by -H of mpirun, or counted by Slurm. */
static size_t host_count(const struct facts *facts)
{
	const char *hosts[256];
	size_t count = facts_subjects(facts, FACT_HOSTFILE, NULL, hosts, 256);
	double told;

	FACTS_EACH (facts, FACT_ENV, variable)
		if (count == 0 && strncmp(variable->name, "SLURM_", 6) == 0 &&
			(scan_has(variable->name, "_NNODES") ||
				scan_has(variable->name, "_NUM_NODES")) &&
			scan_whole_number(variable->text, &told) && told >= 1)
			count = (size_t)scan_int(told);

	FACTS_EACH (facts, FACT_COMMAND, command) {
		char list[512];

		if (count > 0 || !(scan_value(command->text, "-H", list, 1) ||
					 scan_after(command->text, " -H ") ||
					 scan_after(command->text, "--host ")))
			continue;
		const char *at = scan_after(command->text, " -H ");

		at = at ? at : scan_after(command->text, "--host ");
		count = at && *at ? 1 : 0;
		for (; at && *at && *at != ' '; at++)
			count += *at == ',';
	}
	return count;
}

static enum outcome nnodes(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	size_t hosts = host_count(facts);
	double nodes = 0;

	FACTS_EACH (facts, FACT_COMM, comm)
		if (comm->more > nodes)
			nodes = comm->more;
	if (hosts == 0 || nodes < 1)
		return RULE_UNKNOWN;
	if ((double)hosts == nodes)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "the library counts %.0f nodes on %zu hosts",
		nodes, hosts);
	explain_number(out, "hosts", (double)hosts);
	explain_number(out, "nnodes", nodes);
	explain_advice(out,
		"The library sees %.0f nodes on %zu hosts, so rail rules that count nodes "
		"(NCCL_CROSS_NIC=0, PXN) do not "
		"hold; check MNNVL/NVLink grouping (NCCL_MNNVL_ENABLE), hostnames and host ids "
		"(NCCL_HOSTID) before "
		"trusting rail isolation.",
		nodes, hosts);
	return RULE_FIRED;
}

const struct rule rules_rails[] = {
	{ "ARP_FLUX_RISK", VERDICT_FAIL, "rails",
		"several rails of a host share a subnet and any of them answers ARP for any "
		"address",
		"peers learn the wrong MAC: traffic of all rails enters by one port, or a "
		"device drops it",
		"Give each rail its own subnet, or set arp_ignore=1 (or 2) and arp_announce=2 "
		"on the rails together with a "
		"routing table and rule per source address and rp_filter=2.",
		"NVIDIA/nccl#1109", { FACT_ADDRESS, NO_NEED, NO_NEED }, arp_flux },
	{ "NO_SOURCE_ROUTING", VERDICT_FAIL, "rails",
		"several rails and no routing rule by source address",
		"the first route of the shared subnet takes the traffic of all rails",
		"Give each rail its own subnet, or add a routing table and rule per source "
		"address (ip rule add from "
		"ADDRESS lookup TABLE) plus arp_ignore=1/2, arp_announce=2 and rp_filter=2 on "
		"the rails.",
		"NVIDIA/nccl#1269", { FACT_IP_RULE, FACT_ADDRESS, NO_NEED }, source_routing },
	{ "RP_FILTER_STRICT", VERDICT_WARN, "rails",
		"strict reverse-path filtering on a host with several rails",
		"packets that answer by another rail than they came are dropped without a "
		"counter",
		"Set rp_filter=2 (loose) on the rails and in net.ipv4.conf.all. Strict "
		"filtering alone is a warning, not the "
		"fault.",
		"openucx/ucx#5598", { FACT_SYSCTL, FACT_ADDRESS, NO_NEED }, rp_filter },
	{ "CROSS_RAIL_UNREACHABLE", VERDICT_FAIL, "rails",
		"NICs of different rails have no route to each other, but the library pairs "
		"them",
		"a connection across rails times out at its first message",
		"Route between the rails (a gateway per rail, joined at the spines), or keep "
		"the library on its rail: "
		"NCCL_CROSS_NIC=0 with the same GPU-to-NIC order on each host, and PXN "
		"(NCCL_PXN_DISABLE=0) for all-to-all.",
		"NVIDIA/nccl#836", { NO_NEED, NO_NEED, NO_NEED }, cross_rail },
	{ "EXTRA_HCA_SELECTED", VERDICT_WARN, "rails",
		"the library uses a slower device that is no rail",
		"a channel on a slow device slows the whole ring",
		"Restrict NCCL_IB_HCA to the rails; a leading = asks for exact names.",
		"NVIDIA/nccl#1664", { FACT_HCA_USED, FACT_RATE, NO_NEED }, extra_hca },
	{ "NNODES_NOT_HOSTS", VERDICT_WARN, "rails",
		"the library counts other nodes than there are hosts",
		"rings and rail rules are built per node as the library counts them",
		"Check grouping, hostnames and host ids.", "NVIDIA/nccl#2345",
		{ FACT_COMM, NO_NEED, NO_NEED }, nnodes },
	{ .code = NULL },
};
