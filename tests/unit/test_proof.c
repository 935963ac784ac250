/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "pfc/audit.h"
#include "pfc/counter_table.h"
#include "pfc/proof.h"

static void add_counter(struct facts *facts, const char *name, double total, double more)
{
	struct fact *fact = facts_add(facts, FACT_COUNTER, "host1", "ens1", name, NULL);
	int priority;
	const struct counter_row *row = counter_find(name, &priority);

	assert_non_null(row);
	fact->has_number = true;
	fact->number = total;
	fact->more = more;
	fact->means = (short)row->means;
	fact->priority = (short)priority;
}

static void start(struct facts *before, struct facts *after, struct facts *facts)
{
	facts_init(before);
	facts_init(after);
	facts_init(facts);
	facts_add(after, FACT_RAIL, "host1", "mlx5_0", "ens1", "mlx5_core");
	facts_add(facts, FACT_RAIL, "host1", "mlx5_0", "ens1", "mlx5_core");
	facts_add(facts, FACT_WANTED, "host1", "", "priority", NULL)->number = 3;
}

static void end(struct facts *before, struct facts *after, struct facts *facts)
{
	facts_free(before);
	facts_free(after);
	facts_free(facts);
}

static const struct proof_sent sent = { "host1", "mlx5_0", 1000, 500 };

static void counters_are_taken_between_the_two_readings(void **state)
{
	struct facts before, after, facts;
	const struct fact *proof;

	(void)state;
	start(&before, &after, &facts);
	add_counter(&before, "tx_prio3_bytes", 70, 0);
	add_counter(&before, "tx_prio3_bytes", 5, 1); /* a difference of its own window */
	add_counter(&after, "tx_prio3_bytes", 1170, 0);
	add_counter(&before, "tx_prio4_bytes", 90, 0);
	add_counter(&after, "tx_prio4_bytes", 10, 0); /* went down */
	add_counter(&after, "tx_prio5_bytes", 10, 0); /* was not there */
	proof_add(&facts, &before, &after, &sent);
	proof = facts_first(&facts, FACT_PROOF);
	assert_non_null(proof);
	assert_string_equal(proof->name, "3");
	assert_string_equal(proof->text, "sent");
	assert_true(proof->number == 1100 && proof->more == 1000);
	assert_null(facts_next(&facts, proof));
	end(&before, &after, &facts);
}

/* judged ALL: what the rule makes of bytes counted in priorities 3 and 0, both ways. */
static void judged(double in_class, double elsewhere, bool fires, bool unknown)
{
	static const char *const names[] = { "tx_prio3_bytes", "rx_prio3_bytes",
		"tx_prio0_bytes", "rx_prio0_bytes" };
	struct explain result = EXPLAIN_INIT;
	struct facts before, after, facts;
	bool in_doubt = false;

	start(&before, &after, &facts);
	for (int i = 0; i < 4; i++) {
		add_counter(&before, names[i], 0, 0);
		add_counter(&after, names[i], i < 2 ? in_class : elsewhere, 0);
	}
	proof_add(&facts, &before, &after, &sent);
	audit_judge(&facts, &result);
	assert_int_equal(explain_has(&result, "AUDIT_CLASS_PROOF"), fires);
	for (size_t i = 0; i < result.unknown_count; i++)
		in_doubt =
			in_doubt || strcmp(result.unknown[i]->code, "AUDIT_CLASS_PROOF") == 0;
	assert_int_equal(in_doubt, unknown);
	explain_free(&result);
	end(&before, &after, &facts);
}

static void bytes_in_the_class_prove_it_and_others_refute_it(void **state)
{
	(void)state;
	judged(1100, 60, false, false);
	judged(0, 1100, true, false);
	judged(400, 700, true, false);
}

static void what_no_priority_counted_proves_nothing(void **state)
{
	(void)state;
	judged(0, 0, false, true);
	judged(400, 0, false, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_taken_between_the_two_readings),
		cmocka_unit_test(bytes_in_the_class_prove_it_and_others_refute_it),
		cmocka_unit_test(what_no_priority_counted_proves_nothing),
	};

	return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
