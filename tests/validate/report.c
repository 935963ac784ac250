/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/validate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/units.h"

void report_section(struct report *report, const char *title, const char *what)
{
	fprintf(report->out,
		"\n## %s\n\n%s\n\n"
		"| case | expected | simulated | difference | allowed "
		"|\n|---|---|---|---|---|\n",
		title, what);
}

static void print_figure(FILE *out, double figure)
{
	fprintf(out, fabs(figure) >= 100000 ? "%.0f | " : "%.5g | ", figure);
}

void report_row(struct report *report, double expected, double simulated, double allowed,
	const char *what, ...)
{
	double difference = expected != 0 ? (simulated - expected) / expected : simulated;
	bool wrong = !(fabs(difference) <= allowed);
	char text[160];
	va_list args;

	va_start(args, what);
	vsnprintf(text, sizeof(text), what, args);
	va_end(args);
	report->rows++;
	report->wrong += wrong;
	fprintf(report->out, "| %s | ", text);
	print_figure(report->out, expected);
	print_figure(report->out, simulated);
	fprintf(report->out, "%+.2f %% | %g %%%s |\n", difference * 100, allowed * 100,
		wrong ? " **exceeded**" : "");
	if (wrong)
		fprintf(stderr, "%s: expected %g, simulated %g, %+.2f %% of %g %% allowed\n",
			text, expected, simulated, difference * 100, allowed * 100);
}

/* --- trials --- */

static void give_up(const struct diag *diag)
{
	fprintf(stderr, "validate: %s\n", diag->text);
	exit(2);
}

void trial_open(struct trial *trial, const char *yaml, ...)
{
	struct diag diag = { "" };
	char text[4096];
	va_list args;

	va_start(args, yaml);
	vsnprintf(text, sizeof(text), yaml, args);
	va_end(args);
	memset(trial, 0, sizeof(*trial));
	if (fabric_parse(&trial->fabric, "validate", text, strlen(text), NULL, &diag) ||
		routing_init(&trial->routing, &trial->fabric, 1, &diag))
		give_up(&diag);
	snprintf(trial->stage.name, sizeof(trial->stage.name), "validate");
	trial->stage.deadline_ns = 100 * NS_PER_S;
}

struct plan_flow *trial_flow(struct trial *trial, uint32_t src, uint32_t dst, uint64_t bytes)
{
	struct plan_flow *flow = plan_stage_add(&trial->stage);

	flow->src = src;
	flow->dst = dst;
	flow->qps = 1;
	flow->bytes = bytes;
	return flow;
}

void trial_run(struct trial *trial, uint64_t seed)
{
	struct sim_config config = {
		.fabric = &trial->fabric,
		.routing = &trial->routing,
		.seed = seed,
	};
	struct diag diag = { "" };

	sim_result_free(&trial->result);
	if (sim_run(&config, &trial->stage, 0, &trial->result, &diag))
		give_up(&diag);
}

void trial_close(struct trial *trial)
{
	struct plan plan = PLAN_INIT;

	*plan_add(&plan, LAYER_PAIRS) = trial->stage;
	plan_free(&plan);
	sim_result_free(&trial->result);
	routing_free(&trial->routing);
	fabric_free(&trial->fabric);
}

uint64_t trial_counter(const struct trial *trial, const char *place, const char *name)
{
	for (size_t i = 0; i < trial->result.counter_count; i++)
		if (strcmp(trial->result.counters[i].place, place) == 0 &&
			strcmp(trial->result.counters[i].name, name) == 0)
			return trial->result.counters[i].last;
	return 0;
}

double trial_end_ns(const struct trial *trial)
{
	uint64_t end_ns = 0;

	for (size_t i = 0; i < trial->result.flow_count; i++)
		if (trial->result.flows[i].end_ns > end_ns)
			end_ns = trial->result.flows[i].end_ns;
	return (double)end_ns;
}

double payload_rate(const struct fabric *fabric)
{
	return (double)fabric->links[0].speed_bps / 8e9 * fabric->mtu_bytes /
	       (fabric->mtu_bytes + 82.0);
}

double leaf_latency_ns(const struct fabric *fabric)
{
	return (double)(2 * fabric->nic_ns + fabric->switch_ns +
			2 * 5 * fabric->links[0].length_m) +
	       (fabric->mtu_bytes + 82.0) * 8e9 / (double)fabric->links[0].speed_bps;
}
