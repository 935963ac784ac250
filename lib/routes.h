/*
 * routes - IPv4 addresses, routing rules and routes of a host, by rtnetlink; IPv6
 * addresses by the kernel's list of them.
 */
#ifndef LIB_ROUTES_H
#define LIB_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/host.h"

#define ROUTES_MAX 512u

struct diag;
struct netlink;

struct route_address {
	char netdev[HOST_NAME]; /* the label without its alias */
	uint32_t ipv4;          /* host order */
	uint8_t prefix_length;
};

struct route_rule {
	bool by_source;
	uint32_t ipv4; /* of the source; host order */
	uint8_t prefix_length;
	char output[HOST_NAME]; /* of packets that leave by it: "oif"; "" */
	uint32_t table, preference;
};

/* A unicast route, or one next hop of it. */
struct route_entry {
	uint32_t ipv4; /* of the destination; host order */
	uint8_t prefix_length;
	uint32_t table, ifindex;
	bool gateway;
};

struct route_address6 {
	char netdev[HOST_NAME];
	char text[48]; /* as it is written */
	uint8_t prefix_length;
	bool global; /* neither link-local nor of the host alone */
};

struct route_addresses {
	size_t count;
	struct route_address items[ROUTES_MAX]; /* in the kernel's order; more are left out */
};

struct route_rules {
	size_t count;
	struct route_rule items[ROUTES_MAX];
};

struct route_entries {
	size_t count, left_out; /* beyond ROUTES_MAX */
	struct route_entry items[ROUTES_MAX];
};

struct route_addresses6 {
	size_t count;
	struct route_address6 items[ROUTES_MAX];
};

/* Parsers of an answer to RTM_GETADDR, RTM_GETRULE and RTM_GETROUTE. Return 0 or the
 * kernel's errno. */
int routes_parse_addresses(
	struct route_addresses *addresses, const uint8_t *bytes, size_t size);
int routes_parse_rules(struct route_rules *rules, const uint8_t *bytes, size_t size);
int routes_parse_entries(struct route_entries *entries, const uint8_t *bytes, size_t size);
/* Of the text of /proc/net/if_inet6; lines that are none are passed over. */
void routes_parse_addresses6(struct route_addresses6 *addresses, const char *text);

int routes_addresses(
	struct netlink *netlink, struct route_addresses *addresses, struct diag *diag);
int routes_rules(struct netlink *netlink, struct route_rules *rules, struct diag *diag);
int routes_entries(struct netlink *netlink, struct route_entries *entries, struct diag *diag);

#endif
