/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

void number_count(char *text, size_t size, uint64_t value)
{
	char digits[24], grouped[32];
	size_t length, at = 0;

	length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, value);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			grouped[at++] = ',';
		grouped[at++] = digits[i];
	}
	grouped[at] = '\0';
	snprintf(text, size, "%s", grouped);
}

/* Three digits that matter and no exponent: 1234, 123, 12.3, 1.23. */
static void three_digits(char *text, size_t size, double value)
{
	double magnitude = fabs(value);
	int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;

	snprintf(text, size, "%.*f", decimals, value);
}

struct scale {
	uint64_t from, unit;
	const char *name;
};

/* The rows end with one from 0. */
static void scaled(char *text, size_t size, uint64_t value, const struct scale *scale)
{
	char digits[NUMBER_BYTES];

	while (value < scale->from)
		scale++;
	if (scale->unit == 1)
		number_count(digits, sizeof(digits), value);
	else
		three_digits(digits, sizeof(digits), (double)value / (double)scale->unit);
	snprintf(text, size, "%s %s", digits, scale->name);
}

void number_bytes(char *text, size_t size, uint64_t bytes)
{
	static const struct scale scales[] = {
		{ GIB, GIB, "GiB" },
		{ MIB, MIB, "MiB" },
		{ KIB, KIB, "KiB" },
		{ 0, 1, "bytes" },
	};

	scaled(text, size, bytes, scales);
}

void number_time(char *text, size_t size, uint64_t ns)
{
	static const struct scale scales[] = {
		{ NS_PER_S, NS_PER_S, "s" },
		{ NS_PER_MS, NS_PER_MS, "ms" },
		{ NS_PER_US, NS_PER_US, "us" },
		{ 0, 1, "ns" },
	};

	scaled(text, size, ns, scales);
}

void number_rate(char *text, size_t size, uint64_t bps)
{
	static const struct scale scales[] = {
		{ GBPS, GBPS, "Gb/s" },
		{ 1000000, 1000000, "Mb/s" },
		{ 1000, 1000, "kb/s" },
		{ 0, 1, "b/s" },
	};

	scaled(text, size, bps, scales);
}

void number_gbps(char *text, size_t size, uint64_t bps)
{
	double gbps = (double)bps / (double)GBPS;

	if (bps == 0 || gbps >= 0.01)
		three_digits(text, size, gbps);
	else
		snprintf(text, size, gbps >= 1e-4 ? "%.2g" : "%.1e", gbps);
}

void number_probability(char *text, size_t size, double value)
{
	snprintf(text, size, "%.1e", value);
}

static bool is_one_of(const char *unit, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(unit, *names) == 0)
			return true;
	return false;
}

static bool is_whole(double value)
{
	return fabs(value) < 1e15 && (double)(int64_t)value == value;
}

/* Shares and probabilities span decades, so they keep four digits that matter. */
static void plain(char *text, size_t size, double value)
{
	double magnitude = fabs(value);

	if (is_whole(value))
		snprintf(text, size, "%.0f", value);
	else if (magnitude >= 1e-4 && magnitude < 1e7)
		snprintf(text, size, "%.4g", value);
	else
		snprintf(text, size, "%.2e", value);
}

void number_figure(char *text, size_t size, double value, const char *unit)
{
	static const char *const counted[] = { "packets", "frames", "flows", "drops", "NICs",
		"links", "ports", "events", "stages", "pairs", "steps", "ns", NULL };
	static const char *const bare[] = { "", "ratio", "share", "probability", NULL };
	char digits[NUMBER_BYTES];
	bool whole = value >= 0 && is_whole(value);

	if (!isfinite(value)) {
		snprintf(text, size, "no number");
		return;
	}
	if (whole && strcmp(unit, "bytes") == 0) {
		number_bytes(text, size, (uint64_t)value);
		return;
	}
	if (whole && is_one_of(unit, counted))
		number_count(digits, sizeof(digits), (uint64_t)value);
	else
		plain(digits, sizeof(digits), value);
	if (is_one_of(unit, bare))
		snprintf(text, size, "%s", digits);
	else
		snprintf(text, size, "%s %s", digits, unit);
}

void number_range(char *text, size_t size, double least, double most, const char *unit)
{
	char from[NUMBER_BYTES], to[NUMBER_BYTES], *cut, *end;

	number_figure(from, sizeof(from), least, unit);
	number_figure(to, sizeof(to), most, unit);
	if (strcmp(from, to) == 0) {
		snprintf(text, size, "%s", to);
		return;
	}
	cut = strchr(from, ' ');
	end = strchr(to, ' ');
	if (cut && end && strcmp(cut, end) == 0)
		*cut = '\0';
	snprintf(text, size, "%s to %s", from, to);
}
