/* SPDX-License-Identifier: Apache-2.0 */

/*
 * lossless.ecn-first: under ECN-capable load a switch marks before it pauses, or
 * DCQCN hears of a queue only when PFC has already stopped it. The first mark of a
 * switch is compared with its own first XOFF in the same window.
 */
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/stages.h"
#include "lib/grow.h"
#include "lib/units.h"

struct order {
	uint32_t judged, late;      /* switches in stages */
	uint64_t mark_ns, pause_ns; /* after the start of the stage, the closest pair */
	uint32_t late_switch;
	uint64_t late_ns; /* how much earlier the pause came, at the worst */
	struct seen seen, wrong;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct order *order = zeroed(1, sizeof(*order));

	order->pause_ns = UINT64_MAX;
	votes_begin(&order->votes, judging->fabric);
	return order;
}

static uint64_t earliest(
	const struct evidence *evidence, const struct node *node, enum metric metric)
{
	uint64_t first = EVIDENCE_ABSENT;

	for (uint32_t i = 0; i < node->port_count; i++) {
		uint64_t at = evidence_at(evidence, node->first_port + i, metric);

		first = at < first ? at : first;
	}
	return first;
}

static bool is_ect(const struct run_stage *stage)
{
	return stage->layer == LAYER_LOSSLESS &&
	       (stage->subject == LOSSLESS_ECT || stage->subject == LOSSLESS_LOCAL_ECT ||
		       stage->subject == LOSSLESS_LEAF_WIDE);
}

/* Returns whether the switch paused before it marked. */
static bool look(struct order *order, const struct evidence *evidence, uint32_t number)
{
	const struct node *node = &evidence->fabric->nodes[number];
	uint64_t pause = earliest(evidence, node, M_FIRST_PAUSE_NS);
	uint64_t mark = earliest(evidence, node, M_FIRST_MARK_NS);
	uint64_t t0 = evidence->stage.t0_ns;

	if (pause == EVIDENCE_ABSENT && mark == EVIDENCE_ABSENT)
		return false;
	order->judged++;
	if (pause == EVIDENCE_ABSENT)
		return false;
	if (pause >= mark) {
		if (pause - t0 < order->pause_ns) {
			order->pause_ns = pause - t0;
			order->mark_ns = mark - t0;
		}
		return false;
	}
	if (order->late++ == 0)
		order->late_switch = number;
	return true;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct order *order = state;
	bool wrong = false;

	if (!is_ect(&evidence->stage) || !fabric->policy.ecn || !fabric->policy.pfc ||
		fabric->policy.dcqcn.off)
		return;
	for (uint32_t n = fabric->hosts; n < fabric->node_count; n++)
		wrong |= look(order, evidence, n);
	seen_add(&order->seen, &evidence->stage);
	if (!wrong)
		return;
	seen_add(&order->wrong, &evidence->stage);
	for (size_t i = 0; i < evidence->flow_count; i++)
		votes_add(&order->votes, evidence, i, true);
}

static void tell_late(struct judging *judging, struct order *order)
{
	const char *name = judging->fabric->nodes[order->late_switch].name;
	struct finding *finding = judging_say(
		judging, "lossless.ecn-first", "lossless", VERDICT_FAIL, &order->wrong);

	finding->weight = order->late;
	finding_text(finding,
		"a switch paused before it marked %u times of %u under ECN-capable "
		"load; the first is %s",
		order->late, order->judged, name);
	finding_limit(finding, order->late, 0, "times",
		"ECN acts before PFC (SONiC RoCEv2 test plan, case 3)");
	finding_advice(finding,
		"on %s lower ECN kmin or raise the XOFF threshold (alpha, buffer) so "
		"that the egress queue reaches kmin well before the ingress pauses",
		name);
	judging_complain(judging, &order->votes, &order->wrong);
	/* Where no switch is at fault, the thresholds do not go together. */
	judging_else_setting(judging, "policy.ecn.kmin");
}

static void tell_early(struct judging *judging, const struct order *order)
{
	struct finding *finding = judging_say(
		judging, "lossless.ecn-first", "lossless", VERDICT_PASS, &order->seen);

	if (order->pause_ns == UINT64_MAX)
		finding_text(finding,
			"under ECN-capable load switches marked %u times over and "
			"none paused",
			order->judged);
	else
		finding_text(finding,
			"under ECN-capable load every switch marked before it "
			"paused; the earliest pause at %.1f us came after a mark at "
			"%.1f us",
			(double)order->pause_ns / (double)NS_PER_US,
			(double)order->mark_ns / (double)NS_PER_US);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct order *order = state;

	if (speak && order->late)
		tell_late(judging, order);
	else if (speak && order->judged)
		tell_early(judging, order);
	votes_free(&order->votes);
	free(order);
}

const struct judge judge_order = { begin, stage, end };
