/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/scan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"

void scan_words(const char *line, struct words *words)
{
	char *rest = words->text, *word;

	snprintf(words->text, sizeof(words->text), "%s", line);
	words->count = 0;
	while (words->count < SCAN_WORDS && (word = strsep(&rest, " \t\r")))
		if (*word)
			words->at[words->count++] = word;
}

/* strcasestr() for short lines: nearly all of a parser's time is spent on needles that
 * are not there, and their first letter tells. Each of its two forms is looked for once, so
 * that a long line without one of them costs no more. */
static const char *find(const char *line, const char *needle)
{
	int small = tolower((unsigned char)*needle), large = toupper((unsigned char)*needle);
	const char *end = line + strlen(line), *a, *b = NULL, *at;
	size_t length = strlen(needle);

	if (length == 0)
		return line;
	a = memchr(line, small, (size_t)(end - line));
	if (large != small)
		b = memchr(line, large, (size_t)(end - line));
	while ((at = !a || (b && b < a) ? b : a)) {
		if (strncasecmp(at, needle, length) == 0)
			return at;
		if (at == a)
			a = memchr(at + 1, small, (size_t)(end - at - 1));
		else
			b = memchr(at + 1, large, (size_t)(end - at - 1));
	}
	return NULL;
}

const char *scan_after(const char *line, const char *needle)
{
	const char *found = find(line, needle);

	return found ? found + strlen(needle) : NULL;
}

bool scan_has(const char *line, const char *needle)
{
	return find(line, needle) != NULL;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

const char *scan_word(const char *line, const char *needle)
{
	const char *after = line;

	while ((after = scan_after(after, needle))) {
		const char *start = after - strlen(needle);

		if ((start == line || !in_word(start[-1])) && !in_word(*after))
			return after;
	}
	return NULL;
}

bool scan_value(const char *line, const char *key, char *value, size_t room)
{
	const char *after = scan_word(line, key);
	size_t length;

	if (!after)
		return false;
	after += strspn(after, " \t\"");
	if (*after == ':' || *after == '=')
		after++;
	after += strspn(after, " \t\"'");
	length = strcspn(after, " \t\r,;\"'");
	if (length == 0 || length >= room)
		return false;
	memcpy(value, after, length);
	value[length] = '\0';
	return true;
}

bool scan_value_number(const char *line, const char *key, double *number)
{
	char value[64];

	return scan_value(line, key, value, sizeof(value)) && scan_number(value, number, NULL);
}

int scan_int(double number)
{
	if (!(number > -1e9)) /* not a number either */
		return -1000000000;
	return number < 1e9 ? (int)number : 1000000000;
}

uint32_t scan_address(double number)
{
	return number > 0 && number <= UINT32_MAX ? (uint32_t)number : 0;
}

uint32_t scan_mask(double length)
{
	int bits = scan_int(length);

	return bits <= 0 ? 0 : bits >= 32 ? UINT32_MAX : UINT32_MAX << (32 - bits);
}

/* "1,234,567" counts, "1,2" is a list. */
static size_t grouped_length(const char *text)
{
	size_t length = strspn(text, "0123456789");

	if (length == 0 || length > 3)
		return 0;
	while (text[length] == ',' && isdigit((unsigned char)text[length + 1]) &&
		strspn(text + length + 1, "0123456789") == 3)
		length += 4;
	return length > 3 && memchr(text, ',', length) ? length : 0;
}

bool scan_number(const char *text, double *number, const char **end)
{
	char digits[64];
	size_t sign = *text == '-' || *text == '+', group = grouped_length(text + sign),
	       kept = 0;
	char *after;

	if (!isdigit((unsigned char)text[sign]) && text[sign] != '.')
		return false;
	if (group == 0 || group >= sizeof(digits)) {
		*number = strtod(text, &after);
		if (after == text || !isfinite(*number))
			return false;
		if (end)
			*end = after;
		return true;
	}
	for (size_t i = 0; i < group; i++)
		if (text[sign + i] != ',')
			digits[kept++] = text[sign + i];
	digits[kept] = '\0';
	*number = strtod(digits, NULL) * (*text == '-' ? -1 : 1);
	if (end)
		*end = text + sign + group;
	return true;
}

bool scan_whole_number(const char *text, double *number)
{
	const char *end;

	return scan_number(text, number, &end) && end[strspn(end, " \t\r,;%")] == '\0';
}

double scan_unit_gbps(const char *text, const char **end)
{
	static const struct {
		const char *unit;
		double gbps;
	} units[] = {
		{ "Gbit/sec", 1 },
		{ "Gbits/sec", 1 },
		{ "Gbit/s", 1 },
		{ "Gb/sec", 1 },
		{ "Gb/s", 1 },
		{ "Gbps", 1 },
		{ "Gbits/s", 1 },
		{ "gbps", 1 },
		{ "Gib/s", 1.073741824 },
		{ "Tb/s", 1000 },
		{ "Tbps", 1000 },
		{ "Tbit/s", 1000 },
		{ "GBps", 8 },
		{ "GiBps", 8.589934592 },
		{ "MiBps", 0.008388608 },
		{ "MBps", 0.008 },
		{ "GB/sec", 8 },
		{ "GB/s", 8 },
		{ "GiB/sec", 8.589934592 },
		{ "GiB/s", 8.589934592 },
		{ "MiB/sec", 0.008388608 },
		{ "MiB/s", 0.008388608 },
		{ "Mbit/s", 0.001 },
		{ "Mbits/s", 0.001 },
		{ "Mbits/sec", 0.001 },
		{ "Mb/sec", 0.001 },
		{ "Mb/s", 0.001 },
		{ "Mbps", 0.001 },
		{ "MB/sec", 0.008 },
		{ "MB/s", 0.008 },
		{ "Kb/s", 0.000001 },
		{ "KB/s", 0.000008 },
	};

	for (size_t i = 0; i < COUNT_OF(units); i++) {
		size_t length = strlen(units[i].unit);

		if (strncmp(text, units[i].unit, length) == 0 && !in_word(text[length])) {
			if (end)
				*end = text + length;
			return units[i].gbps;
		}
	}
	return 0;
}

bool scan_rate_gbps(const char *text, double *gbps, const char **end)
{
	const char *unit;
	double number, factor;

	if (!scan_number(text, &number, &unit))
		return false;
	unit += strspn(unit, " \t[(");
	factor = scan_unit_gbps(unit, end);
	if (factor > 0) {
		*gbps = number * factor;
		return true;
	}
	if (*unit != 'G' || in_word(unit[1]))
		return false;
	*gbps = number;
	if (end)
		*end = unit + 1;
	return true;
}

bool scan_find_rate_gbps(const char *line, double *gbps, const char **end)
{
	for (const char *at = line; *at; at++) {
		if (!isdigit((unsigned char)*at) ||
			(at > line && (in_word(at[-1]) || at[-1] == '.' || at[-1] == ',')))
			continue;
		if (scan_rate_gbps(at, gbps, end))
			return true;
	}
	return false;
}

bool scan_size_bytes(const char *text, unsigned base, double *bytes)
{
	static const char prefixes[] = "KMGT";
	const char *unit, *prefix;
	double number, factor = 1;

	if (!scan_number(text, &number, &unit))
		return false;
	unit += strspn(unit, " ");
	prefix = *unit ? strchr(prefixes, toupper((unsigned char)*unit)) : NULL;
	for (long i = 0; prefix && i <= prefix - prefixes; i++)
		factor *= unit[1] == 'i' ? 1024 : base;
	*bytes = number * factor;
	return true;
}

bool scan_egress(const char **at, int *from, int *to)
{
	unsigned kernel, tag;

	while (**at) {
		const char *word = *at + strspn(*at, " \t");

		*at = word + strcspn(word, " \t\n");
		if (sscanf(word, "%2u:%1u", &kernel, &tag) == 2 && kernel <= 15 && tag <= 7) {
			*from = (int)kernel;
			*to = (int)tag;
			return true;
		}
	}
	return false;
}
