/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer_match.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"

/* --- choosing --- */

static uint32_t count_devices(const struct verbs_ends *ends)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < ends->count; i++)
		if (i == 0 || strcmp(ends->items[i].device, ends->items[i - 1].device) != 0 ||
			ends->items[i].port != ends->items[i - 1].port)
			count++;
	return count;
}

static bool share_bits(const uint8_t *a, const uint8_t *b, uint32_t bits)
{
	for (uint32_t i = 0; i < bits; i++)
		if ((a[i / 8] ^ b[i / 8]) & (0x80 >> i % 8))
			return false;
	return true;
}

/* By the narrower of both hosts' masks. */
static bool share_subnet(const struct verbs_end *a, const struct verbs_end *b)
{
	uint32_t bits = a->prefix_bits > b->prefix_bits ? a->prefix_bits : b->prefix_bits;

	return a->prefix_bits && b->prefix_bits && share_bits(a->gid, b->gid, bits);
}

static bool share_name(const struct verbs_end *a, const struct verbs_end *b)
{
	return strcmp(a->device, b->device) == 0 && a->port == b->port;
}

/* 0: they cannot talk. */
static uint32_t score(const struct verbs_end *a, const struct verbs_end *b, bool ipv6_first,
	bool only_ones, enum peer_match_rule *rule)
{
	bool ipv4 = gid_is_ipv4(a->gid), subnet = share_subnet(a, b), name = share_name(a, b);
	bool other = memcmp(a->gid, b->gid, GID_BYTES) != 0;

	if (ipv4 != gid_is_ipv4(b->gid) || (!other && !only_ones))
		return 0;
	*rule = subnet ? PEER_ONE_SUBNET : only_ones ? PEER_ONLY_ONES : PEER_ONE_NAME;
	if (!subnet && !only_ones && !name)
		return 0;
	return 1u + (name ? 1u : 0) + (ipv4 != ipv6_first ? 2u : 0) + (subnet ? 4u : 0) +
	       (other ? 8u : 0);
}

static void list_ends(const struct verbs_ends *ends, char *text, size_t size)
{
	char address[GID_TEXT];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < ends->count && used < size; i++) {
		gid_print(ends->items[i].gid, address);
		used += (size_t)snprintf(text + used, size - used, "%s%s %s", i ? ", " : "",
			ends->items[i].device, address);
	}
	if (used >= size)
		snprintf(text + size - 4, 4, "...");
}

static bool have_one_family(const struct verbs_ends *here, const struct verbs_ends *there)
{
	for (uint32_t i = 0; i < here->count; i++)
		for (uint32_t j = 0; j < there->count; j++)
			if (gid_is_ipv4(here->items[i].gid) == gid_is_ipv4(there->items[j].gid))
				return true;
	return false;
}

static int no_match(const struct verbs_ends *here, const struct verbs_ends *there,
	const char *host, struct diag *diag)
{
	char ours[200], theirs[200];

	list_ends(here, ours, sizeof(ours));
	list_ends(there, theirs, sizeof(theirs));
	if (!have_one_family(here, there))
		return diag_error(diag, -ENODEV,
			"which GIDs? %s here and %s at %.64s are of two families, and IPv4 "
			"does not talk to IPv6: choose others with -x and --peer-gid",
			ours, theirs, host);
	return diag_error(diag, -ENODEV,
		"which devices? none here and at %.64s are in one subnet, or of one name: "
		"choose with -d of %s and --peer-device of %s",
		host, ours, theirs);
}

int peer_match(struct peer_match *match, const struct verbs_ends *here,
	const struct verbs_ends *there, bool ipv6_first, const char *host, struct diag *diag)
{
	uint32_t devices_here = count_devices(here), devices_there = count_devices(there);
	bool only_ones = devices_here == 1 && devices_there == 1;
	uint32_t best = 0;

	for (uint32_t i = 0; i < here->count; i++)
		for (uint32_t j = 0; j < there->count; j++) {
			enum peer_match_rule rule = PEER_ONE_NAME;
			uint32_t now = score(&here->items[i], &there->items[j], ipv6_first,
				only_ones, &rule);

			if (now <= best)
				continue;
			best = now;
			*match = (struct peer_match){ here->items[i], there->items[j], rule,
				devices_here, devices_there };
		}
	if (best)
		return 0;
	return no_match(here, there, host, diag);
}

/* --- frames --- */

void peer_put_end(struct json *object, const struct verbs_end *end)
{
	char gid[GID_TEXT];

	gid_print(end->gid, gid);
	json_put_text(object, "device", end->device);
	json_put_u64(object, "port", end->port);
	json_put_u64(object, "gid_index", end->gid_index);
	json_put_text(object, "gid", gid);
	json_put_u64(object, "prefix_bits", end->prefix_bits);
}

void peer_put_ends(struct json *list, const struct verbs_ends *ends)
{
	for (uint32_t i = 0; i < ends->count; i++)
		peer_put_end(json_add_object(list), &ends->items[i]);
}

int peer_get_end(const struct json *object, struct verbs_end *end, struct diag *diag)
{
	uint64_t port, index, bits;
	char gid[GID_TEXT];
	int err = wire_text(object, "device", end->device, sizeof(end->device), diag);

	if (!err)
		err = wire_number(object, "port", 1, 255, &port, diag);
	if (!err)
		err = wire_number(object, "gid_index", 0, 65535, &index, diag);
	if (!err)
		err = wire_number(object, "prefix_bits", 0, 128, &bits, diag);
	if (!err)
		err = wire_text(object, "gid", gid, sizeof(gid), diag);
	if (!err && !gid_parse(gid, end->gid))
		err = diag_error(diag, -EPROTO, "the peer's GID is no address");
	if (err)
		return err;
	end->port = (uint32_t)port;
	end->gid_index = (uint32_t)index;
	end->prefix_bits = (uint32_t)bits;
	return 0;
}

int peer_get_ends(const struct json *list, struct verbs_ends *ends, struct diag *diag)
{
	size_t count = json_count(list);
	int err = 0;

	if (!json_is_array(list) || count < 1 || count > VERBS_ENDS_MAX)
		return diag_error(diag, -EPROTO, "the peer lists no devices, or more than %u",
			VERBS_ENDS_MAX);
	ends->count = (uint32_t)count;
	for (size_t i = 0; i < count && !err; i++)
		err = peer_get_end(json_at(list, i), &ends->items[i], diag);
	return err;
}
