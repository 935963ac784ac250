/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of fault makes of a port, and of the NIC or switch behind it: one
 * function a kind. */
#include "fabric/sim_fault.h"

#define ETHERNET_BYTES 18u /* header and FCS round an IP packet */

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

static void loss(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->loss = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

/* A share p lost in bursts of b packets on the mean: out of the bad state with
 * 1/b, into it with p / (1 - p) / b. */
static void burst_loss(const struct fault_at *at, const struct fault *fault)
{
	uint64_t into = fault->amount_ppb * PPB / (PPB - fault->amount_ppb) / fault->burst;

	at->trouble->to_good = UINT32_MAX / fault->burst;
	at->trouble->to_bad = probability(into);
	at->port->trouble |= TROUBLE_WIRE;
}

static void rising_loss(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->rising_loss = probability(fault->amount_ppb);
	at->trouble->rise_from_ns = fault->from_ns;
	at->trouble->rise_ns = fault->period_ns;
	at->port->trouble |= TROUBLE_WIRE;
}

static void corrupt(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->corrupt = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

static void cnp_loss(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->cnp_loss = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_WIRE;
}

static void delay(const struct fault_at *at, const struct fault *fault)
{
	at->port->delay_ps += fault->amount_ns * PS_PER_NS;
	at->port->wire_ps += fault->amount_ns * PS_PER_NS;
}

static void rate(const struct fault_at *at, const struct fault *fault)
{
	at->port->byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
}

/* The port's peer is what takes in no more: see fault_concerns(). */
static void mtu(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->frame_max = (uint32_t)fault->amount_count + ETHERNET_BYTES;
	at->port->trouble |= TROUBLE_WIRE;
}

static void pfc_off(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->port->pfc = false;
}

static void ecn_off(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->port->ecn = false;
}

static void dscp_map(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->wrong_dscp = true;
	else
		at->port->map[CLASS_POLICY] = fault->priority;
}

static void cnp_map(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->cnp_as_data = true;
	else
		at->port->map[CLASS_CNP] = fault->priority;
}

static void slow_receiver(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->drain_byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
}

/* What the host sends to itself by way of the NIC comes in beside what the wire brings,
 * and is not paused: the wire has what it leaves. */
static void loopback(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->drain_byte_ps_q10 =
			at->port->byte_ps_q10 * PPB / (PPB - fault->amount_ppb);
}

static void rnr(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->unready = probability(fault->amount_ppb);
}

static void slow_restart(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->restart_ppb = fault->amount_ppb;
}

static void pause_storm(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->storm = true;
}

static void xoff(const struct fault_at *at, const struct fault *fault)
{
	at->port->xoff_bytes = (uint32_t)fault->amount_count;
}

static void headroom(const struct fault_at *at, const struct fault *fault)
{
	at->port->headroom_bytes = scaled(at->port->headroom_bytes, fault->amount_ppb);
}

/* The nearest power of two that is not above the share. */
static void alpha(const struct fault_at *at, const struct fault *fault)
{
	uint8_t shift = 0;

	while (PPB >> shift > fault->amount_ppb && shift < 31)
		shift++;
	at->port->alpha_shift = shift;
	at->port->xoff_bytes = 0;
}

static void ecn(const struct fault_at *at, const struct fault *fault)
{
	at->port->ecn_kmin = scaled(at->port->ecn_kmin, fault->amount_ppb);
	at->port->ecn_kmax = scaled(at->port->ecn_kmax, fault->amount_ppb);
}

static void scheduler(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->lossless_share = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_TURNS;
}

static void watchdog(const struct fault_at *at, const struct fault *fault)
{
	at->port->watchdog_ps = fault->amount_ns * PS_PER_NS;
	if (!at->port->restore_ps)
		at->port->restore_ps = at->port->watchdog_ps;
}

static void watchdog_off(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->port->watchdog_ps = 0;
}

static void watchdog_forward(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->trouble->forwards = true;
}

static void policer(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->police_byte_ps_q10 = at->port->byte_ps_q10 * PPB / fault->amount_ppb;
	at->port->trouble |= TROUBLE_SWITCH;
}

static void drop_size(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->hidden_above = (uint32_t)fault->amount_count;
	at->port->trouble |= TROUBLE_SWITCH;
}

static void drop_flows(const struct fault_at *at, const struct fault *fault)
{
	at->trouble->hidden_flows = probability(fault->amount_ppb);
	at->port->trouble |= TROUBLE_SWITCH;
}

static void black_hole(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->trouble->black_hole = true;
	at->port->trouble |= TROUBLE_SWITCH;
}

/* Which way it leads stands in the tables; here packets that circle are counted. */
static void route(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	at->trouble->forced = true;
	at->port->trouble |= TROUBLE_SWITCH;
}

static struct sim_switch *switch_of(const struct fault_at *at)
{
	return at->port->sw;
}

static void pair_hash(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (switch_of(at))
		switch_of(at)->hashing = HASH_PAIR;
}

static void spray(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (switch_of(at))
		switch_of(at)->hashing = HASH_PACKET;
}

static void cc_off(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->cc_off = true;
}

static void cnp_off(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->cnp_off = true;
}

static void cnp_period(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->cnp_period_ps = fault->amount_ns * PS_PER_NS;
}

static void cc_step(const struct fault_at *at, const struct fault *fault)
{
	const struct dcqcn *dcqcn = &at->sim->fabric->policy.dcqcn;

	if (at->nic) {
		at->nic->rai_bps = dcqcn->rai_bps / 1000 * (fault->amount_ppb / 1000) / 1000;
		at->nic->rhai_bps = dcqcn->rhai_bps / 1000 * (fault->amount_ppb / 1000) / 1000;
	}
}

static void timeout(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->rto_ps = RTO_UNIT_PS << fault->amount_count;
}

static void back_to_zero(const struct fault_at *at, const struct fault *fault)
{
	(void)fault;
	if (at->nic)
		at->nic->back_to_zero = at->nic->was_back_to_zero = true;
}

static void slow_recovery(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->recovery_ps = fault->amount_ns * PS_PER_NS;
}

static void slow_post(const struct fault_at *at, const struct fault *fault)
{
	if (at->nic)
		at->nic->post_ps = fault->amount_ns * PS_PER_NS;
}

static void stall(const struct fault_at *at, const struct fault *fault)
{
	uint64_t t0 = at->sim->config->t0_ns;

	if (at->nic)
		at->nic->stalled_until =
			fault->to_ns == UINT64_MAX ? NEVER : (fault->to_ns - t0) * PS_PER_NS;
}

/* NULL: not a matter of single ports, see fabric/sim_fault.c and _route.c. */
static void (*const kinds[FAULT_KINDS])(const struct fault_at *, const struct fault *) = {
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
	[FAULT_RISING_LOSS] = rising_loss,
	[FAULT_WATCHDOG_FORWARD] = watchdog_forward,
	[FAULT_RNR] = rnr,
	[FAULT_LOOPBACK] = loopback,
	[FAULT_SLOW_RESTART] = slow_restart,
};

void fault_make(const struct fault_at *at, const struct fault *fault)
{
	if (kinds[fault->kind])
		kinds[fault->kind](at, fault);
}
