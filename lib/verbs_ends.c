/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/verbs_ends.h"

#include <errno.h>
#include <ifaddrs.h>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"

/* --- subnets --- */

static bool to_gid(const struct sockaddr *from, uint8_t gid[GID_BYTES])
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (from && from->sa_family == AF_INET6) {
		memcpy(&v6, from, sizeof(v6));
		memcpy(gid, &v6.sin6_addr, GID_BYTES);
		return true;
	}
	if (!from || from->sa_family != AF_INET)
		return false;
	memcpy(&v4, from, sizeof(v4));
	memset(gid, 0, GID_BYTES);
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, &v4.sin_addr, sizeof(v4.sin_addr));
	return true;
}

/* Of a mask as to_gid() makes it; that of IPv4 stands behind 96 bits. */
static uint32_t count_bits(const uint8_t mask[GID_BYTES], bool ipv4)
{
	uint32_t bits = ipv4 ? 96 : 0;

	for (uint32_t at = bits; at < 8 * GID_BYTES; at++)
		if (mask[at / 8] & (0x80 >> at % 8))
			bits++;
	return bits;
}

static uint32_t prefix_of(const struct ifaddrs *all, const uint8_t gid[GID_BYTES])
{
	uint8_t address[GID_BYTES], mask[GID_BYTES];

	for (; all; all = all->ifa_next)
		if (to_gid(all->ifa_addr, address) && memcmp(address, gid, GID_BYTES) == 0 &&
			to_gid(all->ifa_netmask, mask))
			return count_bits(mask, gid_is_ipv4(gid));
	return 0;
}

/* --- ports --- */

static bool will_do(const struct gid_entry *entry, const struct gid_wish *wish)
{
	if (entry->type != GID_ROCE_V2 || entry->index > UINT8_MAX) /* more no QP can use */
		return false;
	if (wish->by_index)
		return entry->index == wish->index;
	if (wish->only != GID_ANY && gid_is_ipv4(entry->bytes) != (wish->only == GID_IPV4))
		return false;
	return !gid_is_link_local(entry->bytes);
}

static void add_port(struct verbs_ends *ends, const struct verbs *verbs,
	const struct gid_wish *wish, const struct ifaddrs *addresses)
{
	struct gid_entry *entries = NULL;
	struct diag ignored;
	int count = verbs_gids(verbs, &entries, &ignored);

	for (int i = 0; i < count && ends->count < VERBS_ENDS_MAX; i++) {
		struct verbs_end *end = &ends->items[ends->count];

		if (!will_do(&entries[i], wish))
			continue;
		snprintf(end->device, sizeof(end->device), "%s", verbs->device);
		end->port = verbs->port;
		end->gid_index = entries[i].index;
		memcpy(end->gid, entries[i].bytes, GID_BYTES);
		end->prefix_bits = prefix_of(addresses, end->gid);
		ends->count++;
	}
	free(entries);
}

static int look(struct verbs_ends *ends, const struct verbs_choice *choice,
	const struct ifaddrs *addresses, struct diag *diag)
{
	struct verbs verbs = VERBS_INIT;
	int err = verbs_open(&verbs, choice, diag);

	if (err)
		return err;
	add_port(ends, &verbs, &choice->gid, addresses);
	verbs_close(&verbs);
	return 0;
}

int verbs_ends_find(
	struct verbs_ends *ends, const struct verbs_choice *choice, struct diag *diag)
{
	struct ibv_device **devices = choice->device ? NULL : ibv_get_device_list(NULL);
	struct verbs_choice one = *choice;
	struct ifaddrs *addresses = NULL;
	int err = 0;

	ends->count = 0;
	one.gid.has_address = false;
	if (getifaddrs(&addresses))
		addresses = NULL;
	if (!devices || !devices[0])
		err = look(ends, &one, addresses, diag);
	for (size_t i = 0; devices && devices[i]; i++) {
		int now;

		one.device = ibv_get_device_name(devices[i]);
		now = look(ends, &one, addresses, diag);
		err = now ? now : err;
	}
	freeifaddrs(addresses);
	if (devices)
		ibv_free_device_list(devices);
	if (ends->count)
		return 0;
	return err ? err : diag_error(diag, -ENOENT, "no GID that would do");
}
