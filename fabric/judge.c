/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/units.h"

/* Causes before symptoms; and those that explain others (a link without carrier,
 * a class gone astray) before the ones that would take it for their own. */
static const struct judge *const judges[] = {
	&judge_carrier,
	&judge_loss,
	&judge_rate,
	&judge_nic,
	&judge_idle,
	&judge_class,
	&judge_arrival,
	&judge_pfc,
	&judge_xoff,
	&judge_ecn,
	&judge_discard,
	&judge_corrupt,
	&judge_cnp,
	&judge_ecmp,
	&judge_spray,
	&judge_timeout,
	&judge_plan,
	&judge_route,
	&judge_pairs,
	&judge_nonblocking,
	&judge_zero,
	&judge_lossless,
	&judge_victim,
	&judge_fair,
	&judge_order,
	&judge_burst,
	&judge_ring,
	&judge_payload,
	&judge_deadline,
	&judge_wire,
	&judge_scope,
};

/* The proof of class is had from whatever the other layers sent. */
static bool is_asked(const struct judging *judging, const struct run_stage *stage)
{
	unsigned asked = judging->layers;

	return asked & JUDGE_LAYER(LAYER_CLASS) || asked & JUDGE_LAYER(stage->layer);
}

static bool has_traffic(const struct run_stage *stage)
{
	return stage->status == RUN_COMPLETE || stage->status == RUN_PARTIAL;
}

static int judge_stages(struct judging *judging, void **states, struct diag *diag)
{
	for (size_t i = 0; i < judging->stage_count; i++) {
		struct evidence evidence = EVIDENCE_INIT;
		int err;

		if (!is_asked(judging, &judging->stages[i]) ||
			!has_traffic(&judging->stages[i]))
			continue;
		err = evidence_load(&evidence, judging->run, judging->fabric, &judging->lookup,
			&judging->stages[i], diag);
		if (err)
			return err;
		for (size_t k = 0; k < COUNT_OF(judges); k++)
			if (judges[k]->stage)
				judges[k]->stage(judging, states[k], &evidence);
		evidence_free(&evidence);
	}
	return 0;
}

/* One finding for each way in which a layer did not run to its end. */
static void tell_status(struct judging *judging, enum plan_layer layer, enum run_status status,
	enum verdict verdict, const char *check, const char *what)
{
	const struct run_stage *first = NULL;
	struct finding *finding;
	uint32_t count = 0;

	for (size_t i = 0; i < judging->stage_count; i++) {
		const struct run_stage *stage = &judging->stages[i];

		if (stage->layer != layer || stage->status != status)
			continue;
		if (status == RUN_PARTIAL && stage_met_deadline(stage))
			continue; /* stage.incomplete tells */
		first = first ? first : stage;
		count++;
	}
	if (!first)
		return;
	finding = judging_say(judging, check, plan_layer_name(layer), verdict, NULL);
	finding_text(finding, "%u stage%s of %s %s: %s", count, count == 1 ? "" : "s",
		plan_layer_name(layer), what,
		first->reason[0] ? first->reason : "no reason was recorded");
	snprintf(finding->basis, sizeof(finding->basis), "first: %s", first->name);
}

static void tell_all_status(struct judging *judging)
{
	for (enum plan_layer layer = 0; layer < LAYER_COUNT; layer++) {
		if (!(judging->layers & JUDGE_LAYER(layer)))
			continue;
		tell_status(
			judging, layer, RUN_SKIPPED, VERDICT_PASS, "stage.skipped", "left out");
		tell_status(judging, layer, RUN_PARTIAL, VERDICT_UNKNOWN, "stage.partial",
			"not run to the end");
		tell_status(judging, layer, RUN_FAILED, VERDICT_UNKNOWN, "stage.failed",
			"could not be run");
	}
}

static void tell_unknown(struct judging *judging, const char *check, size_t missing, size_t of)
{
	struct finding *finding =
		judging_say(judging, check, plan_layer_name(LAYER_PLAN), VERDICT_UNKNOWN, NULL);

	if (missing == of)
		finding_text(
			finding, "no stage was run: nothing was sent, so nothing was seen");
	else
		finding_text(finding,
			"%zu of %zu planned stages are not in the run file: what they would "
			"have shown is not known",
			missing, of);
	finding_advice(finding,
		"see stage.failed, where there is one; a fabric of one host has nobody "
		"to send to; else run it again");
}

/* Nothing seen, or not all that was planned, is no pass: asked of whole runs. */
static int tell_missing(struct judging *judging, struct diag *diag)
{
	struct run_stage *planned;
	size_t count, ran = 0;
	int err;

	if (judging->layers != JUDGE_ALL)
		return 0;
	err = run_get_planned(judging->run, &planned, &count, diag);
	if (err)
		return err;
	free(planned);
	for (size_t i = 0; i < judging->stage_count; i++)
		ran += has_traffic(&judging->stages[i]);
	if (ran == 0)
		tell_unknown(judging, "run.empty", 1, 1);
	else if (count > judging->stage_count)
		tell_unknown(judging, "run.missing", count - judging->stage_count, count);
	return 0;
}

/* Coverage is owed by an acceptance that ran all its layers. */
static bool owes_coverage(const struct judging *judging)
{
	bool any = false;

	if (judging->layers != JUDGE_ALL || !plan_is_whole(judging->info->profile))
		return false;
	if (!judging_asks_switches(judging))
		return false; /* judge_scope tells */
	for (size_t i = 0; i < judging->stage_count; i++) {
		if (judging->stages[i].status == RUN_SKIPPED)
			return false;
		any = true;
	}
	return any;
}

static int load(struct judging *judging, struct diag *diag)
{
	int err = run_get_stages(judging->run, &judging->stages, &judging->stage_count, diag);

	if (!err)
		err = run_get_facts(judging->run, &judging->facts, &judging->fact_count, diag);
	/* A capture is of the whole run. */
	if (err || judging->layers != JUDGE_ALL)
		return err;
	err = run_get_wire(judging->run, &judging->wires, &judging->wire_count, diag);
	return err ? err
		   : run_get_wire_findings(judging->run, &judging->wire_findings,
			     &judging->wire_finding_count, diag);
}

static void release(struct judging *judging)
{
	for (size_t i = 0; i < judging->complaint_count; i++)
		votes_free(&judging->complaints[i].votes);
	free(judging->complaints);
	free(judging->causes);
	free(judging->stages);
	free(judging->facts);
	free(judging->wires);
	free(judging->wire_findings);
	lookup_free(&judging->lookup);
}

int judge_run(struct run *run, const struct fabric *fabric, unsigned layers,
	struct findings *findings, struct diag *diag)
{
	struct judging judging = {
		.run = run,
		.fabric = fabric,
		.info = run_info(run),
		.layers = layers,
		.findings = findings,
	};
	void *states[COUNT_OF(judges)];
	size_t before = findings->count;
	int err = load(&judging, diag);

	if (!err) {
		judging.coverage = owes_coverage(&judging);
		lookup_init(&judging.lookup, fabric);
		for (size_t k = 0; k < COUNT_OF(judges); k++)
			states[k] = judges[k]->begin ? judges[k]->begin(&judging) : NULL;
		err = judge_stages(&judging, states, diag);
		if (!err)
			err = tell_missing(&judging, diag);
		for (size_t k = 0; k < COUNT_OF(judges); k++)
			judges[k]->end(&judging, states[k], !err);
		if (!err) {
			tell_all_status(&judging);
			judging_attribute(&judging);
			findings_sort(findings);
		}
	}
	if (err)
		findings->count = before;
	release(&judging);
	return err;
}
