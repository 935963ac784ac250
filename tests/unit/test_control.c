/* SPDX-License-Identifier: Apache-2.0 */
/* The frames between two wefts: whole ones, and those that somebody else might send. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
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

/* --- the network under it, played where an error is set --- */

static int connect_error, accept_error; /* the next ones', 0: as it is */
static int poll_error, longest_ms;      /* that poll was asked to wait */
static struct addrinfo *found;          /* NULL: as it is */

int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags);
int __real_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags);
int __wrap_poll(struct pollfd *fds, nfds_t count, int ms);
int __real_poll(struct pollfd *fds, nfds_t count, int ms);
int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
	struct addrinfo **result);
int __real_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
	struct addrinfo **result);
void __wrap_freeaddrinfo(struct addrinfo *result);
void __real_freeaddrinfo(struct addrinfo *result);

int __wrap_accept4(int fd, struct sockaddr *from, socklen_t *bytes, int flags)
{
	errno = accept_error;
	accept_error = 0;
	return errno ? -1 : __real_accept4(fd, from, bytes, flags);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int ms)
{
	errno = poll_error;
	poll_error = 0;
	longest_ms = ms > longest_ms ? ms : longest_ms;
	if (accept_error) /* there is somebody, who will have gone */
		return 1;
	return errno ? -1 : __real_poll(fds, count, ms);
}

int __wrap_getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
	struct addrinfo **result)
{
	*result = found;
	return found ? 0 : __real_getaddrinfo(name, service, hints, result);
}

void __wrap_freeaddrinfo(struct addrinfo *result)
{
	if (result != found)
		__real_freeaddrinfo(result);
}

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

/* Listens on a port of this host, for so many that are not taken. */
static int listen_at(struct sockaddr_in *at, int waiting)
{
	socklen_t bytes = sizeof(*at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){ .sin_family = AF_INET };
	at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)at, bytes), 0);
	assert_int_equal(listen(fd, waiting), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)at, &bytes), 0);
	return fd;
}

static void a_peer_that_dies_is_found_out(void **state)
{
	struct control control = CONTROL_INIT;
	struct sockaddr_in at;
	struct diag diag;
	int listener = listen_at(&at, 1), asks = 0;
	unsigned gone_ms = 0;
	socklen_t bytes = sizeof(asks);

	(void)state;
	assert_int_equal(
		control_connect(&control, "127.0.0.1", ntohs(at.sin_port), NS_PER_S, &diag), 0);
	getsockopt(control.fd, SOL_SOCKET, SO_KEEPALIVE, &asks, &bytes);
	getsockopt(control.fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, &bytes);
	assert_true(asks);
	assert_in_range(gone_ms, 1000, 60000);
	control_close(&control);
	close(listener);
}

/* The first one has as many as it takes, so that nothing answers. */
static void of_two_addresses_the_second_has_its_share_of_the_time(void **state)
{
	struct control control = CONTROL_INIT;
	struct sockaddr_in full, open;
	struct addrinfo second = { .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&open };
	struct addrinfo first = { .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&full };
	struct diag diag;
	int listeners[] = { listen_at(&full, 0), listen_at(&open, 1) };
	int filler = socket(AF_INET, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(connect(filler, (struct sockaddr *)&full, sizeof(full)), 0);
	first.ai_addrlen = second.ai_addrlen = sizeof(full);
	first.ai_next = &second;
	found = &first;
	longest_ms = 0;
	assert_int_equal(control_connect(&control, "host", 9, 4 * SOON_NS, &diag), 0);
	found = NULL;
	assert_in_range(longest_ms, 1, 2 * SOON_NS / NS_PER_MS + 1);
	control_close(&control);
	close(filler);
	close(listeners[0]);
	close(listeners[1]);
}

static void who_goes_before_being_taken_ends_no_listening(void **state)
{
	struct control control = CONTROL_INIT;
	struct sockaddr_in at;
	struct diag diag;

	(void)state;
	close(listen_at(&at, 1));
	accept_error = ECONNABORTED;
	assert_int_equal(
		control_accept(&control, "127.0.0.1", ntohs(at.sin_port), SOON_NS, &diag),
		-ETIMEDOUT);
}

static void a_signal_is_no_word(void **state)
{
	struct control control;
	int other;

	(void)state;
	open_pair(&control, &other);
	poll_error = EINTR;
	assert_false(control_ready(&control, 0));
	assert_int_equal(write(other, "W", 1), 1);
	poll_error = EINTR;
	assert_true(control_ready(&control, SOON_NS)); /* nor is it the end of the wait */
	poll_error = EBADF;
	assert_true(control_ready(&control, 0));
	control_close(&control);
	close(other);
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

static void as_many_messages_as_can_be_counted_are_taken(void **state)
{
	struct json *object = json_new_object();
	struct gen_plan plan, got;
	struct diag diag;

	(void)state;
	fill_plan(&plan);
	plan.messages = UINT32_MAX;
	gen_put_plan(object, &plan);
	assert_int_equal(gen_get_plan(object, &got, &diag), 0);
	assert_int_equal(got.messages, UINT32_MAX);
	json_put_u64(object, "messages", UINT64_C(1) << 32);
	assert_int_equal(gen_get_plan(object, &got, &diag), -EPROTO);
	json_free(object);
	plan.bytes = GEN_BYTES_MAX;
	assert_int_equal(gen_plan_complete(&plan, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "more than can be counted"));
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
		cmocka_unit_test(a_peer_that_dies_is_found_out),
		cmocka_unit_test(of_two_addresses_the_second_has_its_share_of_the_time),
		cmocka_unit_test(who_goes_before_being_taken_ends_no_listening),
		cmocka_unit_test(a_signal_is_no_word),
		cmocka_unit_test(a_plan_arrives_as_it_was_sent),
		cmocka_unit_test(a_plan_out_of_range_is_refused),
		cmocka_unit_test(too_much_memory_is_refused),
		cmocka_unit_test(as_many_messages_as_can_be_counted_are_taken),
		cmocka_unit_test(a_datagram_larger_than_the_mtu_is_refused),
		cmocka_unit_test(an_end_and_a_side_arrive_as_they_were_sent),
	};

	return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
