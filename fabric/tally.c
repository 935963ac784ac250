/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/tally.h"

#include "lib/grow.h"
#include "lib/units.h"

/* Flows shorter than this say more about latency than about bandwidth. */
#define PACKETS_LEAST 32u

static void add_flows(struct tally *tally, const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		tally->planned_bytes += flow->bytes_planned;
		tally->posted_bytes += flow->bytes_posted;
		tally->delivered_bytes += flow->bytes_delivered;
		tally->sent += flow->packets_sent;
		tally->resent += flow->packets_resent;
		tally->received += flow->packets_received;
		tally->timeouts += flow->timeouts;
		tally->naks += flow->naks;
		tally->out_of_sequence += flow->out_of_sequence;
		tally->ce += flow->ce_packets;
		tally->cnps_sent += flow->cnps_sent;
		tally->cnps_handled += flow->cnps_handled;
		tally->flows++;
		tally->complete += flow->complete;
		tally->errors += flow->qp_error;
	}
}

static void add_nic(struct tally *tally, const struct evidence *evidence, uint32_t port)
{
	static const enum metric losses[] = { M_OUT_OF_SEQUENCE, M_SEQ_ERR, M_ACK_TIMEOUT,
		M_IMPLIED_NAK, M_ADP_RETRANS, M_ADP_TIMEOUT };

	for (size_t i = 0; i < COUNT_OF(losses); i++) {
		uint64_t value = evidence_at(evidence, port, losses[i]);

		if (value != EVIDENCE_ABSENT)
			tally->nic_loss += value;
	}
}

static void add_port(struct tally *tally, const struct evidence *evidence, uint32_t port)
{
	uint32_t peer = evidence->fabric->ports[port].peer;
	uint64_t sent = evidence_at(evidence, port, M_TX_PACKETS), got;

	tally->drop_buffer += evidence_sum(evidence, port, M_DROP_BUFFER);
	tally->drop_headroom += evidence_sum(evidence, port, M_DROP_HEADROOM);
	tally->drop_egress += evidence_sum(evidence, port, M_DROP_EGRESS);
	tally->drop_other += evidence_sum(evidence, port, M_DROP_OTHER);
	tally->drop_down += evidence_sum(evidence, port, M_DROP_LINK_DOWN);
	tally->drop_no_route += evidence_sum(evidence, port, M_DROP_NO_ROUTE);
	tally->drop_watchdog += evidence_sum(evidence, port, M_DROP_WATCHDOG);
	tally->xoff += evidence_sum(evidence, port, M_TX_PAUSE);
	tally->marked += evidence_sum(evidence, port, M_MARKED);
	tally->has_pause |= evidence_at(evidence, port, M_TX_PAUSE) != EVIDENCE_ABSENT;
	tally->has_marks |= evidence_at(evidence, port, M_MARKED) != EVIDENCE_ABSENT;
	if (evidence->fabric->ports[port].nic != PORT_NONE)
		add_nic(tally, evidence, port);
	if (sent == EVIDENCE_ABSENT || peer == PORT_NONE)
		return;
	tally->hops += sent;
	got = evidence_at(evidence, peer, M_RX_PACKETS);
	if (got != EVIDENCE_ABSENT && sent > got)
		tally->lost += sent - got;
}

/* What a NIC had to send again it knows by a NAK or by a timeout. */
static bool tells_losses(const struct evidence *evidence, uint32_t nic)
{
	uint32_t port = evidence->fabric->nics[nic];

	return evidence_at(evidence, port, M_SEQ_ERR) != EVIDENCE_ABSENT &&
	       evidence_at(evidence, port, M_ACK_TIMEOUT) != EVIDENCE_ABSENT;
}

static void add_silent(struct tally *tally, const struct evidence *evidence)
{
	for (size_t i = 0; i < evidence->flow_count && !tally->silent_nic; i++) {
		uint32_t nic = evidence->src[i];

		if (nic != PORT_NONE && evidence->flows[i].packets_sent &&
			!tells_losses(evidence, nic))
			tally->silent_nic = nic + 1;
	}
}

void tally_add(struct tally *tally, const struct evidence *evidence)
{
	add_flows(tally, evidence);
	add_silent(tally, evidence);
	for (uint32_t port = 0; port < evidence->fabric->port_count; port++)
		add_port(tally, evidence, port);
}

uint64_t tally_drops(const struct tally *tally)
{
	return tally->drop_buffer + tally->drop_headroom + tally->drop_egress +
	       tally->drop_other + tally->drop_down + tally->drop_no_route +
	       tally->drop_watchdog;
}

bool stage_lost_nothing(const struct evidence *evidence)
{
	static const enum metric drops[] = { M_ICRC, M_OUT_OF_BUFFER, M_DROP_OVERSIZE,
		M_DROP_POLICER, M_DROP_TTL };
	const struct fabric *fabric = evidence->fabric;
	struct tally tally = { 0 };
	uint64_t sent, lost;

	tally_add(&tally, evidence);
	if (evidence->stage.status != RUN_COMPLETE || tally_drops(&tally))
		return false;
	for (uint32_t port = 0; port < fabric->port_count; port++) {
		if (fabric->ports[port].link != PORT_NONE &&
			(!evidence_lost(evidence, port, &sent, &lost) || lost))
			return false;
		for (size_t i = 0; i < COUNT_OF(drops); i++)
			if (evidence_sum(evidence, port, drops[i]))
				return false;
	}
	return true;
}

struct rate_unit rate_unit_of(double bps)
{
	if (bps >= (double)GBPS || bps <= 0)
		return (struct rate_unit){ (double)GBPS, "Gb/s" };
	return bps >= 1e6 ? (struct rate_unit){ 1e6, "Mb/s" }
			  : (struct rate_unit){ 1e3, "kb/s" };
}

bool flow_is_brief(const struct evidence *evidence, const struct run_flow *flow)
{
	return flow->bytes_planned < (uint64_t)PACKETS_LEAST * evidence->fabric->mtu_bytes;
}

double flow_goodput_bps(const struct evidence *evidence, const struct run_flow *flow)
{
	uint64_t end_ns = flow->complete ? flow->end_ns : evidence->stage.t1_ns;

	if (end_ns <= flow->start_ns)
		return 0.0;
	return (double)flow->bytes_delivered * 8 * (double)NS_PER_S /
	       (double)(end_ns - flow->start_ns);
}

/* A frame over a link: cable, and once again in full at the far end, which stores
 * it before it forwards. */
static double hop_ns(const struct evidence *evidence, uint32_t port)
{
	const struct fabric *fabric = evidence->fabric;
	const struct link *link;
	double frame = fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES;

	if (fabric->ports[port].link == PORT_NONE)
		return 0;
	link = &fabric->links[fabric->ports[port].link];
	return 5.0 * link->length_m + frame * 8 * (double)NS_PER_S / (double)link->speed_bps;
}

static double way_ns(const struct evidence *evidence, size_t flow)
{
	const struct fabric *fabric = evidence->fabric;
	uint32_t number = evidence->flows[flow].flow;
	size_t path = evidence_first_path(evidence, number);
	double ns = 2.0 * (double)fabric->nic_ns;

	if (path == evidence->path_count || evidence->paths[path].flow != number)
		return 0;
	for (uint32_t i = 0; i < evidence->ways[path].count; i++) {
		ns += hop_ns(evidence, evidence->way_ports[evidence->ways[path].first + i]);
		ns += i ? (double)fabric->switch_ns : 0;
	}
	return ns;
}

uint64_t flow_nics_bps(const struct evidence *evidence, size_t flow)
{
	uint64_t src, dst;

	if (evidence->src[flow] == PORT_NONE || evidence->dst[flow] == PORT_NONE)
		return 0;
	src = fabric_nic_bps(evidence->fabric, evidence->src[flow]);
	dst = fabric_nic_bps(evidence->fabric, evidence->dst[flow]);
	return src < dst ? src : dst;
}

double flow_share_of(const struct evidence *evidence, size_t flow, uint64_t line_bps)
{
	const struct run_flow *row = &evidence->flows[flow];
	double bps = flow_goodput_bps(evidence, row), bits, least_ns;

	if (line_bps == 0 || bps <= 0)
		return 0;
	bits = (double)row->bytes_delivered * 8;
	least_ns = bits * (double)NS_PER_S /
		   (double)payload_ceiling_bps(line_bps, evidence->fabric->mtu_bytes);
	return (least_ns + way_ns(evidence, flow)) * bps / (bits * (double)NS_PER_S);
}

double flow_share(const struct evidence *evidence, size_t flow)
{
	return flow_share_of(evidence, flow, flow_nics_bps(evidence, flow));
}

bool stage_met_deadline(const struct run_stage *stage)
{
	return stage->status == RUN_COMPLETE ||
	       (stage->status == RUN_PARTIAL && stage->t1_ns >= stage->t0_ns &&
		       stage->t1_ns - stage->t0_ns >= stage->deadline_ns);
}
