/*
 * routes - IPv4 addresses and routing rules of a host, by rtnetlink.
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
	uint32_t table, preference;
};

struct route_addresses {
	size_t count;
	struct route_address items[ROUTES_MAX]; /* in the kernel's order; more are left out */
};

struct route_rules {
	size_t count;
	struct route_rule items[ROUTES_MAX];
};

/* Parsers of an answer to RTM_GETADDR and RTM_GETRULE. Return 0 or the kernel's errno. */
int routes_parse_addresses(
	struct route_addresses *addresses, const uint8_t *bytes, size_t size);
int routes_parse_rules(struct route_rules *rules, const uint8_t *bytes, size_t size);

int routes_addresses(
	struct netlink *netlink, struct route_addresses *addresses, struct diag *diag);
int routes_rules(struct netlink *netlink, struct route_rules *rules, struct diag *diag);

#endif
