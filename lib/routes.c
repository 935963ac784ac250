/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/routes.h"

#include <arpa/inet.h>
#include <linux/fib_rules.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "lib/netlink.h"

static void take_address(
	struct route_addresses *addresses, const struct netlink_message *message)
{
	struct route_address *item = &addresses->items[addresses->count];
	size_t head = sizeof(struct ifaddrmsg);
	struct ifaddrmsg raw;
	struct netlink_attr local, label;

	memcpy(&raw, message->body, sizeof(raw));
	if (raw.ifa_family != AF_INET ||
		(!netlink_find(message->body + head, message->size - head, IFA_LOCAL, &local) &&
			!netlink_find(message->body + head, message->size - head, IFA_ADDRESS,
				&local)) ||
		!netlink_find(message->body + head, message->size - head, IFA_LABEL, &label) ||
		local.size < 4)
		return;
	item->ipv4 = ntohl(netlink_u32(&local));
	item->prefix_length = raw.ifa_prefixlen;
	netlink_text(&label, item->netdev, sizeof(item->netdev));
	item->netdev[strcspn(item->netdev, ":")] = '\0';
	addresses->count++;
}

int routes_parse_addresses(struct route_addresses *addresses, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	int err = netlink_error(bytes, size);

	if (err)
		return err;
	addresses->count = 0;
	for (size_t at = 0;
		addresses->count < ROUTES_MAX && netlink_next(bytes, size, &at, &message);)
		if (message.type == RTM_NEWADDR && message.size >= sizeof(struct ifaddrmsg))
			take_address(addresses, &message);
	return 0;
}

static void take_rule(struct route_rules *rules, const struct netlink_message *message)
{
	struct route_rule *item = &rules->items[rules->count];
	size_t head = sizeof(struct fib_rule_hdr);
	const uint8_t *body = message->body + head;
	struct fib_rule_hdr raw;
	struct netlink_attr attr;

	memcpy(&raw, message->body, sizeof(raw));
	if (raw.family != AF_INET)
		return;
	*item = (struct route_rule){ .prefix_length = raw.src_len, .table = raw.table };
	if (netlink_find(body, message->size - head, FRA_TABLE, &attr))
		item->table = netlink_u32(&attr);
	if (netlink_find(body, message->size - head, FRA_PRIORITY, &attr))
		item->preference = netlink_u32(&attr);
	if (netlink_find(body, message->size - head, FRA_OIFNAME, &attr))
		netlink_text(&attr, item->output, sizeof(item->output));
	if (raw.src_len > 0 && netlink_find(body, message->size - head, FRA_SRC, &attr)) {
		item->by_source = true;
		item->ipv4 = ntohl(netlink_u32(&attr));
	}
	rules->count++;
}

int routes_parse_rules(struct route_rules *rules, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	int err = netlink_error(bytes, size);

	if (err)
		return err;
	rules->count = 0;
	for (size_t at = 0;
		rules->count < ROUTES_MAX && netlink_next(bytes, size, &at, &message);)
		if (message.type == RTM_NEWRULE && message.size >= sizeof(struct fib_rule_hdr))
			take_rule(rules, &message);
	return 0;
}

static void add_entry(struct route_entries *entries, const struct route_entry *entry)
{
	if (entries->count < ROUTES_MAX)
		entries->items[entries->count++] = *entry;
	else
		entries->left_out++;
}

/* Several next hops: each a struct rtnexthop with its attributes behind it. */
static void take_hops(struct route_entries *entries, struct route_entry entry,
	const struct netlink_attr *hops)
{
	const uint8_t *at = hops->data;
	size_t left = hops->size;
	struct rtnexthop hop;

	while (left >= sizeof(hop)) {
		struct netlink_attr gateway;
		size_t size;

		memcpy(&hop, at, sizeof(hop));
		size = hop.rtnh_len;
		if (size < sizeof(hop) || size > left)
			return;
		entry.ifindex = (uint32_t)hop.rtnh_ifindex;
		entry.gateway = netlink_find(
			at + sizeof(hop), size - sizeof(hop), RTA_GATEWAY, &gateway);
		add_entry(entries, &entry);
		size = (size + 3) & ~(size_t)3;
		if (size >= left)
			return;
		at += size;
		left -= size;
	}
}

static void take_entry(struct route_entries *entries, const struct netlink_message *message)
{
	const uint8_t *body = message->body + sizeof(struct rtmsg);
	size_t size = message->size - sizeof(struct rtmsg);
	struct route_entry entry = { .gateway = false };
	struct netlink_attr attr;
	struct rtmsg raw;

	memcpy(&raw, message->body, sizeof(raw));
	if (raw.rtm_family != AF_INET || raw.rtm_type != RTN_UNICAST || raw.rtm_dst_len > 32)
		return;
	entry.prefix_length = raw.rtm_dst_len;
	entry.table = raw.rtm_table;
	if (netlink_find(body, size, RTA_TABLE, &attr))
		entry.table = netlink_u32(&attr);
	if (netlink_find(body, size, RTA_DST, &attr))
		entry.ipv4 = ntohl(netlink_u32(&attr));
	if (netlink_find(body, size, RTA_MULTIPATH, &attr)) {
		take_hops(entries, entry, &attr);
		return;
	}
	if (netlink_find(body, size, RTA_OIF, &attr))
		entry.ifindex = netlink_u32(&attr);
	entry.gateway = netlink_find(body, size, RTA_GATEWAY, &attr) ||
			netlink_find(body, size, RTA_VIA, &attr);
	add_entry(entries, &entry);
}

int routes_parse_entries(struct route_entries *entries, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	int err = netlink_error(bytes, size);

	if (err)
		return err;
	entries->count = entries->left_out = 0;
	for (size_t at = 0; netlink_next(bytes, size, &at, &message);)
		if (message.type == RTM_NEWROUTE && message.size >= sizeof(struct rtmsg))
			take_entry(entries, &message);
	return 0;
}

/* "fe80000000000000025056fffe000001 02 40 20 80     eth0": address, then interface, prefix
 * length, scope and flags in hex, name. */
static bool parse_address6(struct route_address6 *item, const char *line)
{
	unsigned ifindex, length, scope, flags;
	struct in6_addr address;
	char digits[33], name[HOST_NAME];

	if (sscanf(line, "%32[0-9a-f] %x %x %x %x %63s", digits, &ifindex, &length, &scope,
		    &flags, name) != 6 ||
		strlen(digits) != 32 || length > 128)
		return false;
	for (size_t i = 0; i < sizeof(address.s6_addr); i++) {
		unsigned byte;

		sscanf(digits + 2 * i, "%2x", &byte);
		address.s6_addr[i] = (uint8_t)byte;
	}
	*item = (struct route_address6){ .prefix_length = (uint8_t)length,
		.global = scope == 0 };
	snprintf(item->netdev, sizeof(item->netdev), "%s", name);
	inet_ntop(AF_INET6, &address, item->text, sizeof(item->text));
	return true;
}

void routes_parse_addresses6(struct route_addresses6 *addresses, const char *text)
{
	addresses->count = 0;
	while (*text && addresses->count < ROUTES_MAX) {
		if (parse_address6(&addresses->items[addresses->count], text))
			addresses->count++;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
}

/* The answer to a question that begins with this head. */
static int ask(struct netlink *netlink, uint16_t type, const char *name, const void *head,
	size_t size, struct netlink_answer *answer, struct diag *diag)
{
	struct netlink_question question = {
		.family = NETLINK_OF_ROUTE, .type = type, .dump = true
	};

	snprintf(question.name, sizeof(question.name), "%s", name);
	netlink_put(&question, head, size);
	return netlink_ask(netlink, &question, answer, diag);
}

int routes_addresses(
	struct netlink *netlink, struct route_addresses *addresses, struct diag *diag)
{
	struct ifaddrmsg head = { .ifa_family = AF_INET };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = ask(netlink, RTM_GETADDR, "addresses", &head, sizeof(head), &answer, diag);

	if (!err)
		err = routes_parse_addresses(addresses, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

int routes_rules(struct netlink *netlink, struct route_rules *rules, struct diag *diag)
{
	struct fib_rule_hdr head = { .family = AF_INET };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = ask(netlink, RTM_GETRULE, "rules", &head, sizeof(head), &answer, diag);

	if (!err)
		err = routes_parse_rules(rules, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

int routes_entries(struct netlink *netlink, struct route_entries *entries, struct diag *diag)
{
	struct rtmsg head = { .rtm_family = AF_INET };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = ask(netlink, RTM_GETROUTE, "routes", &head, sizeof(head), &answer, diag);

	if (!err)
		err = routes_parse_entries(entries, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}
