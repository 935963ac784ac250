/* SPDX-License-Identifier: Apache-2.0 */
/* Each end of bw and lat, against another one and a device that are played by this file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/peer_end.h"
#include "lib/diag.h"
#include "lib/json.h"

int __wrap_control_accept(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag);
int __wrap_control_connect(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag);
int __wrap_verbs_open(
	struct verbs *verbs, const struct verbs_choice *choice, struct diag *diag);
int __wrap_verbs_memory_open(struct verbs_memory *memory, const struct verbs *verbs,
	size_t bytes, struct diag *diag);
int __wrap_verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *diag);
int __wrap_verbs_qp_open_datagrams(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t key, struct diag *diag);

static struct peer_args args;
static struct peer peer;
static struct control far; /* the other end's, which this file holds */
static struct diag diag;
static char opened[VERBS_NAME];
static uint32_t mtu_bytes;
static int refusal; /* of the device */

static int take_channel(struct control *control)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	control_adopt(control, fds[0], fds[0], "10.0.0.2");
	control_adopt(&far, fds[1], fds[1], "10.0.0.1");
	return 0;
}

/* What the far end says before it is asked. */
static struct {
	uint8_t kind;
	const char *text;
	struct json *body;
} script[3];

static void say_script(void)
{
	for (size_t i = 0; i < 3 && script[i].kind; i++) {
		struct json *body = script[i].body;

		if (script[i].text)
			assert_int_equal(json_parse(&body, script[i].text,
						 strlen(script[i].text), &diag),
				0);
		assert_int_equal(control_send(&far, script[i].kind, body, NS_PER_S, &diag), 0);
		json_free(body);
	}
}

int __wrap_control_accept(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *why)
{
	(void)address;
	(void)port;
	(void)wait_ns;
	(void)why;
	take_channel(control);
	say_script();
	return 0;
}

int __wrap_control_connect(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *why)
{
	return __wrap_control_accept(control, address, port, wait_ns, why);
}

int __wrap_verbs_open(struct verbs *verbs, const struct verbs_choice *choice, struct diag *why)
{
	static int context;

	*verbs = (struct verbs){
		.port = choice->port,
		.mtu_bytes = mtu_bytes,
		.work_max = 4096,
		.done_max = 1 << 20,
	};
	verbs->context = (struct ibv_context *)(void *)&context;
	snprintf(opened, sizeof(opened), "%s", choice->device);
	return refusal ? diag_error(why, refusal, "no device") : 0;
}

int __wrap_verbs_memory_open(
	struct verbs_memory *memory, const struct verbs *verbs, size_t bytes, struct diag *why)
{
	(void)memory;
	(void)verbs;
	(void)bytes;
	(void)why;
	return 0;
}

int __wrap_verbs_cq_open_stamped(
	struct verbs_cq *cq, const struct verbs *verbs, uint32_t entries, struct diag *why)
{
	(void)cq;
	(void)verbs;
	(void)entries;
	(void)why;
	return 0;
}

int __wrap_verbs_qp_open_datagrams(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t key, struct diag *why)
{
	(void)verbs;
	(void)cq;
	(void)sends;
	(void)receives;
	(void)inline_bytes;
	(void)key;
	(void)why;
	qp->number = 5;
	return 0;
}

static int begin(void **state)
{
	(void)state;
	args = (struct peer_args){
		.command = "bw",
		.device = "mlx5_0",
		.port = 1,
		.bind = 1,
		.bytes = 64 * KIB,
		.qps = 1,
		.depth = 8,
		.seconds = 1,
		.interval_ns = 100 * NS_PER_MS,
	};
	memset(&peer, 0, sizeof(peer));
	memset(script, 0, sizeof(script));
	peer.args = &args;
	peer.view.args = &args;
	peer.view.gen = &peer.gen;
	peer.control = far = (struct control)CONTROL_INIT;
	opened[0] = '\0';
	mtu_bytes = 4096;
	refusal = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	gen_close(&peer.gen);
	control_close(&peer.control);
	control_close(&far);
	peer_all_drop(&peer.all);
	return 0;
}

/* Of sends, or latency, by datagrams. */
static struct json *hello(bool latency, uint32_t mtu)
{
	struct json *body = json_new_object(), *use;
	struct gen_plan plan = {
		.work = VERBS_SEND,
		.qps = 1,
		.bytes = mtu,
		.depth = 8,
		.duration_ns = NS_PER_S,
		.interval_ns = 100 * NS_PER_MS,
		.mtu_bytes = mtu,
		.timeout_exp = 14,
		.retry = 7,
		.latency = latency,
		.datagrams = true,
	};
	struct gen_end far_end = { .qps = 1, .reads = 1 };

	far_end.qp[0].number = 7;
	assert_int_equal(gen_plan_complete(&plan, &diag), 0);
	gen_put_plan(json_put_object(body, "plan"), &plan);
	gen_put_end(json_put_object(body, "end"), &far_end);
	peer_put_program(body);
	use = json_put_object(body, "use");
	json_put_text(use, "device", "mlx5_9");
	json_put_u64(use, "port", 1);
	json_put_u64(use, "gid_index", 3);
	json_put_text(use, "gid", "10.0.0.9");
	json_put_u64(use, "prefix_bits", 120);
	json_put_u64(use, "gid_rule", GID_BY_SUBNET);
	json_put_u64(use, "bind", 1);
	json_put_bool(body, "all", false);
	json_put_bool(body, "last", true);
	json_put_bool(body, "fits", true);
	json_put_bool(body, "lossy", false);
	json_put_u64(body, "least_bps", 0);
	return body;
}

/* The next frame that this end has said. */
static struct json *heard(uint8_t kind)
{
	struct json *body = NULL;
	uint8_t got;

	assert_int_equal(control_receive(&far, &got, &body, NS_PER_S, &diag), 0);
	assert_int_equal(got, kind);
	return body;
}

static void who_connects_chooses_no_device_of_the_listener(void **state)
{
	(void)state;
	args.listen = "10.0.0.1";
	script[0].kind = PEER_HELLO;
	script[0].body = hello(false, 4096);
	refusal = -ENODEV;
	assert_int_equal(peer_listen(&peer, &diag), -ENODEV);
	assert_string_equal(opened, "mlx5_0");
}

static void latency_is_not_measured_with_a_listener_of_bandwidth(void **state)
{
	(void)state;
	args.listen = "10.0.0.1";
	script[0].kind = PEER_HELLO;
	script[0].body = hello(true, 4096);
	assert_int_equal(peer_listen(&peer, &diag), -EINVAL);
	assert_string_equal(diag.text,
		"weft lat asks, and weft bw listens: start the same command at both ends");
	assert_string_equal(opened, "");
}

static void a_listener_of_a_smaller_mtu_asks_for_smaller_datagrams(void **state)
{
	struct json *body;
	int64_t mtu;

	(void)state;
	args.listen = "10.0.0.1";
	mtu_bytes = 1024;
	script[0].kind = PEER_HELLO;
	script[0].body = hello(false, 4096);
	script[1].kind = PEER_REFUSE;
	script[1].text = "{\"why\": \"enough\"}";
	assert_int_equal(peer_listen(&peer, &diag), -ECONNREFUSED);
	body = heard(PEER_READY);
	assert_true(json_int(json_get(body, "mtu_bytes"), &mtu));
	assert_int_equal(mtu, 1024);
	json_free(body);
}

/* Datagrams, to a listener whose MTU is 1024. */
static void to_a_smaller_mtu(void)
{
	args.address = "10.0.0.1";
	args.connection = 1;
	args.work = VERBS_SEND;
	script[0].kind = PEER_READY;
	script[0].text = "{\"mtu_bytes\": 1024}";
	script[1].kind = PEER_REFUSE;
	script[1].text = "{\"why\": \"enough\"}";
}

static void assert_proposed(int64_t bytes, bool last)
{
	struct json *body = heard(PEER_HELLO);
	int64_t got = 0;
	bool is_last = !last;

	assert_true(json_int(json_get(json_get(body, "plan"), "bytes"), &got));
	assert_int_equal(got, bytes);
	assert_true(json_bool(json_get(body, "last"), &is_last));
	assert_int_equal(is_last, last);
	json_free(body);
}

static void datagrams_are_as_large_as_both_mtus(void **state)
{
	(void)state;
	to_a_smaller_mtu();
	args.bytes = 0;
	assert_int_equal(peer_connect(&peer, &diag), -ECONNREFUSED);
	assert_proposed(4096, true);
	assert_proposed(1024, true);
}

static void all_sizes_end_where_both_mtus_do(void **state)
{
	(void)state;
	to_a_smaller_mtu();
	args.bytes = 1024;
	args.all = true;
	assert_int_equal(peer_connect(&peer, &diag), -ECONNREFUSED);
	assert_proposed(1024, false);
	assert_proposed(1024, true);
}

static void a_size_that_was_asked_for_stays(void **state)
{
	struct json *body;
	bool fits = true;

	(void)state;
	to_a_smaller_mtu();
	args.bytes = 2048;
	assert_int_equal(peer_connect(&peer, &diag), -EINVAL);
	assert_string_equal(diag.text, "-s 2048: a datagram holds at most the MTU, 1024 bytes");
	body = heard(PEER_HELLO);
	assert_true(json_bool(json_get(body, "fits"), &fits));
	assert_false(fits);
	json_free(body);
}

static void what_cannot_be_at_the_last_size_is_refused_before_the_first(void **state)
{
	static const char *const said[] = {
		"-a goes up to 8388608 bytes, and -s without it is one size: 256 QPs with ",
		"-a goes up to 8388608 bytes, and -s without it is one size: --rate: a burst ",
	};

	for (size_t i = 0; i < COUNT_OF(said); i++) {
		begin(state);
		args.address = "10.0.0.1";
		args.bytes = 2;
		args.all = true;
		args.check = i == 0;
		args.qps = i == 0 ? 256 : 1;
		args.rate_bps = i == 1 ? 1000000 : 0;
		assert_int_equal(peer_connect(&peer, &diag), -EINVAL);
		assert_memory_equal(diag.text, said[i], strlen(said[i]));
		control_close(&peer.control);
		assert_int_equal(recv(far.fd, &(char){ 0 }, 1, 0), 0);
		end(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			who_connects_chooses_no_device_of_the_listener, begin, end),
		cmocka_unit_test_setup_teardown(
			latency_is_not_measured_with_a_listener_of_bandwidth, begin, end),
		cmocka_unit_test_setup_teardown(
			a_listener_of_a_smaller_mtu_asks_for_smaller_datagrams, begin, end),
		cmocka_unit_test_setup_teardown(
			datagrams_are_as_large_as_both_mtus, begin, end),
		cmocka_unit_test_setup_teardown(all_sizes_end_where_both_mtus_do, begin, end),
		cmocka_unit_test_setup_teardown(a_size_that_was_asked_for_stays, begin, end),
		cmocka_unit_test(what_cannot_be_at_the_last_size_is_refused_before_the_first),
	};

	return cmocka_run_group_tests_name("peer_ends", tests, NULL, NULL);
}
