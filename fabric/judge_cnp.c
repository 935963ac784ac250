/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nic.cnp: DCQCN at both ends. A NIC that receives marked packets sends CNPs
 * (nic.cnp-off when it sends none), and one that is sent CNPs handles them
 * (nic.cnp-ignored when it handles none).
 */
#include <inttypes.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "lib/grow.h"

/* One CNP answers many marks (one in 50 us a flow); fewer marks than this in all
 * stages, or fewer CNPs, are too few to blame anybody. */
#define CE_LEAST 100u
#define CNP_LEAST 10u

struct notices {
	uint64_t ce, sent;      /* as a receiver of data */
	uint64_t told, handled; /* as a sender of data */
	struct seen marked, notified;
};

static void *begin(const struct judging *judging)
{
	return zeroed(judging->fabric->nic_count, sizeof(struct notices));
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct notices *nics = state;

	(void)judging;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		if (evidence->src[i] == PORT_NONE || evidence->dst[i] == PORT_NONE)
			continue;
		nics[evidence->dst[i]].ce += flow->ce_packets;
		nics[evidence->dst[i]].sent += flow->cnps_sent;
		nics[evidence->src[i]].told += flow->cnps_sent;
		nics[evidence->src[i]].handled += flow->cnps_handled;
		if (flow->ce_packets)
			seen_add(&nics[evidence->dst[i]].marked, &evidence->stage);
		if (flow->cnps_sent)
			seen_add(&nics[evidence->src[i]].notified, &evidence->stage);
	}
}

static void tell_silent(struct judging *judging, uint32_t nic, const struct notices *notices)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding =
		judging_cause(judging, "nic.cnp-off", plan_layer_name(notices->marked.layer),
			CLASS_ECN, notices->ce, &place, &notices->marked);

	judging_spreads(judging);
	finding_text(finding, "%s received %" PRIu64 " packets marked CE and sent no CNP",
		finding->culprit, notices->ce);
	finding_limit(finding, 0, 1, "CNPs", "DCQCN: a marked packet is answered with a CNP");
	finding_advice(finding,
		"turn the notification point of DCQCN on at %s for priority %u "
		"(roce_np), and compare its settings with a NIC that passes",
		finding->culprit, judging->fabric->policy.priority);
}

static void tell_deaf(struct judging *judging, uint32_t nic, const struct notices *notices)
{
	struct place place = place_port(judging->fabric, judging->fabric->nics[nic]);
	struct finding *finding = judging_cause(judging, "nic.cnp-ignored",
		plan_layer_name(notices->notified.layer), CLASS_ECN, notices->told, &place,
		&notices->notified);

	judging_spreads(judging);
	finding_text(finding, "%s was sent %" PRIu64 " CNPs and handled none", finding->culprit,
		notices->told);
	finding_limit(finding, 0, (double)notices->told, "CNPs",
		"DCQCN: a CNP makes its sender slow down");
	finding_advice(finding,
		"turn the reaction point of DCQCN on at %s for priority %u "
		"(roce_rp); where it is on, look for CNPs of DSCP %u dropped on "
		"the way to it",
		finding->culprit, judging->fabric->policy.priority,
		judging->fabric->policy.cnp_dscp);
}

/* Its link loses packets: the CNPs may never have come. */
static bool may_be_lost(const struct judging *judging, uint32_t nic)
{
	const struct fabric *fabric = judging->fabric;

	return judging_blames_link(judging, fabric->ports[fabric->nics[nic]].link, CLASS_LOSS);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct notices *nics = state;
	uint64_t ce = 0, sent = 0, handled = 0;
	uint32_t bad = 0;

	for (uint32_t i = 0; speak && i < judging->fabric->nic_count; i++) {
		ce += nics[i].ce;
		sent += nics[i].sent;
		handled += nics[i].handled;
		if (judging->fabric->policy.dcqcn.off)
			continue;
		if (nics[i].ce >= CE_LEAST && nics[i].sent == 0) {
			tell_silent(judging, i, &nics[i]);
			bad++;
		} else if (nics[i].told >= CNP_LEAST && nics[i].handled == 0 &&
			   !may_be_lost(judging, i)) {
			tell_deaf(judging, i, &nics[i]);
			bad++;
		}
	}
	if (speak && ce && !bad) {
		struct finding *finding =
			judging_say(judging, "nic.cnp", "lossless", VERDICT_PASS, NULL);

		finding_text(finding,
			"%" PRIu64 " packets arrived with CE, %" PRIu64
			" CNPs were sent for them and %" PRIu64 " handled",
			ce, sent, handled);
	}
	free(nics);
}

const struct judge judge_cnp = { begin, stage, end };
