/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Any bytes as the digest of a run: refused with a sentence, or read, and then compared
 * with itself, judged as a history of ten, and written and read again to the same bytes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/digest.h"
#include "reports/compare.h"
#include "reports/history.h"

#define NIGHTS 10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct digest *digest, size_t *bytes)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	if (!out)
		abort();
	digest_write(out, digest);
	if (fclose(out))
		abort();
	return text;
}

static void read_again(const struct digest *digest)
{
	struct digest again;
	struct diag diag = { "" };
	size_t bytes, bytes_again;
	char *text = written(digest, &bytes), *text_again;

	if (digest_parse(&again, "again", text, bytes, &diag))
		abort();
	text_again = written(&again, &bytes_again);
	if (bytes != bytes_again || memcmp(text, text_again, bytes) != 0)
		abort();
	free(text);
	free(text_again);
	digest_free(&again);
}

static void judge(const struct digest *digest, FILE *out)
{
	struct report_options options = { .verbose = true };
	struct history_run runs[NIGHTS];
	struct comparison comparison;
	struct history history;
	struct diag diag;

	for (int i = 0; i < NIGHTS; i++)
		runs[i] = (struct history_run){ .name = "night", .digest = digest };
	if (compare_make(&comparison, digest, digest, &diag))
		abort();
	if (comparison.worse || comparison.better)
		abort();
	compare_text(out, &comparison, "a", "b", &options);
	compare_json(out, &comparison, "a", "b");
	compare_free(&comparison);
	history_make(&history, runs, NIGHTS, HISTORY_NONE);
	if (history.count)
		abort();
	history_text(out, &history, &options);
	history_json(out, &history);
	history_free(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct digest digest;
	struct diag diag = { "" };
	FILE *out;

	if (digest_parse(&digest, "fuzz", (const char *)data, size, &diag)) {
		if (!diag.text[0])
			abort();
		return 0;
	}
	read_again(&digest);
	out = fopen("/dev/null", "w");
	if (!out)
		abort();
	judge(&digest, out);
	fclose(out);
	digest_free(&digest);
	return 0;
}
