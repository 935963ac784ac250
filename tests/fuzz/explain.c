/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as pasted output: facts and a verdict, or one sentence. The first byte
 * chooses one parser to run alone as well, so that each meets forms that are
 * another one's. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/bundle.h"
#include "pfc/parse.h"
#include "pfc/rule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void (*const parsers[])(const struct reader *reader) = {
	parse_gid,
	parse_perftest,
	parse_nccl,
	parse_nccl_tests,
	parse_hccl,
	parse_wc,
	parse_qos,
	parse_switch,
	parse_counters,
	parse_ip,
	parse_host,
	parse_pci,
	parse_link,
	parse_capture,
	parse_figures,
	parse_json,
};

static void check(const struct facts *facts, const struct explain *result)
{
	bool judged = result->clear_count > 0 || result->code_count > 0;

	assert(facts->count <= FACTS_MAX);
	assert(result->verdict != VERDICT_PASS || judged);
	for (size_t i = 0; i < result->code_count; i++) {
		assert(*result->codes[i].found && *result->codes[i].advice);
		assert(result->verdict != VERDICT_PASS ||
			result->codes[i].level == VERDICT_PASS);
	}
	for (size_t i = 0; i < facts->count; i++)
		assert(facts->items[i].place && facts->items[i].subject &&
			facts->items[i].name && facts->items[i].text);
}

static void one_parser(const struct bundle *bundle, uint8_t which)
{
	struct facts facts;

	facts_init(&facts);
	for (size_t i = 0; i < bundle->section_count; i++) {
		struct reader reader = {
			.facts = &facts,
			.section = &bundle->sections[i],
			.lines = bundle->sections[i].count
					 ? bundle->lines + bundle->sections[i].first
					 : NULL,
			.count = bundle->sections[i].count,
			.device = "",
		};

		parsers[which % COUNT_OF(parsers)](&reader);
	}
	facts_free(&facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bundle bundle = BUNDLE_INIT;
	struct explain result = EXPLAIN_INIT;
	struct facts facts;
	struct diag diag = { "" };

	if (bundle_add(&bundle, "fuzz", (const char *)data, size, &diag)) {
		assert(strncmp(diag.text, "fuzz:", 5) == 0 && !strchr(diag.text, '\n'));
		bundle_free(&bundle);
		return 0;
	}
	facts_init(&facts);
	parse_bundle(&facts, &bundle);
	explain_facts(&facts, &result);
	check(&facts, &result);
	if (size > 0)
		one_parser(&bundle, data[0]);
	explain_free(&result);
	facts_free(&facts);
	bundle_free(&bundle);
	return 0;
}
