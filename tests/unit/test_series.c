/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/series.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "reports/scene.h"

enum { LONG = 10007, MOST = 60 };

static void thinning_keeps_a_spike_of_one_sample(void **state)
{
	(void)state;
	for (int spike = 0; spike < LONG; spike += 997) {
		struct series series = SERIES_INIT;
		double high = 0, low = 9;

		for (int i = 0; i < LONG; i++)
			series_add(&series, i,
				i == spike              ? 100
				: i == LONG - 1 - spike ? -5
							: i % 3);
		series_thin(&series, MOST);
		assert_true(series.count <= MOST && series.count > MOST / 2);
		for (size_t i = 0; i < series.count; i++) {
			high = fmax(high, series.points[i].value);
			low = fmin(low, series.points[i].value);
			if (i)
				assert_true(series.points[i].at > series.points[i - 1].at);
		}
		assert_true(high == 100);
		assert_true(low == -5);
		series_free(&series);
	}
}

static void a_short_series_stays_as_it_is(void **state)
{
	struct series series = SERIES_INIT;

	(void)state;
	for (int i = 0; i < MOST; i++)
		series_add(&series, i, i);
	series_thin(&series, MOST);
	assert_int_equal(series.count, MOST);
	series_free(&series);
	series_free(&series);
}

static void a_time_without_points_is_a_gap(void **state)
{
	struct series series = { .gap = 1.5 };
	struct json *array = json_new_array();
	const struct json *points;
	double number;

	(void)state;
	for (int i = 0; i < 2000; i++)
		series_add(&series, i < 1000 ? i : i + 500, 7);
	series_thin(&series, MOST);
	series_put(array, "line", &series);
	points = json_get(json_at(array, 0), "points");
	assert_int_equal(json_count(points), 2 * (series.count + 1));
	for (size_t i = 1, nulls = 0; i < json_count(points); i += 2) {
		nulls += !json_number(json_at(points, i), &number);
		assert_true(nulls <= 1);
	}
	json_free(array);
	series_free(&series);
}

static struct scene_node nodes[] = { { "host1", SCENE_HOST, 2 }, { "host2", SCENE_HOST, 2 },
	{ "leaf1", SCENE_LEAF, SCENE_NONE }, { "spine1", SCENE_SPINE, SCENE_NONE } };
static struct scene_link links[] = { { 0, 2, "host1", "leaf1:1", GBPS },
	{ 1, 2, "host2:1", "leaf1:2", GBPS }, { 2, 3, "leaf1:3", "spine1:1", GBPS } };

static const struct spot_case {
	const char *name, *culprit;
	enum culprit_kind kind;
	uint32_t node, link;
} cases[] = {
	{ "a link is a cable", "leaf1:3-spine1:1", CULPRIT_LINK, SCENE_NONE, 2 },
	{ "so is one direction", "spine1:1->leaf1:3", CULPRIT_LINK, SCENE_NONE, 2 },
	{ "a switch is a node", "leaf1", CULPRIT_SWITCH, 2, SCENE_NONE },
	{ "a port is its switch and its cable", "leaf1:3", CULPRIT_PORT, 2, 2 },
	{ "the NIC of a host", "host1", CULPRIT_NIC, 0, 0 },
	{ "one NIC of several", "host2:1", CULPRIT_NIC, 1, 1 },
	{ "a setting is nowhere", "policy.ecn.kmin", CULPRIT_SETTING, SCENE_NONE, SCENE_NONE },
	{ "a name that nothing has", "leaf9:1-spine1:1", CULPRIT_LINK, SCENE_NONE, SCENE_NONE },
};

static void a_culprit_is_found_in_the_drawing(void **state)
{
	const struct spot_case *expected = *state;
	const struct scene scene = { .nodes = nodes,
		.node_count = COUNT_OF(nodes),
		.links = links,
		.link_count = COUNT_OF(links) };
	struct finding finding = { .culprit_kind = expected->kind };
	struct scene_spot spot;

	snprintf(finding.culprit, sizeof(finding.culprit), "%s", expected->culprit);
	spot = scene_spot(&scene, &finding);
	assert_int_equal(spot.node, expected->node);
	assert_int_equal(spot.link, expected->link);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 3] = {
		cmocka_unit_test(thinning_keeps_a_spike_of_one_sample),
		cmocka_unit_test(a_short_series_stays_as_it_is),
		cmocka_unit_test(a_time_without_points_is_a_gap),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 3] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = a_culprit_is_found_in_the_drawing,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("series", tests, NULL, NULL);
}
