/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/opt.h"
#include "cmd/opt_value.h"
#include "lib/diag.h"
#include "lib/units.h"

struct args {
	const char *text, *file;
	uint64_t count, bytes, ns, bps, seed;
	unsigned choice;
	bool flag;
	struct opt_list more;
};

#define ARG(field) offsetof(struct args, field)

static const struct opt opts[] = {
	{ OPT_TEXT, "text NAME", ARG(text), 0, 0, "a text" },
	{ OPT_TEXT, "i IFACE", ARG(text), 0, 0, "the same, short" },
	{ OPT_COUNT, "count", ARG(count), 2, 9, "how many" },
	{ OPT_BYTES, "bytes", ARG(bytes), 0, UINT64_MAX, "how much" },
	{ OPT_NS, "ns", ARG(ns), 0, UINT64_MAX, "how long" },
	{ OPT_RATE, "rate", ARG(bps), GBPS, 1600 * GBPS, "how fast" },
	{ OPT_SEED, "seed", ARG(seed), 0, 0, "of all that is random" },
	{ OPT_CHOICE, "profile quick|full", ARG(choice), 0, 0, "how much to run" },
	{ OPT_FLAG, "json", ARG(flag), 0, 0, "print JSON" },
	{ OPT_INSTEAD, "F", 0, 0, 0, "leave it out: nothing depends on it" },
	{ OPT_ARG, "FILE", ARG(file), 1, 1, "the fabric file" },
	{ OPT_ARGS, "MORE", ARG(more), 0, 2, "others" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

/* Splits at blanks; "FILE" is put in front unless the line has its own. */
static int parse(const char *line, struct args *args, struct diag *diag)
{
	static char copy[256], *argv[16]; /* args borrow them */
	char *rest = copy;
	int argc = 0;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	*args = (struct args){ 0 };
	return opt_parse(opts, argc, argv, args, diag);
}

static const struct opt_case {
	const char *name, *line;
	int err;
	struct args want;
} cases[] = {
	{ "a count", "F --count 9", 0, { .count = 9 } },
	{ "an equals sign", "F --count=9", 0, { .count = 9 } },
	{ "the later one counts", "F --count 3 --count 4", 0, { .count = 4 } },
	{ "an option after the argument and one before", "--count 3 F --ns 1s", 0,
		{ .count = 3, .ns = NS_PER_S } },
	{ "count below least", "F --count 1", -ERANGE, { 0 } },
	{ "count above most", "F --count 10", -ERANGE, { 0 } },
	{ "count takes no unit", "F --count 9s", -EINVAL, { 0 } },
	{ "count takes no fraction", "F --count 2.5", -EINVAL, { 0 } },
	{ "negative", "F --count -3", -EINVAL, { 0 } },
	{ "blank value", "F --count=", -EINVAL, { 0 } },
	{ "bytes", "F --bytes 4096", 0, { .bytes = 4096 } },
	{ "KiB", "F --bytes 64KiB", 0, { .bytes = 65536 } },
	{ "a fraction of a MiB", "F --bytes 1.5MiB", 0, { .bytes = 3 << 19 } },
	{ "half a byte", "F --bytes 0.5", -EINVAL, { 0 } },
	{ "KB is not a size", "F --bytes 64KB", -EINVAL, { 0 } },
	{ "largest GiB", "F --bytes 17179869183GiB", 0,
		{ .bytes = UINT64_C(17179869183) << 30 } },
	{ "one GiB too many", "F --bytes 17179869184GiB", -ERANGE, { 0 } },
	{ "more digits than 64 bits", "F --bytes 18446744073709551616", -ERANGE, { 0 } },
	{ "milliseconds", "F --ns 250ms", 0, { .ns = 250000000 } },
	{ "2.5 us", "F --ns 2.5us", 0, { .ns = 2500 } },
	{ "a time needs a unit", "F --ns 250", -EINVAL, { 0 } },
	{ "finer than a nanosecond", "F --ns 0.0001us", -EINVAL, { 0 } },
	{ "endless digits", "F --ns 1.0000000000000000000000001s", -EINVAL, { 0 } },
	{ "a rate", "F --rate 100G", 0, { .bps = 100 * GBPS } },
	{ "a rate in full", "F --rate 12.5Gb/s", 0, { .bps = 12500000000 } },
	{ "a rate needs a unit", "F --rate 100", -EINVAL, { 0 } },
	{ "a rate in bytes is refused", "F --rate 100GB/s", -EINVAL, { 0 } },
	{ "the largest seed", "F --seed 9223372036854775807", 0, { .seed = INT64_MAX } },
	{ "one larger", "F --seed 9223372036854775808", -ERANGE, { 0 } },
	{ "the first choice", "F --profile quick", 0, { .choice = 0 } },
	{ "the second choice", "F --profile full", 0, { .choice = 1 } },
	{ "half a choice", "F --profile ful", -EINVAL, { 0 } },
	{ "two choices", "F --profile quick|full", -EINVAL, { 0 } },
	{ "a flag", "F --json", 0, { .flag = true } },
	{ "a flag with a value", "F --json=yes", -EINVAL, { 0 } },
	{ "prefix of a name", "F --coun 9", -EINVAL, { 0 } },
	{ "one dash", "F -count 9", -EINVAL, { 0 } },
	{ "no value", "F --count", -EINVAL, { 0 } },
	{ "two dashes before a short name", "F --i eth0", -EINVAL, { 0 } },
	{ "no argument", "--count 3", -EINVAL, { 0 } },
	{ "an argument too many", "F a b c", -EINVAL, { 0 } },
};

static void parses_or_says_why(void **state)
{
	const struct opt_case *c = *state;
	struct args args;
	struct diag diag;

	assert_int_equal(parse(c->line, &args, &diag), c->err);
	if (c->err)
		return;
	assert_string_equal(args.file, "F");
	assert_int_equal(args.count, c->want.count);
	assert_int_equal(args.bytes, c->want.bytes);
	assert_int_equal(args.ns, c->want.ns);
	assert_int_equal(args.bps, c->want.bps);
	assert_int_equal(args.seed, c->want.seed);
	assert_int_equal(args.choice, c->want.choice);
	assert_int_equal(args.flag, c->want.flag);
}

static const struct sentence_case {
	const char *line, *want;
} sentences[] = {
	{ "F --count 1", "--count \"1\": expected 2..9" },
	{ "F --ns 5", "--ns \"5\": expected at least 0ns (with ns, us, ms or s)" },
	{ "F --rate 2000G", "--rate \"2000G\": expected 1G..1600G (with M or G)" },
	{ "F --profile slow", "--profile \"slow\": expected quick|full" },
	{ "F --sead 1", "unknown option --sead: -h lists those there are" },
	{ "F -i", "-i needs a value: -i IFACE" },
	{ "F -ieth0", "-ieth0: a value stands apart: -i eth0" },
	{ "F -Fast", "unknown option -Fast: -h lists those there are" },
	{ "F -F", "-F: leave it out: nothing depends on it" },
	{ "F -F=3", "-F: leave it out: nothing depends on it" },
	{ "F --json=1", "--json=1: --json takes no value" },
	{ "", "no FILE is given: the fabric file is needed" },
	{ "F a b c", "\"c\" is one too many: at most 2 of MORE are taken" },
};

static void a_sentence_says_what_was_given_and_what_would_do(void **state)
{
	struct args args;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(sentences); i++) {
		assert_true(parse(sentences[i].line, &args, &diag) < 0);
		assert_string_equal(diag.text, sentences[i].want);
	}
}

static void texts_and_arguments_are_borrowed(void **state)
{
	struct args args;
	struct diag diag;

	(void)state;
	assert_int_equal(parse("a -i eth0 b -- --json", &args, &diag), 0);
	assert_string_equal(args.text, "eth0");
	assert_string_equal(args.file, "a");
	assert_int_equal(args.more.count, 2);
	assert_string_equal(args.more.items[0], "b");
	assert_string_equal(args.more.items[1], "--json");
	assert_false(args.flag);
	assert_int_equal(parse("- --text=a=b", &args, &diag), 0);
	assert_string_equal(args.file, "-");
	assert_string_equal(args.text, "a=b");
}

static void values_print_as_they_may_be_given(void **state)
{
	static const struct {
		enum opt_kind kind;
		uint64_t value;
		const char *want;
	} rows[] = {
		{ OPT_BYTES, 0, "0" },
		{ OPT_BYTES, 65536, "64KiB" },
		{ OPT_BYTES, 65537, "65537" },
		{ OPT_NS, 2500000, "2500us" },
		{ OPT_NS, 0, "0ns" },
		{ OPT_RATE, 12500000000, "12500M" },
		{ OPT_COUNT, 1000, "1000" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char text[32];
		uint64_t back;

		opt_value_print(rows[i].kind, rows[i].value, text, sizeof(text));
		assert_string_equal(text, rows[i].want);
		assert_int_equal(opt_value_parse(rows[i].kind, text, &back), 0);
		assert_true(back == rows[i].value);
	}
}

static const char page[] =
	"usage: weft try [--text NAME] [-i IFACE] [--count N] [--bytes BYTES] [--ns TIME]\n"
	"                [--rate RATE] [--seed N] [--profile quick|full] [--json] FILE\n"
	"                [MORE ...]\n"
	"\n"
	"Tries it.\n"
	"\n"
	"  --text NAME             a text\n"
	"  -i IFACE                the same, short\n"
	"  --count N               how many\n"
	"                          (2..9; default 3)\n"
	"  --bytes BYTES           how much\n"
	"                          (default 4KiB)\n"
	"  --ns TIME               how long\n"
	"                          (default 0ns)\n"
	"  --rate RATE             how fast\n"
	"                          (1G..1600G (with M or G))\n"
	"  --seed N                of all that is random\n"
	"                          (default 1)\n"
	"  --profile quick|full    how much to run\n"
	"                          (default full)\n"
	"  --json                  print JSON\n"
	"  FILE                    the fabric file\n"
	"  MORE                    others\n";

static void help_is_the_table(void **state)
{
	struct args args = { .count = 3, .bytes = 4096, .choice = 1, .seed = 1 };
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	opt_help(out, "try", "Tries it.", opts, &args);
	fclose(out);
	assert_string_equal(text, page);
	free(text);
}

static void a_flag_has_no_value_inside(void **state)
{
	static const struct opt flag[] = {
		{ OPT_FLAG, "a", ARG(flag), 0, 0, "all" },
		{ OPT_END, NULL, 0, 0, 0, NULL },
	};
	char text[] = "-ab", *argv[] = { text };
	struct args args = { .flag = false };
	struct diag diag;

	(void)state;
	assert_int_equal(opt_parse(flag, 1, argv, &args, &diag), -EINVAL);
	assert_string_equal(diag.text, "unknown option -ab: -h lists those there are");
}

static void help_is_wanted_before_the_two_dashes_only(void **state)
{
	char dashes[] = "--", help[] = "--help", h[] = "-h", file[] = "F";
	char *asked[] = { file, h }, *also[] = { help }, *none[] = { file, dashes, help };

	(void)state;
	assert_true(opt_wants_help(2, asked));
	assert_true(opt_wants_help(1, also));
	assert_false(opt_wants_help(3, none));
	assert_false(opt_wants_help(0, NULL));
}

#define SINGLE_TESTS 6

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + SINGLE_TESTS] = {
		cmocka_unit_test(a_sentence_says_what_was_given_and_what_would_do),
		cmocka_unit_test(texts_and_arguments_are_borrowed),
		cmocka_unit_test(values_print_as_they_may_be_given),
		cmocka_unit_test(a_flag_has_no_value_inside),
		cmocka_unit_test(help_is_the_table),
		cmocka_unit_test(help_is_wanted_before_the_two_dashes_only),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + SINGLE_TESTS] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = parses_or_says_why,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("opt", tests, NULL, NULL);
}
