/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/finding.h"
#include "lib/units.h"

static void add(struct findings *findings, const char *check, enum verdict verdict,
	enum finding_rank rank, uint64_t weight, const char *culprit)
{
	struct finding *finding = findings_add(findings, check, "pairs", verdict);

	finding->rank = rank;
	finding->weight = weight;
	snprintf(finding->culprit, sizeof(finding->culprit), "%s", culprit);
}

static void the_order_is_the_one_a_person_wants(void **state)
{
	static const char *const want[] = { "loss", "rate", "mark", "mark", "slow", "dark",
		"narrow", "fine" };
	struct findings findings = FINDINGS_INIT;

	(void)state;
	add(&findings, "fine", VERDICT_PASS, RANK_CAUSE, 99, "");
	add(&findings, "narrow", VERDICT_WARN, RANK_CAUSE, 99, "");
	add(&findings, "dark", VERDICT_UNKNOWN, RANK_CAUSE, 99, "");
	add(&findings, "slow", VERDICT_FAIL, RANK_SYMPTOM, 99, "");
	add(&findings, "mark", VERDICT_FAIL, RANK_CAUSE, 1, "leaf2");
	add(&findings, "mark", VERDICT_FAIL, RANK_CAUSE, 1, "leaf1");
	add(&findings, "rate", VERDICT_FAIL, RANK_CAUSE, 2, "");
	add(&findings, "loss", VERDICT_FAIL, RANK_CAUSE, 3, "");
	findings_sort(&findings);
	assert_int_equal(findings.count, COUNT_OF(want));
	for (size_t i = 0; i < COUNT_OF(want); i++)
		assert_string_equal(findings.items[i].check, want[i]);
	assert_string_equal(findings.items[2].culprit, "leaf1");
	findings_free(&findings);
	findings_free(&findings);
}

static const struct verdict_case {
	const char *name;
	enum verdict given[3];
	size_t count;
	enum verdict want;
} cases[] = {
	{ "nothing examined is unknown", { VERDICT_PASS }, 0, VERDICT_UNKNOWN },
	{ "all passed", { VERDICT_PASS, VERDICT_PASS }, 2, VERDICT_PASS },
	{ "a warning", { VERDICT_PASS, VERDICT_WARN }, 2, VERDICT_WARN },
	{ "unknown is never a pass", { VERDICT_PASS, VERDICT_UNKNOWN, VERDICT_WARN }, 3,
		VERDICT_UNKNOWN },
	{ "one failure is enough", { VERDICT_UNKNOWN, VERDICT_FAIL, VERDICT_PASS }, 3,
		VERDICT_FAIL },
};

static void the_worst_decides(void **state)
{
	const struct verdict_case *c = *state;
	struct findings findings = FINDINGS_INIT;

	for (size_t i = 0; i < c->count; i++)
		findings_add(&findings, "check", "pairs", c->given[i]);
	assert_int_equal(findings_verdict(&findings), c->want);
	findings_sort(&findings);
	findings_free(&findings);
}

static void every_word_is_its_own(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_PASS), "pass");
	assert_string_equal(verdict_name(VERDICT_WARN), "warn");
	assert_string_equal(verdict_name(VERDICT_FAIL), "fail");
	assert_string_equal(verdict_name(VERDICT_UNKNOWN), "unknown");
	for (int i = CULPRIT_NONE; i <= CULPRIT_UNLOCATED; i++)
		for (int k = CULPRIT_NONE; k < i; k++)
			assert_string_not_equal(culprit_kind_name((enum culprit_kind)i),
				culprit_kind_name((enum culprit_kind)k));
}

static void texts_that_are_too_long_are_cut(void **state)
{
	struct findings findings = FINDINGS_INIT;
	char text[200];

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	findings_add(&findings, text, text, VERDICT_PASS);
	assert_int_equal(strlen(findings.items[0].check), sizeof(findings.items[0].check) - 1);
	assert_int_equal(strlen(findings.items[0].layer), sizeof(findings.items[0].layer) - 1);
	findings_free(&findings);
}

#define SINGLE_TESTS 3

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + SINGLE_TESTS] = {
		cmocka_unit_test(the_order_is_the_one_a_person_wants),
		cmocka_unit_test(every_word_is_its_own),
		cmocka_unit_test(texts_that_are_too_long_are_cut),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + SINGLE_TESTS] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = the_worst_decides,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
