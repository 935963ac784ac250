/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/json.h"

#include <string.h>

#include "lib/json.h"
#include "reports/figures.h"
#include "reports/json_figures.h"
#include "reports/verdict.h"

static void put_run(struct json *root, const struct run *run, enum verdict verdict,
	const struct report_options *options)
{
	const struct run_info *info = run_info(run);
	bool interrupted = false, ended = run_ended(run, &interrupted);

	json_put_text(root, "schema", "weft-report");
	json_put_i64(root, "version", REPORT_JSON_VERSION);
	json_put_text(root, "verdict", verdict_name(verdict));
	json_put_i64(root, "exit_status", report_exit_status(verdict));
	json_put_text(root, "backend", info->backend);
	json_put_bool(root, "simulation", strcmp(info->backend, "sim") == 0);
	json_put_text(root, "program", info->program);
	json_put_text(root, "fabric", info->fabric_name);
	json_put_text(root, "fabric_file", info->fabric_path);
	json_put_text(root, "plane", info->plane);
	json_put_text(root, "profile", info->profile);
	json_put_u64(root, "seed", info->seed);
	json_put_text(root, "run_file", options->run_path);
	json_put_bool(root, "complete", ended && !interrupted);
	json_put_bool(root, "interrupted", interrupted);
}

static const char *rank_name(enum finding_rank rank)
{
	switch (rank) {
	case RANK_CAUSE:
		return "cause";
	case RANK_SYMPTOM:
		return "symptom";
	case RANK_INFO:
		break;
	}
	return "info";
}

/* "not the network" as a key of a document is one word. */
static const char *kind_word(enum culprit_kind kind)
{
	return kind == CULPRIT_NOT_NETWORK ? "not-network" : culprit_kind_name(kind);
}

static void put_culprit(struct json *object, const struct finding *finding)
{
	if (finding->culprit_kind == CULPRIT_NONE) {
		json_put_null(object, "culprit");
		json_put_null(object, "culprit_kind");
		return;
	}
	json_put_text(object, "culprit", finding->culprit[0] ? finding->culprit : NULL);
	json_put_text(object, "culprit_kind", kind_word(finding->culprit_kind));
}

static void put_number(struct json *object, const char *key, bool present, double value)
{
	if (present)
		json_put_double(object, key, value);
	else
		json_put_null(object, key);
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static void add_finding(struct json *array, const struct finding *finding)
{
	struct json *object = json_add_object(array);

	json_put_text(object, "check", finding->check);
	json_put_text(object, "layer", finding->layer);
	json_put_text(object, "verdict", verdict_name(finding->verdict));
	json_put_text(object, "rank", rank_name(finding->rank));
	put_culprit(object, finding);
	put_number(object, "measured", finding->has_measured, finding->measured);
	put_number(object, "limit", finding->has_limit, finding->limit);
	json_put_text(object, "unit", or_null(finding->unit));
	json_put_text(object, "limit_source", or_null(finding->limit_source));
	json_put_text(object, "basis", or_null(finding->basis));
	json_put_text(object, "text", finding->text);
	json_put_text(object, "advice", or_null(finding->advice));
}

int report_json_tree(struct json **tree, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag)
{
	struct figures figures = FIGURES_INIT;
	struct json *root, *array;
	int err;

	err = figures_read(&figures, run, diag);
	if (err)
		return err;
	root = json_new_object();
	put_run(root, run, report_verdict(run, findings), options);
	array = json_put_array(root, "findings");
	for (size_t i = 0; i < findings->count; i++)
		add_finding(array, &findings->items[i]);
	json_put_figures(root, &figures);
	figures_free(&figures);
	*tree = root;
	return 0;
}

int report_json(FILE *out, struct run *run, const struct findings *findings,
	const struct report_options *options, struct diag *diag)
{
	struct json *root = NULL;
	int err = report_json_tree(&root, run, findings, options, diag);

	if (err)
		return err;
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
	return 0;
}
