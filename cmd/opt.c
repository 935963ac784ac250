/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/opt_row.h"
#include "cmd/opt_value.h"
#include "lib/diag.h"

static const struct opt *find(const struct opt *opts, const char *text, size_t length)
{
	size_t skip = strncmp(text, "--", 2) == 0 ? 2 : 1;

	for (; opts->kind != OPT_END; opts++)
		if (!opt_is_argument(opts) && strlen(opt_dashes(opts)) == skip &&
			length == skip + opt_name_length(opts) &&
			strncmp(opts->name, text + skip, length - skip) == 0)
			return opts;
	return NULL;
}

/* --- values --- */

/* The number of the word in "quick|full", or -1. */
static int choice_index(const char *choices, const char *word)
{
	size_t length = strlen(word);

	for (int index = 0;; index++) {
		size_t next = strcspn(choices, "|");

		if (next == length && strncmp(choices, word, length) == 0)
			return index;
		if (!choices[next])
			return -1;
		choices += next + 1;
	}
}

static int parse_choice(const struct opt *opt, const char *text, void *to)
{
	int index = choice_index(opt_value_name(opt), text);
	unsigned value = (unsigned)index;

	if (index < 0)
		return -EINVAL;
	memcpy(to, &value, sizeof(value));
	return 0;
}

static int parse_number(const struct opt *opt, const char *text, void *to)
{
	uint64_t min = opt->kind == OPT_SEED ? 0 : opt->min;
	uint64_t max = opt->kind == OPT_SEED ? OPT_SEED_MAX : opt->max;
	uint64_t value;
	int err = opt_value_parse(opt->kind, text, &value);

	if (!err && (value < min || value > max))
		err = -ERANGE;
	if (!err)
		memcpy(to, &value, sizeof(value));
	return err;
}

static int parse_text(char *text, void *to)
{
	if (!text[0])
		return -EINVAL;
	memcpy(to, &text, sizeof(text));
	return 0;
}

static int parse_value(const struct opt *opt, char *text, void *args, struct diag *diag)
{
	void *to = (char *)args + opt->offset;
	char range[96];
	int err;

	if (opt->kind == OPT_TEXT || opt->kind == OPT_ARG)
		err = parse_text(text, to);
	else if (opt->kind == OPT_CHOICE)
		err = parse_choice(opt, text, to);
	else
		err = parse_number(opt, text, to);
	if (!err)
		return 0;
	opt_print_range(range, sizeof(range), opt);
	return diag_error(diag, err, "%s%.*s \"%s\": expected %s", opt_dashes(opt),
		(int)opt_name_length(opt), opt->name, text, range);
}

/* --- the command line --- */

struct line {
	const struct opt *opts;
	char **argv;
	int argc, at;
	char **arguments; /* what is no option, moved to the front of argv */
	size_t argument_count;
};

/* "-ieth0", where -i takes a value. */
static bool has_value_inside(const struct opt *opts, const char *text, size_t length)
{
	const struct opt *opt = text[1] != '-' && length > 2 ? find(opts, text, 2) : NULL;

	return opt && opt->kind != OPT_FLAG && opt->kind != OPT_INSTEAD;
}

static int parse_option(struct line *line, void *args, struct diag *diag)
{
	char *text = line->argv[line->at++];
	size_t length = strcspn(text, "=");
	const struct opt *opt = find(line->opts, text, length);
	bool yes = true;

	if (!opt && has_value_inside(line->opts, text, length))
		return diag_error(diag, -EINVAL, "%s: a value stands apart: %.2s %s", text,
			text, text + 2);
	if (!opt)
		return diag_error(diag, -EINVAL,
			"unknown option %.*s: -h lists those there are", (int)length, text);
	if (opt->kind == OPT_INSTEAD)
		return diag_error(diag, -EINVAL, "%.*s: %s", (int)length, text, opt->help);
	if (opt->kind == OPT_FLAG) {
		if (text[length])
			return diag_error(diag, -EINVAL, "%s: %.*s takes no value", text,
				(int)length, text);
		memcpy((char *)args + opt->offset, &yes, sizeof(yes));
		return 0;
	}
	if (text[length])
		return parse_value(opt, text + length + 1, args, diag);
	if (line->at == line->argc)
		return diag_error(diag, -EINVAL, "%s needs a value: %s %s", text, text,
			opt_value_name(opt));
	return parse_value(opt, line->argv[line->at++], args, diag);
}

static int parse_options(struct line *line, void *args, struct diag *diag)
{
	while (line->at < line->argc) {
		char *text = line->argv[line->at];
		int err;

		if (strcmp(text, "--") == 0) {
			line->at++;
			break;
		}
		if (text[0] == '-' && text[1]) {
			err = parse_option(line, args, diag);
			if (err)
				return err;
			continue;
		}
		line->arguments[line->argument_count++] = line->argv[line->at++];
	}
	while (line->at < line->argc)
		line->arguments[line->argument_count++] = line->argv[line->at++];
	return 0;
}

static int parse_list(
	const struct opt *opt, struct opt_list list, void *args, struct diag *diag)
{
	if (list.count < opt->min)
		return diag_error(diag, -EINVAL, "no %.*s is given: name %s%" PRIu64,
			(int)opt_name_length(opt), opt->name,
			opt->max > opt->min ? "at least " : "", opt->min);
	if (list.count > opt->max)
		return diag_error(diag, -EINVAL,
			"\"%s\" is one too many: at most %" PRIu64 " of %.*s are taken",
			list.items[opt->max], opt->max, (int)opt_name_length(opt), opt->name);
	memcpy((char *)args + opt->offset, &list, sizeof(list));
	return 0;
}

static int parse_arguments(
	const struct opt *opts, struct opt_list list, void *args, struct diag *diag)
{
	int err = 0;

	for (; opts->kind != OPT_END && !err; opts++) {
		if (opts->kind == OPT_ARGS) {
			err = parse_list(opts, list, args, diag);
			list.count = 0;
		} else if (opts->kind == OPT_ARG && list.count) {
			err = parse_value(opts, list.items[0], args, diag);
			list.items++;
			list.count--;
		} else if (opts->kind == OPT_ARG && opts->min) {
			err = diag_error(diag, -EINVAL, "no %.*s is given: %s is needed",
				(int)opt_name_length(opts), opts->name, opts->help);
		}
	}
	if (!err && list.count)
		err = diag_error(diag, -EINVAL,
			"unexpected argument \"%s\": -h says what is taken", list.items[0]);
	return err;
}

int opt_parse(const struct opt *opts, int argc, char **argv, void *args, struct diag *diag)
{
	struct line line = { .opts = opts, .argv = argv, .argc = argc, .arguments = argv };
	struct opt_list list;
	int err = parse_options(&line, args, diag);

	if (err)
		return err;
	list.items = line.arguments;
	list.count = line.argument_count;
	return parse_arguments(opts, list, args, diag);
}

bool opt_wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return true;
	return false;
}

bool opt_read(const char *command, const char *about, const struct opt *opts, int argc,
	char **argv, void *args, int *status)
{
	struct diag diag;

	if (opt_wants_help(argc, argv)) {
		opt_help(stdout, command, about, opts, args);
		*status = EXIT_PASS;
		return false;
	}
	if (opt_parse(opts, argc, argv, args, &diag)) {
		fprintf(stderr, "weft %s: %s\n", command, diag.text);
		*status = EXIT_UNKNOWN;
		return false;
	}
	return true;
}
