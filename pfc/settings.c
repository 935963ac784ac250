/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

#define PLACES 1024
#define SUBJECTS 64
#define DSCPS 64

static void add(struct facts *out, const struct fact *from, const char *subject,
	const char *name, const char *text)
{
	struct fact *fact = facts_add(out, FACT_SETTING, from->place, subject, name, text);

	fact->source = facts_keep(out, from->source);
	fact->line = (uint32_t)out->count;
}

static void add_number(struct facts *out, const struct fact *from, const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%.10g", from->number);
	add(out, from, from->subject, name, text);
}

/* Facts that are a setting as they stand. */
static const struct {
	enum fact_key key;
	const char *fact_name; /* NULL: any */
	const char *name;
	bool is_text;
} plain[] = {
	{ FACT_ACTIVE_MTU, NULL, "RoCE MTU", false },
	{ FACT_NETDEV_MTU, NULL, "interface MTU", false },
	{ FACT_RATE, NULL, "port rate", false },
	{ FACT_LINK_SPEED, NULL, "interface speed", false },
	{ FACT_TRUST, NULL, "trust", true },
	{ FACT_FEC, NULL, "FEC", true },
	{ FACT_CNP_DSCP, NULL, "DSCP of CNPs", false },
	{ FACT_ROCE_TOS, NULL, "default ToS of rdma_cm", false },
	{ FACT_CABLE_LENGTH, NULL, "cable length", false },
	{ FACT_KERNEL, NULL, "kernel", true },
	{ FACT_GOVERNOR, NULL, "governor", true },
	{ FACT_IOMMU, NULL, "IOMMU", true },
	{ FACT_DCBX, NULL, "DCBX", true },
	{ FACT_PAUSE_PARAM, "rx", "802.3x pause rx", false },
	{ FACT_PAUSE_PARAM, "tx", "802.3x pause tx", false },
	{ FACT_PCIE, "width", "PCIe width", false },
	{ FACT_PCIE, "speed", "PCIe speed", false },
};

static void add_plain(struct facts *out, const struct facts *facts)
{
	for (size_t i = 0; i < COUNT_OF(plain); i++)
		FACTS_EACH (facts, plain[i].key, fact) {
			if (plain[i].fact_name && strcmp(fact->name, plain[i].fact_name) != 0)
				continue;
			if (plain[i].is_text)
				add(out, fact, fact->subject, plain[i].name, fact->text);
			else
				add_number(out, fact, plain[i].name);
		}
}

/* Firmware is compared within one kind of card, drivers within one driver. */
static void add_versions(struct facts *out, const struct facts *facts)
{
	char name[160];

	FACTS_EACH (facts, FACT_FIRMWARE, fact) {
		snprintf(name, sizeof(name), "firmware of %.100s",
			*fact->extra ? fact->extra : "the card");
		add(out, fact, fact->subject, name, fact->text);
	}
	FACTS_EACH (facts, FACT_DRIVER_VERSION, fact) {
		snprintf(name, sizeof(name), "driver %.100s", fact->text);
		add(out, fact, fact->subject, name, fact->extra);
	}
}

static void add_environment(struct facts *out, const struct facts *facts)
{
	static const char *const names[] = { "NCCL_IB_TC", "NCCL_IB_SL", "NCCL_IB_TIMEOUT",
		"NCCL_IB_RETRY_CNT", "NCCL_IB_GID_INDEX", "NCCL_IB_QPS_PER_CONNECTION",
		"HCCL_RDMA_TC", "HCCL_RDMA_SL", "HCCL_RDMA_TIMEOUT", "HCCL_RDMA_RETRY_CNT" };

	FACTS_EACH (facts, FACT_ENV, fact)
		for (size_t i = 0; i < COUNT_OF(names); i++)
			if (strcmp(fact->name, names[i]) == 0)
				add(out, fact, "", names[i], fact->text);
}

/* Equal neighbours drawn together: "0-23:0 24-31:3"; below 0 is not known. */
static void print_runs(const double *values, unsigned count, char *text, size_t room)
{
	size_t used = 0;

	text[0] = '\0';
	for (unsigned k = 0, from = 0; k < count && used + 32 < room; k++) {
		if (k + 1 < count && values[k + 1] == values[k])
			continue;
		if (values[k] >= 0)
			used += (size_t)snprintf(text + used, room - used, "%s%u-%u:%.10g",
				used ? " " : "", from, k, values[k]);
		from = k + 1;
	}
}

/* The facts of a key with names "0".."63", of one port, as one text. */
static void add_port_list(struct facts *out, const struct facts *facts, enum fact_key key,
	const char *place, const char *subject, const char *name)
{
	double values[DSCPS];
	char text[512];
	const struct fact *any = NULL;

	for (unsigned k = 0; k < DSCPS; k++)
		values[k] = -1;
	FACTS_EACH (facts, key, fact) {
		unsigned long at = strtoul(fact->name, NULL, 10);

		if (at < DSCPS && strcmp(fact->place, place) == 0 &&
			strcmp(fact->subject, subject) == 0) {
			values[at] = fact->number;
			any = fact;
		}
	}
	print_runs(values, DSCPS, text, sizeof(text));
	if (any && *text)
		add(out, any, subject, name, text);
}

static void add_list(
	struct facts *out, const struct facts *facts, enum fact_key key, const char *name)
{
	const char *places[PLACES], *subjects[SUBJECTS];
	size_t place_count = facts_places(facts, key, places, PLACES);

	for (size_t i = 0; i < place_count; i++) {
		size_t count = facts_subjects(facts, key, places[i], subjects, SUBJECTS);

		for (size_t j = 0; j < count; j++)
			add_port_list(out, facts, key, places[i], subjects[j], name);
	}
}

/* The best entry of a port's GID table. */
static void add_gid_type(struct facts *out, const struct facts *facts)
{
	const char *places[PLACES], *subjects[SUBJECTS];
	size_t place_count = facts_places(facts, FACT_GID, places, PLACES);

	for (size_t i = 0; i < place_count; i++) {
		size_t count = facts_subjects(facts, FACT_GID, places[i], subjects, SUBJECTS);

		for (size_t j = 0; j < count; j++) {
			static const char *const types[] = { "none that is routable",
				"RoCE v2 IPv6", "RoCE v2 IPv4" };
			int best = 0;
			const struct fact *any = NULL;

			FACTS_EACH (facts, FACT_GID, fact) {
				if (strcmp(fact->place, places[i]) != 0 ||
					strcmp(fact->subject, subjects[j]) != 0)
					continue;
				any = fact;
				if (fact->more != 2)
					continue;
				if (strcmp(gid_family(fact->text), "ipv4-mapped") == 0)
					best = 2;
				else if (best == 0 &&
					 strcmp(gid_family(fact->text), "global") == 0)
					best = 1;
			}
			if (any)
				add(out, any, subjects[j], "GID type", types[best]);
		}
	}
}

static void add_addresses(struct facts *out, const struct facts *facts)
{
	FACTS_EACH (facts, FACT_ADDRESS, fact) {
		int bits = scan_int(fact->more);
		unsigned address, net;
		char text[48];

		if (!(fact->number >= 0 && fact->number <= UINT32_MAX) || bits < 0 || bits > 32)
			continue;
		address = (unsigned)fact->number;
		net = address & scan_mask(bits);
		snprintf(text, sizeof(text), "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
			address >> 8 & 255, address & 255);
		add(out, fact, fact->subject, "address", text);
		snprintf(text, sizeof(text), "%u.%u.%u.%u/%d", net >> 24, net >> 16 & 255,
			net >> 8 & 255, net & 255, bits);
		add(out, fact, fact->subject, "subnet", text);
	}
	FACTS_EACH (facts, FACT_ADDRESS6, fact)
		if (fact->number > 0)
			add(out, fact, fact->subject, "address", fact->text);
	FACTS_EACH (facts, FACT_MAC, fact)
		add(out, fact, fact->subject, "MAC", fact->text);
}

static void add_all(struct facts *out, const struct facts *facts)
{
	add_plain(out, facts);
	add_versions(out, facts);
	add_environment(out, facts);
	add_list(out, facts, FACT_PFC, "PFC");
	add_list(out, facts, FACT_PRIO_CLASS, "traffic classes");
	add_list(out, facts, FACT_CLASS, "ETS");
	add_list(out, facts, FACT_BUFFER, "port buffers");
	add_list(out, facts, FACT_PRIO_BUFFER, "buffers of priorities");
	add_list(out, facts, FACT_DSCP_MAP, "DSCP map");
	add_list(out, facts, FACT_CC_ENABLE, "congestion control");
	add_gid_type(out, facts);
	add_addresses(out, facts);
}

/* Made apart, for a store that is read may not grow meanwhile. */
void settings_add(struct facts *out, const struct facts *facts)
{
	struct facts made;

	facts_init(&made);
	add_all(&made, facts);
	FACTS_EACH (&made, FACT_SETTING, fact)
		add(out, fact, fact->subject, fact->name, fact->text);
	facts_free(&made);
}
