/* SPDX-License-Identifier: Apache-2.0 */
/* A port, and the NIC or switch behind it, as the fabric file has them and then every
 * fault that holds and concerns it, in the file's order. */
#include "fabric/sim_fault.h"

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
	nic->restart_ppb = 0;
	nic->unready = 0;
}

/* What the fabric file says of a port, without any fault. */
static void reset(const struct fault_at *at, uint32_t index)
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
	port->headroom_bytes = (uint32_t)fabric_headroom(fabric, fabric->ports[index].link);
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
			.forwarding = at->trouble->forwarding,
		};
}

/* A way that has become shorter: the port is silent until what is on the long
 * one has arrived, for packets on a cable do not overtake each other. */
static void keep_order(const struct fault_at *at, uint64_t delay_ps, uint64_t wire_ps)
{
	struct sim_port *port = at->port;
	uint64_t last = 0;

	if (port->pipe_head && port->delay_ps < delay_ps)
		last = port->pipe_tail->arrival - port->delay_ps;
	if (port->pfc_head && port->wire_ps < wire_ps &&
		port->pfc_tail->arrival - port->wire_ps > last)
		last = port->pfc_tail->arrival - port->wire_ps;
	if (last > port->busy_until)
		port->busy_until = last;
}

/* What follows from the rest and every packet asks for. */
static void derive(const struct fault_at *at)
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
	const struct fault_at at = {
		.sim = sim,
		.port = port,
		.trouble = sim->troubles ? &sim->troubles[index] : NULL,
		.nic = port->nic == NONE ? NULL : &sim->nics[port->nic],
	};
	uint64_t delay_ps = port->delay_ps, wire_ps = port->wire_ps;

	ahead_end(sim, index); /* it was worked out with what holds no longer */
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		lane_of(sim, index, prio)->easy = lane_of(sim, index, prio)->quiet = 0;
	reset(&at, index);
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		if (fault_holds(fault, clock_ns(sim, sim->now)) &&
			fault_concerns(fabric, fault, index))
			fault_make(&at, fault);
	}
	keep_order(&at, delay_ps, wire_ps);
	derive(&at);
}
