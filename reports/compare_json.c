/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/json.h"
#include "reports/change_show.h"
#include "reports/compare.h"

static void put_row(struct json *array, const struct compared *row)
{
	const struct digest_info *info = digest_info(row->before->metric);
	struct json *object = json_add_object(array);

	json_put_text(object, "metric", info->name);
	json_put_text(object, "subject", row->before->subject);
	json_put_double(object, "before", row->before->value);
	json_put_double(object, "after", row->after->value);
	json_put_text(object, "change", change_name(row->change));
	if (info->kind == DIGEST_COUNTS) {
		json_put_u64(object, "events_before", row->before->events);
		json_put_u64(object, "of_before", row->before->of);
		json_put_u64(object, "events_after", row->after->events);
		json_put_u64(object, "of_after", row->after->of);
		json_put_double(object, "p", row->p);
	} else {
		json_put_double(object, "noise", row->limit);
	}
}

void compare_json(
	FILE *out, const struct comparison *comparison, const char *before, const char *after)
{
	struct json *root = json_new_object(), *array;
	char why[COMPARE_WHY];

	json_put_text(root, "schema", "weft-compare");
	json_put_i64(root, "version", 1);
	change_put_head(root, compare_status(comparison), comparison->after);
	json_put_text(root, "before", before);
	json_put_text(root, "after", after);
	json_put_double(root, "alpha", CHANGE_ALPHA);
	json_put_u64(root, "figures", comparison->count);
	json_put_u64(root, "worse", comparison->worse);
	json_put_u64(root, "better", comparison->better);
	json_put_u64(root, "only_before", comparison->only_before);
	json_put_u64(root, "only_after", comparison->only_after);
	json_put_u64(root, "not_comparable", comparison->apart);
	if (comparison->apart) {
		compare_why_apart(why, sizeof(why), comparison);
		json_put_text(root, "not_comparable_why", why);
	}
	change_put_turns(root, &comparison->turns);
	array = json_put_array(root, "changes");
	for (size_t i = 0; i < comparison->count; i++)
		put_row(array, &comparison->rows[i]);
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
}
