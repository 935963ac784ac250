/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a facts file: facts that judge without harm and read the same when they
 * are written again, or one sentence. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "pfc/facts_json.h"
#include "pfc/rule.h"
#include "pfc/settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each compares every fact with every other: a fuzzer does not wait for more. */
#define JUDGED_MAX 512

static void check_again(const struct facts *facts)
{
	struct facts again;
	struct diag diag;
	char *text = NULL;
	size_t size = 0, unknown = 0;
	FILE *out = open_memstream(&text, &size);

	assert(out && facts_write(out, facts) == 0 && fclose(out) == 0);
	facts_init(&again);
	assert(facts_read(&again, text, size, NULL, &unknown, &diag) == 0 && unknown == 0);
	assert(again.count == facts->count);
	for (size_t i = 0; i < again.count; i++)
		assert(again.items[i].key == facts->items[i].key);
	facts_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct explain result = EXPLAIN_INIT;
	struct facts facts;
	struct diag diag = { "" };
	size_t unknown;

	facts_init(&facts);
	if (facts_read(&facts, (const char *)data, size, NULL, &unknown, &diag)) {
		assert(diag.text[0] && !strchr(diag.text, '\n'));
	} else if (facts.count <= JUDGED_MAX) {
		check_again(&facts);
		settings_add(&facts, &facts);
		explain_facts(&facts, &result);
	}
	explain_free(&result);
	facts_free(&facts);
	return 0;
}
