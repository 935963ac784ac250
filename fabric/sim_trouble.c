/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What faults do to single packets. A port that no fault concerns never comes
 * here: its byte of trouble is 0. What a fault asks for stands in its struct
 * trouble, which fabric/sim_fault.c fills.
 */
#include "fabric/sim_parts.h"

static bool happens(struct sim_port *port, uint32_t probability)
{
	return probability && xorshift(&port->random) <= probability;
}

/* Two states a packet (Gilbert 1960, Elliott 1963): while bad, all is lost. */
static bool burst_takes(struct sim_port *port, struct trouble *trouble)
{
	if (trouble->to_bad == 0)
		return false;
	trouble->bad = trouble->bad ? !happens(port, trouble->to_good)
				    : happens(port, trouble->to_bad);
	return trouble->bad;
}

/* The probability of loss that grows with time, as it is now. */
static uint32_t risen(const struct sim *sim, const struct trouble *trouble)
{
	uint64_t since;

	if (trouble->rising_loss == 0)
		return 0;
	since = clock_ns(sim, sim->now) - trouble->rise_from_ns;
	if (since >= trouble->rise_ns)
		return trouble->rising_loss;
	return (uint32_t)(since * (UINT64_C(1) << 20) / trouble->rise_ns *
				  trouble->rising_loss >>
			  20);
}

static bool end_of(struct sim *sim, uint64_t *counter, uint64_t *total, struct packet *packet)
{
	++*counter;
	++*total;
	packet_free(sim, packet);
	return true;
}

/* What has just been sent by a port. A frame that is too large for the peer is
 * counted there as received, for it was, and goes no further. */
bool trouble_on_the_wire(struct sim *sim, uint32_t index, struct packet *packet)
{
	struct sim_port *port = &sim->ports[index], *peer = &sim->ports[port->peer];
	struct trouble *trouble = &sim->troubles[index];

	if (!(port->trouble & TROUBLE_WIRE))
		return false;
	if (happens(port, trouble->loss) || happens(port, risen(sim, trouble)) ||
		burst_takes(port, trouble) ||
		(packet->kind == PACKET_CNP && happens(port, trouble->cnp_loss)))
		return end_of(sim, &port->lost, &sim->totals.lost_on_links, packet);
	if (trouble->frame_max && packet->frame > trouble->frame_max) {
		struct lane *lane = lane_of(sim, port->peer, peer->map[packet->class]);

		lane->rx_packets++;
		packet_ended(sim, port->peer, peer->map[packet->class]);
		lane->rx_bytes += packet->frame;
		peer->policy_packets += packet->class == CLASS_POLICY;
		return end_of(sim, &peer->oversize, &sim->totals.dropped_oversize, packet);
	}
	packet->corrupt |= happens(port, trouble->corrupt);
	return false;
}

/* A token bucket as a clock: each packet moves it on by what it takes at the
 * policed rate, and one that would move it past now plus the burst is dropped. */
static bool policed(const struct sim *sim, struct trouble *trouble, uint32_t bytes)
{
	uint64_t burst = serialize_ps(TROUBLE_POLICE_BURST, trouble->police_byte_ps_q10);
	uint64_t took = serialize_ps(bytes, trouble->police_byte_ps_q10);

	if (trouble->police_byte_ps_q10 == 0)
		return false;
	if (trouble->police_at < sim->now)
		trouble->police_at = sim->now;
	if (trouble->police_at + took > sim->now + burst)
		return true;
	trouble->police_at += took;
	return false;
}

/* Whose counter, of packets dropped inside a switch, this packet is for; NULL: it
 * goes on. */
static uint64_t *taken_by(
	struct sim *sim, uint32_t in, uint32_t out, struct packet *packet, uint64_t **total)
{
	struct sim_port *from = &sim->ports[in];
	struct trouble *entering = &sim->troubles[in];
	const struct trouble *leaving = &sim->troubles[out];

	if (from->trouble & TROUBLE_SWITCH) {
		*total = &sim->totals.dropped_hidden;
		if ((entering->hidden_above && packet->frame > entering->hidden_above) ||
			(entering->hidden_flows &&
				route_pick(packet->entropy, ~in, UINT32_MAX) <
					entering->hidden_flows))
			return &entering->hidden; /* no counter of the switch's */
		*total = &sim->totals.dropped_policer;
		if (policed(sim, entering, packet->frame + GAP_BYTES))
			return &from->policed;
	}
	if (!(sim->ports[out].trouble & TROUBLE_SWITCH))
		return NULL;
	*total = &sim->totals.dropped_no_route;
	if (leaving->black_hole)
		return &from->no_route;
	*total = &sim->totals.dropped_expired;
	if (leaving->forced && ++packet->forced == 0)
		return &from->expired;
	return NULL;
}

/* A packet inside a switch, on its way from one port to another. */
bool trouble_in_the_switch(struct sim *sim, uint32_t in, uint32_t out, struct packet *packet)
{
	uint64_t *total, *counter = taken_by(sim, in, out, packet, &total);

	if (!counter)
		return false;
	packet_ended(sim, in, sim->ports[in].map[packet->class]);
	return end_of(sim, counter, total, packet);
}

/* The lossless priority gets its share of the turns while others wait too. */
unsigned trouble_turn(struct sim *sim, uint32_t index, unsigned mask)
{
	struct sim_port *port = &sim->ports[index];
	unsigned lossless = 1u << sim->fabric->policy.priority, others = mask & ~lossless;

	if (others == 0 ||
		(mask & lossless && happens(port, sim->troubles[index].lossless_share)))
		return (unsigned)__builtin_ctz(mask & lossless ? mask & lossless : mask);
	return (unsigned)__builtin_ctz(others);
}

/* What a switch whose hash is not as it should be takes for the 5-tuple. */
uint32_t trouble_entropy(const struct sim *sim, uint32_t sw, const struct packet *packet)
{
	uint32_t here = packet->dst_nic, there = sim->qps[packet->qp].src_nic;

	if (sim->switches[sw].hashing == HASH_PACKET)
		return packet->entropy ^ (uint32_t)(sim->now >> 10) * UINT32_C(0x9e3779b1);
	if (there == here)
		there = sim->qps[packet->qp].dst_nic;
	return route_entropy(there, here, 0);
}
