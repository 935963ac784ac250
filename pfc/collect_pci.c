/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/collecting.h"

#define FOLDER "/sys/bus/pci/devices"
#define CONFIG_BYTES 4096
/* What anybody may read of the configuration space; the rest is for root. */
#define CONFIG_PUBLIC 64

/* PCI Express Base Specification 5.0, 7.5 and 7.7.8. */
#define STATUS 0x06
#define STATUS_HAS_CAPABILITIES 0x10
#define FIRST_CAPABILITY 0x34
#define CAPABILITY_EXPRESS 0x10
#define DEVICE_CAPABILITIES 4
#define DEVICE_CONTROL 8
#define FIRST_EXTENDED 0x100
#define EXTENDED_ACS 0x0d
#define ACS_CONTROL 6
/* Source validation, request and completion redirect, upstream forwarding. */
#define ACS_REDIRECTS 0x1d
#define CLASS_BRIDGE "0x0604"

static unsigned half_at(const uint8_t *config, size_t at)
{
	return (unsigned)config[at] | (unsigned)config[at + 1] << 8;
}

static size_t find_express(const uint8_t *config, size_t size)
{
	size_t at;

	if (size <= CONFIG_PUBLIC || !(half_at(config, STATUS) & STATUS_HAS_CAPABILITIES))
		return 0;
	at = config[FIRST_CAPABILITY] & ~3u;
	for (int hops = 0; hops < 48 && at >= 0x40 && at + DEVICE_CONTROL + 2 <= size; hops++) {
		if (config[at] == CAPABILITY_EXPRESS)
			return at;
		at = config[at + 1] & ~3u;
	}
	return 0;
}

static size_t find_acs(const uint8_t *config, size_t size)
{
	size_t at = FIRST_EXTENDED;

	for (int hops = 0; hops < 480 && at >= FIRST_EXTENDED && at + 8 <= size; hops++) {
		if (half_at(config, at) == EXTENDED_ACS)
			return at;
		at = (half_at(config, at + 2) >> 4) & ~3u;
	}
	return 0;
}

static void add_payload(const struct collect *collect, const char *pci)
{
	uint8_t config[256];
	char path[PATH_MAX];
	unsigned control;
	size_t express;
	int got;

	snprintf(path, sizeof(path), FOLDER "/%s/config", pci);
	got = host_bytes(collect->host, path, config, sizeof(config));
	if (got >= 0 && got <= CONFIG_PUBLIC)
		got = -EACCES; /* cut to what anybody may read */
	if (got < 0) {
		collect_missing(collect, pci, "PCIe payload", path, got);
		return;
	}
	express = find_express(config, (size_t)got);
	if (!express)
		return;
	control = half_at(config, express + DEVICE_CONTROL);
	collect_number(collect, FACT_PCIE_PAYLOAD, pci, NULL, 128u << (control >> 5 & 7), path)
		->more = 128u << (half_at(config, express + DEVICE_CAPABILITIES) & 7);
	collect_number(collect, FACT_PCIE_READ, pci, NULL, 128u << (control >> 12 & 7), path);
}

/* "16.0 GT/s PCIe" and a number of lanes. */
static void add_link(const struct collect *collect, const char *pci)
{
	static const struct {
		const char *file, *name;
	} files[] = {
		{ "current_link_width", "width" },
		{ "max_link_width", "width_max" },
		{ "current_link_speed", "speed" },
		{ "max_link_speed", "speed_max" },
	};

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		char text[64];
		double number;

		if (collect_file(collect, pci, files[i].file, text, sizeof(text),
			    FOLDER "/%s/%s", pci, files[i].file) &&
			(number = strtod(text, NULL)) > 0)
			collect_number(
				collect, FACT_PCIE, pci, files[i].name, number, files[i].file);
	}
}

static void add_numa(const struct collect *collect, const struct nic *nic)
{
	long long node;

	if (collect_file_number(
		    collect, nic->rdma, "NUMA node", &node, FOLDER "/%s/numa_node", nic->pci))
		collect_number(collect, FACT_NUMA, nic->rdma, NULL, (double)node, "numa_node");
}

static void add_iommu(const struct collect *collect, const char *pci)
{
	char path[PATH_MAX], group[HOST_NAME], type[32];
	int err;

	snprintf(path, sizeof(path), FOLDER "/%s/iommu_group", pci);
	err = host_link(collect->host, path, group, sizeof(group));
	if (err) {
		/* No group: no IOMMU works on this device. */
		if (err == -ENOENT)
			collect_text(collect, FACT_IOMMU, NULL, NULL, "off", path);
		else
			collect_missing(collect, pci, "IOMMU group", path, err);
		return;
	}
	if (collect_file(collect, pci, "IOMMU domain type", type, sizeof(type),
		    "/sys/kernel/iommu_groups/%s/type", group))
		collect_text(collect, FACT_IOMMU, NULL, NULL,
			strncmp(type, "DMA", 3) == 0 ? "Translated" : "Passthrough",
			"iommu_groups");
}

/* A bridge that any reader can see whole. False: the configuration was cut off. */
static bool add_acs(const struct collect *collect, const char *bridge)
{
	uint8_t *config = zeroed(CONFIG_BYTES, 1);
	char path[PATH_MAX];
	size_t acs;
	int got;

	snprintf(path, sizeof(path), FOLDER "/%s/config", bridge);
	got = host_bytes(collect->host, path, config, CONFIG_BYTES);
	acs = got > FIRST_EXTENDED ? find_acs(config, (size_t)got) : 0;
	if (got > CONFIG_PUBLIC)
		collect_number(collect, FACT_ACS, bridge, NULL,
			acs && (half_at(config, acs + ACS_CONTROL) & ACS_REDIRECTS), path);
	free(config);
	return got > CONFIG_PUBLIC;
}

static void add_bridges(const struct collect *collect)
{
	char(*names)[HOST_NAME];
	int count = host_list(collect->host, FOLDER, &names);
	bool whole = true;

	if (count < 0) {
		collect_missing(collect, "", "PCI devices", FOLDER, count);
		return;
	}
	for (int i = 0; i < count; i++) {
		char path[PATH_MAX], class[32];

		snprintf(path, sizeof(path), FOLDER "/%s/class", names[i]);
		if (host_read(collect->host, path, class, sizeof(class)) > 0 &&
			strncmp(class, CLASS_BRIDGE, strlen(CLASS_BRIDGE)) == 0)
			whole = add_acs(collect, names[i]) && whole;
	}
	free(names);
	if (!whole)
		collect_missing(collect, "", "PCIe ACS", FOLDER "/*/config", -EACCES);
}

void collect_pci(const struct collect *collect)
{
	const struct nic *first = NULL;

	for (size_t i = 0; i < collect->nics->count; i++) {
		const struct nic *nic = &collect->nics->items[i];

		if (!nic->pci[0] || !collect_is_first_port(collect, i))
			continue;
		first = first ? first : nic;
		add_link(collect, nic->pci);
		add_payload(collect, nic->pci);
		add_numa(collect, nic);
	}
	if (!first)
		return;
	add_iommu(collect, first->pci);
	add_bridges(collect);
}
