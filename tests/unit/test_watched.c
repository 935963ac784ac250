/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/live.h"

#define ALARMS 12

static struct live_nic nic;
static struct live_alarm alarms[ALARMS];

static struct live_view view_of(size_t alarm_count)
{
	nic = (struct live_nic){ .name = "ens1f0np0",
		.tx = { true, 98 * GBPS, 98 * GBPS },
		.rx = { true, 97 * GBPS, 97 * GBPS },
		.prios = { { .priority = 3 } },
		.prio_count = 1 };
	for (int what = 0; what < LIVE_WHATS; what++)
		nic.counts[what] = (struct live_count){ true, true, 123456, 7 };
	for (size_t i = 0; i < alarm_count; i++) {
		alarms[i] = (struct live_alarm){ .nic = "ens1f0np0",
			.check = "pfc.held",
			.active = true,
			.first_ns = NS_PER_S };
		strcpy(alarms[i].text, "held on priority 3 for 12 % of the last 2.0 s "
				       "(limit 2.3 % of the time for 2 s)");
	}
	return (struct live_view){ .elapsed_ns = NS_PER_S,
		.span_ns = NS_PER_S,
		.hz = 10,
		.nics = &nic,
		.nic_count = 1,
		.alarms = alarms,
		.alarm_count = alarm_count };
}

static char *drawn(unsigned width, unsigned height, size_t alarm_count)
{
	struct report_options options = { .width = width };
	struct live_view view = view_of(alarm_count);
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	live_draw(out, &options, height, &view);
	assert_int_equal(fclose(out), 0);
	return text;
}

static unsigned lines(const char *text)
{
	unsigned count = 1;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* What is left of a title must say by itself what is below it. */
static void no_title_needs_one_that_has_gone(void **state)
{
	(void)state;
	for (unsigned width = REPORT_WIDTH_MIN; width <= REPORT_WIDTH_MAX; width++) {
		char *text = drawn(width, 24, 0), *title = strchr(text, '\n');
		char *in = strstr(title, " in ");

		assert_true(
			!in || in - strstr(title, "CNP/s in") == (ptrdiff_t)strlen("CNP/s"));
		free(text);
	}
}

static void an_alarm_is_told_to_its_end_where_there_is_room(void **state)
{
	char *text = drawn(80, 24, 1);

	(void)state;
	if (strstr(text, ".."))
		fail_msg("%s", text);
	assert_non_null(strstr(text, "2.3 %"));
	assert_non_null(strstr(text, "2 s)"));
	free(text);
}

static void many_alarms_keep_a_line_each_and_the_screen_its_height(void **state)
{
	(void)state;
	for (unsigned height = 8; height < 40; height++) {
		char *text = drawn(80, height, ALARMS), *at = text;
		unsigned told = 0;

		while ((at = strstr(at, "since"))) {
			told++;
			at++;
		}
		assert_true(lines(text) <= height);
		if (height >= 24)
			assert_int_equal(told, ALARMS);
		free(text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_title_needs_one_that_has_gone),
		cmocka_unit_test(an_alarm_is_told_to_its_end_where_there_is_room),
		cmocka_unit_test(many_alarms_keep_a_line_each_and_the_screen_its_height),
	};

	return cmocka_run_group_tests_name("watched", tests, NULL, NULL);
}
