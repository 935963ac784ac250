/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/html_mark.h"

#define TEXT_BYTES 2048u
#define LONG 40u /* columns; a text of more keeps some width on a small screen */

void mark_text(FILE *out, const char *text)
{
	char safe[TEXT_BYTES];

	ink_safe(safe, sizeof(safe), text);
	for (const char *c = safe; *c; c++) {
		if (*c == '&')
			fputs("&amp;", out);
		else if (*c == '<')
			fputs("&lt;", out);
		else if (*c == '>')
			fputs("&gt;", out);
		else if (*c == '"')
			fputs("&quot;", out);
		else if (*c == '\'')
			fputs("&#39;", out);
		else
			fputc(*c, out);
	}
}

void mark_element(FILE *out, const char *tag, const char *style, const char *text)
{
	fprintf(out, "<%s%s%s%s>", tag, style ? " class=\"" : "", style ? style : "",
		style ? "\"" : "");
	mark_text(out, text);
	fprintf(out, "</%s>", tag);
}

static const char *style_name(enum ink_style style)
{
	switch (style) {
	case INK_GOOD:
		return "good";
	case INK_BAD:
		return "bad";
	case INK_DOUBT:
		return "doubt";
	case INK_DIM:
		return "dim";
	case INK_BOLD:
	case INK_PLAIN:
		break;
	}
	return NULL;
}

static void cell(FILE *out, const struct table_column *column, const struct table_cell *cell)
{
	const char *style = style_name(cell->style), *shape = NULL;

	if (!column->left)
		shape = "n";
	else if (ink_columns(cell->text) > LONG)
		shape = "long";
	fputs("<td", out);
	if (style || shape)
		fprintf(out, " class=\"%s%s%s\"", style ? style : "", style && shape ? " " : "",
			shape ? shape : "");
	fputc('>', out);
	mark_text(out, cell->text);
	fputs("</td>", out);
}

static void head(FILE *out, const struct table *table)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < table->column_count; c++) {
		fprintf(out, "<th scope=\"col\"%s>",
			table->columns[c].left ? "" : " class=\"n\"");
		mark_text(out, table->columns[c].title ? table->columns[c].title : "");
		fputs("</th>", out);
	}
	fputs("</tr></thead>\n", out);
}

void mark_table(FILE *out, struct table *table, const char *caption)
{
	if (table->count) {
		fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"",
			out);
		mark_text(out, caption);
		fputs("\"><table>", out);
		mark_element(out, "caption", NULL, caption);
		head(out, table);
		fputs("<tbody>\n", out);
		for (size_t i = 0; i < table->count; i++) {
			size_t c = i % table->column_count;

			if (c == 0)
				fputs("<tr>", out);
			cell(out, &table->columns[c], &table->cells[i]);
			if (c + 1 == table->column_count)
				fputs("</tr>\n", out);
		}
		fputs("</tbody></table></div>\n", out);
	}
	table_free(table);
}
