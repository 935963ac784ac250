/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reaction point of DCQCN (Zhu et al., SIGCOMM 2015, section 5). Its timers
 * are worked off when a packet is sent or a CNP comes, for between the two the
 * rate shows nowhere.
 */
#include "fabric/sim_parts.h"

#define ALPHA_ONE (UINT32_C(1) << 20)

static void decay_alpha(const struct sim *sim, struct qp *qp)
{
	const struct dcqcn *dcqcn = &sim->fabric->policy.dcqcn;
	uint64_t period = dcqcn->alpha_period_ns * PS_PER_NS;
	uint64_t periods = (sim->now - qp->alpha_at) / period;

	qp->alpha_at += periods * period;
	for (; periods && qp->alpha_q20 >> dcqcn->g_shift; periods--)
		qp->alpha_q20 -= qp->alpha_q20 >> dcqcn->g_shift;
}

void dcqcn_cnp(struct sim *sim, struct qp *qp)
{
	const struct dcqcn *dcqcn = &sim->fabric->policy.dcqcn;

	if (!qp->limited) {
		qp->limited = true;
		qp->rate_bps = sim->nics[qp->src_nic].line_bps;
	}
	decay_alpha(sim, qp);
	qp->target_bps = qp->rate_bps;
	qp->rate_bps -= (qp->rate_bps >> 21) * qp->alpha_q20 +
			((qp->rate_bps & (2 * ALPHA_ONE - 1)) * qp->alpha_q20 >> 21);
	if (qp->rate_bps < dcqcn->min_rate_bps)
		qp->rate_bps = dcqcn->min_rate_bps;
	qp->alpha_q20 += (ALPHA_ONE - qp->alpha_q20) >> dcqcn->g_shift;
	qp->alpha_at = qp->timer_at = sim->now;
	qp->timer_count = qp->byte_count = 0;
	qp->bytes_since = 0;
}

/* A NIC that takes a loss for congestion: it goes on at a share of its line, and has
 * no faster way back than additive steps. */
void dcqcn_restart(struct sim *sim, struct qp *qp)
{
	const struct sim_nic *nic = &sim->nics[qp->src_nic];
	uint64_t rate = nic->line_bps / 1000 * (nic->restart_ppb / 1000) / 1000;

	if (!nic->restart_ppb || (qp->limited && qp->rate_bps <= rate))
		return;
	qp->restarts++;
	qp->limited = true;
	qp->rate_bps = qp->target_bps = rate;
	qp->timer_at = sim->now;
	qp->timer_count = sim->fabric->policy.dcqcn.fast_recovery;
	qp->byte_count = 0;
	qp->bytes_since = 0;
}

static void increase(struct sim *sim, struct qp *qp)
{
	const struct dcqcn *dcqcn = &sim->fabric->policy.dcqcn;
	const struct sim_nic *nic = &sim->nics[qp->src_nic];
	uint64_t line = nic->line_bps;
	uint32_t most = qp->timer_count, least = qp->byte_count;

	if (most < least) {
		most = qp->byte_count;
		least = qp->timer_count;
	}
	if (least > dcqcn->fast_recovery)
		qp->target_bps += (least - dcqcn->fast_recovery) * nic->rhai_bps;
	else if (most > dcqcn->fast_recovery)
		qp->target_bps += nic->rai_bps;
	if (qp->target_bps > line)
		qp->target_bps = line;
	qp->rate_bps = (qp->target_bps + qp->rate_bps) / 2;
	if (qp->rate_bps >= line - line / 1000)
		qp->limited = false;
}

/* How long after this packet the next may go; accounts for its bytes. */
uint64_t dcqcn_gap_ps(struct sim *sim, struct qp *qp, uint32_t wire_bytes)
{
	const struct dcqcn *dcqcn = &sim->fabric->policy.dcqcn;
	uint64_t period = dcqcn->increase_period_ns * PS_PER_NS;
	uint64_t rate = sim->nics[qp->src_nic].line_bps;

	if (qp->limited) {
		qp->bytes_since += wire_bytes;
		while (qp->limited && sim->now - qp->timer_at >= period) {
			qp->timer_at += period;
			qp->timer_count++;
			increase(sim, qp);
		}
		while (qp->limited && qp->bytes_since >= dcqcn->increase_bytes) {
			qp->bytes_since -= dcqcn->increase_bytes;
			qp->byte_count++;
			increase(sim, qp);
		}
		if (qp->limited)
			rate = qp->rate_bps;
	}
	if (qp->app_bps && qp->app_bps < rate)
		rate = qp->app_bps;
	return (uint64_t)wire_bytes * 8 * PS_PER_S / rate;
}
