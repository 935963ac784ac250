/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/opt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/units.h"

static const struct suffix {
	enum opt_kind kind;
	const char *text;
	uint64_t factor;
} suffixes[] = {
	{ OPT_COUNT, "", 1 },
	{ OPT_BYTES, "", 1 },
	{ OPT_BYTES, "KiB", UINT64_C(1) << 10 },
	{ OPT_BYTES, "MiB", UINT64_C(1) << 20 },
	{ OPT_BYTES, "GiB", UINT64_C(1) << 30 },
	{ OPT_NS, "ns", 1 },
	{ OPT_NS, "us", 1000 },
	{ OPT_NS, "ms", 1000000 },
	{ OPT_NS, "s", 1000000000 },
};

static int parse_number(enum opt_kind kind, const char *text, uint64_t *value)
{
	uint64_t number;
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return -errno;
	for (size_t i = 0; i < COUNT_OF(suffixes); i++) {
		if (suffixes[i].kind != kind || strcmp(suffixes[i].text, end) != 0)
			continue;
		if (number > UINT64_MAX / suffixes[i].factor)
			return -ERANGE;
		*value = number * suffixes[i].factor;
		return 0;
	}
	return -EINVAL;
}

static const struct opt *find(const struct opt *opts, const char *name)
{
	for (; opts->kind != OPT_END; opts++)
		if (strcmp(opts->name, name) == 0)
			return opts;
	return NULL;
}

static void print_range(char *text, size_t size, const struct opt *opt)
{
	const char *unit = "";

	switch (opt->kind) {
	case OPT_END:
	case OPT_TEXT:
		snprintf(text, size, "text");
		return;
	case OPT_COUNT:
		break;
	case OPT_BYTES:
		unit = " bytes";
		break;
	case OPT_NS:
		unit = " ns, with a unit";
		break;
	}
	snprintf(text, size, "%" PRIu64 "..%" PRIu64 "%s", opt->min, opt->max, unit);
}

static int parse_one(const struct opt *opt, char *text, void *args, struct diag *diag)
{
	char *to = (char *)args + opt->offset;
	char range[64];
	uint64_t value;
	int err;

	if (opt->kind == OPT_TEXT) {
		memcpy(to, &text, sizeof(text));
		return 0;
	}
	err = parse_number(opt->kind, text, &value);
	if (!err && (value < opt->min || value > opt->max))
		err = -ERANGE;
	if (!err) {
		memcpy(to, &value, sizeof(value));
		return 0;
	}
	print_range(range, sizeof(range), opt);
	return diag_error(diag, err, "--%s %s: expected %s", opt->name, text, range);
}

int opt_parse(const struct opt *opts, int argc, char **argv, void *args, struct diag *diag)
{
	for (int i = 0; i < argc; i += 2) {
		const struct opt *opt = NULL;
		int err;

		if (strncmp(argv[i], "--", 2) == 0)
			opt = find(opts, argv[i] + 2);
		if (!opt)
			return diag_error(diag, -EINVAL, "unknown option %s", argv[i]);
		if (i + 1 == argc)
			return diag_error(diag, -EINVAL, "--%s needs a value", opt->name);
		err = parse_one(opt, argv[i + 1], args, diag);
		if (err)
			return err;
	}
	return 0;
}

void opt_help(const struct opt *opts)
{
	char range[64];

	for (; opts->kind != OPT_END; opts++) {
		print_range(range, sizeof(range), opts);
		printf("  --%-10s %s (%s)\n", opts->name, opts->help, range);
	}
}
