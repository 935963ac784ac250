/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "cmd/opt.h"
#include "cmd/opt_row.h"
#include "cmd/opt_value.h"

#define USAGE_WIDTH 80
#define HELP_COLUMN 26

/* "[--seed N]", "FILE", "[FILE]", "FILE ...", "[-h]" */
static void synopsis_item(const struct opt *opt, char *text, size_t size)
{
	bool needed = opt_is_argument(opt) && opt->min;
	const char *value = opt_is_argument(opt) ? "" : opt_value_name(opt);

	snprintf(text, size, "%s%s%.*s%s%s%s%s", needed ? "" : "[", opt_dashes(opt),
		(int)opt_name_length(opt), opt->name, value[0] ? " " : "", value,
		opt->kind == OPT_ARGS && opt->max > 1 ? " ..." : "", needed ? "" : "]");
}

static int usage_item(FILE *out, int column, int indent, const char *item)
{
	int length = (int)strlen(item);

	if (column + 1 + length > USAGE_WIDTH && column > indent) {
		fprintf(out, "\n%*s %s", indent, "", item);
		return indent + 1 + length;
	}
	fprintf(out, " %s", item);
	return column + 1 + length;
}

static void print_usage(FILE *out, const char *command, const struct opt *opts)
{
	int indent = fprintf(out, "usage: weft %s", command), column = indent;
	char item[96];

	for (const struct opt *opt = opts; opt->kind != OPT_END; opt++) {
		if (opt_is_argument(opt) || opt->kind == OPT_INSTEAD)
			continue;
		synopsis_item(opt, item, sizeof(item));
		column = usage_item(out, column, indent, item);
	}
	for (const struct opt *opt = opts; opt->kind != OPT_END; opt++) {
		if (!opt_is_argument(opt))
			continue;
		synopsis_item(opt, item, sizeof(item));
		column = usage_item(out, column, indent, item);
	}
	fprintf(out, "\n");
}

/* The default as it could be given; "" where there is none worth a word. */
static void print_default(const struct opt *opt, const void *args, char *text, size_t size)
{
	const char *from = (const char *)args + opt->offset, *word;
	unsigned choice;
	uint64_t value;

	text[0] = '\0';
	if (opt->kind == OPT_TEXT) {
		memcpy(&word, from, sizeof(word));
		if (word)
			snprintf(text, size, "default %s", word);
	} else if (opt->kind == OPT_CHOICE) {
		memcpy(&choice, from, sizeof(choice));
		word = opt_value_name(opt);
		for (; choice && strchr(word, '|'); choice--)
			word = strchr(word, '|') + 1;
		snprintf(text, size, "default %.*s", (int)strcspn(word, "|"), word);
	} else if (opt->kind != OPT_FLAG && !opt_is_argument(opt)) {
		memcpy(&value, from, sizeof(value));
		snprintf(text, size, "default ");
		opt_value_print(opt->kind, value, text + strlen(text), size - strlen(text));
		/* 0 out of range is a command's way to say "worked out from the rest". */
		if (value == 0 && opt->min > 0)
			text[0] = '\0';
	}
}

static bool has_range(const struct opt *opt)
{
	switch (opt->kind) {
	case OPT_COUNT:
	case OPT_BYTES:
	case OPT_NS:
	case OPT_RATE:
		return true;
	case OPT_END:
	case OPT_TEXT:
	case OPT_SEED:
	case OPT_FLAG:
	case OPT_CHOICE:
	case OPT_ARG:
	case OPT_ARGS:
	case OPT_INSTEAD:
		break;
	}
	return false;
}

static void print_option(FILE *out, const struct opt *opt, const void *args)
{
	const char *value = opt_is_argument(opt) ? "" : opt_value_name(opt);
	char range[96] = "", standard[96] = "";
	int used = fprintf(out, "  %s%.*s%s%s", opt_dashes(opt), (int)opt_name_length(opt),
		opt->name, value[0] ? " " : "", value);

	if (used + 2 > HELP_COLUMN) {
		fprintf(out, "\n");
		used = 0;
	}
	fprintf(out, "%*s%s", HELP_COLUMN - used, "", opt->help);
	if (has_range(opt) && (opt->min > 0 || opt->max < UINT64_MAX))
		opt_print_range(range, sizeof(range), opt);
	if (args)
		print_default(opt, args, standard, sizeof(standard));
	if (range[0] || standard[0])
		fprintf(out, "\n%*s(%s%s%s)", HELP_COLUMN, "", range,
			range[0] && standard[0] ? "; " : "", standard);
	fprintf(out, "\n");
}

void opt_help(FILE *out, const char *command, const char *about, const struct opt *opts,
	const void *args)
{
	print_usage(out, command, opts);
	fprintf(out, "\n%s\n\n", about);
	for (const struct opt *opt = opts; opt->kind != OPT_END; opt++)
		if (opt->kind != OPT_INSTEAD)
			print_option(out, opt, args);
}
