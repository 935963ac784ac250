/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "reports/number.h"

const char *words_verdict(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return "PASS";
	case VERDICT_WARN:
		return "PASS, with warnings";
	case VERDICT_FAIL:
		return "FAIL";
	case VERDICT_UNKNOWN:
		break;
	}
	return "UNKNOWN";
}

bool words_simulated(const struct run *run)
{
	return strcmp(run_info(run)->backend, "sim") == 0;
}

const char *words_source(const struct run *run)
{
	return words_simulated(run) ? "simulated" : "measured";
}

void words_run(char *text, size_t size, const struct run *run)
{
	const struct run_info *info = run_info(run);

	snprintf(text, size, "%s, %s plane, %s, seed %" PRIu64, info->fabric_name,
		info->plane[0] ? info->plane : "parameter", info->profile, info->seed);
}

void words_counts(char *text, size_t size, const struct findings *findings)
{
	size_t causes = 0, symptoms = 0, unknown = 0, warned = 0, passed = 0;
	char failures[96] = "";

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		causes += finding->verdict == VERDICT_FAIL && finding->rank == RANK_CAUSE;
		symptoms += finding->verdict == VERDICT_FAIL && finding->rank != RANK_CAUSE;
		unknown += finding->verdict == VERDICT_UNKNOWN;
		warned += finding->verdict == VERDICT_WARN;
		passed += finding->verdict == VERDICT_PASS;
	}
	if (!findings->count) {
		snprintf(text, size, "Nothing was judged.");
		return;
	}
	if (causes + symptoms)
		snprintf(failures, sizeof(failures),
			"%zu cause%s and %zu symptom%s of failure, ", causes,
			causes == 1 ? "" : "s", symptoms, symptoms == 1 ? "" : "s");
	snprintf(text, size, "%zu finding%s: %s%zu passed, %zu warned, %zu unknown",
		findings->count, findings->count == 1 ? "" : "s", failures, passed, warned,
		unknown);
}

void words_figure(char *text, size_t size, const struct finding *finding)
{
	char measured[NUMBER_BYTES] = "", limit[NUMBER_BYTES];
	size_t used = 0;

	text[0] = '\0';
	if (finding->has_measured) {
		number_figure(measured, sizeof(measured), finding->measured, finding->unit);
		used = (size_t)snprintf(text, size, "found %s", measured);
	}
	if (!finding->has_limit || used >= size)
		return;
	number_figure(limit, sizeof(limit), finding->limit, finding->unit);
	snprintf(text + used, size - used, "%slimit %s%s%s", used ? ", " : "", limit,
		finding->limit_source[0] ? ": " : "", finding->limit_source);
}

const char *words_cut(const struct run *run)
{
	bool interrupted = false;

	if (!run_ended(run, &interrupted))
		return "The run was cut off before its end. What was measured until then is "
		       "below; the rest is unknown.";
	if (interrupted)
		return "The run was interrupted. What was measured until then is below; the "
		       "rest is unknown.";
	return NULL;
}

void words_foot(char *text, size_t size, const struct run *run)
{
	snprintf(text, size, "%s Made by %s.",
		words_simulated(run)
			? "All figures are simulated, or derived from the fabric file; "
			  "none was measured on hardware."
			: "Figures are measured, unless they say derived.",
		run_info(run)->program);
}
