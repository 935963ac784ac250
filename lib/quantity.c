/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

#define DIGITS_MAX 40

/* For each kind the units that are printed come first, largest first. */
static const struct unit {
	enum quantity kind;
	const char *text;
	uint64_t factor;
} units[] = {
	{ QUANTITY_COUNT, "", 1 },
	{ QUANTITY_RATE, "G", GBPS },
	{ QUANTITY_RATE, "M", GBPS / 1000 },
	{ QUANTITY_RATE, "T", 1000 * GBPS },
	{ QUANTITY_RATE, "Gb/s", GBPS },
	{ QUANTITY_RATE, "Mb/s", GBPS / 1000 },
	{ QUANTITY_RATE, "Tb/s", 1000 * GBPS },
	{ QUANTITY_RATE, "Gbps", GBPS },
	{ QUANTITY_RATE, "Mbps", GBPS / 1000 },
	{ QUANTITY_RATE, "Tbps", 1000 * GBPS },
	{ QUANTITY_RATE, "Gbit/s", GBPS },
	{ QUANTITY_RATE, "GE", GBPS },
	{ QUANTITY_RATE, "GbE", GBPS },
	{ QUANTITY_BYTES, "GiB", GIB },
	{ QUANTITY_BYTES, "MiB", MIB },
	{ QUANTITY_BYTES, "KiB", KIB },
	{ QUANTITY_BYTES, "", 1 },
	{ QUANTITY_BYTES, "B", 1 },
	{ QUANTITY_TIME, "s", NS_PER_S },
	{ QUANTITY_TIME, "ms", NS_PER_MS },
	{ QUANTITY_TIME, "us", NS_PER_US },
	{ QUANTITY_TIME, "ns", 1 },
	{ QUANTITY_LENGTH, "m", 1 },
	{ QUANTITY_LENGTH, "km", 1000 },
	{ QUANTITY_SHARE, "", PPB },
	{ QUANTITY_SHARE, "%", PPB / 100 },
};

/* A decimal number as whole * 10^-scale. */
struct decimal {
	uint64_t whole;
	int scale;
};

static int add_digit(struct decimal *decimal, char digit)
{
	if (__builtin_mul_overflow(decimal->whole, 10, &decimal->whole) ||
		__builtin_add_overflow(
			decimal->whole, (uint64_t)(digit - '0'), &decimal->whole))
		return -ERANGE;
	return 0;
}

static int parse_exponent(struct decimal *decimal, const char **text)
{
	const char *at = *text + 1;
	int sign = *at == '-' ? 1 : -1, value = 0, digits = 0;

	at += *at == '-' || *at == '+';
	for (; *at >= '0' && *at <= '9'; at++, digits++)
		value = value < 100 ? value * 10 + (*at - '0') : value;
	if (!digits)
		return -EINVAL;
	decimal->scale += sign * value;
	*text = at;
	return 0;
}

/* 12, 12.5, .5; with exponents also 1e-6. Leaves *text behind the number. */
static int parse_decimal(struct decimal *decimal, const char **text, int exponents)
{
	const char *at = *text;
	int digits = 0, point = 0, err;

	*decimal = (struct decimal){ 0, 0 };
	for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); at++) {
		if (*at == '.') {
			point = 1;
			continue;
		}
		if (++digits > DIGITS_MAX)
			return -ERANGE;
		err = add_digit(decimal, *at);
		if (err)
			return err;
		decimal->scale += point;
	}
	if (!digits || at[-1] == '.')
		return -EINVAL;
	*text = at;
	if (exponents && (*at == 'e' || *at == 'E'))
		return parse_exponent(decimal, text);
	return 0;
}

static int in_units(struct decimal decimal, uint64_t factor, uint64_t *value)
{
	uint64_t product;

	if (decimal.whole == 0) {
		*value = 0;
		return 0;
	}
	for (; decimal.scale > 0 && decimal.whole % 10 == 0; decimal.scale--)
		decimal.whole /= 10;
	for (; decimal.scale > 0 && factor % 10 == 0; decimal.scale--)
		factor /= 10;
	if (__builtin_mul_overflow(decimal.whole, factor, &product))
		return -ERANGE;
	for (; decimal.scale > 0; decimal.scale--) {
		if (product % 10)
			return -ERANGE;
		product /= 10;
	}
	for (; decimal.scale < 0; decimal.scale++)
		if (__builtin_mul_overflow(product, 10, &product))
			return -ERANGE;
	*value = product;
	return 0;
}

int quantity_parse(enum quantity kind, const char *text, uint64_t *value)
{
	struct decimal decimal;
	int err = parse_decimal(&decimal, &text, kind == QUANTITY_SHARE);

	if (err)
		return err;
	if (kind == QUANTITY_COUNT && decimal.scale)
		return -EINVAL;
	text += *text == ' ';
	if (kind == QUANTITY_TIME && decimal.whole == 0 && *text == '\0') {
		*value = 0;
		return 0;
	}
	for (size_t i = 0; i < COUNT_OF(units); i++)
		if (units[i].kind == kind && strcmp(units[i].text, text) == 0)
			return in_units(decimal, units[i].factor, value);
	return -EINVAL;
}

static void print_share(uint64_t ppb, char text[QUANTITY_TEXT])
{
	size_t end;

	snprintf(text, QUANTITY_TEXT, "%" PRIu64 ".%09" PRIu64, ppb / PPB, ppb % PPB);
	for (end = strlen(text); text[end - 1] == '0'; end--)
		text[end - 1] = '\0';
	if (text[end - 1] == '.')
		text[end - 1] = '\0';
}

void quantity_print(enum quantity kind, uint64_t value, char text[QUANTITY_TEXT])
{
	if (kind == QUANTITY_SHARE) {
		print_share(value, text);
		return;
	}
	for (size_t i = 0; i < COUNT_OF(units); i++) {
		if (units[i].kind != kind || (value % units[i].factor && units[i].factor > 1))
			continue;
		if (value == 0 && units[i].factor > 1 && kind != QUANTITY_RATE)
			continue;
		snprintf(text, QUANTITY_TEXT, "%" PRIu64 "%s", value / units[i].factor,
			units[i].text);
		return;
	}
	snprintf(text, QUANTITY_TEXT, "%" PRIu64, value);
}

const char *quantity_hint(enum quantity kind)
{
	switch (kind) {
	case QUANTITY_COUNT:
		return "a whole number";
	case QUANTITY_RATE:
		return "a speed such as 100G";
	case QUANTITY_BYTES:
		return "bytes such as 4096, 16KiB or 32MiB";
	case QUANTITY_TIME:
		return "a time such as 500ns, 20us or 1ms";
	case QUANTITY_LENGTH:
		return "a length such as 20m";
	case QUANTITY_SHARE:
		break;
	}
	return "a fraction such as 0.001 or 0.1 %";
}
