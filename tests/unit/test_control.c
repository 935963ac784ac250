/* SPDX-License-Identifier: Apache-2.0 */
/* The frames between two wefts: whole ones, and those that somebody else might send. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/gen_wire.h"
#include "lib/control.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"

#define SOON_NS (50 * NS_PER_MS)

static void open_pair(struct control *control, int *other)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	*control = (struct control){ .fd = fds[0], .out = fds[0], .peer = "10.0.0.2" };
	*other = fds[1];
}

/* What control_receive() makes of these bytes, and then the end of the stream or not. */
static int receive(const void *bytes, size_t count, bool end, struct diag *diag)
{
	struct control control;
	struct json *body = NULL;
	uint8_t kind;
	int other, err;

	open_pair(&control, &other);
	assert_int_equal(write(other, bytes, count), (ssize_t)count);
	if (end)
		close(other);
	err = control_receive(&control, &kind, &body, SOON_NS, diag);
	if (!end)
		close(other);
	if (!err)
		json_free(body);
	control_close(&control);
	control_close(&control);
	return err;
}

static void a_frame_arrives_as_it_was_sent(void **state)
{
	struct control here, there = CONTROL_INIT;
	struct json *body = json_new_object(), *got;
	struct diag diag;
	uint8_t kind;

	(void)state;
	open_pair(&here, &there.fd);
	there.out = there.fd;
	json_put_u64(body, "qps", 17);
	assert_false(control_ready(&there, 0));
	assert_int_equal(control_send(&here, 5, body, SOON_NS, &diag), 0);
	assert_true(control_ready(&there, 0));
	assert_int_equal(control_receive(&there, &kind, &got, SOON_NS, &diag), 0);
	assert_int_equal(kind, 5);
	assert_int_equal(json_count(got), 1);
	json_free(body);
	json_free(got);
	control_close(&here);
	control_close(&there);
}

static void what_is_no_frame_ends_with_a_sentence(void **state)
{
	static const uint8_t http[] = "GET / HTTP/1.1\r\n\r\n";
	static const uint8_t version[] = { 'W', 'F', 2, 1, 0, 0, 0, 2, '{', '}' };
	static const uint8_t large[] = { 'W', 'F', 1, 1, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t no_json[] = { 'W', 'F', 1, 1, 0, 0, 0, 2, '{', '{' };
	static const uint8_t empty[] = { 'W', 'F', 1, 1, 0, 0, 0, 0 };
	struct diag diag;

	(void)state;
	assert_int_equal(receive(http, sizeof(http), false, &diag), -EPROTO);
	assert_non_null(strstr(diag.text, "is no weft"));
	assert_int_equal(receive(version, sizeof(version), false, &diag), -EPROTO);
	assert_non_null(strstr(diag.text, "speaks version 2"));
	assert_int_equal(receive(large, sizeof(large), false, &diag), -EPROTO);
	assert_non_null(strstr(diag.text, "4294967295 bytes, the limit is 2097152"));
	assert_int_equal(receive(no_json, sizeof(no_json), false, &diag), -EPROTO);
	assert_int_equal(receive(empty, sizeof(empty), false, &diag), -EPROTO);
}

static void a_frame_cut_anywhere_is_waited_for_and_then_given_up(void **state)
{
	static const uint8_t frame[] = { 'W', 'F', 1, 1, 0, 0, 0, 2, '{', '}' };
	struct diag diag;

	(void)state;
	for (size_t bytes = 0; bytes < sizeof(frame); bytes++)
		assert_int_equal(receive(frame, bytes, true, &diag), -EPIPE);
	assert_int_equal(receive(frame, 9, false, &diag), -ETIMEDOUT);
	assert_int_equal(receive(frame, sizeof(frame), true, &diag), 0);
}

/* --- addresses that do not answer, played: a way to them is waited for or not there --- */

static int connect_error; /* of all but the last address; 0: as it is */

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t bytes);
int __real_connect(int fd, const struct sockaddr *to, socklen_t bytes);

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t bytes)
{
	if (!connect_error)
		return __real_connect(fd, to, bytes);
	errno = connect_error;
	return -1;
}

static void a_control_channel_that_fails_is_no_fault_of_what_is_tested(void **state)
{
	struct control control = CONTROL_INIT;
	struct diag diag;

	(void)state;
	connect_error = EHOSTUNREACH;
	assert_int_equal(control_connect(&control, "127.0.0.1", 9, SOON_NS, &diag), -ENOTCONN);
	assert_non_null(strstr(diag.text, strerror(EHOSTUNREACH)));
	connect_error = 0;
}

/* --- what is in them --- */

static void fill_plan(struct gen_plan *plan)
{
	struct diag diag;

	*plan = (struct gen_plan){
		.work = VERBS_SEND,
		.qps = 4,
		.bytes = 65536,
		.depth = 128,
		.duration_ns = NS_PER_S,
		.interval_ns = NS_PER_MS,
		.mtu_bytes = 4096,
		.traffic_class = 106,
		.timeout_exp = 14,
		.retry = 6,
		.check = true,
		.seed = 3,
		.burst = 128,
		.period_ps = 655360000,
		.start_ns = UINT64_C(1764500000) * NS_PER_S,
		.cm = true,
	};
	assert_int_equal(gen_plan_complete(plan, &diag), 0);
}

static void a_plan_arrives_as_it_was_sent(void **state)
{
	struct json *object = json_new_object();
	struct gen_plan plan, got;
	struct diag diag;

	(void)state;
	fill_plan(&plan);
	gen_put_plan(object, &plan);
	assert_int_equal(gen_get_plan(object, &got, &diag), 0);
	assert_int_equal(got.work, VERBS_SEND);
	assert_int_equal(got.depth, plan.depth);
	assert_int_equal(got.slots, plan.slots);
	assert_int_equal(got.traffic_class, 106);
	assert_int_equal(got.burst, 128);
	assert_int_equal(got.period_ps, 655360000);
	assert_int_equal(got.start_ns, plan.start_ns);
	assert_true(got.check && got.cm && !got.datagrams);
	json_free(object);
}

static const struct bad_field {
	const char *name;
	uint64_t value;
} bad_fields[] = {
	{ "work", 4 },
	{ "qps", 0 },
	{ "qps", 257 },
	{ "bytes", 0 },
	{ "bytes", (UINT64_C(1) << 30) + 1 },
	{ "depth", 0 },
	{ "depth", 4097 },
	{ "every", 7 },
	{ "slots", 1 },
	{ "interval_ns", 0 },
	{ "mtu_bytes", 9000 },
	{ "traffic_class", 256 },
	{ "timeout_exp", 0 },
	{ "retry", 8 },
	{ "both", 2 },
	{ "datagrams", 2 },
	{ "cm", 2 },
	{ "burst", GEN_BURST_MAX + 1 },
	{ "burst", 0 },
	{ "period_ps", 0 },
	{ "period_ps", GEN_PERIOD_NS_MAX *PS_PER_NS + 1 },
};

static void a_plan_out_of_range_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad_fields); i++) {
		struct json *object = json_new_object();
		struct gen_plan plan, got;
		struct diag diag;

		fill_plan(&plan);
		gen_put_plan(object, &plan);
		json_put_u64(object, bad_fields[i].name, bad_fields[i].value);
		assert_int_equal(gen_get_plan(object, &got, &diag), -EPROTO);
		json_put_text(object, bad_fields[i].name, "1");
		assert_int_equal(gen_get_plan(object, &got, &diag), -EPROTO);
		json_free(object);
	}
}

static void too_much_memory_is_refused(void **state)
{
	struct gen_plan plan;
	struct diag diag;

	(void)state;
	fill_plan(&plan);
	plan.bytes = GEN_BYTES_MAX;
	plan.qps = 256;
	assert_int_equal(gen_plan_complete(&plan, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "choose fewer QPs or a smaller -s"));
}

static void a_datagram_larger_than_the_mtu_is_refused(void **state)
{
	struct gen_plan plan;
	struct diag diag;

	(void)state;
	fill_plan(&plan);
	plan.datagrams = true;
	plan.bytes = 4096;
	assert_int_equal(gen_plan_complete(&plan, &diag), 0);
	plan.bytes = 4097;
	assert_int_equal(gen_plan_complete(&plan, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "holds at most the MTU, 4096 bytes"));
}

static void an_end_and_a_side_arrive_as_they_were_sent(void **state)
{
	struct gen_end end = { .rkey = 9,
		.base = 4096,
		.qps = 2,
		.cm_port = 7,
		.cm_word = 8,
		.reads = 16 },
		       end_got;
	struct gen_side side = { .port = 1, .mtu_bytes = 4096, .messages = 5 }, side_got;
	struct json *object = json_new_object();
	struct diag diag;

	(void)state;
	assert_true(gid_parse("10.0.0.1", end.gid));
	end.qp[1] = (struct gen_end_qp){ .number = 0xffffff, .psn = 1 };
	gen_put_end(object, &end);
	assert_int_equal(gen_get_end(object, &end_got, &diag), 0);
	assert_memory_equal(end_got.gid, end.gid, GID_BYTES);
	assert_int_equal(end_got.qp[1].number, 0xffffff);
	assert_int_equal(end_got.cm_port, 7);
	assert_int_equal(end_got.cm_word, 8);
	assert_int_equal(end_got.reads, 16);
	json_free(object);

	object = json_new_object();
	strcpy(side.device, "rxe1");
	side.grown.count = 1;
	strcpy(side.grown.items[0].name, "out_of_sequence");
	side.grown.items[0].value = 3;
	side.tells_loss = true;
	gen_put_side(object, &side);
	assert_int_equal(gen_get_side(object, &side_got, &diag), 0);
	assert_string_equal(side_got.device, "rxe1");
	assert_int_equal(side_got.grown.items[0].value, 3);
	assert_true(side_got.tells_loss && !side_got.reset);
	json_put_text(object, "device", "\033[2J");
	assert_int_equal(gen_get_side(object, &side_got, &diag), -EPROTO);
	json_free(object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_arrives_as_it_was_sent),
		cmocka_unit_test(what_is_no_frame_ends_with_a_sentence),
		cmocka_unit_test(a_frame_cut_anywhere_is_waited_for_and_then_given_up),
		cmocka_unit_test(a_control_channel_that_fails_is_no_fault_of_what_is_tested),
		cmocka_unit_test(a_plan_arrives_as_it_was_sent),
		cmocka_unit_test(a_plan_out_of_range_is_refused),
		cmocka_unit_test(too_much_memory_is_refused),
		cmocka_unit_test(a_datagram_larger_than_the_mtu_is_refused),
		cmocka_unit_test(an_end_and_a_side_arrive_as_they_were_sent),
	};

	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
