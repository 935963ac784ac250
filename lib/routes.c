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

int routes_addresses(
	struct netlink *netlink, struct route_addresses *addresses, struct diag *diag)
{
	struct ifaddrmsg head = { .ifa_family = AF_INET };
	struct netlink_question question = { .family = NETLINK_OF_ROUTE,
		.type = RTM_GETADDR,
		.dump = true,
		.name = "addresses" };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err;

	netlink_put(&question, &head, sizeof(head));
	err = netlink_ask(netlink, &question, &answer, diag);
	if (!err)
		err = routes_parse_addresses(addresses, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

int routes_rules(struct netlink *netlink, struct route_rules *rules, struct diag *diag)
{
	struct fib_rule_hdr head = { .family = AF_INET };
	struct netlink_question question = {
		.family = NETLINK_OF_ROUTE, .type = RTM_GETRULE, .dump = true, .name = "rules"
	};
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err;

	netlink_put(&question, &head, sizeof(head));
	err = netlink_ask(netlink, &question, &answer, diag);
	if (!err)
		err = routes_parse_rules(rules, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}
