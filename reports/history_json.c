/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/json.h"
#include "reports/change_show.h"
#include "reports/history.h"

static void put_claim(
	struct json *array, const struct history *history, const struct claim *claim)
{
	struct json *object = json_add_object(array);
	char text[CLAIM_TEXT];

	claim_text(text, sizeof(text), claim);
	json_put_text(object, "kind", claim->kind == CLAIM_DRIFT ? "drift" : "step");
	json_put_text(object, "change", change_name(claim->change));
	json_put_bool(object, "symptom", claim->symptom);
	json_put_text(object, "metric", digest_info(claim->metric)->name);
	json_put_text(object, "subject", claim->subject);
	json_put_u64(object, "runs", claim->runs);
	json_put_text(object, "first_run", history->runs[claim->first].name);
	json_put_text(object, "last_run", history->runs[claim->last].name);
	json_put_double(object, "from", claim->from);
	json_put_double(object, "to", claim->to);
	json_put_double(object, "latest", claim->latest);
	json_put_double(object, "p", claim->p);
	if (claim->kind == CLAIM_DRIFT)
		json_put_double(object, "mann_kendall_p", claim->trend_p);
	json_put_text(object, "text", text);
}

void history_put(struct json *root, const struct history *history)
{
	struct json *array;

	char advice[ADVICE_TEXT];

	history_advice(advice, sizeof(advice), history);
	json_put_u64(root, "runs", history->run_count);
	json_put_u64(root, "runs_whole", history->whole);
	json_put_text(root, "first_run", history->runs[0].name);
	json_put_text(root, "last_run", history->runs[history->run_count - 1].name);
	json_put_text(root, "baseline",
		history->baseline == HISTORY_NONE ? NULL
						  : history->runs[history->baseline].name);
	if (history->baseline != HISTORY_NONE)
		json_put_u64(root, "baseline_runs_behind", history->behind);
	json_put_text(root, "baseline_advice", advice[0] ? advice : NULL);
	json_put_u64(root, "figures", history->figures);
	json_put_u64(root, "tested", history->tested);
	json_put_u64(root, "steady", history->steady);
	json_put_double(root, "alpha", CHANGE_ALPHA);
	array = json_put_array(root, "claims");
	for (size_t i = 0; i < history->count; i++)
		put_claim(array, history, &history->claims[i]);
	change_put_turns(root, &history->turns);
}

void history_json(FILE *out, const struct history *history)
{
	struct json *root = json_new_object();

	json_put_text(root, "schema", "weft-history");
	json_put_i64(root, "version", 1);
	change_put_head(
		root, history_status(history), history->runs[history->run_count - 1].digest);
	history_put(root, history);
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
}
