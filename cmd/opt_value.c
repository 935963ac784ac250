/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/opt_value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

/* The largest unit of a kind last; of two spellings the one that is printed. */
static const struct unit {
	enum opt_kind kind;
	const char *text;
	uint64_t factor;
} units[] = {
	{ OPT_COUNT, "", 1 },
	{ OPT_SEED, "", 1 },
	{ OPT_BYTES, "", 1 },
	{ OPT_BYTES, "KiB", KIB },
	{ OPT_BYTES, "MiB", MIB },
	{ OPT_BYTES, "GiB", GIB },
	{ OPT_NS, "ns", 1 },
	{ OPT_NS, "us", NS_PER_US },
	{ OPT_NS, "ms", NS_PER_MS },
	{ OPT_NS, "s", NS_PER_S },
	{ OPT_RATE, "bit/s", 1 },
	{ OPT_RATE, "b/s", 1 },
	{ OPT_RATE, "Mb/s", 1000000 },
	{ OPT_RATE, "M", 1000000 },
	{ OPT_RATE, "Gb/s", GBPS },
	{ OPT_RATE, "G", GBPS },
};

/* A decimal number: digits, or digits '.' digits; scale is 10^(digits after). */
struct decimal {
	uint64_t whole, part, scale;
};

static int digits(const char **text, uint64_t *value, uint64_t *scale)
{
	const char *from = *text;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (*value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		*value = *value * 10 + digit;
		if (*text - from >= 18)
			*scale = 0; /* finer than any unit */
		*scale *= 10;
	}
	return *text == from ? -EINVAL : 0;
}

static int decimal_parse(const char **text, struct decimal *decimal)
{
	uint64_t ignored = 1;
	int err;

	*decimal = (struct decimal){ .scale = 1 };
	err = digits(text, &decimal->whole, &ignored);
	if (err || **text != '.')
		return err;
	(*text)++;
	err = digits(text, &decimal->part, &decimal->scale);
	return err || decimal->scale == 0 ? -EINVAL : 0;
}

static int multiply(const struct decimal *decimal, uint64_t factor, uint64_t *value)
{
	uint64_t part;

	if (decimal->part > UINT64_MAX / factor || decimal->part * factor % decimal->scale)
		return -EINVAL; /* finer than one of what is counted */
	part = decimal->part * factor / decimal->scale;
	if (decimal->whole > (UINT64_MAX - part) / factor)
		return -ERANGE;
	*value = decimal->whole * factor + part;
	return 0;
}

int opt_value_parse(enum opt_kind kind, const char *text, uint64_t *value)
{
	struct decimal decimal;
	int err = decimal_parse(&text, &decimal);

	if (err)
		return err;
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (units[i].kind == kind && strcmp(units[i].text, text) == 0)
			return multiply(&decimal, units[i].factor, value);
	return -EINVAL;
}

/* In the largest unit that leaves a whole number: 2500us, not 2.5ms. */
void opt_value_print(enum opt_kind kind, uint64_t value, char *text, size_t size)
{
	const struct unit *best = NULL;

	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (units[i].kind == kind && (!best || (value && value % units[i].factor == 0)))
			best = &units[i];
	snprintf(text, size, "%" PRIu64 "%s", best ? value / best->factor : value,
		best ? best->text : "");
}
