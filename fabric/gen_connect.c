/* SPDX-License-Identifier: Apache-2.0 */
/* How the QPs of both ends come together: by what the control channel tells, by the RDMA
 * connection manager, or as datagrams, which need no more than an address. */
#include "fabric/gen.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/rng.h"

#define CM_STEP_NS (5 * NS_PER_S)
#define CM_ALL_NS (60 * NS_PER_S)
#define LABELS 0x3fffu
#define HALF_BITS 7u

/* Above 2^31 only those who may send raw packets can choose one. */
uint32_t gen_key(const struct gen_plan *plan)
{
	return (uint32_t)rng_derive(plan->seed, UINT64_MAX) & INT32_MAX;
}

/* NICs that take the source port from the label use its lowest 14 bits, and 0 is none. Those of
 * one seed are a permutation drawn by the seed (a Feistel network of four rounds): no two QPs
 * share a port, and none is next to the other, which hashes of switches, and Linux's, would keep
 * together. */
uint32_t gen_flow_label(uint64_t seed, uint32_t qp)
{
	const uint32_t half = (1u << HALF_BITS) - 1;
	uint32_t label = qp;

	do {
		for (uint32_t round = 0; round < 4; round++) {
			uint32_t right = label & half;
			uint64_t mix = rng_derive(seed, round << HALF_BITS | right);

			label = right << HALF_BITS | ((label >> HALF_BITS ^ mix) & half);
		}
	} while (label == LABELS);
	return 1 + label;
}

static struct verbs_path path_of(const struct gen *gen, uint32_t i, const struct gen_end *peer)
{
	const struct gen_plan *plan = &gen->plan;
	struct verbs_path path = {
		.qp_number = peer->qp[i].number,
		.psn = peer->qp[i].psn,
		.mtu_bytes = plan->mtu_bytes,
		.traffic_class = plan->traffic_class,
		.flow_label = gen_flow_label(plan->seed, i),
		.timeout_exp = plan->timeout_exp,
		.retry = plan->retry,
		.reads_in = gen->verbs->reads_in,
		.reads_out = peer->reads < gen->verbs->reads_out ? peer->reads
								 : gen->verbs->reads_out,
	};

	memcpy(path.gid, peer->gid, GID_BYTES);
	return path;
}

static int connect_qp(
	struct gen *gen, uint32_t i, const struct gen_end *peer, struct diag *diag)
{
	struct verbs_path path = path_of(gen, i, peer);
	struct gen_qp *qp = &gen->qps[i];

	qp->number_there = path.qp_number;
	if (gen->plan.cm)
		return 0; /* all at once, below */
	if (gen->plan.datagrams)
		return verbs_address_open(&qp->address, gen->verbs, &path, diag);
	return verbs_qp_connect(&qp->qp, gen->verbs, &path, diag);
}

static void open_rings(struct gen *gen, uint32_t i, const struct gen_end *peer)
{
	const struct gen_plan *plan = &gen->plan;
	bool read = plan->work == VERBS_READ;
	uint64_t base = (uintptr_t)gen->memory.base;
	struct gen_qp *qp = &gen->qps[i];
	struct verbs_ring_plan ring = {
		.work = plan->work,
		.count = plan->depth,
		.every = plan->every,
		.bytes = (uint32_t)plan->bytes,
		.stride = gen->stride,
		.slots = plan->slots,
		.local = base + (read ? gen_receive_offset(gen, i) : gen_send_offset(gen, i)),
		.remote = peer->base +
			  (read ? gen_send_offset(gen, i) : gen_receive_offset(gen, i)),
		.lkey = gen->memory.lkey,
		.rkey = peer->rkey,
		.inlined = !read && plan->bytes <= plan->inline_bytes &&
			   plan->bytes <= qp->qp.inline_bytes,
		.id = i,
		.address = plan->datagrams ? &qp->address : NULL,
		.qp_number = qp->number_there,
		.key = gen_key(plan),
	};

	if (gen_sends(gen))
		verbs_ring_sends(&qp->sends, &qp->qp, &ring);
	ring.local = base + gen_receive_offset(gen, i);
	ring.count = gen->receives;
	ring.slots = gen->arrival_slots;
	ring.bytes += plan->datagrams ? VERBS_GRH_BYTES : 0;
	if (gen_receives(gen))
		verbs_ring_receives(&qp->receives, &qp->qp, &ring);
}

/* --- by the connection manager --- */

static void cm_ends(struct gen *gen, const struct gen_end *peer, struct rdmacm_end *ends)
{
	for (uint32_t i = 0; i < gen->plan.qps; i++)
		ends[i] = (struct rdmacm_end){
			.qp = &gen->qps[i].qp,
			.path = path_of(gen, i, peer),
		};
}

static int cm_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag)
{
	struct rdmacm_end ends[VERBS_QPS_MAX];

	if (!peer->cm_port)
		return diag_error(diag, -EPROTO,
			"%s takes no connections by the connection manager", gen->peer);
	cm_ends(gen, peer, ends);
	return rdmacm_connect(&gen->cm, gen->verbs, peer->gid, (uint16_t)peer->cm_port,
		peer->cm_word, ends, gen->plan.qps, CM_STEP_NS, diag);
}

int gen_accept(struct gen *gen, const struct control *control, struct diag *diag)
{
	static const struct gen_end nobody; /* the manager knows where the peer is */
	struct rdmacm_end ends[VERBS_QPS_MAX];

	cm_ends(gen, &nobody, ends);
	return rdmacm_accept(&gen->cm, ends, gen->plan.qps, control->fd, CM_ALL_NS, diag);
}

/* --- all --- */

int gen_connect(struct gen *gen, const struct gen_end *peer, struct diag *diag)
{
	int err = 0;

	gid_print(peer->gid, gen->peer);
	if (gen->plan.work == VERBS_READ && gen->active &&
		(!peer->reads || !gen->verbs->reads_out))
		return diag_error(diag, -EOPNOTSUPP,
			"%s can%s answer READs, and %s can%s ask for them: choose another --op",
			gen->peer, peer->reads ? "" : "not", gen->verbs->device,
			gen->verbs->reads_out ? "" : "not");
	for (uint32_t i = 0; i < gen->plan.qps && !err; i++) {
		err = connect_qp(gen, i, peer, diag);
		if (err)
			break;
		open_rings(gen, i, peer);
		if (gen_receives(gen))
			err = verbs_ring_post(
				&gen->qps[i].receives, gen->qps[i].receives.count, false);
		if (err)
			return diag_system(
				diag, err, "QP %u: posting receives", gen->qps[i].qp.number);
	}
	if (!err && gen->plan.cm && gen->active)
		err = cm_connect(gen, peer, diag);
	gen->now_ns = gen->start_ns = clock_ns();
	return err;
}
