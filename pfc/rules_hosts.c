/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/rule.h"

#define NO_NEED FACT_KEYS
#define NAMED 4 /* so many of those that differ are named; all are counted */

/* Which SETTING each rule compares, or how its name starts. */
static const struct {
	const char *code, *setting;
} compared[] = {
	{ "GID_TYPE_DIFFERS", "GID type" },
	{ "ROCE_MTU_DIFFERS", "RoCE MTU" },
	{ "NETDEV_MTU_DIFFERS", "interface MTU" },
	{ "PORT_RATE_DIFFERS", "port rate" },
	{ "SPEED_DIFFERS", "interface speed" },
	{ "PFC_DIFFERS", "PFC" },
	{ "TRUST_DIFFERS", "trust" },
	{ "DSCP_MAP_DIFFERS", "DSCP map" },
	{ "CLASSES_DIFFER", "traffic classes" },
	{ "ETS_DIFFERS", "ETS" },
	{ "BUFFERS_DIFFER", "port buffers" },
	{ "PRIO_BUFFERS_DIFFER", "buffers of priorities" },
	{ "CC_DIFFERS", "congestion control" },
	{ "CNP_DSCP_DIFFERS", "DSCP of CNPs" },
	{ "ROCE_TOS_DIFFERS", "default ToS of rdma_cm" },
	{ "FIRMWARE_DIFFERS", "firmware of " },
	{ "DRIVER_DIFFERS", "driver " },
	{ "KERNEL_DIFFERS", "kernel" },
	{ "FEC_DIFFERS", "FEC" },
	{ "PAUSE_RX_DIFFERS", "802.3x pause rx" },
	{ "PAUSE_TX_DIFFERS", "802.3x pause tx" },
	{ "CABLE_LENGTH_DIFFERS", "cable length" },
	{ "PCIE_WIDTH_DIFFERS", "PCIe width" },
	{ "PCIE_SPEED_DIFFERS", "PCIe speed" },
	{ "DCBX_DIFFERS", "DCBX" },
	{ "GOVERNOR_DIFFERS", "governor" },
	{ "IOMMU_DIFFERS", "IOMMU" },
	{ "TC_DIFFERS", "NCCL_IB_TC" },
	{ "HCCL_TC_DIFFERS", "HCCL_RDMA_TC" },
	{ "QP_TIMEOUT_DIFFERS", "NCCL_IB_TIMEOUT" },
	{ "HCCL_TIMEOUT_DIFFERS", "HCCL_RDMA_TIMEOUT" },
	{ "QP_RETRY_DIFFERS", "NCCL_IB_RETRY_CNT" },
	{ "ADDRESS_TWICE", "address" },
	{ "MAC_TWICE", "MAC" },
};

static const char *setting_of(const struct rule *rule)
{
	for (size_t i = 0; i < COUNT_OF(compared); i++)
		if (strcmp(compared[i].code, rule->code) == 0)
			return compared[i].setting;
	return "";
}

/* Facts of one setting, sorted by name and value. */
struct group {
	const struct fact **items; /* owned */
	size_t count, room;
};

static int by_value(const void *left, const void *right)
{
	const struct fact *const *a = left, *const *b = right;
	int order = strcmp((*a)->name, (*b)->name);

	if (order == 0)
		order = strcmp((*a)->text, (*b)->text);
	if (order == 0)
		order = (*a)->line < (*b)->line ? -1 : (*a)->line > (*b)->line;
	return order;
}

static void gather(struct group *group, const struct facts *facts, const char *setting)
{
	size_t length = strlen(setting);
	/* "firmware of " stands for every kind of card. */
	bool starts = length > 0 && setting[length - 1] == ' ';

	*group = (struct group){ NULL, 0, 0 };
	FACTS_EACH (facts, FACT_SETTING, fact) {
		if (starts ? strncmp(fact->name, setting, length) != 0
			   : strcmp(fact->name, setting) != 0)
			continue;
		group->items =
			grow(group->items, group->count, &group->room, sizeof(*group->items));
		group->items[group->count++] = fact;
	}
	if (group->count > 0)
		qsort(group->items, group->count, sizeof(*group->items), by_value);
}

static size_t run_end(const struct group *group, size_t from, bool value)
{
	size_t to = from + 1;

	while (to < group->count &&
		strcmp(group->items[to]->name, group->items[from]->name) == 0 &&
		(!value || strcmp(group->items[to]->text, group->items[from]->text) == 0))
		to++;
	return to;
}

static const char *where(const struct fact *fact, char *text, size_t room)
{
	snprintf(text, room, "%s%s%s", *fact->place ? fact->place : "this host",
		*fact->subject ? " " : "", fact->subject);
	return text;
}

/* Those of from..to whose value is not that of usual. */
static enum outcome name_others(const struct rule *rule, struct explain *out,
	const struct group *group, size_t from, size_t to, const struct fact *usual,
	size_t usual_count)
{
	char list[320] = "", one[160], first[160] = "";
	size_t used = 0, others = 0;

	for (size_t i = from; i < to; i++) {
		const struct fact *fact = group->items[i];

		if (strcmp(fact->text, usual->text) == 0)
			continue;
		where(fact, one, sizeof(one));
		if (others++ < NAMED && used < sizeof(list) - 1)
			used += (size_t)snprintf(list + used, sizeof(list) - used,
				"%s%.60s has %.60s", used ? "; " : "", one,
				*fact->text ? fact->text : "none");
		if (others == 1)
			snprintf(first, sizeof(first), "%s", fact->place);
	}
	explain_code(out, rule, rule->level,
		"%.60s: %zu of %zu differ: %.230s%s; the others have %.60s", usual->name,
		others, others + usual_count, list, others > NAMED ? "; ..." : "",
		*usual->text ? usual->text : "none");
	explain_fact(out, "host", "%s", first);
	return RULE_FIRED;
}

/* The value that most have is the usual one; on a tie the first in order of reading. */
static enum outcome differs(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum outcome outcome = RULE_UNKNOWN;
	struct group group;

	gather(&group, facts, setting_of(rule));
	for (size_t from = 0, to; from < group.count; from = to) {
		size_t most = from, votes = 0;

		to = run_end(&group, from, false);
		for (size_t i = from, end; i < to; i = end) {
			end = run_end(&group, i, true);
			if (end - i > votes ||
				(end - i == votes &&
					group.items[i]->line < group.items[most]->line)) {
				votes = end - i;
				most = i;
			}
		}
		if (to - from < 2)
			continue;
		if (votes == to - from) {
			outcome = outcome == RULE_UNKNOWN ? RULE_CLEAR : outcome;
			continue;
		}
		outcome = name_others(rule, out, &group, from, to, group.items[most], votes);
		break;
	}
	free(group.items);
	return outcome;
}

/* What must be there once: an address at two ports. */
static enum outcome twice(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum outcome outcome = RULE_UNKNOWN;
	struct group group;

	gather(&group, facts, setting_of(rule));
	for (size_t i = 1; i < group.count; i++) {
		const struct fact *a = group.items[i - 1], *b = group.items[i];
		char one[160], other[160];

		outcome = RULE_CLEAR;
		/* A VLAN or bond has the MAC of its parent. */
		if (strcmp(a->text, b->text) != 0 || strcmp(a->place, b->place) == 0)
			continue;
		outcome = explain_code(out, rule, rule->level, "%s is at %s and at %s", a->text,
			where(a, one, sizeof(one)), where(b, other, sizeof(other)));
		explain_fact(out, "host", "%s", b->place);
		break;
	}
	free(group.items);
	return outcome;
}

/* Port N of most hosts shares one subnet: then a host whose port N lies elsewhere is on
 * the wrong rail. Where each host has its own subnets the network routes between them. */
static enum outcome rail_subnet(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum outcome outcome = RULE_UNKNOWN;

	FACTS_EACH (facts, FACT_SETTING, a) {
		size_t with = 0, without = 0;

		if (strcmp(a->name, "subnet") != 0)
			continue;
		FACTS_EACH (facts, FACT_SETTING, b)
			if (strcmp(b->name, "subnet") == 0 && strcmp(a->place, b->place) != 0 &&
				strcmp(a->subject, b->subject) == 0) {
				with += strcmp(a->text, b->text) == 0;
				without += strcmp(a->text, b->text) != 0;
			}
		if (with + without == 0)
			continue;
		outcome = RULE_CLEAR;
		if (with == 0 || without == 0 || with + 1 <= without)
			continue;
		FACTS_EACH (facts, FACT_SETTING, b)
			if (strcmp(b->name, "subnet") == 0 &&
				strcmp(a->subject, b->subject) == 0 &&
				strcmp(a->text, b->text) != 0) {
				explain_code(out, rule, rule->level,
					"%s %s lies in %s, the same port of %zu other hosts in "
					"%s",
					b->place, b->subject, b->text, with + 1, a->text);
				explain_fact(out, "host", "%s", b->place);
				return RULE_FIRED;
			}
	}
	return outcome;
}

const struct rule rules_hosts[] = {
	{ "GID_TYPE_DIFFERS", VERDICT_FAIL, "hosts", "the ports offer GIDs of different kinds",
		"one fixed GID index, or one rule to choose it, does not serve both kinds",
		"Give every RoCE port an IPv4 address, so that its table has a RoCE v2 IPv4 "
		"entry, and set the same RoCE mode on all.",
		"NVIDIA/nccl#890", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "ROCE_MTU_DIFFERS", VERDICT_FAIL, "hosts", "the ports have different RoCE MTUs",
		"a queue pair that asks for the larger one fails or stalls at its first large "
		"message",
		"Set the same interface MTU (4200 or more) on all hosts and switch ports.",
		"linux include/rdma/ib_addr.h iboe_get_mtu()",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "NETDEV_MTU_DIFFERS", VERDICT_WARN, "hosts", "the interfaces have different MTUs",
		"what fits one end may not fit the other",
		"Set the same MTU on all hosts and switch ports.", "weft: all ends compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PORT_RATE_DIFFERS", VERDICT_FAIL, "hosts", "the ports run at different rates",
		"a ring runs at its slowest port",
		"Look at cable, optic, autonegotiation and breakout of the slower port and of "
		"its switch port.",
		"NVIDIA/nccl#307", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "SPEED_DIFFERS", VERDICT_FAIL, "hosts", "the interfaces run at different speeds",
		"a ring runs at its slowest port",
		"Look at cable, optic, autonegotiation and breakout of the slower port and of "
		"its switch port.",
		"NVIDIA/nccl#307", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PFC_DIFFERS", VERDICT_FAIL, "hosts", "the ports have PFC on different priorities",
		"a pause for a priority without PFC at the other end stops nothing",
		"Set PFC on the lossless priority alone, on every port.",
		"losslessnetwork.com host-side-lossless", { FACT_SETTING, NO_NEED, NO_NEED },
		differs },
	{ "TRUST_DIFFERS", VERDICT_FAIL, "hosts",
		"some ports trust the DSCP and some the VLAN priority",
		"the same packet is lossless at one host and lossy at another",
		"Set trust to dscp on every port.", "losslessnetwork.com host-side-lossless",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "DSCP_MAP_DIFFERS", VERDICT_FAIL, "hosts",
		"the ports map DSCPs to different priorities",
		"the same packet is lossless at one host and lossy at another",
		"Set the same DSCP map on every port.", "openucx/ucx#2434",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "CLASSES_DIFFER", VERDICT_WARN, "hosts",
		"the ports put priorities in different traffic classes",
		"hosts share their lines differently",
		"Set the same ETS configuration on every port.", "IEEE 802.1Qaz",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "ETS_DIFFERS", VERDICT_WARN, "hosts",
		"the ports share their line differently between traffic classes",
		"hosts share their lines differently",
		"Set the same ETS configuration on every port.", "IEEE 802.1Qaz",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "BUFFERS_DIFFER", VERDICT_WARN, "hosts", "the ports have buffers of different sizes",
		"the smaller one overflows first",
		"Set the same buffers on every port of one kind.", "linux mlx5 en_dcbnl.c",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PRIO_BUFFERS_DIFFER", VERDICT_WARN, "hosts",
		"the ports put priorities in different buffers",
		"a lossless priority may share the lossy buffer at some hosts",
		"Set the same map from priority to buffer on every port.",
		"linux mlx5 en_dcbnl.c", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "CC_DIFFERS", VERDICT_WARN, "hosts",
		"congestion control is on for different priorities",
		"a sender that does not slow down takes the share of those that do",
		"Switch the reaction and the notification point on for the RoCE priority on "
		"every host.",
		"Zhu et al., SIGCOMM 2015", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "CNP_DSCP_DIFFERS", VERDICT_WARN, "hosts",
		"the ports send congestion notifications with different DSCPs",
		"some notifications wait behind the data",
		"Set the same CNP DSCP (commonly 48) on every port.",
		"Mellanox/network-operator#179", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "ROCE_TOS_DIFFERS", VERDICT_WARN, "hosts", "the default ToS of rdma_cm differs",
		"connections by rdma_cm leave in different classes",
		"Set the same default_roce_tos (cma_roce_tos) on every host.",
		"linux-rdma/perftest#56", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "FIRMWARE_DIFFERS", VERDICT_WARN, "hosts", "cards of one kind run different firmware",
		"defaults of congestion control and retransmission change with the firmware",
		"Bring all cards of this kind to one firmware.", "weft: all cards compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "DRIVER_DIFFERS", VERDICT_WARN, "hosts", "hosts run different versions of one driver",
		"defaults and counters change with the driver",
		"Bring all hosts to one driver version.", "weft: all hosts compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "KERNEL_DIFFERS", VERDICT_WARN, "hosts", "hosts run different kernels",
		"what differs between kernels differs between the ends of a flow",
		"Bring all hosts to one kernel.", "weft: all hosts compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "FEC_DIFFERS", VERDICT_WARN, "hosts", "the ports use different FEC",
		"a link whose ends differ loses frames, and a port with another FEC has "
		"another error floor",
		"Set the same FEC on every port of one speed, as on the switch.",
		"IEEE 802.3 clause 91", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PAUSE_RX_DIFFERS", VERDICT_WARN, "hosts",
		"802.3x pause is obeyed by some ports only",
		"a port that obeys global pause stops all its classes",
		"Switch 802.3x pause off on every port with PFC.", "IEEE 802.3 annex 31B",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PAUSE_TX_DIFFERS", VERDICT_WARN, "hosts", "802.3x pause is sent by some ports only",
		"a port that sends global pause stops all classes of its peer",
		"Switch 802.3x pause off on every port with PFC.", "IEEE 802.3 annex 31B",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "CABLE_LENGTH_DIFFERS", VERDICT_WARN, "hosts",
		"the ports reckon with different cable lengths",
		"headroom is set aside for the length that is told",
		"Tell each port the length of its own cable (mlnx_qos --cable_len), and take "
		"this as said where the cables do differ.",
		"linux mlx5 en_dcbnl.c", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PCIE_WIDTH_DIFFERS", VERDICT_WARN, "hosts", "the cards run at different PCIe widths",
		"the narrower one may not feed its port",
		"Reseat the card; check slot wiring and bifurcation.", "NVIDIA/l2fwd-nv#6",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "PCIE_SPEED_DIFFERS", VERDICT_WARN, "hosts", "the cards run at different PCIe speeds",
		"the slower one may not feed its port", "Check slot, riser and BIOS settings.",
		"NVIDIA/l2fwd-nv#6", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "DCBX_DIFFERS", VERDICT_WARN, "hosts",
		"different parties own the settings of the ports",
		"firmware may set back what the host has set",
		"Let the host own DCB on every port.", "intel/openlldp#125",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "GOVERNOR_DIFFERS", VERDICT_WARN, "hosts", "hosts use different frequency governors",
		"the slower hosts post later", "Set the performance governor on every host.",
		"linux-rdma/perftest README", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "IOMMU_DIFFERS", VERDICT_WARN, "hosts", "the IOMMU works differently on the hosts",
		"GPU-direct is slower where it translates",
		"Use the same kernel command line (iommu=pt) on every host.",
		"NVIDIA/nccl-tests#115", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "TC_DIFFERS", VERDICT_FAIL, "hosts",
		"the traffic class of the job differs between hosts",
		"only some of its packets are in the lossless class",
		"Give the job one NCCL_IB_TC on all hosts.", "weft: all hosts compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "HCCL_TC_DIFFERS", VERDICT_FAIL, "hosts",
		"the traffic class of the job differs between hosts",
		"only some of its packets are in the lossless class",
		"Give the job one HCCL_RDMA_TC on all hosts.", "weft: all hosts compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "QP_TIMEOUT_DIFFERS", VERDICT_WARN, "hosts",
		"the time-out of the queue pairs differs between hosts",
		"after a loss one end waits longer than the other, or gives up earlier",
		"Give the job one NCCL_IB_TIMEOUT on all hosts.", "NVIDIA/nccl environment",
		{ FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "HCCL_TIMEOUT_DIFFERS", VERDICT_WARN, "hosts",
		"the time-out of the queue pairs differs between hosts",
		"after a loss one end waits longer than the other, or gives up earlier",
		"Give the job one HCCL_RDMA_TIMEOUT on all hosts.",
		"hiascend.com HCCL environment", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "QP_RETRY_DIFFERS", VERDICT_WARN, "hosts",
		"the retry count of the queue pairs differs between hosts",
		"one end gives up earlier", "Give the job one NCCL_IB_RETRY_CNT on all hosts.",
		"NVIDIA/nccl environment", { FACT_SETTING, NO_NEED, NO_NEED }, differs },
	{ "ADDRESS_TWICE", VERDICT_FAIL, "hosts", "one IP address is at two hosts",
		"neighbours answer by turns: about half of the packets go astray",
		"Give each port an address of its own.", "weft: all hosts compared",
		{ FACT_SETTING, NO_NEED, NO_NEED }, twice },
	{ "MAC_TWICE", VERDICT_FAIL, "hosts", "one MAC address is at two hosts",
		"switches move it from port to port: packets go to the other host",
		"Give each port its own MAC; look for cloned images or virtual functions with "
		"a fixed MAC.",
		"weft: all hosts compared", { FACT_SETTING, NO_NEED, NO_NEED }, twice },
	{ "RAIL_SUBNET_DIFFERS", VERDICT_WARN, "hosts",
		"a port lies in another subnet than the same port of the other hosts",
		"it is cabled or addressed as another rail, and reaches its peers by a router "
		"or not at all",
		"Check the address and the cable of this port against the plan.",
		"luxingcom/aicad-nccl-optimization#1", { FACT_SETTING, NO_NEED, NO_NEED },
		rail_subnet },
	{ .code = NULL },
};
