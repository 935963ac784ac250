/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

/* The slot to use: RoCE v2 with an IPv4 address, else v2 with a global one. */
static const struct fact *routable(
	const struct facts *facts, const char *place, const char *device)
{
	const struct fact *global = NULL;

	FACTS_EACH (facts, FACT_GID, row) {
		if (row->more != 2 || (place && strcmp(row->place, place) != 0) ||
			(device && *device && *row->subject &&
				strcmp(row->subject, device) != 0))
			continue;
		if (strcmp(gid_family(row->text), "ipv4-mapped") == 0)
			return row;
		if (!global && strcmp(gid_family(row->text), "global") == 0)
			global = row;
	}
	return global;
}

/* The table's row of a GID in use: by address if it is known, else by slot. */
static const struct fact *row_of(const struct facts *facts, const struct fact *used)
{
	FACTS_EACH (facts, FACT_GID, row) {
		if (*used->place && strcmp(row->place, used->place) != 0)
			continue;
		if (row->number == used->number &&
			(!*used->text || strcmp(row->text, used->text) == 0))
			return row;
	}
	return NULL;
}

/* Whether two places share a prefix on the interfaces whose addresses were
 * collected: 1 yes, 0 no, -1 not known. */
static int same_subnet(const struct facts *facts)
{
	const struct fact *route = facts_find(facts, FACT_ROUTE, NULL, NULL, "get");
	int answer = -1;

	FACTS_EACH (facts, FACT_ADDRESS, a)
		FACTS_EACH (facts, FACT_ADDRESS, b) {
			unsigned mask = scan_mask(a->more < b->more ? a->more : b->more);

			if (strcmp(a->place, b->place) == 0 || mask == UINT32_MAX)
				continue;
			if (answer < 0)
				answer = 0;
			if ((scan_address(a->number) & mask) ==
				(scan_address(b->number) & mask))
				answer = 1;
		}
	if (answer < 0 && route) /* of a table nobody knows which route leads to the peer */
		answer = route->number <= 0;
	return answer;
}

static enum outcome gid_zero(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_GID_USED, used) {
		const struct fact *layer = facts_first(facts, FACT_LINK_LAYER);
		bool empty_table = strcmp(used->name, "empty table") == 0;

		if (!empty_table &&
			(!*used->text || strcmp(gid_family(used->text), "none") != 0))
			continue;
		if (layer && scan_has(layer->text, "InfiniBand"))
			continue;
		explain_code(out, rule, rule->level,
			empty_table ? "%s: the GID table is empty"
				    : "%s: the GID in use is all zeros",
			*used->place ? used->place : "this host");
		if (used->number >= 0)
			explain_number(out, "gid_index", used->number);
		if (layer)
			explain_fact(out, "link_type", "%s", layer->text);
		return RULE_FIRED;
	}
	return RULE_CLEAR;
}

static enum outcome family_mismatch(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *local = facts_find(facts, FACT_GID_USED, NULL, NULL, "local");
	const struct fact *remote = facts_find(facts, FACT_GID_USED, NULL, NULL, "remote");
	const char *ours, *theirs;
	char ip[32];

	/* Two logs: what is local there is remote here. */
	for (const struct fact *it = local; it && !remote; it = facts_next(facts, it))
		if (strcmp(it->place, local->place) != 0 && strcmp(it->name, "local") == 0)
			remote = it;
	if (!local || !remote || !*local->text || !*remote->text)
		return RULE_UNKNOWN;
	ours = gid_family(local->text);
	theirs = gid_family(remote->text);
	if (strcmp(ours, theirs) == 0 || strcmp(ours, "none") == 0 ||
		strcmp(theirs, "none") == 0)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"this end uses a GID that is %s, the other one that is %s", ours, theirs);
	if (local->number >= 0)
		explain_number(out, "local_gid_index", local->number);
	explain_fact(out, "local_family", "%s", ours);
	explain_fact(out, "remote_family", "%s", theirs);
	if (gid_ipv4(remote->text, ip, sizeof(ip)))
		explain_fact(out, "remote_ip", "%s", ip);
	return RULE_FIRED;
}

static enum outcome v1_not_routable(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	/* What a log says was used; without one, what is pinned. */
	enum fact_key key = facts_first(facts, FACT_GID_USED) ? FACT_GID_USED : FACT_GID_PINNED;
	bool known = false;

	FACTS_EACH (facts, key, used) {
		const struct fact *row = row_of(facts, used), *better;
		int same = same_subnet(facts);

		if (!row || row->more == 0 || used->number < 0)
			continue;
		known = true;
		if (row->more != 1 || same == 1)
			continue;
		if (same < 0)
			return RULE_UNKNOWN;
		better = routable(facts, row->place, row->subject);
		explain_code(out, rule, rule->level,
			"GID %d is RoCE v1, which is layer 2 only, and the ends are in "
			"different subnets",
			scan_int(used->number));
		explain_number(out, "gid_index", used->number);
		explain_fact(out, "roce_version", "1");
		explain_fact(out, "same_subnet", "no");
		if (better) {
			explain_number(out, "recommended_gid_index", better->number);
			explain_advice(out,
				"GID %d is RoCE v1 and cannot be routed; use the RoCE v2 IPv4 "
				"entry, index %d "
				"(NCCL_IB_GID_INDEX=%d, -x %d of perftest), or unset the index "
				"and let the library choose.",
				scan_int(used->number), scan_int(better->number),
				scan_int(better->number), scan_int(better->number));
		}
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* A pinned index reads the table where no log says what was used. */
static const struct fact *row_in_use(
	const struct facts *facts, const struct fact **used, double *slot)
{
	FACTS_EACH (facts, FACT_GID_USED, it) {
		const struct fact *row = row_of(facts, it);

		if (row && it->number >= 0) {
			*used = it;
			*slot = it->number;
			return row;
		}
	}
	FACTS_EACH (facts, FACT_GID_PINNED, pin)
		FACTS_EACH (facts, FACT_GID, row)
			if (row->number == pin->number) {
				*used = pin;
				*slot = pin->number;
				return row;
			}
	return NULL;
}

static bool shows_failure(const struct facts *facts)
{
	return facts_first(facts, FACT_WC) || facts_first(facts, FACT_NO_ROUTE);
}

static enum outcome link_local(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *used = NULL, *better, *row;
	double slot = -1;
	enum verdict level = VERDICT_FAIL;

	row = row_in_use(facts, &used, &slot);
	if (!row) {
		/* The address itself, with a table of the same place beside it. */
		FACTS_EACH (facts, FACT_GID_USED, it)
			if (*it->text && strcmp(gid_family(it->text), "link-local") == 0 &&
				strcmp(it->name, "local") == 0) {
				row = used = it;
				slot = it->number;
				break;
			}
	}
	if (!row)
		return RULE_UNKNOWN;
	if (strcmp(gid_family(row->text), "link-local") != 0 ||
		explain_has(out, "GID_ROCE_V1_NOT_ROUTABLE") || explain_has(out, "GID_MOVED") ||
		explain_has(out, "GID_STALE_MAC"))
		return RULE_CLEAR;
	better = routable(facts, *row->place ? row->place : NULL, NULL);
	if (!better)
		return RULE_UNKNOWN;
	if (same_subnet(facts) == 1 && !shows_failure(facts))
		level = VERDICT_WARN;
	explain_code(out, rule, level,
		"GID %d is a link-local address although index %d is a routable RoCE v2 one",
		scan_int(slot), scan_int(better->number));
	explain_number(out, "gid_index", slot);
	explain_fact(out, "local_family", "link-local");
	if (row->more > 0)
		explain_number(out, "roce_version", row->more);
	explain_number(out, "recommended_gid_index", better->number);
	explain_advice(out,
		"A link-local GID does not leave its subnet; use the RoCE v2 entry with the "
		"IPv4 address, index %d, on "
		"both ends (NCCL_IB_GID_INDEX=%d, -x %d), or let the library choose by version "
		"and family.",
		scan_int(better->number), scan_int(better->number), scan_int(better->number));
	return RULE_FIRED;
}

/* A log says slot and address; the table has that address elsewhere. */
static bool moved_in_use(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_GID_USED, used)
		FACTS_EACH (facts, FACT_GID, row) {
			if (!*used->text || used->number < 0 || row->number == used->number ||
				strcmp(row->text, used->text) != 0 || row->more == 1 ||
				(*used->place && *row->place &&
					strcmp(row->place, used->place) != 0) ||
				row_of(facts, used))
				continue;
			explain_code(out, rule, rule->level,
				"the address that was in use in slot %d is in slot %d of the "
				"table",
				scan_int(used->number), scan_int(row->number));
			explain_number(out, "gid_index", used->number);
			explain_number(out, "recommended_gid_index", row->number);
			return true;
		}
	return false;
}

/* Readings of several times in one section. */
static bool is_history(const struct section *section)
{
	return section &&
	       (scan_has(section->title, "over time") || scan_has(section->title, "history"));
}

/* Two readings of one place: the same address in another slot. */
static enum outcome moved(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *pin = facts_first(facts, FACT_GID_PINNED);
	bool twice = false;

	FACTS_EACH (facts, FACT_GID, before)
		for (const struct fact *now = facts_next(facts, before); now;
			now = facts_next(facts, now)) {
			if ((before->section == now->section && !is_history(now->section)) ||
				strcmp(before->place, now->place) != 0 ||
				strcmp(before->subject, now->subject) != 0 ||
				strcmp(before->text, now->text) != 0 ||
				before->more != now->more)
				continue;
			twice = true;
			if (before->number == now->number || !pin ||
				pin->number != before->number)
				continue;
			explain_code(out, rule, rule->level,
				"%s: the address that was in slot %d is in slot %d now, and "
				"%s=%d "
				"still points at the old one",
				*now->place ? now->place : "this host",
				scan_int(before->number), scan_int(now->number), pin->name,
				scan_int(pin->number));
			explain_number(out, "gid_index", pin->number);
			explain_number(out, "old_index", before->number);
			explain_number(out, "new_index", now->number);
			explain_number(out, "recommended_gid_index", now->number);
			explain_advice(out,
				"The GID index moves when addresses, interfaces or the driver "
				"change: "
				"it is %d now, not %d. Unset %s "
				"and let the library choose by RoCE version and address family "
				"(NCCL_IB_ROCE_VERSION_NUM=2, "
				"NCCL_IB_ADDR_RANGE), or pin %d and check it at each start.",
				scan_int(now->number), scan_int(before->number), pin->name,
				scan_int(now->number));
			return RULE_FIRED;
		}
	if (moved_in_use(rule, facts, out))
		return RULE_FIRED;
	return twice ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome not_uniform(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *pin = facts_first(facts, FACT_GID_PINNED);
	const char *places[64];
	size_t count = facts_places(facts, FACT_GID, places, COUNT_OF(places));
	int first = -1;
	bool differs = false;
	char name[128];

	for (size_t i = 0; i < count; i++) {
		const struct fact *row = routable(facts, places[i], NULL);

		if (!row)
			return RULE_UNKNOWN;
		differs = differs || (first >= 0 && first != scan_int(row->number));
		first = first < 0 ? scan_int(row->number) : first;
	}
	if (count < 2)
		return RULE_UNKNOWN;
	if (!differs)
		return RULE_CLEAR;
	for (size_t i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s.usable_index", places[i]);
		explain_number(out, name, routable(facts, places[i], NULL)->number);
	}
	return explain_code(out, rule, rule->level,
		"the RoCE v2 IPv4 entry has another index on each of %zu places, but %s=%d is "
		"set for all",
		count, pin->name, scan_int(pin->number));
}

/* EUI-64 of a link-local GID: fe80::u:v:ff:fe:x:y comes from the MAC with bit 1
 * of its first byte turned. */
static bool mac_of(const char *gid, char *mac, size_t room)
{
	unsigned a, b, c, d;

	if (strcmp(gid_family(gid), "link-local") != 0 ||
		sscanf(gid + 20, "%4x:%4x:%4x:%4x", &a, &b, &c, &d) != 4 ||
		(b & 0xff) != 0xff || c >> 8 != 0xfe)
		return false;
	snprintf(mac, room, "%02x:%02x:%02x:%02x:%02x:%02x", (a >> 8) ^ 2, a & 255, b >> 8,
		c & 255, d >> 8, d & 255);
	return true;
}

/* The MAC that the interface of a GID has now. Where the table names none: the only one of
 * the place, or the one it was formed from; NULL when that cannot be told. */
static const struct fact *mac_now(
	const struct facts *facts, const struct fact *row, const char *formed_from)
{
	const char *ifaces[2];

	if (*row->extra)
		return facts_find_last(facts, FACT_MAC, row->place, row->extra, NULL);
	FACTS_EACH (facts, FACT_MAC, it)
		if (strcmp(it->place, row->place) == 0 && strcmp(it->text, formed_from) == 0)
			return it;
	if (facts_subjects(facts, FACT_MAC, row->place, ifaces, 2) != 1)
		return NULL;
	return facts_find_last(facts, FACT_MAC, row->place, NULL, NULL);
}

static enum outcome stale_mac(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_GID, row) {
		const struct fact *now;
		char mac[32];

		if (!mac_of(row->text, mac, sizeof(mac)) || !(now = mac_now(facts, row, mac)))
			continue;
		known = true;
		if (strcmp(now->text, mac) == 0)
			continue;
		explain_code(out, rule, rule->level,
			"%s: GID %d was formed from MAC %s, but %s has %s now",
			*row->place ? row->place : "this host", scan_int(row->number), mac,
			*now->subject ? now->subject : "the interface", now->text);
		explain_fact(out, "iface", "%s", now->subject);
		explain_number(out, "gid_index", row->number);
		explain_fact(out, "gid_mac", "%s", mac);
		explain_fact(out, "mac", "%s", now->text);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* EINVAL is an empty slot; anything else is the device. */
static enum outcome read_error(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_GID_ERROR, error)
		if (!scan_has(error->text, "Invalid argument"))
			return explain_code(out, rule, rule->level, "%s: %s",
				*error->place ? error->place : "this host", error->text);
	return RULE_CLEAR;
}

const struct rule rules_address[] = {
	{ "GID_ZERO", VERDICT_FAIL, "address", "the GID in use is empty",
		"an address of zeros cannot be answered: the queue pair never reaches "
		"ready-to-receive",
		"The RDMA device is visible but no RoCE network interface lives in this "
		"namespace, so the GID table is "
		"empty; attach a macvlan, ipvlan or SR-IOV interface of the same NIC to the "
		"pod, give it an address, and "
		"set the RDMA namespace mode so that device and interface are in one "
		"namespace.",
		"Mellanox/k8s-rdma-shared-dev-plugin#72", { FACT_GID_USED, NO_NEED, NO_NEED },
		gid_zero },
	{ "GID_FAMILY_MISMATCH", VERDICT_FAIL, "address",
		"the two ends use GIDs of different families",
		"an IPv4 address and an IPv6 or link-local one do not reach each other",
		"The two ends picked different GIDs; pick the RoCE v2 IPv4 entry on both sides "
		"(for example -x 3 on each, "
		"or NCCL_IB_GID_INDEX) and run again.",
		"linux-rdma/perftest#44", { FACT_GID_USED, NO_NEED, NO_NEED },
		family_mismatch },
	{ "GID_ROCE_V1_NOT_ROUTABLE", VERDICT_FAIL, "address",
		"a RoCE v1 GID is used across subnets",
		"RoCE v1 has no IP header: no router forwards it",
		"Use the RoCE v2 IPv4 entry of the GID table, or unset the index and let the "
		"library choose.",
		"NVIDIA/nccl#1131", { FACT_GID, NO_NEED, NO_NEED }, v1_not_routable },
	{ "GID_MOVED", VERDICT_FAIL, "address",
		"a GID has another index than before and the old one is pinned",
		"the pinned slot is empty or holds another address now",
		"Unset the pinned index and let the library choose by RoCE version and address "
		"family.",
		"NVIDIA/nccl#2157", { FACT_GID, NO_NEED, NO_NEED }, moved },
	{ "GID_STALE_MAC", VERDICT_FAIL, "address",
		"a GID was formed from a MAC that the port no longer has",
		"answers go to an address that nobody has: neighbours resolve the old MAC",
		"The GID table kept an entry of an old MAC address; take the interface down "
		"and up or reload the RDMA "
		"driver so that the GIDs are formed anew, set the MAC before the RDMA device "
		"is registered, and take a "
		"kernel with the fix for stale RoCE GIDs; then check show_gids against ip "
		"link.",
		"NVIDIA/NV-Kernels#358", { FACT_GID, FACT_MAC, NO_NEED }, stale_mac },
	{ "GID_LINK_LOCAL_SELECTED", VERDICT_FAIL, "address",
		"a link-local GID was chosen though a routable RoCE v2 one exists",
		"a link-local address does not leave its subnet",
		"Use the RoCE v2 entry with the IPv4 address on both ends.",
		"kvcache-ai/Mooncake#2747", { FACT_GID, NO_NEED, NO_NEED }, link_local },
	{ "GID_INDEX_NOT_UNIFORM", VERDICT_FAIL, "address",
		"the usable GID index differs between places, but one fixed index is set",
		"the fixed index is an empty slot or another address in all but one place",
		"One fixed GID index cannot serve all places; unset it and let the library "
		"choose by RoCE version and "
		"address family (NCCL_IB_ROCE_VERSION_NUM=2, NCCL_IB_ADDR_FAMILY=AF_INET). "
		"EINVAL when a slot is read only "
		"means that it is empty in this namespace.",
		"NVIDIA/nccl#890", { FACT_GID_PINNED, FACT_GID, NO_NEED }, not_uniform },
	{ "GID_READ_ERROR", VERDICT_FAIL, "address",
		"a GID slot cannot be read, and not because it is empty",
		"a device that cannot be asked for its addresses cannot be used",
		"Look at dmesg for the device, reload its driver, and read the slot again.",
		"NVIDIA/nccl#1538", { FACT_GID_ERROR, NO_NEED, NO_NEED }, read_error },
	{ .code = NULL },
};
