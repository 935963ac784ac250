/*
 * gid - which entry of a RoCE port's GID table a connection uses.
 *
 * Only RoCE v2 entries are taken. In this order: the one asked for by its index; the
 * one that is the address of the control connection; IPv4 before IPv6 (or the other way
 * round when IPv6 is asked for); the lowest index. Link-local IPv6 only by its index: it
 * leads nowhere across a router, and on many NICs it stands first.
 */
#ifndef LIB_GID_H
#define LIB_GID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GID_BYTES 16u
#define GID_TEXT 48

struct diag;

enum gid_type { GID_IB, GID_ROCE_V1, GID_ROCE_V2 };

enum gid_family { GID_ANY, GID_IPV4, GID_IPV6 };

/* Why an entry was chosen. */
enum gid_rule {
	GID_BY_INDEX,
	GID_BY_ADDRESS,
	GID_FIRST_IPV4,
	GID_FIRST_IPV6,
	GID_BY_SUBNET /* the other end is in its subnet; never gid_choose()'s reason */
};

struct gid_entry {
	uint32_t index;
	enum gid_type type;
	uint8_t bytes[GID_BYTES]; /* IPv4 as ::ffff:a.b.c.d */
};

struct gid_wish {
	bool by_index;
	uint32_t index;
	enum gid_family only; /* GID_ANY: either */
	bool ipv6_first;      /* otherwise IPv4 */
	bool has_address;
	uint8_t address[GID_BYTES];
};

bool gid_is_ipv4(const uint8_t bytes[GID_BYTES]);
bool gid_is_link_local(const uint8_t bytes[GID_BYTES]);

/* "10.1.1.1" or "fd00::1". */
void gid_print(const uint8_t bytes[GID_BYTES], char text[GID_TEXT]);

/* The reverse; false when text is no address. */
bool gid_parse(const char *text, uint8_t bytes[GID_BYTES]);

/* Returns the place in entries, or -ENOENT with what is missing and what would do. name
 * stands for the port in it: "mlx5_0 port 1". */
int gid_choose(const struct gid_entry *entries, size_t count, const struct gid_wish *wish,
	const char *name, struct diag *diag);

/* By which rule gid_choose() came to this one. */
enum gid_rule gid_rule(const uint8_t bytes[GID_BYTES], const struct gid_wish *wish);

#endif
