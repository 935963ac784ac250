/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/change_show.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "reports/culprit.h"
#include "reports/table.h"
#include "reports/text_tables.h"

static enum verdict verdict_of(int status)
{
	return status == 0 ? VERDICT_PASS : status == 1 ? VERDICT_FAIL : VERDICT_UNKNOWN;
}

void change_head(struct ink *ink, int status, const struct digest *digest)
{
	static const char *const words[] = { "PASS", "FAIL", "UNKNOWN" };

	ink_put(ink, text_style(verdict_of(status)), "%s", words[status]);
	ink_put(ink, INK_PLAIN, "  ");
	if (strcmp(digest->backend, "sim") == 0)
		ink_put(ink, INK_DOUBT, "SIMULATION");
	else
		ink_put(ink, INK_PLAIN, "measured by %s", digest->backend);
	ink_put(ink, INK_PLAIN, " of %s, %s plane", digest->fabric,
		digest->plane[0] ? digest->plane : "parameter");
}

void change_line(struct ink *ink, enum ink_style style, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ink_wrap(ink, style, 0, text);
	ink_end(ink);
}

static enum ink_style turn_style(enum turn turn)
{
	switch (turn) {
	case TURN_NEW:
	case TURN_PERSISTING:
		return INK_BAD;
	case TURN_UNSEEN:
		return INK_DOUBT;
	case TURN_FIXED:
		break;
	}
	return INK_GOOD;
}

static bool any_why(const struct turns *turns)
{
	for (size_t i = 0; i < turns->count; i++)
		if (turns->items[i].why)
			return true;
	return false;
}

void change_turns(struct ink *ink, const struct turns *turns)
{
	static const struct table_column columns[] = {
		{ NULL, true, 0 },
		{ NULL, true, 0 },
		{ NULL, true, 0 },
		{ NULL, true, 0 },
	};
	bool with_why = any_why(turns);
	struct table table;

	if (!turns->count)
		return;
	text_heading(ink, "Findings, against the runs before");
	table_init(&table, columns, COUNT_OF(columns) - !with_why);
	for (size_t i = 0; i < turns->count; i++) {
		const struct finding *finding = turns->items[i].finding;
		char culprit[CULPRIT_TEXT];

		culprit_text(culprit, sizeof(culprit), finding);
		table_cell(&table, turn_style(turns->items[i].turn), "%s",
			turn_name(turns->items[i].turn));
		table_cell(&table, INK_PLAIN, "%s", finding->check);
		table_cell(&table, INK_PLAIN, "%s", culprit);
		if (with_why)
			table_cell(&table, INK_PLAIN, "%s",
				turns->items[i].why ? turns->items[i].why : "");
	}
	table_print(&table, ink);
}

void change_put_turns(struct json *root, const struct turns *turns)
{
	struct json *array = json_put_array(root, "findings");

	for (size_t i = 0; i < turns->count; i++) {
		const struct finding *finding = turns->items[i].finding;
		struct json *object = json_add_object(array);

		json_put_text(object, "state", turn_name(turns->items[i].turn));
		json_put_text(object, "check", finding->check);
		json_put_text(object, "culprit", finding->culprit);
		json_put_text(object, "culprit_kind", culprit_kind_name(finding->culprit_kind));
		json_put_text(object, "text", finding->text);
		if (turns->items[i].why)
			json_put_text(object, "why", turns->items[i].why);
	}
}

void change_put_head(struct json *root, int status, const struct digest *digest)
{
	json_put_text(root, "verdict", verdict_name(verdict_of(status)));
	json_put_i64(root, "exit_status", status);
	json_put_text(root, "backend", digest->backend);
	json_put_bool(root, "simulation", strcmp(digest->backend, "sim") == 0);
	json_put_text(root, "fabric", digest->fabric);
	json_put_text(root, "plane", digest->plane);
}
