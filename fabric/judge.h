/*
 * judge - what a run file proves about a fabric.
 *
 * The judges compare what was observed (run file) with what was built and
 * promised (the expanded fabric: wiring, speeds, policy, limits) and know
 * nothing else: not what a simulation injected, not how a backend works. So a
 * verdict can be had again from the file, whoever made it.
 *
 * Two kinds of finding come out. A cause (RANK_CAUSE) names a component by its
 * own counters or by exclusion: one finding for each cause and component, with
 * the evidence of all stages summed. A symptom (RANK_SYMPTOM) is what was asked
 * for and not reached in a layer; it carries the culprit of the cause that lies
 * on its way where there is one. docs/checks.md lists every check.
 *
 * Unknown is not pass: a check whose condition never arose, and one that only
 * partial stages could answer, is VERDICT_UNKNOWN and says what was missing.
 * Skipped stages are left out, with one RANK_INFO finding for each layer that
 * says why.
 */
#ifndef FABRIC_JUDGE_H
#define FABRIC_JUDGE_H

#include "fabric/fabric.h"
#include "lib/finding.h"
#include "lib/run.h"

struct diag;

#define JUDGE_LAYER(layer) (1u << (layer))
#define JUDGE_ALL (JUDGE_LAYER(LAYER_COUNT) - 1u)

/*
 * Adds the findings of the layers in the mask (JUDGE_LAYER(LAYER_PAIRS) | ...)
 * and sorts all of them, root causes first. run may still be open for writing.
 * With JUDGE_ALL the coverage of the whole acceptance is judged as well (every
 * switch provoked, every link used); a single layer is asked only for what it
 * is there to show. For a run by hand or a sweep (plan_is_whole()) coverage is not asked.
 *
 * The same file and fabric give the same findings to the byte. Returns 0, or a
 * negative errno of reading the run file with the sentence in diag; findings is
 * then as it was.
 */
int judge_run(struct run *run, const struct fabric *fabric, unsigned layers,
	struct findings *findings, struct diag *diag);

#endif
