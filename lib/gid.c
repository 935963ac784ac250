/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/gid.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/diag.h"

bool gid_is_ipv4(const uint8_t bytes[GID_BYTES])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

	return memcmp(bytes, mapped, sizeof(mapped)) == 0;
}

bool gid_is_link_local(const uint8_t bytes[GID_BYTES])
{
	return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

void gid_print(const uint8_t bytes[GID_BYTES], char text[GID_TEXT])
{
	if (gid_is_ipv4(bytes))
		inet_ntop(AF_INET, bytes + 12, text, GID_TEXT);
	else
		inet_ntop(AF_INET6, bytes, text, GID_TEXT);
}

bool gid_parse(const char *text, uint8_t bytes[GID_BYTES])
{
	uint8_t parsed[GID_BYTES] = { [10] = 0xff, [11] = 0xff };

	if (inet_pton(AF_INET, text, parsed + 12) != 1 &&
		inet_pton(AF_INET6, text, parsed) != 1)
		return false;
	memcpy(bytes, parsed, GID_BYTES);
	return true;
}

/* 0: not to be used. */
static unsigned score(const struct gid_entry *entry, const struct gid_wish *wish)
{
	bool ipv4 = gid_is_ipv4(entry->bytes);

	if (entry->type != GID_ROCE_V2 || gid_is_link_local(entry->bytes))
		return 0;
	if (wish->only != GID_ANY && ipv4 != (wish->only == GID_IPV4))
		return 0;
	if (wish->has_address && memcmp(entry->bytes, wish->address, GID_BYTES) == 0)
		return 3;
	return ipv4 != wish->ipv6_first ? 2 : 1;
}

static int by_index(const struct gid_entry *entries, size_t count, uint32_t index,
	const char *name, struct diag *diag)
{
	for (size_t i = 0; i < count; i++) {
		if (entries[i].index != index)
			continue;
		if (entries[i].type == GID_ROCE_V2)
			return (int)i;
		return diag_error(diag, -ENOENT,
			"%s: GID %u is not RoCE v2, which no router forwards: ibv_devinfo -v "
			"shows those there are",
			name, index);
	}
	return diag_error(diag, -ENOENT,
		"%s: GID %u is empty: ibv_devinfo -v shows those there are", name, index);
}

int gid_choose(const struct gid_entry *entries, size_t count, const struct gid_wish *wish,
	const char *name, struct diag *diag)
{
	unsigned best = 0;
	size_t chosen = 0;

	if (wish->by_index)
		return by_index(entries, count, wish->index, name, diag);
	for (size_t i = 0; i < count; i++) {
		unsigned now = score(&entries[i], wish);

		if (now < best || now == 0)
			continue;
		if (now > best || entries[i].index < entries[chosen].index)
			chosen = i;
		best = now;
	}
	if (best)
		return (int)chosen;
	return diag_error(diag, -ENOENT,
		"%s has no RoCE v2 GID of %s: give its NIC such an address (ip address add), "
		"or "
		"choose a GID by hand (weft bw -x)",
		name,
		wish->only == GID_IPV4   ? "an IPv4 address"
		: wish->only == GID_IPV6 ? "a routable IPv6 address"
					 : "an IPv4 or a routable IPv6 address");
}

enum gid_rule gid_rule(const uint8_t bytes[GID_BYTES], const struct gid_wish *wish)
{
	if (wish->by_index)
		return GID_BY_INDEX;
	if (wish->has_address && memcmp(bytes, wish->address, GID_BYTES) == 0)
		return GID_BY_ADDRESS;
	return gid_is_ipv4(bytes) ? GID_FIRST_IPV4 : GID_FIRST_IPV6;
}
