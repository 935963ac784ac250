/*
 * sim_parts - what the files of the simulator offer one another; nobody else includes it.
 * The state that they all work on is in sim_state.h.
 */
#ifndef FABRIC_SIM_PARTS_H
#define FABRIC_SIM_PARTS_H

#include "fabric/sim_state.h"

enum port_event {
	PORT_ARRIVE, /* the first: its events have the numbers of the ports */
	PORT_TX,
	PORT_HOLD_END,
	PORT_REFRESH,
	PORT_WATCHDOG,
	PORT_PFC,
	PORT_EVENTS
};
enum qp_event { QP_PACE, QP_TIMEOUT, QP_EVENTS };
enum misc_event { MISC_FAULT, MISC_REROUTE, MISC_SAMPLE, MISC_EVENTS };

static inline uint32_t port_event(const struct sim *sim, uint32_t port, enum port_event event)
{
	return event * sim->port_count + port;
}

static inline uint32_t qp_event(const struct sim *sim, uint32_t qp, enum qp_event event)
{
	return sim->event_qps + qp * QP_EVENTS + event;
}

static inline size_t lane_index(const struct sim *sim, uint32_t port, unsigned prio)
{
	return (size_t)prio * sim->port_count + port;
}

static inline void packet_ended(struct sim *sim, uint32_t port, unsigned prio)
{
	sim->ended[lane_index(sim, port, prio)]++;
}

static inline uint32_t way_of(uint32_t qp, bool back)
{
	return (qp * 2 + back) * WAY_PORTS;
}

static inline struct lane *lane_of(struct sim *sim, uint32_t port, unsigned prio)
{
	return &sim->lanes[lane_index(sim, port, prio)];
}

static inline uint32_t xorshift(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/* How long bytes take at a rate given in ps a byte, in 1/1024. */
static inline uint64_t serialize_ps(uint64_t bytes, uint64_t byte_ps_q10)
{
	return bytes * byte_ps_q10 >> 10;
}

/* Behind what is on the link that leaves the port, which sends it until busy_until. */
static inline void link_put(
	struct sim *sim, struct sim_port *port, uint32_t port_index, struct packet *packet)
{
	uint64_t arrival = port->busy_until + port->delay_ps;

	packet->arrival = port->tail_arrival = arrival;
	packet->next = NULL;
	if (!port->pipe_head) {
		port->pipe_head = packet;
		if (!wheel_pending(&sim->wheel, port_event(sim, port_index, PORT_ARRIVE)))
			wheel_at(
				&sim->wheel, port_event(sim, port_index, PORT_ARRIVE), arrival);
	} else {
		port->pipe_tail->next = packet;
		port->pipe_tail->next_arrival = arrival;
	}
	port->pipe_tail = packet;
}

static inline void set_bit(uint64_t *bits, uint32_t bit)
{
	bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* What QP q of qps carries of a flow: an even part, the rest to the first ones. */
static inline uint64_t qp_share(uint64_t bytes, uint32_t qps, uint32_t q)
{
	return bytes / qps + (q < bytes % qps);
}

/* A time of the stage on the run's clock. */
static inline uint64_t clock_ns(const struct sim *sim, uint64_t ps)
{
	return sim->config->t0_ns + ps / PS_PER_NS;
}

/* sim_packet.c */
struct packet *packets_more(struct sim *sim);

/* The caller fills it. */
static inline struct packet *packet_new(struct sim *sim)
{
	struct packet *packet = sim->packet_free;

	if (!packet)
		return packets_more(sim);
	sim->packet_free = packet->next;
	return packet;
}

static inline void packet_free(struct sim *sim, struct packet *packet)
{
	sim->live -= packet->kind != PACKET_PFC;
	packet->next = sim->packet_free;
	sim->packet_free = packet;
}

/* When a port that has something to send is free, if no event is to come then anyway. */
static inline void come_back(struct sim *sim, const struct sim_port *port, uint32_t port_index)
{
	if (!wheel_pending(&sim->wheel, port_event(sim, port_index, PORT_TX)))
		wheel_at(&sim->wheel, port_event(sim, port_index, PORT_TX), port->busy_until);
}

/* sim_port.c: what leaves a port and what holds it */
void port_kick(struct sim *sim, uint32_t port);
void port_enqueue(struct sim *sim, uint32_t port, unsigned prio, struct packet *packet);
void port_pause_received(struct sim *sim, uint32_t port, uint32_t masks);
void port_hold_end_event(struct sim *sim, uint32_t port);
void port_refresh_event(struct sim *sim, uint32_t port);
void port_pfc_event(struct sim *sim, uint32_t port);
void port_tell_xoff(struct sim *sim, uint32_t port, unsigned prio);
void port_tell_xon(struct sim *sim, uint32_t port, unsigned prio);
struct packet *port_pop(struct sim *sim, uint32_t port, unsigned prio);
void port_release(struct sim *sim, uint32_t port, unsigned prio);
void port_down(struct sim *sim, uint32_t port);
void port_up(struct sim *sim, uint32_t port);

/* sim_watchdog.c */
void watchdog_look(struct sim *sim, uint32_t port, uint64_t when);
bool watchdog_forwards(const struct sim *sim, uint32_t port, unsigned prio);
void watchdog_put_off(struct sim *sim, uint32_t port, unsigned prio);
void port_watchdog_event(struct sim *sim, uint32_t port);

/* sim_ahead.c: queues whose departures are known in advance */
void ahead_settle(struct sim *sim, uint32_t port);
void ahead_settle_switch(struct sim *sim, struct sim_switch *sw);
void ahead_settle_all(struct sim *sim);
void ahead_uncount_all(struct sim *sim);
void ahead_end(struct sim *sim, uint32_t port);
void ahead_wake_switch(struct sim *sim, struct sim_switch *sw);
void ahead_event(struct sim *sim, uint32_t port);

/* sim_switch.c: what the usual way of a packet does not cover; out: NONE without a route */
void switch_pass(
	struct sim *sim, uint32_t in, unsigned prio, uint32_t out, struct packet *packet);
void switch_release(struct sim *sim, const struct packet *packet);

/* sim_nic.c: the port side of a NIC */
void nic_arrive(struct sim *sim, uint32_t port, struct packet *packet);
void nic_qp_ready(struct sim *sim, uint32_t qp);
void nic_qp_idle(struct sim *sim, uint32_t qp);
void nic_drain_event(struct sim *sim, uint32_t nic);
void nic_send_control(struct sim *sim, uint32_t nic, enum packet_kind kind, uint32_t qp,
	uint32_t psn, uint32_t beyond);

/* sim_send.c */
struct packet *nic_next(struct sim *sim, uint32_t port, unsigned prio);
bool nic_send_data(struct sim *sim, uint32_t port);
void port_tx_event(struct sim *sim, uint32_t port);
void qp_pace_event(struct sim *sim, uint32_t qp);
void nic_append(struct sim *sim, struct sim_nic *nic, uint32_t qp);
void nic_clear_ready(struct sim *sim, const struct sim_nic *nic, unsigned prio);

/* sim_qp.c: the transport */
void qp_post(struct sim *sim, uint32_t qp, uint64_t bytes);

/* What packet psn of a QP carries: payload bytes, first and last of its message. */
struct piece {
	uint32_t payload;
	bool first, last;
};
static inline struct message *message_at(const struct qp *qp, uint32_t place)
{
	return &qp->messages[(qp->message_first + place) & (qp->message_room - 1)];
}

static inline struct piece message_piece(
	const struct sim *sim, const struct message *message, uint32_t psn)
{
	uint32_t place = psn - message->first_psn, mtu = sim->fabric->mtu_bytes;
	bool last = place + 1 == message->packets;

	return (struct piece){
		.payload = last ? (uint32_t)(message->bytes - (uint64_t)place * mtu) : mtu,
		.first = place == 0,
		.last = last,
	};
}

static inline void qp_arm_timer(struct sim *sim, struct qp *qp)
{
	uint32_t event = qp_event(sim, (uint32_t)(qp - sim->qps), QP_TIMEOUT);

	qp->rto_deadline = sim->now + qp->rto_ps;
	if (!wheel_pending(&sim->wheel, event))
		wheel_at(&sim->wheel, event, qp->rto_deadline);
}

struct piece qp_piece(const struct sim *sim, const struct qp *qp, uint32_t psn);

/* The packet at rcv_nxt is taken. */
static inline void qp_take(struct sim *sim, struct qp *qp, uint32_t payload)
{
	qp->rcv_nxt++;
	qp->nak_sent = false;
	qp->delivered_bytes += payload;
	qp->last_ps = sim->now;
	sim->nics[qp->dst_nic].delivered_bytes += payload;
}

void qp_deliver(struct sim *sim, struct qp *qp, uint32_t payload, bool last);
void qp_wake(struct sim *sim, uint32_t qp);
void qp_receive(struct sim *sim, const struct packet *packet);
void qp_acknowledged(struct sim *sim, const struct packet *packet);
void qp_timeout_event(struct sim *sim, uint32_t qp);

/* sim_repeat.c: selective repeat */
bool repeat_hole(const struct qp *qp, uint32_t *psn);
bool repeat_has_data(const struct qp *qp);
void repeat_receive(struct sim *sim, struct qp *qp, const struct packet *packet);
void repeat_acknowledged(struct qp *qp, uint32_t from, uint32_t to);
void repeat_nak(struct qp *qp, uint32_t psn);
void repeat_timeout(struct qp *qp);

static inline bool qp_has_data(const struct qp *qp)
{
	if (qp->error)
		return false;
	return qp->repeat ? repeat_has_data(qp) : qp->snd_nxt != qp->snd_end;
}

/* sim_dcqcn.c */
void dcqcn_cnp(struct sim *sim, struct qp *qp);
void dcqcn_restart(struct sim *sim, struct qp *qp);
uint64_t dcqcn_gap_ps(struct sim *sim, struct qp *qp, uint32_t wire_bytes);

/* sim_after.c: flows that wait for others */
int after_check(const struct plan_stage *stage, struct diag *diag);
void after_setup(struct sim *sim);
void after_post(struct sim *sim, uint32_t flow);
void after_delivered(struct sim *sim, uint32_t flow);

/* sim_ring.c */
void ring_start(struct sim *sim);
void ring_arrived(struct sim *sim, struct qp *qp);
void ring_acknowledged(struct sim *sim, struct qp *qp);
void ring_post_event(struct sim *sim, uint32_t flow);

/* sim_fault.c */
bool fault_holds(const struct fault *fault, uint64_t t_ns);
bool fault_concerns(const struct fabric *fabric, const struct fault *fault, uint32_t port);
bool fault_cuts(const struct fabric *fabric, const struct fault *fault, uint32_t link);
uint64_t fault_carrier_changes(const struct fabric *fabric, uint32_t link, uint64_t t_ns);
void fault_start(struct sim *sim);
void fault_event(struct sim *sim);
void reroute_event(struct sim *sim);

/* sim_fault_port.c: a port, its NIC and switch as the file and the faults have them now. */
void fault_configure(struct sim *sim, uint32_t port);

/* sim_fault_route.c */
int fault_wire(struct sim *sim, struct diag *diag);
void fault_tables(struct sim *sim);

/* sim_trouble.c: hooks for ports with a fault. The first two free the packet and
 * return true when it goes no further. */
bool trouble_on_the_wire(struct sim *sim, uint32_t port, struct packet *packet);
bool trouble_in_the_switch(struct sim *sim, uint32_t in, uint32_t out, struct packet *packet);
unsigned trouble_turn(struct sim *sim, uint32_t port, unsigned mask);
uint32_t trouble_entropy(const struct sim *sim, uint32_t sw, const struct packet *packet);

/* sim_result.c */
void sample_event(struct sim *sim);
void sim_collect(struct sim *sim, uint32_t id, struct sim_result *result);

/* sim_setup.c */
int sim_check(
	const struct sim_config *config, const struct plan_stage *stage, struct diag *diag);
void sim_setup(struct sim *sim);

/* sim_tap.c: only with a tap. sent and received: a packet that port sends, or takes in;
 * posted: the message before snd_end. */
void tap_begin(struct sim *sim);
void tap_end(struct sim *sim);
void tap_posted(struct sim *sim, uint32_t qp, uint64_t bytes);
void tap_sent(struct sim *sim, uint32_t port, const struct packet *packet);
void tap_received(struct sim *sim, uint32_t port, const struct packet *packet);

/* sim_ledger.c: conservation, asserted */
void ledger_check(struct sim *sim);

/* sim_hop.c */
void sim_events(struct sim *sim, struct run_stage *stage);

/* sim.c */
void sim_dispatch(struct sim *sim, uint32_t id);
bool sim_done(const struct sim *sim);
void flow_post(struct sim *sim, uint32_t flow);
void flow_qp_done(struct sim *sim, struct qp *qp);

#endif
