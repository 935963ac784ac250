/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/digest.h"
#include "lib/grow.h"
#include "lib/units.h"

static void fill(struct digest *digest)
{
	struct digest_figure *figure;
	struct digest_load *load;
	struct finding *finding;

	*digest = (struct digest)DIGEST_INIT;
	snprintf(digest->program, sizeof(digest->program), "weft 0.1.0");
	snprintf(digest->fabric, sizeof(digest->fabric), "small-8 \xe5\x8c\x97");
	digest->seed = 12;
	digest->ended = true;
	digest->verdict = VERDICT_FAIL;
	digest->stage_count = 2;
	digest->stages = zeroed(2, sizeof(*digest->stages));
	snprintf(digest->stages[0].name, sizeof(digest->stages[0].name), "pairs-local-1");
	digest->stages[0].complete = true;
	snprintf(digest->stages[1].name, sizeof(digest->stages[1].name), "ring");
	finding = findings_add(&digest->findings, "link.loss", "pairs", VERDICT_FAIL);
	finding->culprit_kind = CULPRIT_LINK;
	snprintf(finding->culprit, sizeof(finding->culprit), "leaf1:9-spine1:1");
	snprintf(finding->text, sizeof(finding->text), "7 of 1000 \"lost\"");
	findings_add(&digest->findings, "ring.bytes", "ring", VERDICT_UNKNOWN)->rank =
		RANK_INFO;
	digest_add(digest, DIGEST_STAGE_GOODPUT, "ring")->value = 98.5e9;
	figure = digest_add(digest, DIGEST_LINK_LOSS, "leaf1:9-spine1:1");
	figure->events = 7;
	figure->of = 1000;
	figure->value = 0.007;
	figure = digest_add(digest, DIGEST_NIC_PAUSE, "host2");
	figure->value = 0.25;
	figure->draw = UINT64_C(0xfedcba9876543210);
	digest->stages[0].draw = 7;
	digest->has_loads = true;
	load = digest_add_load(digest, "leaf1:9", "spine1:1");
	load->from_a[LAYER_PAIRS] = 1000;
	load->from_b[LAYER_RING] = 30;
	digest_sort(digest);
}

static char *written(const struct digest *digest, size_t *bytes)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, bytes);

	assert_non_null(out);
	digest_write(out, digest);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void what_was_written_is_read_again(void **state)
{
	struct digest made, read;
	struct diag diag = { "" };
	char *text, *again;
	size_t bytes, bytes_again;

	(void)state;
	fill(&made);
	text = written(&made, &bytes);
	assert_int_equal(digest_parse(&read, "x.json", text, bytes, &diag), 0);
	assert_string_equal(read.fabric, made.fabric);
	assert_int_equal(read.verdict, VERDICT_FAIL);
	assert_true(read.ended && !read.interrupted);
	assert_int_equal(read.stage_count, 2);
	assert_true(read.stages[0].complete && !read.stages[1].complete);
	assert_int_equal(read.findings.count, 2);
	assert_int_equal(read.findings.items[0].culprit_kind, CULPRIT_LINK);
	assert_int_equal(read.findings.items[1].rank, RANK_INFO);
	assert_int_equal(read.figure_count, 3);
	assert_int_equal(digest_find(&read, DIGEST_LINK_LOSS, "leaf1:9-spine1:1")->events, 7);
	assert_null(digest_find(&read, DIGEST_LINK_LOSS, "leaf1:9"));
	assert_true(digest_find(&read, DIGEST_NIC_PAUSE, "host2")->draw ==
		    UINT64_C(0xfedcba9876543210));
	assert_int_equal(read.stages[0].draw, 7);
	assert_true(read.has_loads);
	assert_int_equal(read.load_count, 1);
	assert_int_equal(read.loads[0].from_a[LAYER_PAIRS], 1000);
	assert_int_equal(read.loads[0].from_b[LAYER_RING], 30);
	assert_int_equal(read.loads[0].from_b[LAYER_PAIRS], 0);
	again = written(&read, &bytes_again);
	assert_string_equal(text, again);
	free(text);
	free(again);
	digest_free(&made);
	digest_free(&read);
}

/* `from` in the document becomes `to`. */
static const struct {
	const char *name, *from, *to, *says;
	int err;
} changes[] = {
	{ "another version", "\"version\": 2", "\"version\": 3", "version 3", -EPROTO },
	{ "an older version", "\"version\": 2", "\"version\": 0", "version 0", -EPROTO },
	{ "a draw of too few digits", "fedcba98", "fedc", "damaged", -EINVAL },
	{ "a draw that is no number", "fedcba98", "fedcba9z", "damaged", -EINVAL },
	{ "a load of no port", "\"b\": \"spine1:1\"", "\"c\": \"spine1:1\"", "damaged",
		-EINVAL },
	{ "a load below nothing", "1000,\n        0", "-1,\n        0", "damaged", -EINVAL },
	{ "no loads", "\"loads\"", "\"toads\"", "damaged", -EINVAL },
	{ "another schema", "weft-digest", "weft-report", "not a digest", -EINVAL },
	{ "no JSON", "{\n", "[\n", "not a digest", -EINVAL },
	{ "an unknown metric", "link.loss\",\n      \"subject", "link.lust\",\n      \"subject",
		"damaged", -EINVAL },
	{ "more events than trials", "\"events\": 7", "\"events\": 7000", "damaged", -EINVAL },
	{ "no trials", "\"of\": 1000", "\"of\": 0", "damaged", -EINVAL },
	{ "a negative value", "0.25", "-0.25", "damaged", -EINVAL },
	{ "a verdict of no kind", "\"fail\"", "\"fall\"", "damaged", -EINVAL },
	{ "a text for a truth", "\"ended\": true", "\"ended\": \"yes\"", "damaged", -EINVAL },
	{ "a name that is too long", "pairs-local-1",
		"pairs-local-1-and-much-more-than-any-name-of-a-stage-of-ours-may-take-in-all",
		"damaged", -EINVAL },
};

static void what_was_not_written_by_us_is_refused_with_a_sentence(void **state)
{
	struct digest made, read;
	size_t bytes;
	char *text;

	(void)state;
	fill(&made);
	text = written(&made, &bytes);
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		char *at = strstr(text, changes[i].from), changed[8192];
		struct diag diag = { "" };

		print_message("%s\n", changes[i].name);
		assert_non_null(at);
		snprintf(changed, sizeof(changed), "%.*s%s%s", (int)(at - text), text,
			changes[i].to, at + strlen(changes[i].from));
		assert_int_equal(digest_parse(&read, "x.json", changed, strlen(changed), &diag),
			changes[i].err);
		assert_non_null(strstr(diag.text, "x.json"));
		assert_non_null(strstr(diag.text, changes[i].says));
		assert_null(read.figures);
	}
	free(text);
	digest_free(&made);
}

/* Before loads and draws; what is written again is of that version, too. */
static void version_1_is_read_and_knows_no_loads(void **state)
{
	struct digest made, read;
	struct diag diag = { "" };
	size_t bytes, bytes_again;
	char *text, *again;

	(void)state;
	fill(&made);
	made.has_loads = false;
	text = written(&made, &bytes);
	assert_non_null(strstr(text, "\"version\": 1"));
	assert_null(strstr(text, "loads"));
	assert_int_equal(digest_parse(&read, "x.json", text, bytes, &diag), 0);
	assert_false(read.has_loads);
	assert_int_equal(read.load_count, 0);
	again = written(&read, &bytes_again);
	assert_string_equal(text, again);
	free(text);
	free(again);
	digest_free(&made);
	digest_free(&read);
}

/* Of what is drawn only what was drawn alike; where that is not known, by seed and profile. */
static void figures_are_comparable_where_the_same_was_sent(void **state)
{
	struct digest a = { .seed = 1, .profile = "full" }, b = a;
	struct digest_figure rate = { .metric = DIGEST_LINK_RATE };
	struct digest_figure one = { .metric = DIGEST_STAGE_GOODPUT, .draw = 1 };
	struct digest_figure two = { .metric = DIGEST_STAGE_GOODPUT, .draw = 2 };
	struct digest_figure unknown = { .metric = DIGEST_STAGE_GOODPUT };

	(void)state;
	assert_true(digest_comparable(&a, &rate, &b, &rate));
	assert_true(digest_comparable(&a, &one, &b, &one));
	assert_false(digest_comparable(&a, &one, &b, &two));
	assert_true(digest_comparable(&a, &one, &b, &unknown));
	b.seed = 2;
	assert_true(digest_comparable(&a, &rate, &b, &rate));
	assert_true(digest_comparable(&a, &one, &b, &one));
	assert_false(digest_comparable(&a, &one, &b, &unknown));
	b.seed = 1;
	snprintf(b.profile, sizeof(b.profile), "quick");
	assert_false(digest_comparable(&a, &unknown, &b, &unknown));
}

static void a_digest_that_was_cut_off_is_refused(void **state)
{
	struct digest made, read;
	struct diag diag;
	size_t bytes;
	char *text;

	(void)state;
	fill(&made);
	text = written(&made, &bytes);
	for (size_t cut = 0; cut + 2 < bytes; cut++)
		assert_int_equal(digest_parse(&read, "x.json", text, cut, &diag), -EINVAL);
	free(text);
	digest_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read_again),
		cmocka_unit_test(what_was_not_written_by_us_is_refused_with_a_sentence),
		cmocka_unit_test(version_1_is_read_and_knows_no_loads),
		cmocka_unit_test(figures_are_comparable_where_the_same_was_sent),
		cmocka_unit_test(a_digest_that_was_cut_off_is_refused),
	};

	return cmocka_run_group_tests_name("digest", tests, NULL, NULL);
}
