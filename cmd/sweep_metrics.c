/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/sweep_tell.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "reports/metrics.h"

/* name{fabric="...",label="value"} number; label may be NULL. */
static void line(FILE *out, const struct night *night, const char *name, const char *label,
	const char *value, double number)
{
	fputs(name, out);
	metrics_label(out, "{", "fabric", night->digest->fabric);
	if (label)
		metrics_label(out, ",", label, value);
	fprintf(out, "} %.15g\n", number);
}

static void one(
	FILE *out, const struct night *night, const char *name, const char *help, double number)
{
	metrics_family(out, name, help);
	line(out, night, name, NULL, NULL, number);
}

static void what_ran(FILE *out, const struct night *night)
{
	static const char name[] = "weft_sweep_info";

	metrics_family(out, name, "What the sweep tested; 1.");
	fputs(name, out);
	metrics_label(out, "{", "fabric", night->digest->fabric);
	metrics_label(out, ",", "plane", night->digest->plane);
	metrics_label(out, ",", "backend", night->digest->backend);
	metrics_label(out, ",", "program", night->digest->program);
	fputs("} 1\n", out);
	one(out, night, "weft_sweep_end_time_seconds", "When the sweep ended, Unix time.",
		(double)time(NULL));
	one(out, night, "weft_sweep_duration_seconds", "How long it took.",
		(double)night->took_ns / (double)NS_PER_S);
	one(out, night, "weft_sweep_bytes", "Payload planned for the stages that ran.",
		(double)night->bytes);
	one(out, night, "weft_sweep_status",
		"0 passed and nothing got worse, 1 it did not pass or something did, 2 "
		"unknown.",
		night_status(night));
}

static void what_it_found(FILE *out, const struct night *night)
{
	static const char verdict[] = "weft_sweep_run_verdict", stages[] = "weft_sweep_stages",
			  hosts[] = "weft_sweep_hosts", findings[] = "weft_sweep_findings";

	metrics_family(out, verdict, "1 for the verdict of the run, 0 for the others.");
	for (enum verdict v = VERDICT_PASS; v <= VERDICT_UNKNOWN; v++)
		line(out, night, verdict, "verdict", verdict_name(v),
			v == night->digest->verdict);
	metrics_family(out, stages,
		"Stages of the acceptance: all; run to their end; late and no_room for the "
		"budgets; never run in any sweep.");
	line(out, night, stages, "state", "all", (double)night->stages);
	line(out, night, stages, "state", "run", (double)night->run);
	line(out, night, stages, "state", "late", (double)night->late);
	line(out, night, stages, "state", "no_room", (double)night->no_room);
	line(out, night, stages, "state", "never", (double)night->never);
	metrics_family(out, hosts,
		"Hosts of the fabric: all; busy and left out; of these, not known to be free.");
	line(out, night, hosts, "state", "all", night->hosts);
	line(out, night, hosts, "state", "busy", night->busy);
	line(out, night, hosts, "state", "unknown", night->unknown);
	metrics_family(out, findings, "Failures against the runs before.");
	for (enum turn turn = TURN_NEW; turn <= TURN_FIXED; turn++)
		line(out, night, findings, "state", turn_name(turn),
			(double)night->history->turns.each[turn]);
}

static void claims(FILE *out, const struct night *night, enum change change, const char *name)
{
	const struct history *history = night->history;

	for (size_t i = 0; i < history->count; i++) {
		const struct claim *claim = &history->claims[i];

		if (claim->change != change || claim->symptom)
			continue;
		fputs(name, out);
		metrics_label(out, "{", "fabric", night->digest->fabric);
		metrics_label(out, ",", "kind", claim->kind == CLAIM_DRIFT ? "drift" : "step");
		metrics_label(out, ",", "metric", digest_info(claim->metric)->name);
		metrics_label(out, ",", "subject", claim->subject);
		fputs("} 1\n", out);
	}
}

static void what_got_worse(FILE *out, const struct night *night)
{
	static const char figures[] = "weft_history_figures", worse[] = "weft_history_worse",
			  better[] = "weft_history_better";
	const struct history *history = night->history;

	one(out, night, "weft_history_runs", "Whole runs that the history looks at.",
		(double)history->whole);
	one(out, night, "weft_history_damaged_runs", "Runs of before that cannot be read.",
		(double)night->damaged);
	metrics_family(out, figures,
		"Figures of links, NICs, pairs and stages: tested; always the same; in too few "
		"runs.");
	line(out, night, figures, "state", "tested", (double)history->tested);
	line(out, night, figures, "state", "steady", (double)history->steady);
	line(out, night, figures, "state", "unknown",
		(double)(history->figures - history->tested - history->steady));
	metrics_family(out, worse, "1 for each figure that got worse by more than noise.");
	claims(out, night, CHANGE_WORSE, worse);
	metrics_family(out, better, "1 for each figure that got better by more than noise.");
	claims(out, night, CHANGE_BETTER, better);
}

void night_metrics(FILE *out, const struct night *night)
{
	what_ran(out, night);
	what_it_found(out, night);
	what_got_worse(out, night);
	fputs("# EOF\n", out);
}
