/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_parts.h"
#include "lib/counters.h"
#include "lib/grow.h"

/* --- series --- */

static void add_sample(struct sim *sim, const char *place, const char *metric, uint64_t value)
{
	struct run_sample *row;

	sim->samples =
		grow(sim->samples, sim->sample_count, &sim->sample_room, sizeof(*sim->samples));
	row = &sim->samples[sim->sample_count++];
	memset(row, 0, sizeof(*row));
	snprintf(row->place, sizeof(row->place), "%s", place);
	snprintf(row->metric, sizeof(row->metric), "%s", metric);
	row->t_ns = clock_ns(sim, sim->now);
	row->value = value;
}

/* Goodput of each receiver, and the peak of each queue that held more than one
 * packet, since the last sample. */
void sample_event(struct sim *sim)
{
	unsigned prio = sim->fabric->policy.priority;
	char name[2 * NAME_BYTES];

	ahead_settle_all(sim);
	for (uint32_t i = 0; i < sim->fabric->nic_count; i++) {
		struct sim_nic *nic = &sim->nics[i];

		if (nic->delivered_bytes == nic->sampled_bytes)
			continue;
		fabric_nic_name(sim->fabric, i, name);
		add_sample(
			sim, name, "goodput_bytes", nic->delivered_bytes - nic->sampled_bytes);
		nic->sampled_bytes = nic->delivered_bytes;
	}
	for (uint32_t port = 0; port < sim->fabric->port_count; port++) {
		struct lane *lane = lane_of(sim, port, prio);

		if (sim->ports[port].nic == NONE &&
			lane->window_peak > sim->fabric->policy.ecn_kmin_bytes) {
			fabric_port_name(sim->fabric, port, name);
			add_sample(sim, name, "queue_bytes", lane->window_peak);
		}
		if (lane->window_peak > lane->queue_peak)
			lane->queue_peak = lane->window_peak;
		lane->window_peak = lane->queue_bytes;
	}
	if (!sim_done(sim))
		wheel_at(&sim->wheel, sim->event_misc + MISC_SAMPLE, sim->now + sim->sample_ps);
}

/* --- counters --- */

/* Rows that a port has, about: a first guess of their room. */
#define PORT_ROWS 48u

struct sink {
	struct sim *sim;
	struct sim_result *result;
	size_t room;
	struct run_counter row; /* what those of a place have in common */
};

/* There are many rows: so none of them is printed. */
static struct run_counter *put_row(struct sink *sink, uint64_t first, uint64_t last)
{
	struct sim_result *result = sink->result;
	struct run_counter *row;

	result->counters =
		grow(result->counters, result->counter_count, &sink->room, sizeof(*row));
	row = &result->counters[result->counter_count++];
	*row = sink->row;
	row->first = first;
	row->last = last;
	return row;
}

static void put_between(struct sink *sink, const char *name, uint64_t first, uint64_t last)
{
	struct run_counter *row = put_row(sink, first, last);
	size_t length = strlen(name);

	assert(length < sizeof(row->name));
	memcpy(row->name, name, length + 1);
}

static void put(struct sink *sink, const char *name, uint64_t value)
{
	put_between(sink, name, 0, value);
}

/* Carrier is also lost and found between the stages; the counter knows. */
static void put_carrier(struct sink *sink, uint32_t port)
{
	struct sim *sim = sink->sim;
	uint64_t before = fault_carrier_changes(
		sim->fabric, sim->fabric->ports[port].link, sim->config->t0_ns);

	put_between(sink, C_CARRIER_CHANGES, before, before + sim->ports[port].carrier_changes);
}

/* format: one of our counter names with a %u for the priority. */
static void put_prio(struct sink *sink, const char *format, unsigned prio, uint64_t value)
{
	struct run_counter *row = put_row(sink, 0, value);
	size_t length = strlen(format), before = (size_t)(strchr(format, '%') - format);

	assert(prio < 10 && length <= sizeof(row->name));
	memcpy(row->name, format, before);
	row->name[before] = (char)('0' + prio);
	memcpy(row->name + before + 1, format + before + 2, length - before - 1);
}

static void put_time(struct sink *sink, const char *format, unsigned prio, uint64_t ps)
{
	if (ps != NEVER)
		put_prio(sink, format, prio, clock_ns(sink->sim, ps));
}

/* Holds that have not ended count up to now. */
static uint64_t so_far(const struct sim *sim, uint64_t ended, bool going_on, uint64_t since)
{
	return ended + (going_on ? sim->now - since : 0);
}

static void put_lossless(struct sink *sink, uint32_t port, unsigned prio)
{
	struct sim *sim = sink->sim;
	const struct lane *lane = lane_of(sim, port, prio);
	bool held = sim->ports[port].held >> prio & 1;

	put_prio(sink, C_TX_PRIO_PAUSE, prio, lane->pauses_sent);
	put_prio(sink, C_RX_PRIO_PAUSE, prio, lane->pauses_received);
	put_prio(sink, C_TX_PRIO_PAUSE_US, prio,
		so_far(sim, lane->holding_ps, lane->holding, lane->holding_since) / 1000000);
	put_prio(sink, C_RX_PRIO_PAUSE_US, prio,
		so_far(sim, lane->held_ps, held, lane->held_since) / 1000000);
	put_time(sink, C_ECN_BEFORE_PFC_NS, prio, lane->first_pause);
}

static void put_queue(struct sink *sink, uint32_t port, unsigned prio)
{
	const struct lane *lane = lane_of(sink->sim, port, prio);

	put_prio(sink, C_QUEUE_PEAK, prio,
		lane->window_peak > lane->queue_peak ? lane->window_peak : lane->queue_peak);
	put_prio(sink, C_INGRESS_PEAK, prio, lane->account_peak);
	put_prio(sink, C_DROP_BUFFER, prio, lane->buffer_drops);
	put_prio(sink, C_DROP_HEADROOM, prio, lane->headroom_drops);
	put_prio(sink, C_DROP_EGRESS, prio, lane->egress_drops);
	put_time(sink, C_FIRST_DROP_NS, prio, lane->first_drop);
}

static void put_traffic(struct sink *sink, uint32_t port)
{
	struct sim *sim = sink->sim;
	const struct policy *policy = &sim->fabric->policy;
	uint64_t tx_bytes = 0, rx_bytes = 0, tx_packets = 0, rx_packets = 0;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		const struct lane *lane = lane_of(sim, port, prio);

		tx_bytes += lane->tx_bytes;
		rx_bytes += lane->rx_bytes;
		tx_packets += lane->tx_packets;
		rx_packets += lane->rx_packets;
		if (prio != 0 && prio != policy->priority && prio != policy->cnp_priority &&
			!lane->tx_packets && !lane->rx_packets)
			continue;
		put_prio(sink, C_TX_PRIO_BYTES, prio, lane->tx_bytes);
		put_prio(sink, C_RX_PRIO_BYTES, prio, lane->rx_bytes);
		put_prio(sink, C_TX_PRIO_PACKETS, prio, lane->tx_packets);
		put_prio(sink, C_RX_PRIO_PACKETS, prio, lane->rx_packets);
		put_prio(sink, C_TX_PRIO_BUSY_NS, prio, lane->busy_ps / PS_PER_NS);
		if (sim->ports[port].nic == NONE)
			put_queue(sink, port, prio);
	}
	put(sink, C_TX_BYTES, tx_bytes);
	put(sink, C_RX_BYTES, rx_bytes);
	put(sink, C_TX_PACKETS, tx_packets);
	put(sink, C_RX_PACKETS, rx_packets);
	put_carrier(sink, port);
}

static void put_switch_port(struct sink *sink, uint32_t index)
{
	struct sim *sim = sink->sim;
	const struct sim_port *port = &sim->ports[index];
	unsigned prio = sim->fabric->policy.priority;
	const struct lane *lane = lane_of(sim, index, prio);

	put_prio(sink, C_ECN_MARKED, prio, lane->marked);
	put_prio(sink, C_QUEUE_PEAK_ECT, prio, lane->queue_peak_ect);
	put_prio(sink, C_HEADROOM_PEAK, prio, lane->headroom_peak);
	put_time(sink, C_FIRST_MARK_NS, prio, lane->first_mark);
	put(sink, C_RX_DSCP_PACKETS, port->policy_packets);
	put(sink, C_DROP_LINK_DOWN, port->dropped_down);
	put(sink, C_DROP_NO_ROUTE, port->no_route);
	put(sink, C_DROP_OVERSIZE, port->oversize);
	put(sink, C_DROP_POLICER, port->policed);
	put(sink, C_DROP_TTL, port->expired);
	if (port->watchdog_ps)
		put_prio(sink, C_DROP_WATCHDOG, prio, port->watchdog_drops);
}

static void put_nic(struct sink *sink, uint32_t index, const struct qp *sums)
{
	const struct sim_nic *nic = &sink->sim->nics[index];

	put(sink, C_OUT_OF_SEQUENCE, sums->gaps);
	put(sink, C_PACKET_SEQ_ERR, sums->naks);
	put(sink, C_ACK_TIMEOUT, sums->timeouts);
	put(sink, C_RETRY_EXCEEDED, sums->retries);
	put(sink, C_DUPLICATE, sums->duplicates);
	put(sink, C_RNR_NAK, sums->rnrs);
	put(sink, C_OUT_OF_BUFFER, sums->unready);
	put(sink, C_SLOW_RESTART, sums->restarts);
	put(sink, C_NP_CE, sums->ce);
	put(sink, C_NP_CNP_SENT, sums->cnps_sent);
	put(sink, C_RP_CNP_HANDLED, sums->cnps_handled);
	put(sink, C_ICRC_ERRORS, nic->corrupt);
	put(sink, C_DROP_OVERSIZE, sink->sim->ports[nic->port].oversize);
	put(sink, C_TX_POLICY_BYTES, nic->tx_policy_bytes);
	put(sink, C_TX_RDMA_BYTES, nic->tx_rdma_bytes);
	put(sink, C_RX_RDMA_BYTES, nic->rx_rdma_bytes);
	if (nic->drain_byte_ps_q10)
		put_prio(
			sink, C_DROP_BUFFER, sink->sim->fabric->policy.priority, nic->rx_drops);
}

/* What the QPs saw, by NIC: the sender's side and the receiver's. */
static struct qp *nic_sums(const struct sim *sim)
{
	struct qp *sums = zeroed_lines(sim->fabric->nic_count, sizeof(*sums));

	for (uint32_t i = 0; i < sim->qp_count; i++) {
		const struct qp *qp = &sim->qps[i];
		struct qp *src = &sums[qp->src_nic], *dst = &sums[qp->dst_nic];

		src->naks += qp->naks;
		src->timeouts += qp->timeouts;
		src->retries += qp->error;
		src->cnps_handled += qp->cnps_handled;
		src->rnrs += qp->rnrs;
		src->restarts += qp->restarts;
		dst->gaps += qp->gaps;
		dst->duplicates += qp->duplicates;
		dst->unready += qp->unready;
		dst->ce += qp->ce;
		dst->cnps_sent += qp->cnps_sent;
	}
	return sums;
}

static void collect_counters(struct sim *sim, struct sim_result *result)
{
	const struct fabric *fabric = sim->fabric;
	unsigned prio = fabric->policy.priority;
	struct sink sink = { .sim = sim, .result = result };
	struct qp *sums = nic_sums(sim);
	char place[2 * NAME_BYTES];

	sink.row.stage = result->stage.id;
	sink.room = (size_t)fabric->port_count * PORT_ROWS;
	result->counters = zeroed(sink.room, sizeof(*result->counters));
	for (uint32_t port = 0; port < fabric->port_count; port++) {
		uint32_t nic = fabric->ports[port].nic;

		if (fabric->ports[port].link == PORT_NONE)
			continue;
		if (nic == PORT_NONE)
			fabric_port_name(fabric, port, place);
		else
			fabric_nic_name(fabric, nic, place);
		snprintf(sink.row.place, sizeof(sink.row.place), "%.31s", place);
		put_traffic(&sink, port);
		put_lossless(&sink, port, prio);
		if (nic == PORT_NONE)
			put_switch_port(&sink, port);
		else
			put_nic(&sink, nic, &sums[nic]);
	}
	free(sums);
}

/* --- flows, paths, steps --- */

static void sum_flow(struct sim *sim, const struct sim_flow *flow, struct run_flow *row)
{
	uint64_t first = NEVER, last = 0;

	row->complete = true;
	for (uint32_t i = 0; i < flow->plan.qps; i++) {
		const struct qp *qp = &sim->qps[flow->first_qp + i];

		row->bytes_planned += qp->planned_bytes;
		row->bytes_posted += qp->posted_bytes;
		row->bytes_delivered += qp->delivered_bytes;
		row->packets_sent += qp->sent;
		row->packets_resent += qp->resent;
		row->packets_received += qp->received;
		row->timeouts += qp->timeouts;
		row->naks += qp->naks;
		row->out_of_sequence += qp->gaps;
		row->ce_packets += qp->ce;
		row->cnps_sent += qp->cnps_sent;
		row->cnps_handled += qp->cnps_handled;
		row->complete &= qp->delivered_bytes == qp->planned_bytes;
		row->qp_error |= qp->error;
		if (qp->first_ps < first)
			first = qp->first_ps;
		if (qp->last_ps > last)
			last = qp->last_ps;
	}
	row->start_ns = first == NEVER ? sim->config->t0_ns + flow->plan.start_ns
				       : clock_ns(sim, first);
	row->end_ns = row->complete ? clock_ns(sim, last) : 0;
}

static void collect_flows(struct sim *sim, struct sim_result *result)
{
	char name[2 * NAME_BYTES];

	result->flows = zeroed(sim->flow_count, sizeof(*result->flows));
	result->flow_count = sim->flow_count;
	for (uint32_t i = 0; i < sim->flow_count; i++) {
		const struct sim_flow *flow = &sim->flows[i];
		struct run_flow *row = &result->flows[i];

		row->stage = result->stage.id;
		row->flow = i;
		fabric_nic_name(sim->fabric, flow->plan.src, name);
		snprintf(row->src, sizeof(row->src), "%.31s", name);
		fabric_nic_name(sim->fabric, flow->plan.dst, name);
		snprintf(row->dst, sizeof(row->dst), "%.31s", name);
		row->role = flow->plan.role;
		row->not_ect = flow->plan.not_ect;
		row->qps = flow->plan.qps;
		sum_flow(sim, flow, row);
	}
}

static void write_path(
	struct sim *sim, const bool *by_pair, const struct qp *qp, char *text, size_t room)
{
	uint32_t ports[16];
	uint32_t count = routing_path_hashed(sim->routing, by_pair, qp->src_nic, qp->dst_nic,
		qp->sport, ports, COUNT_OF(ports));
	size_t used = 0;
	char name[2 * NAME_BYTES];

	for (uint32_t i = 0; i < count && used < room; i++) {
		fabric_port_name(sim->fabric, ports[i], name);
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ">" : "", name);
	}
}

/* As a trace with the header of the QP would find them. */
static void collect_paths(struct sim *sim, struct sim_result *result)
{
	uint32_t switches = sim->fabric->leaves + sim->fabric->spines;
	bool *by_pair = zeroed(switches, sizeof(*by_pair));

	for (uint32_t i = 0; i < switches; i++)
		by_pair[i] = sim->switches[i].hashing == HASH_PAIR;
	result->paths = zeroed(sim->qp_count, sizeof(*result->paths));
	result->path_count = sim->qp_count;
	for (uint32_t i = 0; i < sim->qp_count; i++) {
		struct run_path *row = &result->paths[i];

		row->stage = result->stage.id;
		row->flow = sim->qps[i].flow;
		row->qp = sim->qps[i].number;
		row->sport = sim->qps[i].sport;
		write_path(sim, by_pair, &sim->qps[i], row->ports, sizeof(row->ports));
	}
	free(by_pair);
}

/* All that a NIC hands to its port is RDMA. */
static void sum_sent(struct sim *sim)
{
	for (uint32_t i = 0; i < sim->fabric->nic_count; i++)
		for (unsigned prio = 0; prio < PRIORITIES; prio++)
			sim->nics[i].tx_rdma_bytes +=
				lane_of(sim, sim->nics[i].port, prio)->tx_bytes;
}

/* What is on a link when the window closes has not been sent: so a ledger of
 * both ends of the link comes out even. */
static void take_back(struct sim *sim)
{
	for (uint32_t port = 0; port < sim->fabric->port_count; port++)
		for (const struct packet *packet = sim->ports[port].pipe_head;
			packet && packet != sim->ports[port].ahead; packet = packet->next) {
			struct lane *lane;

			lane = lane_of(sim, port,
				sim->ports[port].nic == NONE
					? packet->in->prio
					: sim->ports[port].map[packet->class]);
			lane->tx_packets--;
			lane->tx_bytes -= packet->frame;
		}
}

void sim_collect(struct sim *sim, uint32_t id, struct sim_result *result)
{
	struct run_stage *stage = &result->stage;
	size_t steps = (size_t)sim->stage->ring.ranks * sim->ring.steps;

	stage->id = id;
	snprintf(stage->name, sizeof(stage->name), "%s", sim->stage->name);
	snprintf(stage->note, sizeof(stage->note), "%s", sim->stage->note);
	stage->layer = sim->stage->layer;
	stage->variant = sim->stage->variant;
	stage->repeat = sim->stage->repeat;
	stage->subject = sim->stage->subject;
	stage->expected_ns = sim->stage->expected_ns;
	stage->deadline_ns = sim->stage->deadline_ns;
	stage->t0_ns = sim->config->t0_ns;
	stage->t1_ns = clock_ns(sim, sim->now);
	sum_sent(sim);
	take_back(sim);
	collect_flows(sim, result);
	collect_paths(sim, result);
	collect_counters(sim, result);
	for (size_t i = 0; i < steps; i++)
		sim->ring.rows[i].stage = id;
	result->steps = sim->ring.rows;
	result->step_count = steps;
	sim->ring.rows = NULL;
	for (size_t i = 0; i < sim->sample_count; i++)
		sim->samples[i].stage = id;
	result->samples = sim->samples;
	result->sample_count = sim->sample_count;
	sim->samples = NULL;
	result->totals = sim->totals;
}
