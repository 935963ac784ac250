/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each kind of fault makes of a port, and of the NIC or switch behind it:
 * one function a kind. They are called after the port was set to what the fabric
 * file says, for every fault that holds and concerns it, in the file's order.
 */
#include "fabric/sim_state.h"
#include "pfc/headroom.h"

#define ETHERNET_BYTES 18u /* header and FCS round an IP packet */

/* A port under repair: nic is NULL on switches. */
struct at {
	struct sim *sim;
	struct sim_port *port;
	struct trouble *trouble;
	struct sim_nic *nic;
};

/* A share of packets, in 2^-32. */
static uint32_t probability(uint64_t ppb)
{
	return (uint32_t)(ppb * UINT32_MAX / PPB);
}

/* value times ppb / 10^9, at least 1 and at most what 32 bits hold. */
static uint32_t scaled(uint64_t value, uint64_t ppb)
{
	uint64_t product = value / 1000 * (ppb / 1000) / 1000 + value % 1000 * ppb / PPB;

	if (product == 0)
		return 1;
	return product < UINT32_MAX ? (uint32_t)product : UINT32_MAX;
}

static void loss(const struct at *at, const struct fault *fault)
{
	at->trouble->loss = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

/* A share p lost in bursts of b packets on the mean: out of the bad state with
 * 1/b, into it with p / (1 - p) / b. */
static void burst_loss(const struct at *at, const struct fault *fault)
{
	uint64_t into = fault->amount_ppb * PPB / (PPB - fault->amount_ppb) / fault->burst;

	at->trouble->to_good = UINT32_MAX / fault->burst;
	at->trouble->to_bad = probability(into);
	at->port->trouble |= TROUBLE_WIRE;
}

static void corrupt(const struct at *at, const struct fault *fault)
{
	at->trouble->corrupt = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

static void cnp_loss(const struct at *at, const struct fault *fault)
{
	at->trouble->cnp_loss = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

static void delay(const struct at *at, const struct fault *fault)
{
	at->port->delay_ps += fault->amount_ns * PS_PER_NS;
	at->port->wire_ps += fault->amount_ns * PS_PER_NS;
}

static void rate(const struct at *at, const struct fault *fault)
{
	at->port->byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
}

/* The port's peer is what takes in no more: see fault_concerns(). */
static void mtu(const struct at *at, const struct fault *fault)
{
	at->trouble->frame_max = (uint32_t)fault->amount_count + ETHERNET_BYTES;
	at->port->trouble |= TROUBLE_WIRE;
}

static void pfc_off(const struct at *at, const struct fault *fault)
{
	(void)fault;
	at->port->pfc = false;
}

static void ecn_off(const struct at *at, const struct fault *fault)
{
	(void)fault;
	at->port->ecn = false;
}

static void dscp_map(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->wrong_dscp = true;
	else
		at->port->map[CLASS_POLICY] = fault->priority;
}

static void cnp_map(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->cnp_as_data = true;
	else
		at->port->map[CLASS_CNP] = fault->priority;
}

static void slow_receiver(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->drain_byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
}

static void pause_storm(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->storm = true;
}

static void xoff(const struct at *at, const struct fault *fault)
{
	at->port->xoff_bytes = (uint32_t)fault->amount_count;
}

static void headroom(const struct at *at, const struct fault *fault)
{
	at->port->headroom_bytes = scaled(at->port->headroom_bytes, fault->amount_ppb);
}

/* The nearest power of two that is not above the share. */
static void alpha(const struct at *at, const struct fault *fault)
{
	uint8_t shift = 0;

	while (PPB >> shift > fault->amount_ppb && shift < 31)
		shift++;
	at->port->alpha_shift = shift;
	at->port->xoff_bytes = 0;
}

static void ecn(const struct at *at, const struct fault *fault)
{
	at->port->ecn_kmin = scaled(at->port->ecn_kmin, fault->amount_ppb);
	at->port->ecn_kmax = scaled(at->port->ecn_kmax, fault->amount_ppb);
}

static void scheduler(const struct at *at, const struct fault *fault)
{
	at->trouble->lossless_share = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_TURNS;
}

static void watchdog(const struct at *at, const struct fault *fault)
{
	at->port->watchdog_ps = fault->amount_ns * PS_PER_NS;
	if (!at->port->restore_ps)
		at->port->restore_ps = at->port->watchdog_ps;
}

static void watchdog_off(const struct at *at, const struct fault *fault)
{
	(void)fault;
	at->port->watchdog_ps = 0;
}

static void policer(const struct at *at, const struct fault *fault)
{
	at->trouble->police_byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
	at->port->trouble |= TROUBLE_SWITCH;
}

static void drop_size(const struct at *at, const struct fault *fault)
{
	at->trouble->hidden_above = (uint32_t)fault->amount_count;
	at->port->trouble |= TROUBLE_SWITCH;
}

static void drop_flows(const struct at *at, const struct fault *fault)
{
	at->trouble->hidden_flows = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_SWITCH;
}

static void black_hole(const struct at *at, const struct fault *fault)
{
	(void)fault;
	at->trouble->black_hole = true;
	at->port->trouble |= TROUBLE_SWITCH;
}

/* Which way it leads stands in the tables; here packets that circle are counted. */
static void route(const struct at *at, const struct fault *fault)
{
	(void)fault;
	at->trouble->forced = true;
	at->port->trouble |= TROUBLE_SWITCH;
}

static struct sim_switch *switch_of(const struct at *at)
{
	return at->nic ? NULL : &at->sim->switches[at->port->node - at->sim->fabric->hosts];
}

static void pair_hash(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (switch_of(at))
		switch_of(at)->hashing = HASH_PAIR;
}

static void spray(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (switch_of(at))
		switch_of(at)->hashing = HASH_PACKET;
}

static void cc_off(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->cc_off = true;
}

static void cnp_off(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->cnp_off = true;
}

static void cnp_period(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->cnp_period_ps = fault->amount_ns * PS_PER_NS;
}

static void cc_step(const struct at *at, const struct fault *fault)
{
	const struct dcqcn *dcqcn = &at->sim->fabric->policy.dcqcn;

	if (at->nic) {
		at->nic->rai_bps = dcqcn->rai_bps / 1000 * (fault->amount_ppb / 1000) / 1000;
		at->nic->rhai_bps = dcqcn->rhai_bps / 1000 * (fault->amount_ppb / 1000) / 1000;
	}
}

static void timeout(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->rto_ps = RTO_UNIT_PS << fault->amount_count;
}

static void back_to_zero(const struct at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->back_to_zero = at->nic->was_back_to_zero = true;
}

static void slow_recovery(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->recovery_ps = fault->amount_ns * PS_PER_NS;
}

static void slow_post(const struct at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->post_ps = fault->amount_ns * PS_PER_NS;
}

static void stall(const struct at *at, const struct fault *fault)
{
	uint64_t t0 = at->sim->config->t0_ns;

	if (at->nic)
		at->nic->stalled_until =
			fault->to_ns == UINT64_MAX ? NEVER : (fault->to_ns - t0) * PS_PER_NS;
}

/* NULL: not a matter of single ports, see fabric/sim_fault.c and _route.c. */
static void (*const kinds[FAULT_KINDS])(const struct at *, const struct fault *) = {
	[FAULT_LOSS] = loss,
	[FAULT_RATE] = rate,
	[FAULT_PFC_OFF] = pfc_off,
	[FAULT_DSCP_MAP] = dscp_map,
	[FAULT_ECN_OFF] = ecn_off,
	[FAULT_SLOW_RECEIVER] = slow_receiver,
	[FAULT_PAUSE_STORM] = pause_storm,
	[FAULT_BURST_LOSS] = burst_loss,
	[FAULT_CORRUPT] = corrupt,
	[FAULT_CNP_LOSS] = cnp_loss,
	[FAULT_DELAY] = delay,
	[FAULT_MTU] = mtu,
	[FAULT_XOFF] = xoff,
	[FAULT_HEADROOM] = headroom,
	[FAULT_ALPHA] = alpha,
	[FAULT_ECN] = ecn,
	[FAULT_SCHEDULER] = scheduler,
	[FAULT_WATCHDOG] = watchdog,
	[FAULT_WATCHDOG_OFF] = watchdog_off,
	[FAULT_POLICER] = policer,
	[FAULT_DROP_SIZE] = drop_size,
	[FAULT_DROP_FLOWS] = drop_flows,
	[FAULT_BLACK_HOLE] = black_hole,
	[FAULT_PAIR_HASH] = pair_hash,
	[FAULT_SPRAY] = spray,
	[FAULT_CNP_MAP] = cnp_map,
	[FAULT_ROUTE] = route,
	[FAULT_CC_OFF] = cc_off,
	[FAULT_CNP_OFF] = cnp_off,
	[FAULT_CNP_PERIOD] = cnp_period,
	[FAULT_CC_STEP] = cc_step,
	[FAULT_TIMEOUT] = timeout,
	[FAULT_BACK_TO_ZERO] = back_to_zero,
	[FAULT_SLOW_RECOVERY] = slow_recovery,
	[FAULT_SLOW_POST] = slow_post,
	[FAULT_STALL] = stall,
};

static void reset_nic(const struct sim *sim, struct sim_nic *nic)
{
	const struct policy *policy = &sim->fabric->policy;

	nic->wrong_dscp = nic->storm = nic->cnp_as_data = false;
	nic->cc_off = nic->cnp_off = nic->back_to_zero = false;
	nic->drain_byte_ps_q10 = 0;
	nic->cnp_period_ps = policy->dcqcn.cnp_period_ns * PS_PER_NS;
	nic->rai_bps = policy->dcqcn.rai_bps;
	nic->rhai_bps = policy->dcqcn.rhai_bps;
	nic->rto_ps = RTO_UNIT_PS << policy->timeout_exp;
	nic->recovery_ps = nic->post_ps = nic->stalled_until = 0;
}

/* What the fabric file says of a port, without any fault. */
static void reset(const struct at *at, uint32_t index)
{
	const struct fabric *fabric = at->sim->fabric;
	const struct policy *policy = &fabric->policy;
	const struct link *link = &fabric->links[fabric->ports[index].link];
	struct sim_port *port = at->port;

	port->trouble = 0;
	port->byte_ps_q10 = 8 * PS_PER_S * 1024 / link->speed_bps;
	port->wire_ps = PS_PER_NS * (link->length_m * UINT64_C(5) + fabric->obey_ns);
	/* A switch takes a packet into account when it is in, and its latency is on the
	 * link that leaves it; that of both NICs on the last link: what a NIC has begun
	 * to send is on the wire at once, and stops at once when it is paused. */
	port->delay_ps = PS_PER_NS * link->length_m * UINT64_C(5);
	if (port->nic == NONE)
		port->delay_ps += PS_PER_NS * fabric->switch_ns;
	if (at->sim->ports[port->peer].nic != NONE)
		port->delay_ps += PS_PER_NS * 2 * fabric->nic_ns;
	port->headroom_bytes =
		(uint32_t)policy_headroom(policy, link->speed_bps, link->length_m);
	port->xoff_bytes = (uint32_t)policy->xoff_bytes;
	port->alpha_shift = policy->alpha_shift & 31;
	port->ecn_kmin = (uint32_t)policy->ecn_kmin_bytes;
	port->ecn_kmax = (uint32_t)policy->ecn_kmax_bytes;
	port->watchdog_ps = policy->watchdog_ns * PS_PER_NS;
	port->restore_ps = policy->watchdog_restore_ns * PS_PER_NS;
	port->pfc = policy->pfc;
	port->ecn = policy->ecn;
	port->map[CLASS_POLICY] = policy->priority;
	port->map[CLASS_CNP] = policy->cnp_priority;
	port->map[CLASS_ZERO] = 0;
	if (at->nic)
		reset_nic(at->sim, at->nic);
	if (at->trouble)
		*at->trouble = (struct trouble){
			.bad = at->trouble->bad,
			.police_at = at->trouble->police_at,
		};
}

/* A way that has become shorter: the port is silent until what is on the long
 * one has arrived, for packets on a cable do not overtake each other. */
static void keep_order(const struct at *at, uint64_t delay_ps, uint64_t wire_ps)
{
	const struct packet *packets = at->sim->packets;
	struct sim_port *port = at->port;
	uint64_t last = 0;

	if (port->pipe_head != NONE && port->delay_ps < delay_ps)
		last = packets[port->pipe_tail].arrival - port->delay_ps;
	if (port->pfc_head != NONE && port->wire_ps < wire_ps &&
		packets[port->pfc_tail].arrival - port->wire_ps > last)
		last = packets[port->pfc_tail].arrival - port->wire_ps;
	if (last > port->busy_until)
		port->busy_until = last;
}

/* What follows from the rest and every packet asks for. */
static void derive(const struct at *at)
{
	struct sim_port *port = at->port;

	port->mark_from = port->ecn ? port->ecn_kmin : UINT32_MAX;
	port->inspects = port->trouble & TROUBLE_SWITCH;
	if (!at->nic)
		return;
	at->nic->data_prio = at->nic->wrong_dscp ? 0 : at->sim->fabric->policy.priority;
	at->nic->data_class = at->nic->wrong_dscp ? CLASS_ZERO : CLASS_POLICY;
}

void fault_configure(struct sim *sim, uint32_t index)
{
	const struct fabric *fabric = sim->fabric;
	struct sim_port *port = &sim->ports[index];
	const struct at at = {
		.sim = sim,
		.port = port,
		.trouble = sim->troubles ? &sim->troubles[index] : NULL,
		.nic = port->nic == NONE ? NULL : &sim->nics[port->nic],
	};
	uint64_t delay_ps = port->delay_ps, wire_ps = port->wire_ps;

	ahead_end(sim, index); /* it was worked out with what holds no longer */
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		lane_of(sim, index, prio)->easy = 0;
	reset(&at, index);
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		if (kinds[fault->kind] && fault_holds(fault, clock_ns(sim, sim->now)) &&
			fault_concerns(fabric, fault, index))
			kinds[fault->kind](&at, fault);
	}
	keep_order(&at, delay_ps, wire_ps);
	derive(&at);
}
