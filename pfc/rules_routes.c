/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pfc/rule.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* Tables that the kernel fills itself: default, main, local (linux/rtnetlink.h). */
#define TABLE_DEFAULT 253

static bool covers(double net, double length, double address)
{
	return ((scan_address(net) ^ scan_address(address)) & scan_mask(length)) == 0;
}

static bool routes_were_read(const struct facts *facts, const char *place)
{
	return facts_find(facts, FACT_TABLE_READ, place, NULL, "routes") != NULL;
}

/* The rail that a rule is for: named by its interface, or by its address. */
static const char *rail_of(const struct facts *facts, const struct fact *rule)
{
	size_t length = strlen(rule->subject);

	if (length == 0)
		return NULL;
	FACTS_EACH (facts, FACT_RAIL, rail)
		if (strcmp(rail->place, rule->place) == 0 &&
			strcmp(rail->name, rule->subject) == 0)
			return rail->name;
	FACTS_EACH (facts, FACT_ADDRESS, address)
		if (strcmp(address->place, rule->place) == 0 &&
			strncmp(address->text, rule->subject, length) == 0 &&
			(!address->text[length] || address->text[length] == '/'))
			return address->subject;
	return NULL;
}

static bool has_route(
	const struct facts *facts, const char *place, const char *netdev, double table)
{
	FACTS_EACH (facts, FACT_ROUTE_ENTRY, route)
		if (strcmp(route->place, place) == 0 && strcmp(route->subject, netdev) == 0 &&
			atof(route->name) == table)
			return true;
	return false;
}

static enum outcome empty_table(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_IP_RULE, it) {
		const char *netdev = rail_of(facts, it);

		if (it->number < 1 || it->more < 1 || !netdev ||
			!routes_were_read(facts, it->place))
			continue;
		known = true;
		if (it->more >= TABLE_DEFAULT && it->more <= TABLE_DEFAULT + 2)
			continue;
		if (has_route(facts, it->place, netdev, it->more))
			continue;
		explain_code(out, rule, rule->level,
			"%s: the rule \"%s\" is for %s, and table %.0f has no route by it",
			it->place, it->text, netdev, it->more);
		explain_fact(out, "host", "%s", it->place);
		explain_fact(out, "iface", "%s", netdev);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* Whether any route by this rail leads to an address. */
static bool leads_to(const struct facts *facts, const struct fact *from, double address)
{
	FACTS_EACH (facts, FACT_ROUTE_ENTRY, route)
		if (strcmp(route->place, from->place) == 0 &&
			strcmp(route->subject, from->subject) == 0 &&
			covers(route->number, route->more, address))
			return true;
	return false;
}

static enum outcome unrouted(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_ADDRESS, from) {
		if (!routes_were_read(facts, from->place))
			continue;
		FACTS_EACH (facts, FACT_ADDRESS, to) {
			if (strcmp(from->place, to->place) == 0 ||
				strcmp(from->subject, to->subject) != 0)
				continue;
			known = true;
			if (leads_to(facts, from, to->number))
				continue;
			explain_code(out, rule, rule->level,
				"%s %s (%s) has no route to the same rail of %s (%s)",
				from->place, from->subject, from->text, to->place, to->text);
			explain_fact(out, "host", "%s", from->place);
			explain_fact(out, "iface", "%s", from->subject);
			return RULE_FIRED;
		}
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_routes[] = {
	{ "RULE_TABLE_EMPTY", VERDICT_WARN, "rails",
		"a routing rule of a rail leads to a table without a route by it",
		"the lookup falls through to the main table: packets of this rail leave by "
		"another",
		"Add the routes of the rail to that table (ip route add SUBNET dev IFACE table "
		"N, and "
		"a default by its gateway); they are lost when the interface goes down.",
		"NVIDIA/nccl#1269", { FACT_RAIL, FACT_IP_RULE, FACT_ROUTE_ENTRY },
		empty_table },
	{ "RAIL_UNROUTED", VERDICT_WARN, "rails",
		"a rail has no route to the same rail of another host",
		"the kernel then takes the other end to be on the same link, where in a routed "
		"fabric "
		"nobody answers: the first packet never leaves",
		"Add a route by the rail's gateway (ip route add RAIL-SUPERNET via GATEWAY dev "
		"IFACE), in "
		"the rail's own table where it has one.",
		"linux net/ipv4/route.c ip_route_output_key_hash_rcu()",
		{ FACT_RAIL, FACT_ADDRESS, FACT_ROUTE_ENTRY }, unrouted },
	{ .code = NULL },
};
