/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "pfc/counter_table.h"
#include "pfc/rule.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
/* The least that vendors' tuning guides take for sound; 4096 is what they advise. */
#define READ_REQUEST_MIN 512
/* Percent of the last second that PCIe held the NIC (own default). */
#define STALL_PERCENT 10

static enum outcome reading(const struct rule *rule, const struct facts *facts,
	struct explain *out, const char *why)
{
	const struct fact *first = NULL;
	int count = 0;

	FACTS_EACH (facts, FACT_READING, it)
		if (strcmp(it->text, why) == 0) {
			first = first ? first : it;
			count++;
		}
	if (!first)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%s %s: %s is %s (%s)%s", first->place,
		first->subject, first->name, first->text, first->source,
		count > 1 ? ", and more" : "");
	if (*first->place)
		explain_fact(out, "host", "%s", first->place);
	return RULE_FIRED;
}

static enum outcome denied(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return reading(rule, facts, out, "denied");
}

static enum outcome gone(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return reading(rule, facts, out, "gone");
}

static enum outcome reset(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return reading(rule, facts, out, "reset within the window");
}

/* A host that was to be asked and did not answer. */
static enum outcome silent(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_READING, it)
		if (strcmp(it->text, "no answer") == 0) {
			explain_code(out, rule, rule->level, "%s did not answer: %s", it->place,
				it->source);
			explain_fact(out, "host", "%s", it->place);
			return RULE_FIRED;
		}
	return RULE_CLEAR;
}

static enum outcome no_dcb(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_RAIL, rail)
		FACTS_EACH (facts, FACT_READING, it)
			if (*rail->extra && strcmp(it->place, rail->place) == 0 &&
				strcmp(it->subject, rail->name) == 0 &&
				strcmp(it->source, "dcbnl") == 0 &&
				strcmp(it->text, "not supported") == 0 &&
				scan_has(it->name, "PFC")) {
				explain_code(out, rule, rule->level,
					"%s %s (%s): its driver does not answer over dcbnl",
					it->place, it->subject, rail->text);
				return RULE_FIRED;
			}
	return RULE_CLEAR;
}

static enum outcome no_device(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *none = facts_find(facts, FACT_READING, NULL, NULL, "RDMA devices");

	if (!none)
		return facts_first(facts, FACT_RAIL) ? RULE_CLEAR : RULE_UNKNOWN;
	explain_code(out, rule, rule->level, "%s has no RDMA device",
		*none->place ? none->place : "this host");
	return RULE_FIRED;
}

static enum outcome no_node(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_NUMA, numa) {
		const struct fact *nodes =
			facts_find(facts, FACT_NUMA_NODES, numa->place, NULL, NULL);

		known = known || nodes;
		if (!nodes || nodes->number < 2 || numa->number >= 0)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s says no NUMA node on a host of %.0f", numa->place, numa->subject,
			nodes->number);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

/* All rails on one node of several: half of the processors and GPUs are far from any. */
static enum outcome one_node(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_NUMA_NODES, places, 64);
	enum outcome outcome = RULE_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		const struct fact *nodes =
			facts_find(facts, FACT_NUMA_NODES, places[i], NULL, NULL);
		const struct fact *first = facts_find(facts, FACT_NUMA, places[i], NULL, NULL);
		int rails = 0, others = 0;

		FACTS_EACH (facts, FACT_NUMA, numa)
			if (strcmp(numa->place, places[i]) == 0) {
				rails++;
				others += numa->number != first->number;
			}
		if (rails < 2)
			continue;
		outcome = RULE_CLEAR;
		if (nodes->number < 2 || others > 0 || first->number < 0)
			continue;
		return explain_code(out, rule, rule->level,
			"%s: all %d RoCE devices are on NUMA node %.0f of %.0f", places[i],
			rails, first->number, nodes->number);
	}
	return outcome;
}

static enum outcome small_payload(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PCIE_PAYLOAD, payload)
		if (payload->number < 256 && payload->more >= 256) {
			explain_code(out, rule, rule->level,
				"%s %s uses a PCIe payload of %.0f bytes and can do %.0f",
				payload->place, payload->subject, payload->number,
				payload->more);
			return RULE_FIRED;
		}
	return RULE_CLEAR;
}

static enum outcome small_read(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PCIE_READ, request)
		if (request->number < READ_REQUEST_MIN)
			return explain_code(out, rule, rule->level,
				"%s %s reads at most %.0f bytes a request", request->place,
				request->subject, request->number);
	return RULE_CLEAR;
}

/* " within 10 s"; nothing where pasted text does not tell the window. */
static const char *window_text(const struct fact *fact, char *text, size_t room)
{
	double window_s = fact_window_s(fact);

	*text = '\0';
	if (window_s > 0)
		snprintf(text, room, " within %.3g s", window_s);
	return text;
}

/* Totals or differences above a limit. */
static enum outcome counted(const struct rule *rule, const struct facts *facts,
	struct explain *out, enum meaning means, bool difference, double limit)
{
	const struct fact *most = NULL;
	bool known = false;
	char window[40];

	FACTS_EACH (facts, FACT_COUNTER, it) {
		/* What went down was reset, and says nothing. */
		if (it->means != (short)means || (it->more > 0) != difference || it->number < 0)
			continue;
		known = true;
		if (it->number > limit && (!most || it->number > most->number))
			most = it;
	}
	if (!most)
		return known ? RULE_CLEAR : RULE_UNKNOWN;
	if (difference)
		explain_code(out, rule, rule->level, "%s %s: %s rose by %.0f%s", most->place,
			most->subject, most->name, most->number,
			window_text(most, window, sizeof(window)));
	else
		explain_code(out, rule, rule->level, "%s %s: %s is %.0f", most->place,
			most->subject, most->name, most->number);
	return RULE_FIRED;
}

static enum outcome lossless_drop(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;
	char window[40];

	FACTS_EACH (facts, FACT_COUNTER, it) {
		enum port_class class;

		if (it->means != MEANS_PRIO_DROP || it->more < 1 || it->priority < 0 ||
			it->number < 0)
			continue;
		class = port_class(facts, it->place, it->subject, it->priority);
		known |= class != CLASS_UNTOLD;
		if (class != CLASS_LOSSLESS || it->number <= 0)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s dropped %.0f packets of lossless priority %d%s (%s)", it->place,
			it->subject, it->number, it->priority,
			window_text(it, window, sizeof(window)), it->name);
		explain_number(out, "drops", it->number);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome dropping(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_RX_DROP, true, 0);
}

static enum outcome crc(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_CRC, true, 0);
}

static enum outcome icrc(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_ICRC, false, 0);
}

static enum outcome stalled(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_PCI_STALL, false, STALL_PERCENT);
}

static enum outcome timing_out(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_TIMEOUT, true, 0);
}

static enum outcome not_ready(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	return counted(rule, facts, out, MEANS_RNR, true, 0);
}

const struct rule rules_host[] = {
	{ "HOST_SILENT", VERDICT_UNKNOWN, "host", "a host of the fabric file did not answer",
		"what was not read is unknown, and may be the one at fault",
		"Log in by hand (ssh HOST weft doctor --facts) and mend what is said there.",
		"weft: the reading itself", { FACT_READING, NO_NEED, NO_NEED }, silent },
	{ "NO_RDMA_DEVICE", VERDICT_FAIL, "host", "the host has no RDMA device",
		"no RoCE traffic can leave it",
		"Load the driver (mlx5_ib, bnxt_re, irdma, hns_roce), or give the container "
		"/sys/class/infiniband and /dev/infiniband.",
		"Mellanox/k8s-rdma-shared-dev-plugin#72", { NO_NEED, NO_NEED, NO_NEED },
		no_device },
	{ "READING_DENIED", VERDICT_WARN, "host", "something may not be read by this user",
		"rules that need it are unknown: denied is not absent",
		"Run weft doctor as root, or with CAP_SYS_ADMIN and CAP_NET_ADMIN.",
		"weft: the reading itself", { FACT_RAIL, FACT_READING, NO_NEED }, denied },
	{ "DEVICE_GONE", VERDICT_FAIL, "host", "a device went away while it was read",
		"it was reset, unplugged, or fell off the bus: jobs on it have died",
		"Look at dmesg for this device; run again.", "weft: the reading itself",
		{ FACT_READING, NO_NEED, NO_NEED }, gone },
	{ "COUNTER_RESET", VERDICT_UNKNOWN, "host", "a counter went down within the window",
		"it was reset, so its difference is no number",
		"Run again; if it happens again, find who resets the driver.",
		"weft: the reading itself", { FACT_RAIL, FACT_READING, NO_NEED }, reset },
	{ "DCB_NOT_OFFERED", VERDICT_UNKNOWN, "host", "a driver does not answer over dcbnl",
		"PFC, ETS and the DSCP map of this port cannot be audited this way; that is "
		"not "
		"\"PFC off\"",
		"Ask the vendor's tool (nicctl for ionic, niccli for bnxt, hccn_tool for "
		"Ascend) "
		"and give its output to weft explain.",
		"linux net/dcb/dcbnl.c", { FACT_RAIL, FACT_READING, NO_NEED }, no_dcb },
	{ "NUMA_UNKNOWN", VERDICT_WARN, "host", "a device does not say its NUMA node",
		"processes are pinned to the wrong socket",
		"Update the BIOS, or pin by the slot's own documentation.",
		"linux Documentation/ABI/testing/sysfs-bus-pci",
		{ FACT_NUMA, FACT_NUMA_NODES, NO_NEED }, no_node },
	{ "RAILS_ON_ONE_NODE", VERDICT_WARN, "host",
		"all RoCE devices are on one NUMA node of several",
		"the GPUs and processors of the other node reach them across the socket link",
		"Check the slots against the plan.",
		"linux Documentation/ABI/testing/sysfs-bus-pci",
		{ FACT_NUMA, FACT_NUMA_NODES, NO_NEED }, one_node },
	{ "PCIE_PAYLOAD_SMALL", VERDICT_WARN, "host",
		"the PCIe payload is smaller than the device can do",
		"more headers for the same bytes: a card may not fill its port",
		"Set the maximum payload in the BIOS (or pci=pcie_bus_perf) to what the whole "
		"path can do.",
		"PCI Express Base Specification 7.5.3.4",
		{ FACT_PCIE_PAYLOAD, NO_NEED, NO_NEED }, small_payload },
	{ "PCIE_READ_SMALL", VERDICT_WARN, "host", "the PCIe read request is small",
		"a card that sends reads host memory in small pieces and may not fill its port",
		"Raise it (setpci CAP_EXP+8.w, bits 14:12; 5 is 4096 bytes).",
		"PCI Express Base Specification 7.5.3.4", { FACT_PCIE_READ, NO_NEED, NO_NEED },
		small_read },
	{ "LOSSLESS_DROP", VERDICT_FAIL, "host",
		"packets of a lossless priority are dropped now",
		"the class is not lossless: buffers or PFC are wrong on this port",
		"Look at the buffer of the priority, its headroom and the PFC of both ends.",
		"linux mlx5 en_stats.c", { FACT_COUNTER, NO_NEED, NO_NEED }, lossless_drop },
	{ "DROPPING", VERDICT_WARN, "host", "a port drops received packets now",
		"its buffer overflows: PFC is missing for this traffic, or the host is slow",
		"See which priority it is, and whether PCIe holds the card.",
		"linux mlx5 en_stats.c", { FACT_COUNTER, NO_NEED, NO_NEED }, dropping },
	{ "CRC_RISING", VERDICT_FAIL, "host", "frames with a bad checksum arrive now",
		"each is a lost packet: cable, optic or port",
		"Clean and reseat the optic, swap cable, optic and port one after the other.",
		"IEEE 802.3 clause 4", { FACT_COUNTER, NO_NEED, NO_NEED }, crc },
	{ "ICRC_SEEN", VERDICT_WARN, "host", "RoCE packets with a bad ICRC have arrived",
		"something between the NICs changed packets whose frame checksum was good",
		"Look for the hop that they share; a switch that rewrites must not touch what "
		"the ICRC covers.",
		"InfiniBand Architecture Specification annex A17",
		{ FACT_RAIL, FACT_COUNTER, NO_NEED }, icrc },
	{ "PCIE_STALLS", VERDICT_WARN, "host", "PCIe holds the card for a part of the time",
		"the card pauses its peers although the network is free",
		"Look at width, speed, NUMA node and the memory that is written to.",
		"linux mlx5 en_stats.c", { FACT_RAIL, FACT_COUNTER, NO_NEED }, stalled },
	{ "TIMING_OUT", VERDICT_WARN, "host", "acknowledgements do not come in time now",
		"a last packet or its acknowledgement is lost; the queue pair stands still "
		"meanwhile",
		"Look for drops at both ends and on the way; see that ACKs are in the lossless "
		"class too.",
		"linux drivers/infiniband/hw/mlx5/counters.c",
		{ FACT_COUNTER, NO_NEED, NO_NEED }, timing_out },
	{ "RECEIVER_NOT_READY", VERDICT_WARN, "host", "a receiver has no buffer posted now",
		"the application is behind; it is not the network",
		"Look at the process that receives: its queue depth and its processor.",
		"sonic-net/sonic-buildimage#21891", { FACT_COUNTER, NO_NEED, NO_NEED },
		not_ready },
	{ .code = NULL },
};
