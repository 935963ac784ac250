/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* "17:00.0", "0000:17:00.0": length of the address at text, 0 for none. */
static size_t address_length(const char *text)
{
	unsigned domain, bus, slot, function;
	int used = 0;

	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &used) == 4 &&
		used >= 10)
		return (size_t)used;
	used = 0;
	if (sscanf(text, "%2x:%2x.%1x%n", &bus, &slot, &function, &used) == 3 && used == 7)
		return 7;
	return 0;
}

static void find_address(const char *text, char *address, size_t room)
{
	for (const char *at = text; *at; at++) {
		size_t length;

		if (!isxdigit((unsigned char)*at) ||
			(at > text && (isalnum((unsigned char)at[-1]) || at[-1] == ':')))
			continue;
		length = address_length(at);
		if (length > 0) {
			snprintf(address, room, "%.*s", (int)length, at);
			return;
		}
	}
}

/* "ACSCtl: SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+": any of the four
 * sends peer-to-peer traffic up to the root. */
static void read_acs(
	const struct reader *reader, long line, const char *text, const char *address)
{
	bool on;

	if (!scan_has(text, "ACSCtl"))
		return;
	on = scan_has(text, "SrcValid+") || scan_has(text, "ReqRedir+") ||
	     scan_has(text, "CmpltRedir+") || scan_has(text, "UpstreamFwd+");
	reader_number(reader, line, FACT_ACS, address, NULL, on);
}

static void add_link(const struct reader *reader, long line, const char *address,
	const char *name, double number)
{
	if (number > 0)
		reader_number(reader, line, FACT_PCIE, address, name, number);
}

/* lspci: "LnkCap: Port #0, Speed 16GT/s, Width x16", "LnkSta: Speed 8GT/s (downgraded),
 * Width x8 (downgraded)". */
static void read_lspci(
	const struct reader *reader, long line, const char *text, const char *address)
{
	bool cap = scan_has(text, "LnkCap:"), sta = scan_has(text, "LnkSta:");
	const char *speed = scan_after(text, "Speed "), *width = scan_after(text, "Width x");
	double number;

	if (!cap && !sta)
		return;
	if (speed && scan_number(speed, &number, NULL))
		add_link(reader, line, address, cap ? "speed_max" : "speed", number);
	if (width && scan_number(width, &number, NULL))
		add_link(reader, line, address, cap ? "width_max" : "width", number);
}

/* sysfs: "current_link_speed: 8.0 GT/s PCIe"; mlxlink and others: the same words. */
static void read_sysfs(
	const struct reader *reader, long line, const char *text, const char *address)
{
	static const struct {
		const char *printed, *name;
	} files[] = { { "current_link_speed", "speed" }, { "current_link_width", "width" },
		{ "max_link_speed", "speed_max" }, { "max_link_width", "width_max" } };

	for (size_t i = 0; i < COUNT_OF(files); i++) {
		const char *after = scan_after(text, files[i].printed);
		double number;

		if (!after && reader->count == 1 &&
			scan_has(reader->section->what, files[i].printed))
			after = text;
		if (after && scan_number(after + strspn(after, " :=\tx"), &number, NULL))
			add_link(reader, line, address, files[i].name, number);
	}
}

/* dmesg: "63.008 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x8 link at
 * 0000:3a:00.0 (capable of 126.016 Gb/s with 8.0 GT/s PCIe x16 link)"; without the
 * bracket the device has all that it can. */
static void read_dmesg(
	const struct reader *reader, long line, const char *text, const char *address)
{
	const char *now = scan_after(text, "limited by "),
		   *best = scan_after(text, "Gb/s with ");
	double speed, width;
	char unit[16];

	if (scan_has(text, "available PCIe bandwidth") && !now && (now = strchr(text, '(')))
		best = ++now;
	if (!scan_has(text, "available PCIe bandwidth") || !now)
		return;
	if (sscanf(now, "%lf %15s PCIe x%lf", &speed, unit, &width) == 3) {
		add_link(reader, line, address, "speed", speed);
		add_link(reader, line, address, "width", width);
	}
	if (best && sscanf(best, "%lf %15s PCIe x%lf", &speed, unit, &width) == 3) {
		add_link(reader, line, address, "speed_max", speed);
		add_link(reader, line, address, "width_max", width);
	}
}

/* "1b:00.0 3D controller: NVIDIA ...": whether the heading of a device says that it is no
 * NIC. GPUs and empty slots train down when nothing needs them. */
static bool is_no_nic(const char *heading)
{
	static const char *const classes[] = { "3D controller:", "VGA compatible",
		"Display controller:", "PCI bridge:", "Non-Volatile memory",
		"SATA controller:", "RAID bus", "USB controller:", "Processing accelerators:",
		"Audio device:", "System peripheral:", "SAS controller:" };

	for (size_t i = 0; i < COUNT_OF(classes); i++)
		if (scan_has(heading, classes[i]))
			return true;
	return false;
}

void parse_pci(const struct reader *reader)
{
	char address[32] = "";
	bool no_nic = false;

	find_address(reader->section->title, address, sizeof(address));
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		if (address_length(text) || scan_has(text, "available PCIe bandwidth") ||
			scan_has(text, "/sys/bus/pci"))
			find_address(text, address, sizeof(address));
		if (address_length(text))
			no_nic = is_no_nic(text);
		read_acs(reader, i, text, address);
		if (!no_nic)
			read_lspci(reader, i, text, address);
		read_sysfs(reader, i, text, address);
		read_dmesg(reader, i, text, address);
	}
}
