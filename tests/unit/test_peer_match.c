/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices of two hosts talk to each other. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/peer_match.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"

/* "DEVICE ADDRESS/BITS", with IPv4's bits as people write them. */
static struct verbs_ends ends_of(const char *const *texts)
{
	struct verbs_ends ends = { .count = 0 };

	for (; *texts; texts++) {
		struct verbs_end *end = &ends.items[ends.count];
		char address[GID_TEXT];
		unsigned bits;

		assert_int_equal(
			sscanf(*texts, "%63s %47[^/]/%u", end->device, address, &bits), 3);
		assert_true(gid_parse(address, end->gid));
		end->port = 1;
		end->gid_index = ends.count++;
		end->prefix_bits = bits + (gid_is_ipv4(end->gid) && bits ? 96 : 0);
	}
	return ends;
}

static const struct match_case {
	const char *name;
	const char *here[5], *there[5];
	bool ipv6_first;
	const char *expected; /* "DEVICE ADDRESS DEVICE ADDRESS"; NULL: none */
	enum peer_match_rule rule;
} cases[] = {
	{ "one device each", { "mlx5_0 10.0.1.1/24" }, { "bnxt0 10.0.9.1/24" }, false,
		"mlx5_0 10.0.1.1 bnxt0 10.0.9.1", PEER_ONLY_ONES },
	{ "one device each, in one subnet", { "mlx5_0 10.0.1.1/24" }, { "mlx5_1 10.0.1.9/24" },
		false, "mlx5_0 10.0.1.1 mlx5_1 10.0.1.9", PEER_ONE_SUBNET },
	{ "the one in our subnet", { "mlx5_0 10.0.1.1/24" },
		{ "mlx5_0 10.0.2.2/24", "mlx5_1 10.0.1.2/24" }, false,
		"mlx5_0 10.0.1.1 mlx5_1 10.0.1.2", PEER_ONE_SUBNET },
	{ "of the same name where all are in one subnet",
		{ "mlx5_1 10.0.1.1/16", "mlx5_2 10.0.2.1/16" },
		{ "mlx5_0 10.0.0.2/16", "mlx5_1 10.0.1.2/16", "mlx5_2 10.0.2.2/16" }, false,
		"mlx5_1 10.0.1.1 mlx5_1 10.0.1.2", PEER_ONE_SUBNET },
	{ "of the same name where each port is a subnet of its own",
		{ "mlx5_0 10.1.0.1/31", "mlx5_1 10.1.0.3/31" },
		{ "mlx5_1 10.2.0.3/31", "mlx5_0 10.2.0.1/31" }, false,
		"mlx5_0 10.1.0.1 mlx5_0 10.2.0.1", PEER_ONE_NAME },
	{ "a subnet within its bits", { "a 10.0.1.1/25" },
		{ "b 10.0.1.200/25", "c 10.0.1.100/25" }, false, "a 10.0.1.1 c 10.0.1.100",
		PEER_ONE_SUBNET },
	{ "by the narrower of two masks", { "a 10.0.1.1/8" },
		{ "b 10.9.1.2/24", "c 10.0.1.2/24" }, false, "a 10.0.1.1 c 10.0.1.2",
		PEER_ONE_SUBNET },
	{ "a subnet that is not known is none", { "a 10.0.1.1/0", "b 10.0.1.2/0" },
		{ "c 10.0.1.3/24", "d 10.0.1.4/24" }, false, NULL, PEER_ONE_SUBNET },
	{ "IPv4 first", { "a fd00::1/64", "a 10.0.1.1/24" },
		{ "a fd00::2/64", "a 10.0.1.2/24" }, false, "a 10.0.1.1 a 10.0.1.2",
		PEER_ONE_SUBNET },
	{ "IPv6 first when it is asked for", { "a 10.0.1.1/24", "a fd00::1/64" },
		{ "a 10.0.1.2/24", "a fd00::2/64" }, true, "a fd00::1 a fd00::2",
		PEER_ONE_SUBNET },
	{ "a subnet before a family", { "mlx5_0 10.0.1.1/24", "mlx5_1 fd00::1/64" },
		{ "mlx5_0 10.0.2.1/24", "mlx5_1 fd00::2/64" }, false,
		"mlx5_1 fd00::1 mlx5_1 fd00::2", PEER_ONE_SUBNET },
	{ "of one family", { "a fd00::1/64" }, { "b 10.0.1.2/24" }, false, NULL,
		PEER_ONE_SUBNET },
	{ "not one address with itself", { "a 10.0.1.1/24" },
		{ "a 10.0.1.1/24", "b 10.0.1.2/24" }, false, "a 10.0.1.1 b 10.0.1.2",
		PEER_ONE_SUBNET },
	{ "unless there is nothing else", { "a 10.0.1.1/24" }, { "a 10.0.1.1/24" }, false,
		"a 10.0.1.1 a 10.0.1.1", PEER_ONE_SUBNET },
	{ "nothing in common", { "a 10.0.1.1/24" }, { "b 10.0.2.2/24", "c 10.0.3.2/24" }, false,
		NULL, PEER_ONE_SUBNET },
};

static void the_right_ones_meet(void **state)
{
	const struct match_case *row = *state;
	struct verbs_ends here = ends_of(row->here), there = ends_of(row->there);
	struct peer_match match;
	char ours[GID_TEXT], theirs[GID_TEXT], said[300];
	struct diag diag;
	int err = peer_match(&match, &here, &there, row->ipv6_first, "node02", &diag);

	if (!row->expected) {
		assert_int_equal(err, -ENODEV);
		return;
	}
	assert_int_equal(err, 0);
	gid_print(match.here.gid, ours);
	gid_print(match.there.gid, theirs);
	snprintf(said, sizeof(said), "%s %s %s %s", match.here.device, ours, match.there.device,
		theirs);
	assert_string_equal(said, row->expected);
	assert_int_equal(match.rule, row->rule);
}

static void what_there_is_to_choose_from_is_said(void **state)
{
	static const char *const here[] = { "a 10.0.1.1/24", NULL };
	static const char *const there[] = { "b 10.0.2.2/24", "c fd00::2/64", NULL };
	struct verbs_ends ours = ends_of(here), theirs = ends_of(there);
	struct peer_match match;
	struct diag diag;

	(void)state;
	assert_int_equal(peer_match(&match, &ours, &theirs, false, "node02", &diag), -ENODEV);
	assert_string_equal(diag.text,
		"which devices? none here and at node02 are in one subnet, or of one name: "
		"choose with -d of a 10.0.1.1 and --peer-device of b 10.0.2.2, c fd00::2");
}

static void that_families_differ_is_said(void **state)
{
	static const char *const here[] = { "a 10.0.1.1/24", NULL };
	static const char *const there[] = { "a fd00::2/64", NULL };
	struct verbs_ends ours = ends_of(here), theirs = ends_of(there);
	struct peer_match match;
	struct diag diag;

	(void)state;
	assert_int_equal(peer_match(&match, &ours, &theirs, false, "node02", &diag), -ENODEV);
	assert_string_equal(diag.text,
		"which GIDs? a 10.0.1.1 here and a fd00::2 at node02 are of two families, and "
		"IPv4 does not talk to IPv6: choose others with -x and --peer-gid");
}

static void devices_are_counted_not_gids(void **state)
{
	static const char *const here[] = { "a 10.0.1.1/24", "a fd00::1/64", NULL };
	static const char *const there[] = { "b 10.0.1.2/24", "b fd00::2/64", "c 10.0.1.3/24",
		NULL };
	struct verbs_ends ours = ends_of(here), theirs = ends_of(there);
	struct peer_match match;
	struct diag diag;

	(void)state;
	assert_int_equal(peer_match(&match, &ours, &theirs, false, "node02", &diag), 0);
	assert_int_equal(match.devices_here, 1);
	assert_int_equal(match.devices_there, 2);
}

static void ends_arrive_as_they_were_sent(void **state)
{
	static const char *const texts[] = { "mlx5_0 10.0.1.1/24", "mlx5_1 fd00::1/64", NULL };
	struct verbs_ends ends = ends_of(texts), got;
	struct json *list = json_new_array();
	struct diag diag;

	(void)state;
	peer_put_ends(list, &ends);
	assert_int_equal(peer_get_ends(list, &got, &diag), 0);
	assert_int_equal(got.count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_string_equal(got.items[i].device, ends.items[i].device);
		assert_memory_equal(got.items[i].gid, ends.items[i].gid, GID_BYTES);
		assert_int_equal(got.items[i].gid_index, ends.items[i].gid_index);
		assert_int_equal(got.items[i].prefix_bits, ends.items[i].prefix_bits);
	}
	json_free(list);
}

static void what_are_no_ends_is_refused(void **state)
{
	static const char *const bad[] = {
		"{}",
		"[]",
		"[1]",
		"[{\"device\": \"a\", \"port\": 0, \"gid_index\": 1, \"gid\": \"10.0.0.1\", "
		"\"prefix_bits\": 120}]",
		"[{\"device\": \"a\", \"port\": 1, \"gid_index\": 1, \"gid\": \"nix\", "
		"\"prefix_bits\": 120}]",
		"[{\"device\": \"a\", \"port\": 1, \"gid_index\": 1, \"gid\": \"10.0.0.1\", "
		"\"prefix_bits\": 129}]",
	};
	struct verbs_ends got;
	struct diag diag;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct json *list;

		assert_int_equal(json_parse(&list, bad[i], strlen(bad[i]), &diag), 0);
		assert_int_equal(peer_get_ends(list, &got, &diag), -EPROTO);
		json_free(list);
	}
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(cases) + 5] = {
		cmocka_unit_test(what_there_is_to_choose_from_is_said),
		cmocka_unit_test(that_families_differ_is_said),
		cmocka_unit_test(devices_are_counted_not_gids),
		cmocka_unit_test(ends_arrive_as_they_were_sent),
		cmocka_unit_test(what_are_no_ends_is_refused),
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++)
		tests[i + 5] = (struct CMUnitTest){
			.name = cases[i].name,
			.test_func = the_right_ones_meet,
			.initial_state = (void *)(uintptr_t)&cases[i],
		};
	return cmocka_run_group_tests_name("peer_match", tests, NULL, NULL);
}
