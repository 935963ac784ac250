/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "pfc/headroom.h"
#include "pfc/rule.h"
#include "pfc/rule_port.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS
#define BEST_MTU 4096
/* Beside its payload a RoCE packet needs 96 bytes (linux include/rdma/ib_addr.h). */
#define ROCE_OVERHEAD 96
/* From here on a lane is PAM4, which does not work without FEC. */
#define FEC_NEEDED_GBPS 100

static enum outcome port_down(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_PORT_STATE, state)
		if (strcmp(state->text, "ACTIVE") != 0) {
			explain_code(out, rule, rule->level, "%s %s is %s", state->place,
				state->subject, state->text);
			explain_fact(out, "host", "%s", state->place);
			explain_fact(out, "hca", "%s", state->subject);
			return RULE_FIRED;
		}
	return RULE_CLEAR;
}

static enum outcome interface_down(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		const struct fact *state =
			facts_find(facts, FACT_NETDEV, rail->place, rail->name, NULL);

		known = known || state;
		if (!state || strcmp(state->text, "up") == 0 ||
			strcmp(state->text, "unknown") == 0)
			continue;
		explain_code(out, rule, rule->level, "%s %s is %s", rail->place, rail->name,
			state->text);
		explain_fact(out, "iface", "%s", rail->name);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome no_gid(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		bool found = false;

		/* A table that was not read is not an empty one. */
		if (!facts_find(
			    facts, FACT_TABLE_READ, rail->place, rail->subject, "GID table"))
			continue;
		known = true;
		FACTS_EACH (facts, FACT_GID, gid)
			found = found ||
				(strcmp(gid->place, rail->place) == 0 &&
					strcmp(gid->subject, rail->subject) == 0 &&
					gid->more == 2 &&
					strcmp(gid_family(gid->text), "link-local") != 0);
		if (found)
			continue;
		explain_code(out, rule, rule->level, "%s %s has no RoCE v2 GID with an address",
			rail->place, rail->subject);
		explain_fact(out, "hca", "%s", rail->subject);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome mode_v1(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_ROCE_MODE, mode)
		if (!scan_has(mode->text, "v2"))
			return explain_code(out, rule, rule->level,
				"%s %s: rdma_cm connects by %s", mode->place, mode->subject,
				mode->text);
	return RULE_CLEAR;
}

static enum outcome small_mtu(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_ACTIVE_MTU, mtu)
		if (mtu->number < BEST_MTU) {
			explain_code(out, rule, rule->level,
				"%s %s has RoCE MTU %.0f, which leaves %.1f %% of the line for "
				"payload; %d would leave %.1f %%",
				mtu->place, mtu->subject, mtu->number,
				100 * mtu->number / (mtu->number + 82), BEST_MTU,
				100.0 * BEST_MTU / (BEST_MTU + 82));
			explain_number(out, "active_mtu", mtu->number);
			explain_number(
				out, "min_netdev_mtu_for_4096", BEST_MTU + ROCE_OVERHEAD);
			return RULE_FIRED;
		}
	return RULE_CLEAR;
}

static enum outcome mtu_behind(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		const struct fact *active =
			facts_find(facts, FACT_ACTIVE_MTU, rail->place, rail->subject, NULL);
		const struct fact *netdev =
			facts_find(facts, FACT_NETDEV_MTU, rail->place, rail->name, NULL);
		int allowed = BEST_MTU;

		if (!active || !netdev)
			continue;
		known = true;
		while (allowed > 256 && allowed > netdev->number - ROCE_OVERHEAD)
			allowed /= 2;
		if (active->number >= allowed)
			continue;
		explain_code(out, rule, rule->level,
			"%s %s: interface MTU %.0f allows RoCE MTU %d, active is %.0f",
			rail->place, rail->subject, netdev->number, allowed, active->number);
		explain_number(out, "active_mtu", active->number);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome no_fec(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	bool known = false;

	FACTS_EACH (facts, FACT_FEC, fec) {
		double gbps = port_gbps(facts, fec->place, fec->subject);

		known = known || gbps > 0;
		if (gbps < FEC_NEEDED_GBPS || strcmp(fec->text, "off") != 0)
			continue;
		explain_code(out, rule, rule->level, "%s %s runs at %.0f Gb/s without FEC",
			fec->place, fec->subject, gbps);
		explain_fact(out, "iface", "%s", fec->subject);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome soft_device(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_RAIL, rail)
		if (!*rail->extra)
			return explain_code(out, rule, rule->level,
				"%s %s is a software device", rail->place, rail->subject);
	return RULE_CLEAR;
}

static enum outcome no_address(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *only;
	bool known = false;

	FACTS_EACH (facts, FACT_RAIL, rail) {
		if (!facts_find(facts, FACT_TABLE_READ, rail->place, NULL, "IP addresses"))
			continue;
		known = true;
		if (facts_find(facts, FACT_ADDRESS, rail->place, rail->name, NULL))
			continue;
		only = facts_find(facts, FACT_ADDRESS6, rail->place, rail->name, NULL);
		explain_code(out, rule, rule->level, "%s %s has no IPv4 address%s%s",
			rail->place, *rail->name ? rail->name : rail->subject,
			only ? ", only " : "", only ? only->text : "");
		explain_fact(out, "iface", "%s", rail->name);
		return RULE_FIRED;
	}
	return known ? RULE_CLEAR : RULE_UNKNOWN;
}

static enum outcome neighbour_twice(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	FACTS_EACH (facts, FACT_NEIGHBOUR, a)
		for (const struct fact *b = facts_next(facts, a); b; b = facts_next(facts, b))
			if (strcmp(a->text, b->text) == 0 && strcmp(a->extra, b->extra) == 0 &&
				(strcmp(a->place, b->place) != 0 ||
					strcmp(a->subject, b->subject) != 0))
				return explain_code(out, rule, rule->level,
					"%s %s and %s %s both see %s %s at their other end",
					a->place, a->subject, b->place, b->subject, a->text,
					a->extra);
	return RULE_CLEAR;
}

const struct rule rules_port[] = {
	{ "ROCE_PORT_DOWN", VERDICT_FAIL, "port", "a RoCE port is not active",
		"nothing can be sent by it",
		"Look at cable, optic and switch port; take the interface up; read the state "
		"again.",
		"linux drivers/infiniband/core/sysfs.c", { FACT_PORT_STATE, NO_NEED, NO_NEED },
		port_down },
	{ "RAIL_INTERFACE_DOWN", VERDICT_FAIL, "port", "the interface of a RoCE port is not up",
		"without its interface a RoCE port has no address and no link",
		"Take the interface up (ip link set IFACE up) and find who took it down.",
		"linux Documentation/networking/operstates.rst",
		{ FACT_RAIL, FACT_NETDEV, NO_NEED }, interface_down },
	{ "NO_ROUTABLE_GID", VERDICT_FAIL, "port",
		"a RoCE port has no RoCE v2 GID with an address",
		"a link-local or RoCE v1 GID does not cross a router, and libraries pass it "
		"over",
		"Give the interface an IPv4 address; the RoCE v2 entry of the GID table "
		"follows by itself.",
		"NVIDIA/nccl#769", { FACT_RAIL, NO_NEED, NO_NEED }, no_gid },
	{ "RDMA_CM_ROCE_V1", VERDICT_WARN, "port", "rdma_cm connects by RoCE v1",
		"RoCE v1 has no IP header: no router forwards it, and it has no DSCP",
		"Write \"RoCE v2\" to default_roce_mode (cma_roce_mode -d DEV -p 1 -m 2).",
		"linux Documentation/ABI/testing/configfs-rdma_cm",
		{ FACT_ROCE_MODE, NO_NEED, NO_NEED }, mode_v1 },
	{ "ROCE_MTU_SMALL", VERDICT_WARN, "port", "the RoCE MTU is below 4096",
		"a larger share of the line goes to headers, and more packets to the processor "
		"of the NIC",
		"Raise the MTU of interfaces and switch ports to 4200 or more.",
		"linux include/rdma/ib_addr.h iboe_get_mtu()",
		{ FACT_RAIL, FACT_ACTIVE_MTU, NO_NEED }, small_mtu },
	{ "ROCE_MTU_BEHIND", VERDICT_WARN, "port",
		"the RoCE MTU is smaller than the interface allows",
		"the device was not told of the interface's MTU, or is limited by itself",
		"Set the interface MTU again, or reload the RDMA driver; read active_mtu after "
		"that.",
		"linux include/rdma/ib_addr.h iboe_get_mtu()",
		{ FACT_RAIL, FACT_ACTIVE_MTU, FACT_NETDEV_MTU }, mtu_behind },
	{ "FEC_OFF", VERDICT_WARN, "port", "a fast port runs without FEC",
		"at 50 Gb/s a lane and more a link without FEC loses frames all the time",
		"Switch the FEC of the speed on at both ends (ethtool --set-fec IFACE encoding "
		"rs).",
		"IEEE 802.3 clause 91", { FACT_FEC, NO_NEED, NO_NEED }, no_fec },
	{ "SOFTWARE_DEVICE", VERDICT_WARN, "port", "an RDMA device is software (rxe, siw)",
		"it has no PFC, no congestion control and no line rate: it shows that tools "
		"work, not that a fabric does",
		"Give the job and the tests the hardware devices by name.",
		"linux drivers/infiniband/sw/rxe", { FACT_RAIL, NO_NEED, NO_NEED },
		soft_device },
	{ "RAIL_WITHOUT_ADDRESS", VERDICT_WARN, "port", "a rail has no IPv4 address",
		"its GID table has no RoCE v2 IPv4 entry, which most libraries look for",
		"Give the interface an address of its rail.", "openucx/ucx#7785",
		{ FACT_RAIL, NO_NEED, NO_NEED }, no_address },
	{ "NEIGHBOUR_TWICE", VERDICT_FAIL, "port",
		"two ports see the same switch port at their other end",
		"there is a hub, a stale LLDP table, or two switches with one name",
		"Read LLDP at the switch, and name switches apart.", "IEEE 802.1AB",
		{ FACT_NEIGHBOUR, NO_NEED, NO_NEED }, neighbour_twice },
	{ .code = NULL },
};
