/* SPDX-License-Identifier: Apache-2.0 */
/* What the ranks of a ring tell, put together: which edge gave up, whose sentence is shown, and
 * how long the ring could have taken. And what a rank does whose neighbours are not found. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fabric/agent_stage.h"
#include "fabric/file.h"
#include "fabric/live.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"

#define RANKS 4u
#define STEPS 6u /* of one all-reduce */

/* --- the coordinator --- */

struct bench {
	struct fabric fabric;
	struct plan plan;
	struct plan_stage stage;
	struct agents_host hosts[RANKS];
	struct live live;
	struct live_stage run;
	struct sim_result result;
};

/* Nobody has come further than the third step. */
static void begin(struct bench *bench)
{
	static const char text[] = "leaves: 2\nspines: 2\nhosts_per_leaf: 2\nspeed: 100G\n";
	static uint32_t nics[RANKS] = { 0, 1, 2, 3 };
	struct diag diag;

	memset(bench, 0, sizeof(*bench));
	assert_int_equal(
		fabric_parse(&bench->fabric, "bench", text, strlen(text), NULL, &diag), 0);
	bench->stage.deadline_ns = 30 * NS_PER_S;
	bench->stage.ring = (struct plan_ring){
		.nics = nics,
		.ranks = RANKS,
		.qps = 1,
		.bytes = 4096,
		.elem_bytes = 4,
		.iterations = 1,
	};
	for (uint32_t i = 0; i < RANKS; i++) {
		bench->hosts[i].first_nic = i;
		bench->hosts[i].nics = 1;
		bench->hosts[i].devices[0].mtu_bytes = 4096;
		snprintf(bench->hosts[i].name, sizeof(bench->hosts[i].name), "host%u", i + 1);
	}
	bench->live = (struct live){
		.agents = { .hosts = bench->hosts, .count = RANKS },
		.fabric = &bench->fabric,
		.plan = &bench->plan,
	};
	bench->run = (struct live_stage){ .live = &bench->live, .stage = &bench->stage };
	live_ring_open(&bench->run);
	for (uint32_t i = 0; i < RANKS; i++)
		bench->run.ranks[i].sent.taken = 3;
	bench->result.counters = zeroed(5 * RANKS, sizeof(*bench->result.counters));
	bench->result.stage.deadline_ns = bench->stage.deadline_ns;
}

static void end(struct bench *bench)
{
	sim_result_free(&bench->result);
	live_ring_close(&bench->run);
	fabric_free(&bench->fabric);
}

static void says(struct bench *bench, uint32_t rank, const char *why)
{
	snprintf(bench->run.ranks[rank].sent.why, sizeof(bench->run.ranks[rank].sent.why), "%s",
		why);
}

/* Letters by rank: n, p: its next, the one before does not acknowledge; b: both; f: it failed;
 * w: it waited; t: its time was up; d: it is done. */
static void tell(struct bench *bench, const char *ranks)
{
	for (uint32_t i = 0; i < RANKS; i++) {
		struct agent_ring_sent *sent = &bench->run.ranks[i].sent;

		sent->unreachable_next = strchr("nb", ranks[i]);
		sent->unreachable_prev = strchr("pb", ranks[i]);
		sent->failed = ranks[i] == 'f';
		sent->taken = ranks[i] == 'd' ? STEPS : 3;
		says(bench, i,
			strchr("td", ranks[i]) ? ""
			: ranks[i] == 'f'      ? "failed"
			: ranks[i] == 'w'      ? "waited"
					       : "no answer");
	}
}

static void an_edge_gave_up_where_either_end_says_so(void **state)
{
	static const struct {
		const char *ranks, *gave_up, *reason;
	} cases[] = {
		/* Both ends of the edge from rank 1 on: there or back, rank 0 and 3 wait. */
		{ "wnpw", "-x--", "rank 1, host2: no answer" },
		{ "wnww", "-x--", "rank 1, host2: no answer" },
		{ "wwpw", "-x--", "rank 2, host3: no answer" },
		/* Rank 0 is before rank 1, and rank 3 before rank 0. */
		{ "pwwn", "---x", "rank 0, host1: no answer" },
		/* The NIC of rank 1 is cut off. */
		{ "nbpw", "xx--", "rank 0, host1: no answer" },
		/* It is gone: that is why it does not answer. */
		{ "nfpw", "----", "rank 1, host2: failed" },
		{ "nfpn", "---x", "rank 1, host2: failed" },
		{ "wwww", "----", "rank 0, host1: waited" },
		{ "wtww", "----", "rank 1, host2: not done when its time was up" },
		{ "dtdd", "----", "rank 1, host2: not done when its time was up" },
		{ "dddd", "----", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;
		char gave_up[RANKS + 1] = "";

		begin(&bench);
		tell(&bench, cases[i].ranks);
		live_ring_collect(&bench.run, &bench.result);
		assert_int_equal(bench.result.flow_count, RANKS);
		for (uint32_t k = 0; k < RANKS; k++)
			gave_up[k] = bench.result.flows[k].qp_error ? 'x' : '-';
		assert_string_equal(gave_up, cases[i].gave_up);
		assert_string_equal(bench.result.stage.reason, cases[i].reason);
		assert_int_equal(bench.result.stage.status,
			cases[i].reason[0] ? RUN_PARTIAL : RUN_COMPLETE);
		end(&bench);
	}
}

/* The rank whose sums took longest need not be one that ran until its time was up. */
static void sums_put_off_the_deadline_of_those_who_met_it(void **state)
{
	static const struct {
		const char *ranks;
		uint64_t sums_s[RANKS], deadline_s;
	} cases[] = {
		{ "dddd", { 1, 2, 9, 3 }, 39 },
		{ "dtdt", { 1, 2, 9, 3 }, 33 },
		{ "wnpw", { 1, 2, 9, 3 }, 39 },
		{ "dddd", { 1, 2, 9000, 3 }, 630 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct bench bench;

		begin(&bench);
		tell(&bench, cases[i].ranks);
		for (uint32_t k = 0; k < RANKS; k++)
			bench.run.ranks[k].sent.sums_ns = cases[i].sums_s[k] * NS_PER_S;
		live_ring_collect(&bench.run, &bench.result);
		assert_int_equal(
			bench.result.stage.deadline_ns, cases[i].deadline_s * NS_PER_S);
		end(&bench);
	}
}

/* --- the agent --- */

int __wrap_verbs_qp_connect(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag);
int __wrap_verbs_post_receive(const struct verbs_qp *qp, uint32_t id);
int __wrap_verbs_is_up(const struct verbs *verbs);

static char asked[8];
static int port = 1;

/* Nobody has an address whose last byte is 9. */
int __wrap_verbs_qp_connect(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag)
{
	(void)qp;
	(void)verbs;
	asked[strlen(asked)] = (char)('0' + path->gid[GID_BYTES - 1]);
	if (path->gid[GID_BYTES - 1] == 9)
		return diag_error(diag, -ETIMEDOUT, "nobody answers");
	return 0;
}

int __wrap_verbs_post_receive(const struct verbs_qp *qp, uint32_t id)
{
	(void)qp;
	(void)id;
	return 0;
}

int __wrap_verbs_is_up(const struct verbs *verbs)
{
	(void)verbs;
	return port;
}

static int connect_to(
	struct agent_stage *stage, uint8_t next, uint8_t prev, struct json *answer)
{
	static struct verbs verbs;
	struct gen_end to_next = { .qps = 1, .gid = { [GID_BYTES - 1] = next } };
	struct gen_end to_prev = { .qps = 1, .gid = { [GID_BYTES - 1] = prev } };
	struct json *body = json_new_object(), *ring = json_put_object(body, "ring");
	struct diag diag;
	int err;

	memset(asked, 0, sizeof(asked));
	*stage = (struct agent_stage)AGENT_STAGE_INIT;
	stage->ring.here = true;
	stage->ring.all.plan.qps = 1;
	stage->ring.all.verbs = &verbs;
	gen_put_end(json_put_object(ring, "next"), &to_next);
	gen_put_end(json_put_object(ring, "prev"), &to_prev);
	err = agent_ring_connect(stage, body, &diag);
	if (answer)
		agent_ring_sent(stage, answer);
	json_free(body);
	return err;
}

/* The other side is connected all the same: else its rank would not be answered. */
static void a_side_that_is_not_found_is_told_apart(void **state)
{
	static const struct {
		uint8_t next, prev;
		const char *asked;
	} cases[] = { { 1, 2, "12" }, { 9, 2, "92" }, { 1, 9, "19" }, { 9, 9, "99" } };

	(void)state;
	port = 1;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		bool over = cases[i].next == 9 || cases[i].prev == 9;
		struct json *answer = json_new_object();
		struct agent_ring_sent sent;
		struct agent_stage stage;
		struct diag diag;

		assert_int_equal(connect_to(&stage, cases[i].next, cases[i].prev, answer), 0);
		assert_int_equal(stage.ring.over, over);
		assert_int_equal(
			agent_get_ring_sent(json_get(answer, "ring"), &sent, &diag), 0);
		assert_int_equal(sent.unreachable_next, cases[i].next == 9);
		assert_int_equal(sent.unreachable_prev, cases[i].prev == 9);
		assert_false(sent.failed);
		assert_string_equal(sent.why, over ? "nobody answers" : "");
		assert_string_equal(asked, cases[i].asked);
		json_free(answer);
	}
}

static void a_device_that_tells_nothing_is_not_the_network(void **state)
{
	struct json *answer = json_new_object();
	struct agent_ring_sent sent;
	struct agent_stage stage;
	struct diag diag;

	(void)state;
	port = -ENODEV;
	assert_int_equal(connect_to(&stage, 9, 2, NULL), -EIO);
	/* One that is lost later, and of which nothing was heard until the time was up. */
	assert_int_equal(connect_to(&stage, 1, 2, answer), 0);
	assert_int_equal(agent_get_ring_sent(json_get(answer, "ring"), &sent, &diag), 0);
	assert_true(sent.failed && !sent.unreachable_next && !sent.unreachable_prev);
	assert_non_null(strstr(sent.why, "tells nothing of its port"));
	json_free(answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edge_gave_up_where_either_end_says_so),
		cmocka_unit_test(sums_put_off_the_deadline_of_those_who_met_it),
		cmocka_unit_test(a_side_that_is_not_found_is_told_apart),
		cmocka_unit_test(a_device_that_tells_nothing_is_not_the_network),
	};

	return cmocka_run_group_tests_name("live_ring", tests, NULL, NULL);
}
