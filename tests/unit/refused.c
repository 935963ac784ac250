/* SPDX-License-Identifier: Apache-2.0 */
#include "refused.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/grow.h"

static void is_refused_with_its_sentence(void **state)
{
	const struct refused *row = *state;
	char expected[sizeof(((struct diag *)NULL)->text)];
	struct fabric fabric;
	struct diag diag = { "" };

	snprintf(expected, sizeof(expected), "f:%s", row->sentence);
	assert_int_equal(
		fabric_parse(&fabric, "f", row->text, row->bytes, NULL, &diag), -EINVAL);
	assert_string_equal(diag.text, expected);
	assert_null(fabric.nodes);
	assert_null(fabric.text);
}

int test_refusals(const char *name, const struct refused *rows, size_t count)
{
	struct CMUnitTest *tests = zeroed(count, sizeof(*tests));
	int failed;

	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){
			.name = rows[i].name,
			.test_func = is_refused_with_its_sentence,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);
	free(tests);
	return failed;
}
