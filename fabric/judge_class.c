/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The proof of class: what is sent with the policy's DSCP is what is counted in
 * the lossless priority, at each hop. At a NIC: bytes of RDMA sent against those
 * with the policy's DSCP; CNPs have a DSCP of their own. At a port of a switch: packets that came in with the
 * DSCP against packets counted in the priority.
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "lib/grow.h"
#include "lib/units.h"

struct ledger {
	bool read;
	uint64_t marked, counted; /* with the DSCP; in the priority */
	uint64_t cnp_bytes;       /* of a NIC: sent as CNPs */
	struct seen off, seen;
};

/* Headers of a CNP as a frame: those of data, and 16 reserved bytes (IBTA
 * annex A17, 17.9.3). */
#define CNP_FRAME_BYTES (ROCE_FRAME_OVERHEAD_BYTES + 16u)

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->port_count, sizeof(struct ledger));
}

static uint64_t cnp_bytes(const struct evidence *evidence, uint32_t port, uint64_t most)
{
	uint64_t bytes = evidence_sum(evidence, port, M_CNP_SENT) * CNP_FRAME_BYTES;

	return bytes < most ? bytes : most;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct ledger *ledgers = state;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		bool nic = fabric->ports[port].nic != PORT_NONE;
		uint64_t marked =
			evidence_at(evidence, port, nic ? M_TX_RDMA_BYTES : M_RX_DSCP_PACKETS);
		uint64_t counted = evidence_at(
			evidence, port, nic ? M_TX_POLICY_BYTES : M_RX_PRIO_PACKETS);

		if (marked == EVIDENCE_ABSENT || counted == EVIDENCE_ABSENT)
			continue;
		if (nic) {
			uint64_t cnps = cnp_bytes(evidence, port, marked);

			marked -= cnps;
			ledgers[port].cnp_bytes += cnps;
		}
		ledgers[port].read = true;
		ledgers[port].marked += marked;
		ledgers[port].counted += counted;
		seen_add(&ledgers[port].seen, &evidence->stage);
		if (marked != counted)
			seen_add(&ledgers[port].off, &evidence->stage);
	}
}

static void tell_nic(struct judging *judging, uint32_t port, const struct ledger *ledger)
{
	struct place place = place_port(judging->fabric, port);
	struct finding *finding;

	finding = judging_cause(judging, "nic.dscp-map", "class", CLASS_MAP,
		ledger->marked - ledger->counted, &place, &ledger->off);
	finding_text(finding, "%s sent %llu bytes of RDMA, and %llu of them with DSCP %u",
		finding->culprit, (unsigned long long)ledger->marked,
		(unsigned long long)ledger->counted, judging->fabric->policy.dscp);
	finding_limit(finding, (double)ledger->counted, (double)ledger->marked, "bytes",
		"policy.dscp %u on every RDMA packet", judging->fabric->policy.dscp);
	finding_advice(finding,
		"set traffic class / ToS of RDMA on %s to DSCP %u (NIC trust mode, "
		"TC of the library or cma_roce_tos) and check the GID index in use",
		finding->culprit, judging->fabric->policy.dscp);
}

/* CNPs by their size; other RDMA has the policy's DSCP anyway. */
#define CNPS_LEAST 20u

/* Whether what went out with the policy's DSCP beyond data is what its CNPs make. */
static bool sends_cnps_as_data(const struct ledger *ledger)
{
	uint64_t beyond = ledger->counted - ledger->marked;

	return ledger->cnp_bytes >= CNPS_LEAST * CNP_FRAME_BYTES &&
	       beyond * 50 >= ledger->cnp_bytes * 49 && beyond * 50 <= ledger->cnp_bytes * 51;
}

static void tell_nic_cnps(struct judging *judging, uint32_t port, const struct ledger *ledger)
{
	const struct policy *policy = &judging->fabric->policy;
	struct place place = place_port(judging->fabric, port);
	struct finding *finding = judging_cause(judging, "nic.cnp-map", "class", CLASS_MAP,
		ledger->counted - ledger->marked, &place, &ledger->off);

	finding_text(finding,
		"%s sent %llu bytes more with DSCP %u than it sent data and ACKs: as many as "
		"its %llu CNPs make, which belong in DSCP %u",
		finding->culprit, (unsigned long long)(ledger->counted - ledger->marked),
		policy->dscp, (unsigned long long)(ledger->cnp_bytes / CNP_FRAME_BYTES),
		policy->cnp_dscp);
	finding_limit(finding, (double)ledger->counted, (double)ledger->marked, "bytes",
		"policy.cnp_dscp %u: CNPs do not wait behind data", policy->cnp_dscp);
	finding_advice(finding,
		"set cnp_dscp of %s to %u (/sys/class/net/IFACE/ecn/roce_np/cnp_dscp) and its "
		"priority to %u",
		finding->culprit, policy->cnp_dscp, policy->cnp_priority);
}

static void tell_switch_off(
	struct judging *judging, const struct place *place, const struct ledger *ledger)
{
	const struct policy *policy = &judging->fabric->policy;
	uint64_t apart = ledger->marked > ledger->counted ? ledger->marked - ledger->counted
							  : ledger->counted - ledger->marked;
	struct finding *finding;

	finding = judging_cause(
		judging, "switch.dscp-map", "class", CLASS_MAP, apart, place, &ledger->off);
	finding_text(finding,
		"%s took in %llu packets of DSCP %u and counted %llu in priority %u%s",
		finding->culprit, (unsigned long long)ledger->marked, policy->dscp,
		(unsigned long long)ledger->counted, policy->priority,
		ledger->counted > ledger->marked
			? ": it puts another DSCP there as well, that of CNPs, say"
			: "");
	finding_limit(finding, (double)ledger->counted, (double)ledger->marked, "packets",
		"policy: DSCP %u is priority %u at every hop", policy->dscp, policy->priority);
	finding_advice(finding,
		"compare the DSCP-to-priority map and the trust mode of %s with a "
		"switch that passes: DSCP %u belongs in priority %u",
		finding->culprit, policy->dscp, policy->priority);
}

static uint32_t tell_switch(
	struct judging *judging, uint32_t number, const struct ledger *ledgers)
{
	const struct node *node = &judging->fabric->nodes[number];
	struct place place = place_switch(number);
	struct ledger total = { 0 };
	uint32_t off = 0, right = 0;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct ledger *ledger = &ledgers[node->first_port + i];

		right += ledger->marked > 0 && ledger->off.stages == 0;
		if (ledger->off.stages == 0)
			continue;
		off++;
		total.marked += ledger->marked;
		total.counted += ledger->counted;
		seen_merge(&total.off, &ledger->off);
	}
	if (off && !right) {
		tell_switch_off(judging, &place, &total);
		return off;
	}
	for (uint32_t i = 0; off && i < node->port_count; i++) {
		place = place_port(judging->fabric, node->first_port + i);
		if (ledgers[node->first_port + i].off.stages)
			tell_switch_off(judging, &place, &ledgers[node->first_port + i]);
	}
	return off;
}

static void tell_right(struct judging *judging, const struct ledger *ledgers)
{
	const struct fabric *fabric = judging->fabric;
	uint64_t packets = 0, bytes = 0;
	uint32_t ports = 0, nics = 0, unread = 0;
	struct finding *finding;

	for (uint32_t port = 0; port < fabric->port_count; port++) {
		bool nic = fabric->ports[port].nic != PORT_NONE;

		if (fabric->ports[port].link == PORT_NONE)
			continue;
		unread += !ledgers[port].read;
		ports += !nic && ledgers[port].marked;
		nics += nic && ledgers[port].marked;
		*(nic ? &bytes : &packets) += ledgers[port].marked;
	}
	if (unread && !judging->coverage)
		return;
	finding = judging_say(
		judging, "class.proof", "class", unread ? VERDICT_UNKNOWN : VERDICT_PASS, NULL);
	if (unread)
		finding_text(finding,
			"the counters that prove the class were not read at %u "
			"ports",
			unread);
	else
		finding_text(finding,
			"%llu bytes of RDMA left %u NICs with DSCP %u, and all %llu "
			"packets of DSCP %u that %u switch ports took in were counted "
			"in priority %u",
			(unsigned long long)bytes, nics, fabric->policy.dscp,
			(unsigned long long)packets, fabric->policy.dscp, ports,
			fabric->policy.priority);
}

static void end(struct judging *judging, void *state, bool speak)
{
	const struct fabric *fabric = judging->fabric;
	struct ledger *ledgers = state;
	uint32_t bad = 0;

	for (uint32_t nic = 0; speak && nic < fabric->nic_count; nic++) {
		const struct ledger *ledger = &ledgers[fabric->nics[nic]];

		if (ledger->counted < ledger->marked)
			tell_nic(judging, fabric->nics[nic], ledger);
		else if (sends_cnps_as_data(ledger))
			tell_nic_cnps(judging, fabric->nics[nic], ledger);
		else
			continue;
		bad++;
	}
	for (uint32_t n = fabric->hosts; speak && n < fabric->node_count; n++)
		bad += tell_switch(judging, n, ledgers);
	if (speak && !bad)
		tell_right(judging, ledgers);
	free(ledgers);
}

const struct judge judge_class = { begin, stage, end };
