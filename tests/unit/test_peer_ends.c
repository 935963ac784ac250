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

#include "cmd/cmd.h"
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
int __wrap_verbs_address_open(struct verbs_address *address, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *diag);
void __wrap_verbs_ring_sends(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan);
void __wrap_verbs_ring_receives(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan);
int __wrap_verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last);
int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX]);
int __wrap_rdmacm_listen(
	struct rdmacm *rdmacm, const struct verbs *verbs, uint64_t word, struct diag *diag);
int __wrap_rdmacm_connect(struct rdmacm *rdmacm, const struct verbs *verbs,
	const uint8_t gid[GID_BYTES], uint16_t port, uint64_t word,
	const struct rdmacm_end *ends, uint32_t count, uint64_t wait_ns, struct diag *diag);
int __wrap_verbs_qp_open(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t psn, struct diag *diag);

static struct peer_args args;
static struct peer peer;
static struct control far; /* the other end's, which this file holds */
static struct diag diag;
static char opened[VERBS_NAME];
static uint32_t mtu_bytes;
static int refusal;               /* of the device */
static int cm_refusal;            /* of the connection manager */
static uint32_t posted, arriving; /* not completed yet */

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
} script[4];

static void say_script(void)
{
	for (size_t i = 0; i < COUNT_OF(script) && script[i].kind; i++) {
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

int __wrap_verbs_qp_open(struct verbs_qp *qp, const struct verbs *verbs,
	const struct verbs_cq *cq, uint32_t sends, uint32_t receives, uint32_t inline_bytes,
	uint32_t psn, struct diag *why)
{
	(void)psn;
	return __wrap_verbs_qp_open_datagrams(
		qp, verbs, cq, sends, receives, inline_bytes, 0, why);
}

int __wrap_verbs_address_open(struct verbs_address *address, const struct verbs *verbs,
	const struct verbs_path *path, struct diag *why)
{
	(void)address;
	(void)verbs;
	(void)path;
	(void)why;
	return 0;
}

void __wrap_verbs_ring_sends(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan)
{
	(void)qp;
	ring->count = plan->count;
}

void __wrap_verbs_ring_receives(
	struct verbs_ring *ring, const struct verbs_qp *qp, const struct verbs_ring_plan *plan)
{
	__wrap_verbs_ring_sends(ring, qp, plan);
}

int __wrap_verbs_ring_post(struct verbs_ring *ring, uint32_t count, bool last)
{
	(void)last;
	posted += ring == &peer.gen.qps[0].sends ? count : 0;
	return 0;
}

/* All that was posted, and then all that comes. */
int __wrap_verbs_poll(const struct verbs_cq *cq, struct verbs_done done[VERBS_DONE_MAX])
{
	uint32_t *what = posted ? &posted : &arriving;
	int taken = 0;

	(void)cq;
	for (; *what && taken < VERBS_DONE_MAX; (*what)--)
		done[taken++] = (struct verbs_done){
			.count = 1,
			.received = what == &arriving,
		};
	return taken;
}

int __wrap_rdmacm_listen(
	struct rdmacm *rdmacm, const struct verbs *verbs, uint64_t word, struct diag *why)
{
	(void)rdmacm;
	(void)verbs;
	(void)word;
	(void)why;
	return 0;
}

/* The other end finds out why first. */
int __wrap_rdmacm_connect(struct rdmacm *rdmacm, const struct verbs *verbs,
	const uint8_t gid[GID_BYTES], uint16_t port, uint64_t word,
	const struct rdmacm_end *ends, uint32_t count, uint64_t wait_ns, struct diag *why)
{
	(void)rdmacm;
	(void)verbs;
	(void)gid;
	(void)port;
	(void)word;
	(void)ends;
	(void)count;
	(void)wait_ns;
	return diag_error(why, cm_refusal, "mlx5_0: the peer turned a connection away");
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
	posted = arriving = 0;
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

/* Of sends by datagrams. */
static struct gen_plan datagrams(uint32_t mtu)
{
	return (struct gen_plan){
		.work = VERBS_SEND,
		.qps = 1,
		.bytes = mtu,
		.depth = 8,
		.duration_ns = NS_PER_S,
		.interval_ns = 100 * NS_PER_MS,
		.mtu_bytes = mtu,
		.timeout_exp = 14,
		.retry = 7,
		.datagrams = true,
	};
}

static struct json *hello(struct gen_plan plan)
{
	struct json *body = json_new_object(), *use;
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
	script[0].body = hello(datagrams(4096));
	refusal = -ENODEV;
	assert_int_equal(peer_listen(&peer, &diag), -ENODEV);
	assert_string_equal(opened, "mlx5_0");
}

static void latency_is_not_measured_with_a_listener_of_bandwidth(void **state)
{
	struct gen_plan latency = datagrams(4096);

	(void)state;
	latency.latency = true;
	args.listen = "10.0.0.1";
	script[0].kind = PEER_HELLO;
	script[0].body = hello(latency);
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
	script[0].body = hello(datagrams(4096));
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

/* --- the traffic, and what is told of it --- */

#define MESSAGES 4u

/* Of the far end, which has sent all, and had so many of ours. */
static void put_side(struct json *body, uint32_t received)
{
	struct gen_side far_side = {
		.device = "mlx5_9",
		.address = "10.0.0.9",
		.port = 1,
		.mtu_bytes = 4096,
		.messages = MESSAGES,
		.messages_all = MESSAGES,
		.messages_least = MESSAGES,
		.bytes = MESSAGES * 1024,
		.window_ns = NS_PER_MS,
		.received = received,
	};

	gen_put_side(body, &far_side);
}

static struct json *side(uint32_t received)
{
	struct json *body = json_new_object();

	put_side(body, received);
	return body;
}

static void listen_for_both_ways(void)
{
	struct gen_plan both = datagrams(1024);

	both.both = true;
	both.messages = MESSAGES;
	args.listen = "10.0.0.1";
	arriving = MESSAGES;
	script[0].kind = PEER_HELLO;
	script[0].body = hello(both);
	script[1].kind = PEER_START;
	script[1].text = "{}";
	script[2].kind = PEER_DONE; /* while this end still sends */
	script[2].body = side(1);
}

static void assert_received(uint8_t kind, int64_t wanted)
{
	struct json *body = heard(kind);
	int64_t received = -1;

	assert_true(json_int(json_get(body, "received"), &received));
	assert_int_equal(received, wanted);
	json_free(body);
}

static void the_listener_judges_by_what_has_come_in_the_end(void **state)
{
	static const struct {
		uint32_t received;
		int status;
	} rows[] = { { MESSAGES, EXIT_PASS }, { MESSAGES - 1, EXIT_FAIL } };

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		begin(state);
		listen_for_both_ways();
		script[3].kind = PEER_LAST;
		script[3].body = side(rows[i].received);
		assert_int_equal(peer_listen(&peer, &diag), 0);
		assert_int_equal(peer.status, rows[i].status);
		json_free(heard(PEER_READY));
		assert_received(PEER_RESULT, MESSAGES);
		end(state);
	}
}

static void the_listener_passes_nothing_that_the_other_end_refuses(void **state)
{
	(void)state;
	listen_for_both_ways();
	script[3].kind = PEER_REFUSE;
	script[3].text = "{\"why\": \"4 messages acknowledged, of which 3 arrived\"}";
	assert_int_equal(peer_listen(&peer, &diag), -ECONNREFUSED);
	assert_string_equal(diag.text,
		"the weft at 10.0.0.2 says: 4 messages acknowledged, of which 3 arrived");
}

/* To a listener that is ready. */
static void to_be_connected(void)
{
	struct json *ready = json_new_object();
	struct gen_end far_end = { .qps = 1, .reads = 1, .cm_port = 4711 };

	far_end.qp[0].number = 7;
	gen_put_end(json_put_object(ready, "end"), &far_end);
	put_side(json_put_object(ready, "side"), 0);
	args.address = "10.0.0.1";
	args.bytes = 1024;
	args.messages = MESSAGES;
	args.work = VERBS_SEND;
	script[0].kind = PEER_READY;
	script[0].body = ready;
}

static void the_end_that_connects_tells_last_what_has_come(void **state)
{
	(void)state;
	to_be_connected();
	args.connection = 1;
	args.both = true;
	arriving = MESSAGES;
	script[1].kind = PEER_RESULT;
	script[1].body = side(MESSAGES);
	assert_int_equal(peer_connect(&peer, &diag), 0);
	assert_int_equal(peer.status, EXIT_PASS);
	json_free(heard(PEER_HELLO));
	json_free(heard(PEER_START));
	assert_received(PEER_DONE, 0);
	assert_received(PEER_LAST, MESSAGES);
}

static void why_the_listener_takes_no_connection_is_told(void **state)
{
	static const char why[] = "the connection manager gives 10.0.0.1 to mlx5_1 port 1";

	(void)state;
	to_be_connected();
	args.cm = true;
	cm_refusal = -ECONNREFUSED;
	script[1].kind = PEER_REFUSE;
	script[1].text =
		"{\"why\": \"the connection manager gives 10.0.0.1 to mlx5_1 port 1\"}";
	assert_int_equal(peer_connect(&peer, &diag), -ECONNREFUSED);
	assert_non_null(strstr(diag.text, why));
}

static void a_network_without_a_way_stays_the_cause(void **state)
{
	(void)state;
	to_be_connected();
	args.cm = true;
	cm_refusal = -EHOSTUNREACH;
	assert_int_equal(peer_connect(&peer, &diag), -EHOSTUNREACH);
	assert_string_equal(diag.text, "mlx5_0: the peer turned a connection away");
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
		cmocka_unit_test(the_listener_judges_by_what_has_come_in_the_end),
		cmocka_unit_test_setup_teardown(
			the_listener_passes_nothing_that_the_other_end_refuses, begin, end),
		cmocka_unit_test_setup_teardown(
			the_end_that_connects_tells_last_what_has_come, begin, end),
		cmocka_unit_test_setup_teardown(
			why_the_listener_takes_no_connection_is_told, begin, end),
		cmocka_unit_test_setup_teardown(
			a_network_without_a_way_stays_the_cause, begin, end),
		cmocka_unit_test(what_cannot_be_at_the_last_size_is_refused_before_the_first),
	};

	return cmocka_run_group_tests_name("peer_ends", tests, NULL, NULL);
}
