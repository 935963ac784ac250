/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>

#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/bundle.h"

static const struct title_case {
	const char *name, *title, *place;
	bool delta;
	double window_s;
} titles[] = {
	{ "place and command", "hostA: show_gids", "hostA", false, 0 },
	{ "place and time", "hostA 10:00: mlnx_qos -i ens1f0", "hostA", false, 0 },
	{ "place and phase", "hostA before reboot: show_gids", "hostA", false, 0 },
	{ "place, role and file", "hostR (receiver) /sys/class/net/ens1f0/ecn", "hostR", false,
		0 },
	{ "place behind a comma", "NCCL log, hostA", "hostA", false, 0 },
	{ "address as a name", "server 192.0.2.1: HCCL log", "server 192.0.2.1", false, 0 },
	{ "a place that is no host", "inside mpirun: ulimit -l", "inside mpirun", false, 0 },
	{ "the job", "env", "", false, 0 },
	{ "a command without a place", "hccn_tool -i 7 -stat -g, delta during test", "", true,
		0 },
	{ "a path is no place", "/etc/security/limits.conf (tail)", "", false, 0 },
	{ "words of time are no place", "after reboot: show_gids", "", false, 0 },
	{ "seconds of a window", "hostA: ethtool -S ens1f0, 10 s delta", "hostA", true, 10 },
	{ "minutes of a window", "hostA: counters, 2 min delta", "hostA", true, 120 },
	{ "milliseconds of a window", "leaf1: counters, delta over 250 ms", "leaf1", true,
		0.25 },
	{ "an interface is no window", "hostA: ethtool -S ens10s0, delta", "hostA", true, 0 },
};

static void a_title_tells_place_and_window(void **state)
{
	const struct title_case *row = *state;
	struct title title = bundle_title(row->title);
	char place[64];

	assert_true(title.place_length < sizeof(place));
	memcpy(place, title.place, title.place_length);
	place[title.place_length] = '\0';
	assert_string_equal(place, row->place);
	assert_int_equal(title.delta, row->delta);
	assert_true(title.window_s == row->window_s);
}

static void lines_belong_to_the_title_above_them(void **state)
{
	static const char text[] = "before\n== hostA: x ==\none\r\ntwo\n== y ==\n";
	struct bundle bundle = BUNDLE_INIT;
	struct diag diag;

	(void)state;
	assert_int_equal(bundle_add(&bundle, "file", text, strlen(text), &diag), 0);
	assert_int_equal(bundle.section_count, 3);
	assert_string_equal(bundle.sections[0].title, "file");
	assert_int_equal(bundle.sections[1].count, 2);
	assert_string_equal(bundle.lines[bundle.sections[1].first].text, "one");
	assert_int_equal(bundle.lines[bundle.sections[1].first].number, 3);
	assert_int_equal(bundle.sections[2].count, 0);
	bundle_free(&bundle);
	bundle_free(&bundle);
}

static void a_prompt_with_a_command_is_a_title(void **state)
{
	static const char text[] = "[root@hostA ~]# ip rule\n0: from all lookup local\n"
				   "(base) me@hostB:~/x$ env\nA=1\nme@hostB:~$\n"
				   "== hostC, 10 s delta ==\nhostC:~ # no prompt\n"
				   "root@c:/tmp# ethtool -S eth0\n  a: 1\n  b: 2\n\n";
	static const char *const wanted[] = { "hostA: ip rule", "hostB: env",
		"hostC, 10 s delta", "hostC: ethtool -S eth0" };
	struct bundle bundle = BUNDLE_INIT;
	struct diag diag;

	(void)state;
	assert_int_equal(bundle_add(&bundle, "file", text, strlen(text), &diag), 0);
	assert_int_equal(bundle.section_count, COUNT_OF(wanted));
	for (size_t i = 0; i < COUNT_OF(wanted); i++)
		assert_string_equal(bundle.sections[i].title, wanted[i]);
	assert_int_equal(bundle.sections[1].count, 1);
	assert_true(bundle.sections[3].delta && bundle.sections[3].window_s == 10);
	assert_int_equal(bundle.sections[3].count, 2);
	assert_string_equal(bundle.lines[bundle.sections[3].first].text, "a: 1");
	bundle_free(&bundle);
}

static void refuse(const char *text, size_t bytes, int err)
{
	struct bundle bundle = BUNDLE_INIT;
	struct diag diag = { "" };

	assert_int_equal(bundle_add(&bundle, "file", text, bytes, &diag), err);
	assert_memory_equal(diag.text, "file: ", 6);
	bundle_free(&bundle);
}

static void what_is_no_text_is_refused_with_a_sentence(void **state)
{
	char *large = malloc(BUNDLE_BYTES_MAX + 1);

	(void)state;
	assert_non_null(large);
	memset(large, 'a', BUNDLE_BYTES_MAX + 1);
	refuse("a\0b\n", 4, -EILSEQ);
	refuse(large, BUNDLE_LINE_MAX + 1, -E2BIG);
	refuse(large, BUNDLE_BYTES_MAX + 1, -E2BIG);
	free(large);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(titles) + 3] = {
		cmocka_unit_test(lines_belong_to_the_title_above_them),
		cmocka_unit_test(a_prompt_with_a_command_is_a_title),
		cmocka_unit_test(what_is_no_text_is_refused_with_a_sentence),
	};

	for (size_t i = 0; i < COUNT_OF(titles); i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = titles[i].name,
			.test_func = a_title_tells_place_and_window,
			.initial_state = (void *)(uintptr_t)&titles[i],
		};
	return cmocka_run_group_tests_name("bundle", tests, NULL, NULL);
}
