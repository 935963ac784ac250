/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/routes.h"
#include "pfc/collecting.h"

#define TEXT_BYTES ((size_t)256 << 10)
#define SOURCE "rtnetlink"

static bool is_rail(const struct collect *collect, const char *netdev)
{
	for (size_t i = 0; i < collect->nics->count; i++)
		if (strcmp(collect->nics->items[i].netdev, netdev) == 0)
			return true;
	return false;
}

/* "192.0.2.1/24"; room for its longest. */
struct prefix {
	char text[24];
};

static struct prefix prefix_text(uint32_t ipv4, unsigned length)
{
	struct prefix prefix;

	snprintf(prefix.text, sizeof(prefix.text), "%u.%u.%u.%u/%u", ipv4 >> 24,
		ipv4 >> 16 & 255, ipv4 >> 8 & 255, ipv4 & 255, length);
	return prefix;
}

/* That a table was read whole, or why it was not. */
static void add_table(const struct collect *collect, const char *what, int err, size_t count)
{
	if (err)
		collect_missing(collect, "", what, SOURCE, err);
	else
		collect_number(collect, FACT_TABLE_READ, NULL, what, (double)count, SOURCE);
}

static void add_addresses(const struct collect *collect)
{
	struct route_addresses *addresses = zeroed(1, sizeof(*addresses));
	struct diag diag;
	int err = routes_addresses(collect->netlink, addresses, &diag);

	add_table(collect, "IP addresses", err, addresses->count);
	for (size_t i = 0; i < addresses->count; i++) {
		const struct route_address *item = &addresses->items[i];
		struct fact *fact;

		if (!is_rail(collect, item->netdev))
			continue;
		fact = collect_number(
			collect, FACT_ADDRESS, item->netdev, NULL, item->ipv4, SOURCE);
		fact->text = facts_keep(
			collect->facts, prefix_text(item->ipv4, item->prefix_length).text);
		fact->more = item->prefix_length;
	}
	free(addresses);
}

static void add_addresses6(const struct collect *collect)
{
	struct route_addresses6 *addresses = zeroed(1, sizeof(*addresses));
	char *text = zeroed(TEXT_BYTES, 1);

	if (collect_file(collect, "", "IPv6 addresses", text, TEXT_BYTES, "/proc/net/if_inet6"))
		routes_parse_addresses6(addresses, text);
	for (size_t i = 0; i < addresses->count; i++) {
		const struct route_address6 *item = &addresses->items[i];
		struct fact *fact;

		if (!is_rail(collect, item->netdev))
			continue;
		fact = collect_number(collect, FACT_ADDRESS6, item->netdev, NULL, item->global,
			"/proc/net/if_inet6");
		fact->text = facts_keep(collect->facts, item->text);
		fact->more = item->prefix_length;
	}
	free(text);
	free(addresses);
}

static void add_rule(const struct collect *collect, const struct route_rule *rule)
{
	bool by_output = *rule->output && is_rail(collect, rule->output);
	char text[96 + HOST_NAME], source[INET_ADDRSTRLEN] = "";
	struct fact *fact;

	if (rule->by_source) {
		struct prefix from = prefix_text(rule->ipv4, rule->prefix_length);

		snprintf(text, sizeof(text), "%u: from %s lookup %u", rule->preference,
			from.text, rule->table);
		snprintf(source, sizeof(source), "%.*s", (int)strcspn(from.text, "/"),
			from.text);
	} else {
		snprintf(text, sizeof(text), "%u: from all%s%s lookup %u", rule->preference,
			*rule->output ? " oif " : "", rule->output, rule->table);
	}
	fact = collect_number(collect, FACT_IP_RULE, by_output ? rule->output : source, NULL,
		rule->by_source || by_output, SOURCE);
	fact->text = facts_keep(collect->facts, text);
	fact->more = rule->table;
}

static void add_rules(const struct collect *collect)
{
	struct route_rules *rules = zeroed(1, sizeof(*rules));
	struct diag diag;
	int err = routes_rules(collect->netlink, rules, &diag);

	add_table(collect, "routing rules", err, rules->count);
	for (size_t i = 0; i < rules->count; i++)
		add_rule(collect, &rules->items[i]);
	free(rules);
}

static void add_routes_of(const struct collect *collect, const char *netdev, long long ifindex,
	const struct route_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct route_entry *item = &entries->items[i];
		struct fact *fact;
		char table[16];

		if (item->ifindex != ifindex)
			continue;
		snprintf(table, sizeof(table), "%u", item->table);
		fact = collect_number(
			collect, FACT_ROUTE_ENTRY, netdev, table, item->ipv4, SOURCE);
		fact->text = facts_keep(
			collect->facts, prefix_text(item->ipv4, item->prefix_length).text);
		fact->more = item->prefix_length;
		fact->extra = item->gateway ? "via" : "";
	}
}

/* The kernel tells interfaces by their number. */
static void add_routes(const struct collect *collect)
{
	struct route_entries *entries = zeroed(1, sizeof(*entries));
	struct diag diag;
	int err = routes_entries(collect->netlink, entries, &diag);

	add_table(collect, "routes", entries->left_out && !err ? -E2BIG : err, entries->count);
	for (size_t i = 0; i < collect->nics->count; i++) {
		const char *netdev = collect->nics->items[i].netdev;
		long long ifindex;

		if (collect_is_first_netdev(collect, i) &&
			collect_file_number(collect, netdev, "number", &ifindex,
				"/sys/class/net/%s/ifindex", netdev))
			add_routes_of(collect, netdev, ifindex, entries);
	}
	free(entries);
}

void collect_routes(const struct collect *collect)
{
	add_addresses(collect);
	add_addresses6(collect);
	add_rules(collect);
	add_routes(collect);
}
