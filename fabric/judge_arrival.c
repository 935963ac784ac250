/* SPDX-License-Identifier: Apache-2.0 */

/*
 * class.arrival: datagrams that a NIC sends with the policy's DSCP arrive with it. Where none
 * of a NIC's does, wherever they go, that NIC is to blame, or the port that it is plugged
 * into: nic.dscp-map. Where only some do not, something on the way of these is.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judge.h"
#include "fabric/judging.h"
#include "lib/grow.h"

/* Stages, and so peers, before all that went wrong is blamed on the sender. */
#define STAGES_LEAST 2u

struct arrival {
	uint64_t arrived, right, dscp; /* dscp: of the last that was not right */
	uint32_t stages;
	struct seen off;
};

struct arrivals {
	struct arrival *nics; /* owned; by NIC */
	struct seen off;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct arrivals *all = zeroed(1, sizeof(*all));

	all->nics = zeroed(judging->fabric->nic_count, sizeof(*all->nics));
	votes_begin(&all->votes, judging->fabric);
	return all;
}

static void look(struct arrivals *all, const struct evidence *evidence, uint32_t nic)
{
	struct arrival *of = &all->nics[nic];
	uint32_t port = evidence->fabric->nics[nic];
	uint64_t arrived = evidence_sum(evidence, port, M_PROBES_ARRIVED);
	uint64_t right = evidence_sum(evidence, port, M_PROBES_RIGHT);

	of->arrived += arrived;
	of->right += right;
	of->stages += arrived > 0;
	if (arrived <= right)
		return;
	of->dscp = evidence_sum(evidence, port, M_PROBES_WRONG_DSCP);
	seen_add(&of->off, &evidence->stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct arrivals *all = state;

	for (uint32_t nic = 0; nic < judging->fabric->nic_count; nic++)
		look(all, evidence, nic);
	for (size_t i = 0; i < evidence->flow_count; i++) {
		uint32_t src = evidence->src[i], port;
		uint64_t arrived, right;

		if (src == PORT_NONE)
			continue;
		port = judging->fabric->nics[src];
		arrived = evidence_sum(evidence, port, M_PROBES_ARRIVED);
		right = evidence_sum(evidence, port, M_PROBES_RIGHT);
		if (arrived)
			votes_add(&all->votes, evidence, i, right < arrived);
		if (right < arrived)
			seen_add(&all->off, &evidence->stage);
	}
}

static bool is_wrong(const struct arrival *of)
{
	return of->right < of->arrived;
}

static bool sends_wrong(const struct arrival *of)
{
	return is_wrong(of) && of->right == 0 && of->stages >= STAGES_LEAST;
}

static void tell_nic(struct judging *judging, uint32_t nic, const struct arrival *of)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	unsigned dscp = judging->fabric->policy.dscp;
	struct finding *finding = judging_cause(
		judging, "nic.dscp-map", "class", CLASS_MAP, of->arrived, &place, &of->off);

	finding_text(finding,
		"none of %" PRIu64 " datagrams that %s sent with DSCP %u arrived with it, at "
		"peers of %u stages: the last came with DSCP %" PRIu64,
		of->arrived, finding->culprit, dscp, of->stages, of->dscp);
	finding_limit(finding, 0, (double)of->arrived, "packets",
		"policy.dscp %u on every RDMA packet", dscp);
	finding_advice(finding,
		"look at what sets the traffic class of RDMA on %s (a class for all QPs under "
		"/sys/class/infiniband/DEVICE/tc, trust mode), then for a remark at its port "
		"of the leaf",
		finding->culprit);
}

static void tell_way(struct judging *judging, struct arrivals *all, uint64_t arrived,
	uint64_t wrong, uint64_t last)
{
	unsigned dscp = judging->fabric->policy.dscp;
	struct finding *finding =
		judging_say(judging, "class.arrival", "class", VERDICT_FAIL, &all->off);

	finding_text(finding,
		"%" PRIu64 " of %" PRIu64 " datagrams sent with DSCP %u arrived with another, "
		"the last with DSCP %" PRIu64
		", and others of the same NICs with the right one",
		wrong, arrived, dscp, last);
	finding_limit(finding, (double)(arrived - wrong), (double)arrived, "packets",
		"policy.dscp %u at every hop", dscp);
	finding_advice(finding,
		"look for a remark of DSCP %u, or a port that does not trust it, on the way",
		dscp);
	judging_complain(judging, &all->votes, &all->off);
}

static void tell_right(struct judging *judging, const struct arrivals *all, uint64_t arrived)
{
	const struct fabric *fabric = judging->fabric;
	uint32_t told = 0, plugged = 0;
	struct finding *finding;

	for (uint32_t nic = 0; nic < fabric->nic_count; nic++) {
		told += all->nics[nic].arrived > 0;
		plugged += fabric_nic_leaf(fabric, nic) != PORT_NONE;
	}
	if (told < plugged &&
		!(judging->layers == JUDGE_ALL && plan_is_whole(judging->info->profile)))
		return;
	finding = judging_say(judging, "class.arrival", "class",
		told < plugged ? VERDICT_UNKNOWN : VERDICT_PASS, NULL);
	finding_text(finding,
		"%" PRIu64
		" datagrams of %u of %u NICs arrived with DSCP %u, as they were sent",
		arrived, told, plugged, fabric->policy.dscp);
	if (told < plugged)
		finding_advice(finding,
			"the class of NICs of which nothing arrived is not proven: see why "
			"their "
			"datagrams (UD) are lost, or whether their driver has none");
}

/* Simulated NICs send no such datagrams; their class is proven by counters. */
static void end(struct judging *judging, void *state, bool speak)
{
	struct arrivals *all = state;
	uint64_t arrived = 0, wrong = 0, last = 0;
	uint32_t blamed = 0;

	for (uint32_t nic = 0; speak && nic < judging->fabric->nic_count; nic++) {
		const struct arrival *of = &all->nics[nic];

		arrived += of->arrived;
		if (sends_wrong(of)) {
			tell_nic(judging, nic, of);
			blamed++;
		} else if (is_wrong(of)) {
			wrong += of->arrived - of->right;
			last = of->dscp;
		}
	}
	if (wrong)
		tell_way(judging, all, arrived, wrong, last);
	else if (speak && !blamed && judging_is_live(judging))
		tell_right(judging, all, arrived);
	votes_free(&all->votes);
	free(all->nics);
	free(all);
}

const struct judge judge_arrival = { begin, stage, end };
