/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/openmetrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/units.h"
#include "reports/figures.h"
#include "reports/metrics.h"
#include "reports/verdict.h"
#include "reports/words.h"

static const char *const ranks[] = {
	[RANK_CAUSE] = "cause", [RANK_SYMPTOM] = "symptom", [RANK_INFO] = "info"
};

static void run_families(FILE *out, const struct run *run, const struct findings *findings)
{
	const struct run_info *info = run_info(run);
	enum verdict verdict = report_verdict(run, findings);
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, info->seed);
	metrics_family(out, "weft_run_info", "What was run; 1.");
	fputs("weft_run_info", out);
	metrics_label(out, "{", "fabric", info->fabric_name);
	metrics_label(out, ",", "plane", info->plane);
	metrics_label(out, ",", "profile", info->profile);
	metrics_label(out, ",", "backend", info->backend);
	metrics_label(out, ",", "program", info->program);
	metrics_label(out, ",", "seed", seed);
	fputs("} 1\n", out);
	metrics_family(
		out, "weft_run_verdict", "1 for the verdict of the run, 0 for the others.");
	for (enum verdict v = VERDICT_PASS; v <= VERDICT_UNKNOWN; v++)
		fprintf(out, "weft_run_verdict{verdict=\"%s\"} %d\n", verdict_name(v),
			v == verdict);
	metrics_family(
		out, "weft_run_whole", "1 if the run came to its end and was not interrupted.");
	fprintf(out, "weft_run_whole %d\n", !words_cut(run));
}

static void finding_counts(FILE *out, const struct findings *findings)
{
	metrics_family(out, "weft_findings", "How many findings of this verdict and rank.");
	for (enum verdict v = VERDICT_PASS; v <= VERDICT_UNKNOWN; v++) {
		for (size_t rank = 0; rank < COUNT_OF(ranks); rank++) {
			size_t count = 0;

			for (size_t i = 0; i < findings->count; i++)
				count += findings->items[i].verdict == v &&
					 findings->items[i].rank == (enum finding_rank)rank;
			fprintf(out, "weft_findings{verdict=\"%s\",rank=\"%s\"} %zu\n",
				verdict_name(v), ranks[rank], count);
		}
	}
}

/* A series must be there once: of findings with the same labels the first counts. */
static bool said_before(const struct findings *findings, size_t i)
{
	const struct finding *finding = &findings->items[i];

	for (size_t j = 0; j < i; j++)
		if (strcmp(findings->items[j].check, finding->check) == 0 &&
			strcmp(findings->items[j].layer, finding->layer) == 0 &&
			strcmp(findings->items[j].culprit, finding->culprit) == 0)
			return true;
	return false;
}

static void finding_labels(FILE *out, const struct finding *finding)
{
	metrics_label(out, "{", "check", finding->check);
	metrics_label(out, ",", "layer", finding->layer);
	metrics_label(out, ",", "culprit", finding->culprit);
}

static void not_passed(FILE *out, const struct findings *findings)
{
	metrics_family(out, "weft_finding", "1 for each finding that is no pass.");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		if (finding->verdict == VERDICT_PASS || said_before(findings, i))
			continue;
		fputs("weft_finding", out);
		finding_labels(out, finding);
		metrics_label(out, ",", "verdict", verdict_name(finding->verdict));
		metrics_label(out, ",", "rank", ranks[finding->rank]);
		fputs("} 1\n", out);
	}
}

static void finding_values(FILE *out, const struct findings *findings, bool limits)
{
	const char *name = limits ? "weft_finding_limit" : "weft_finding_measured";

	metrics_family(out, name,
		limits ? "The limit of a finding, in its unit."
		       : "The figure of a finding, in its unit.");
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		double value = limits ? finding->limit : finding->measured;

		if (!(limits ? finding->has_limit : finding->has_measured) ||
			!isfinite(value) || said_before(findings, i))
			continue;
		fputs(name, out);
		finding_labels(out, finding);
		metrics_label(out, ",", "unit", finding->unit);
		fprintf(out, "} %.12g\n", value);
	}
}

static void packets(FILE *out, const struct figures *figures)
{
	struct figure_loss loss = figures_loss(figures, LAYER_COUNT);

	metrics_family(out, "weft_packets_received", "Data packets that arrived.");
	fprintf(out, "weft_packets_received %" PRIu64 "\n", loss.packets);
	metrics_family(out, "weft_packets_resent", "Data packets that were sent again.");
	fprintf(out, "weft_packets_resent %" PRIu64 "\n", loss.resent);
	if (loss.counted && loss.packets) {
		metrics_family(out, "weft_packets_dropped", "Packets that switches discarded.");
		fprintf(out, "weft_packets_dropped %" PRIu64 "\n", loss.dropped);
	}
}

static void goodput(FILE *out, const struct figures *figures)
{
	metrics_family(out, "weft_stage_goodput_bytes_per_second",
		"Payload of a flow, delivered in order.");
	for (size_t i = 0; i < figures->stage_count; i++) {
		const struct figure_stage *stage = &figures->stages[i];
		const struct figure_flows *flows = &stage->main;

		if (!flows->count)
			continue;
		for (int median = 0; median < 2; median++) {
			fputs("weft_stage_goodput_bytes_per_second", out);
			metrics_label(out, "{", "stage", stage->stage.name);
			metrics_label(out, ",", "layer", plan_layer_name(stage->stage.layer));
			metrics_label(out, ",", "flow", median ? "median" : "slowest");
			fprintf(out, "} %.12g\n",
				(double)(median ? flows->median_bps : flows->slowest_bps) / 8);
		}
	}
}

static void rings(FILE *out, const struct figures *figures)
{
	metrics_family(out, "weft_ring_bus_bandwidth_bytes_per_second",
		"Bus bandwidth of an all-reduce, as nccl-tests define it.");
	for (size_t i = 0; i < figures->ring_count; i++) {
		const struct figure_ring *ring = &figures->rings[i];

		if (!ring->time_ns)
			continue;
		fputs("weft_ring_bus_bandwidth_bytes_per_second", out);
		metrics_label(out, "{", "stage", figures->stages[ring->stage].stage.name);
		fprintf(out, "} %.12g\n", (double)ring->busbw_bps / 8);
	}
	metrics_family(out, "weft_ring_time_seconds", "Mean time of an all-reduce.");
	for (size_t i = 0; i < figures->ring_count; i++) {
		const struct figure_ring *ring = &figures->rings[i];

		if (!ring->time_ns)
			continue;
		fputs("weft_ring_time_seconds", out);
		metrics_label(out, "{", "stage", figures->stages[ring->stage].stage.name);
		fprintf(out, "} %.12g\n", (double)ring->time_ns / (double)NS_PER_S);
	}
}

int report_openmetrics(
	FILE *out, struct run *run, const struct findings *findings, struct diag *diag)
{
	struct figures figures = FIGURES_INIT;
	int err;

	err = figures_read(&figures, run, diag);
	if (err)
		return err;
	run_families(out, run, findings);
	finding_counts(out, findings);
	not_passed(out, findings);
	finding_values(out, findings, false);
	finding_values(out, findings, true);
	packets(out, &figures);
	goodput(out, &figures);
	rings(out, &figures);
	fputs("# EOF\n", out);
	figures_free(&figures);
	return 0;
}
