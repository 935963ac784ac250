/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <string.h>

#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

static bool is_virtual(const struct facts *facts, const char *place)
{
	const struct fact *virt = facts_find(facts, FACT_VIRT, place, NULL, NULL);

	return virt && strcmp(virt->text, "none") != 0;
}

static enum outcome acs(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int total = 0, on = 0;
	char list[300] = "";
	size_t used = 0;
	const char *place = facts_first(facts, FACT_ACS)->place;

	FACTS_EACH (facts, FACT_ACS, bridge) {
		total++;
		if (bridge->number < 1)
			continue;
		on++;
		if (used < sizeof(list) - 40)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
				used ? "," : "", bridge->subject);
	}
	/* In a guest ACS keeps the devices of others apart and must stay. */
	if (on == 0 || is_virtual(facts, place))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%d of %d bridges redirect peer-to-peer traffic: %s", on, total, list);
	explain_number(out, "bridges_total", total);
	explain_number(out, "bridges_with_acs", on);
	explain_fact(out, "bdf", "%s", list);
	return RULE_FIRED;
}

static enum outcome iommu(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *type = facts_first(facts, FACT_IOMMU);
	const struct fact *line = facts_first(facts, FACT_KERNEL_ARG);
	bool translated = type && scan_has(type->text, "Translated");

	if (!type && !line)
		return RULE_UNKNOWN;
	if (line && (scan_word(line->text, "iommu=pt") ||
			    scan_word(line->text, "iommu.passthrough=1") ||
			    scan_word(line->text, "iommu=off") ||
			    scan_word(line->text, "intel_iommu=off")))
		return RULE_CLEAR;
	if (!type && !scan_has(line->text, "iommu=on"))
		return RULE_UNKNOWN;
	if ((type && !translated) || is_virtual(facts, (type ? type : line)->place))
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "the IOMMU translates%s",
		line ? " and the kernel command line has no iommu=pt" : "");
	explain_fact(out, "domain_type", "%s", type ? type->text : "Translated");
	return RULE_FIRED;
}

/* Channels of a place with and without GPU-direct. */
static void count_channels(
	const struct facts *facts, const char *place, int *with, int *without)
{
	*with = *without = 0;
	FACTS_EACH (facts, FACT_CHANNEL, channel)
		if (strcmp(channel->text, "IB") == 0 && strcmp(channel->place, place) == 0) {
			*with += channel->number > 0;
			*without += channel->number < 1;
		}
}

static enum outcome gdr_asymmetric(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_CHANNEL, places, 64), used = 0;
	char without_list[256] = "", with_one[128] = "";

	for (size_t i = 0; i < count; i++) {
		int with, without;

		count_channels(facts, places[i], &with, &without);
		if (with > 0 && without == 0)
			snprintf(with_one, sizeof(with_one), "%s", places[i]);
		if (without > 0 && with == 0 && used < sizeof(without_list) - 130)
			used += (size_t)snprintf(without_list + used,
				sizeof(without_list) - used, "%s%s", used ? "," : "",
				places[i]);
	}
	if (count < 2)
		return RULE_UNKNOWN;
	if (!*with_one || !*without_list)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "%s uses GPU-direct, %s does not", with_one,
		without_list);
	explain_fact(out, "without_gdr", "%s", without_list);
	explain_advice(out,
		"Only %s uses GPU-direct RDMA; on %s load nvidia-peermem and make it persist "
		"(or use dma-buf support of "
		"driver and kernel), then look for GDRDMA in the channels of every host.",
		with_one, without_list);
	return RULE_FIRED;
}

static enum outcome gdr_not_active(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool channels = facts_first(facts, FACT_CHANNEL) != NULL;

	FACTS_EACH (facts, FACT_MODULE, module) {
		int with, without;

		count_channels(facts, module->place, &with, &without);
		if (with == 0 && without == 0)
			FACTS_EACH (facts, FACT_CHANNEL, channel) /* a log without a place */
				if (strcmp(channel->text, "IB") == 0) {
					with += channel->number > 0;
					without += channel->number < 1;
				}
		if ((without > 0 && with == 0) ||
			(facts_first(facts, FACT_GDR_OFF) && with == 0)) {
			explain_code(out, rule, rule->level,
				"%s is loaded, but no channel uses GPU-direct", module->name);
			explain_fact(out, "without_gdr", "%s",
				*module->place ? module->place : "all");
			return RULE_FIRED;
		}
	}
	return channels ? RULE_CLEAR : RULE_UNKNOWN;
}

struct pcie {
	const char *address, *place;
	double width, width_max, speed, speed_max;
};

static double figure(const struct facts *facts, const struct fact *of, const char *name)
{
	const struct fact *fact = facts_find(facts, FACT_PCIE, of->place, of->subject, name);

	return fact ? fact->number : 0;
}

static struct pcie link_of(const struct facts *facts, const struct fact *fact)
{
	return (struct pcie){
		.address = fact->subject,
		.place = fact->place,
		.width = figure(facts, fact, "width"),
		.width_max = figure(facts, fact, "width_max"),
		.speed = figure(facts, fact, "speed"),
		.speed_max = figure(facts, fact, "speed_max"),
	};
}

/* From 8 GT/s on 128 of 130 bits are data, before that 8 of 10. */
static double raw_gbps(const struct pcie *link)
{
	return link->speed * link->width * (link->speed >= 8 ? 128.0 / 130 : 0.8);
}

/* The port's rate: of the same place, the largest. 0: not collected. */
static double port_gbps(const struct facts *facts, const char *place)
{
	double rate = 0;

	FACTS_EACH (facts, FACT_RATE, fact)
		if ((!*place || !*fact->place || strcmp(fact->place, place) == 0) &&
			fact->number > rate)
			rate = fact->number;
	return rate;
}

static void give_link(struct explain *out, const struct pcie *link, double port)
{
	explain_fact(out, "pcie_raw_gbps", "%.1f", raw_gbps(link));
	explain_number(out, "width", link->width);
	if (link->width_max > 0)
		explain_number(out, "width_max", link->width_max);
	if (port > 0)
		explain_number(out, "port_gbps", port);
}

static enum outcome degraded(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_PCIE, fact) {
		struct pcie link = link_of(facts, fact);
		double port = port_gbps(facts, link.place);
		bool narrow = link.width > 0 && link.width < link.width_max;
		bool slow = link.speed > 0 && link.speed < link.speed_max;

		known = known || (link.width > 0 && link.width_max > 0);
		if (!narrow && !slow)
			continue;
		explain_code(out, rule,
			port > 0 && raw_gbps(&link) > port * 1.05 ? VERDICT_WARN : VERDICT_FAIL,
			"the device trained at x%.0f %.0f GT/s, its own best is x%.0f %.0f "
			"GT/s: %.1f Gb/s for a port of %.0f",
			link.width, link.speed, link.width_max, link.speed_max, raw_gbps(&link),
			port);
		give_link(out, &link, port);
		explain_advice(out,
			"The card trained at x%.0f%s instead of x%.0f; reseat it, check slot "
			"wiring and bifurcation, riser and BIOS "
			"settings, then read the width again.",
			link.width, slow ? " and at a lower speed" : "", link.width_max);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome below_port(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PCIE, fact) {
		struct pcie link = link_of(facts, fact);
		double port = port_gbps(facts, link.place), raw = raw_gbps(&link);

		if (raw <= 0 || port <= 0 || raw >= port || explain_has(out, "PCIE_DEGRADED"))
			continue;
		explain_code(out, rule, rule->level,
			"the slot carries %.1f Gb/s, the port %.0f, and the device runs at all "
			"that it can",
			raw, port);
		give_link(out, &link, port);
		explain_advice(out,
			"The PCIe link of %.1f Gb/s as designed is the limit, not the network: "
			"expect at most about %.0f Gb/s of "
			"this NIC; move it to a wider or faster slot (or use the second half "
			"of the card) if the port's %.0f Gb/s "
			"are wanted.",
			raw, raw * 0.9, port);
		return RULE_FIRED;
	}
	return port_gbps(facts, "") > 0 ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_pci[] = {
	{ "ACS_ENABLED_P2P", VERDICT_FAIL, "gpu_pcie",
		"PCIe ACS redirects peer-to-peer traffic on bridges between GPU and NIC",
		"GPU-direct transfers take the way over the root complex: slow, or hanging",
		"ACS redirects transfers between GPU and NIC through the root complex; on bare "
		"metal turn it off in the BIOS or "
		"with setpci on these bridges at each boot (in a VM it must stay on and ATS is "
		"used).",
		"NVIDIA/nccl-tests#112", { FACT_ACS, NO_NEED, NO_NEED }, acs },
	{ "IOMMU_NOT_PASSTHROUGH", VERDICT_WARN, "gpu_pcie",
		"the IOMMU translates on bare metal",
		"translated peer-to-peer transfers are slow or fail",
		"Add iommu=pt to the kernel command line (or disable the IOMMU) before "
		"GPU-direct tests; translated mode can "
		"slow or break peer-to-peer transfers.",
		"NVIDIA/nccl-tests#115", { NO_NEED, NO_NEED, NO_NEED }, iommu },
	{ "GDR_ASYMMETRIC", VERDICT_FAIL, "gpu_pcie", "GPU-direct works on one end only",
		"the end without it copies through host memory and holds the other back",
		"Load and persist nvidia-peermem (or dma-buf support) on every host.",
		"NVIDIA/nccl#897", { FACT_CHANNEL, NO_NEED, NO_NEED }, gdr_asymmetric },
	{ "GDR_NOT_ACTIVE", VERDICT_WARN, "gpu_pcie",
		"the GPU-direct module is loaded but not in use",
		"every byte is copied through host memory",
		"Loading the module is not enough: set NCCL_NET_GDR_LEVEL (PHB or SYS) if GPU "
		"and NIC are far apart, check ACS "
		"and IOMMU, that the module was loaded after the RDMA driver and fits it, and "
		"that the channels then say "
		"GDRDMA.",
		"NVIDIA/nccl#897", { FACT_MODULE, NO_NEED, NO_NEED }, gdr_not_active },
	{ "PCIE_DEGRADED", VERDICT_FAIL, "gpu_pcie",
		"the device trained below its own width or speed",
		"the host cannot feed the port",
		"Reseat the card; check slot wiring and bifurcation, riser and BIOS.",
		"NVIDIA/l2fwd-nv#6", { FACT_PCIE, NO_NEED, NO_NEED }, degraded },
	{ "PCIE_BELOW_PORT_RATE", VERDICT_WARN, "gpu_pcie",
		"the slot as designed carries less than the port",
		"the result is the slot's limit and will not rise by work on the network",
		"Use a wider or faster slot, or expect the slot's rate.",
		"PCI Express Base Specification, encoding 128b/130b",
		{ FACT_PCIE, NO_NEED, NO_NEED }, below_port },
	{ .code = NULL },
};
