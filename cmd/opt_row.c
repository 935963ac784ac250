/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/opt_row.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/opt_value.h"

size_t opt_name_length(const struct opt *opt)
{
	return strcspn(opt->name, " ");
}

bool opt_is_argument(const struct opt *opt)
{
	return opt->kind == OPT_ARG || opt->kind == OPT_ARGS;
}

const char *opt_dashes(const struct opt *opt)
{
	return opt_is_argument(opt) ? "" : opt_name_length(opt) == 1 ? "-" : "--";
}

const char *opt_value_name(const struct opt *opt)
{
	const char *space = strchr(opt->name, ' ');

	if (space)
		return space + 1;
	switch (opt->kind) {
	case OPT_FLAG:
	case OPT_ARG:
	case OPT_ARGS:
	case OPT_INSTEAD:
	case OPT_END:
		return "";
	case OPT_COUNT:
	case OPT_SEED:
		return "N";
	case OPT_BYTES:
		return "BYTES";
	case OPT_NS:
		return "TIME";
	case OPT_RATE:
		return "RATE";
	case OPT_TEXT:
	case OPT_CHOICE:
		break;
	}
	return "TEXT";
}

void opt_print_range(char *text, size_t size, const struct opt *opt)
{
	char min[32], max[32];
	enum opt_kind kind = opt->kind;
	const char *unit = "";

	switch (kind) {
	case OPT_END:
	case OPT_FLAG:
	case OPT_TEXT:
	case OPT_ARG:
	case OPT_ARGS:
	case OPT_INSTEAD:
		snprintf(text, size, "a text that is not empty");
		return;
	case OPT_CHOICE:
		snprintf(text, size, "%s", opt_value_name(opt));
		return;
	case OPT_SEED:
		snprintf(text, size, "0..%" PRIu64, OPT_SEED_MAX);
		return;
	case OPT_COUNT:
		break;
	case OPT_BYTES:
		unit = " (bytes, KiB, MiB, GiB)";
		break;
	case OPT_NS:
		unit = " (with ns, us, ms or s)";
		break;
	case OPT_RATE:
		unit = " (with M or G)";
		break;
	}
	opt_value_print(kind, opt->min, min, sizeof(min));
	opt_value_print(kind, opt->max, max, sizeof(max));
	if (opt->max == UINT64_MAX)
		snprintf(text, size, "at least %s%s", min, unit);
	else
		snprintf(text, size, "%s..%s%s", min, max, unit);
}
