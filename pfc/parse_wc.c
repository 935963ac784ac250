/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"
#include "pfc/wc.h"

/* A number behind "error 12", "status=12", "Failed status 12:", "status 12". */
static int status_number(const char *text)
{
	static const char *const keys[] = { "with status", "Failed status", "wc status",
		"wc.status", "with error", "completion status", "status" };

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		const char *after = scan_after(text, keys[i]), *end;
		double number;

		if (!after)
			continue;
		after += strspn(after, " :=([");
		if (scan_number(after, &number, &end) && number >= 0 && number < 64 &&
			*end != 'x' && number == scan_int(number))
			return scan_int(number);
	}
	return -1;
}

static bool is_completion(const char *text)
{
	return scan_has(text, "completion") || scan_has(text, "Failed status") ||
	       scan_has(text, "wr_id") || scan_has(text, "vendor err") ||
	       scan_has(text, "vendor_err") || scan_has(text, "IBV_WC_") ||
	       scan_has(text, "retry count exceeded") || scan_has(text, "wc status") ||
	       scan_has(text, "wc.status");
}

static void read_error(const struct reader *reader, long line, const char *text)
{
	char device[64] = "", vendor[32];
	int status = status_number(text);
	struct fact *fact;
	double number;

	if (!is_completion(text) || scan_has(text, "cqe status"))
		return;
	if (status < 0)
		status = wc_find(text);
	if (status <= 0)
		return;
	scan_value(text, "hca", device, sizeof(device));
	if (!*device && scan_after(text, "exceeded on ")) /* "... on mlx5_2:1/RoCE (synd" */
		snprintf(device, sizeof(device), "%.*s",
			(int)strcspn(scan_after(text, "exceeded on "), " :/"),
			scan_after(text, "exceeded on "));
	if (!*device)
		snprintf(device, sizeof(device), "%s", reader->device);
	fact = reader_number(reader, line, FACT_WC, device, wc_name(status), status);
	fact->text = facts_keep(reader->facts, text);
	fact->more = -1;
	if ((scan_value(text, "vendor err", vendor, sizeof(vendor)) ||
		    scan_value(text, "vendor_err", vendor, sizeof(vendor)) ||
		    scan_value(text, "syndrom", vendor, sizeof(vendor)) ||
		    scan_value(text, "syndrome", vendor, sizeof(vendor))) &&
		scan_number(vendor, &number, NULL))
		fact->more = number;
}

/* "scnt=128, ccnt=0", "bytes transferred before the error: 0". */
static void read_progress(const struct reader *reader, long line, const char *text)
{
	double number;

	if (scan_value_number(text, "scnt", &number))
		reader_number(reader, line, FACT_WC_COUNT, NULL, "posted", number);
	if (scan_value_number(text, "ccnt", &number))
		reader_number(reader, line, FACT_WC_COUNT, NULL, "completed", number);
	if ((scan_has(text, "before the error") || scan_has(text, "before the failure") ||
		    scan_has(text, "before error")) &&
		strrchr(text, ':') &&
		scan_number(strrchr(text, ':') + 1 + strspn(strrchr(text, ':') + 1, " "),
			&number, NULL))
		reader_number(reader, line, FACT_WC_COUNT, NULL, "bytes", number);
	if (scan_has(text, "no data transferred") || scan_has(text, "no byte was"))
		reader_number(reader, line, FACT_WC_COUNT, NULL, "bytes", 0);
}

/* A list to decode: each line is a status number and nothing else. */
static void read_list(const struct reader *reader)
{
	if (!scan_has(reader->section->title, "status") &&
		!scan_has(reader->section->title, "wc"))
		return;
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;
		struct words words;
		double number;

		scan_words(text, &words);
		if (words.count < 1 || words.count > 3 ||
			!scan_whole_number(words.at[words.count - 1], &number) ||
			(words.count > 1 && !scan_has(text, "status") &&
				!scan_has(text, "error") && !scan_has(text, "wc")))
			continue;
		if (number >= 0 && number == scan_int(number))
			reader_number(reader, i, FACT_WC_QUERY, NULL, NULL, number);
	}
}

void parse_wc(const struct reader *reader)
{
	for (long i = 0; i < (long)reader->count; i++) {
		read_error(reader, i, reader->lines[i].text);
		read_progress(reader, i, reader->lines[i].text);
	}
	read_list(reader);
}
