/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/numa.h"

#define TALK_NS (20 * NS_PER_S) /* for one answer; opening 256 QPs takes a while */
#define SLACK_NS (60 * NS_PER_S)
#define COUNTED_NS (UINT64_C(86400) * NS_PER_S) /* a run by count, which nobody can foresee */

struct peer {
	struct peer_args *args; /* borrowed */
	struct control control;
	struct verbs verbs;
	struct gen gen;
	struct gen_plan plan;
	struct hwcounters before;
	struct peer_view view;
	bool unreachable; /* told by the peer: the network did not deliver */
};

/* --- talk --- */

static int say(struct peer *peer, uint8_t kind, struct json *body, struct diag *diag)
{
	int err = control_send(&peer->control, kind, body, TALK_NS, diag);

	json_free(body);
	return err;
}

/* Why this end gives up. What becomes of it is not looked at. */
static void refuse(struct peer *peer, int err, const struct diag *why)
{
	struct json *body = json_new_object();
	struct diag ignored;

	if (peer->control.fd < 0 || err == -EPIPE) {
		json_free(body);
		return;
	}
	json_put_text(body, "why", why->text);
	json_put_bool(body, "unreachable", err == -EHOSTUNREACH);
	say(peer, PEER_REFUSE, body, &ignored);
}

/* The next frame must be of this kind. A refusal is an error with the peer's sentence. */
static int hear(struct peer *peer, uint8_t wanted, struct json **body, uint64_t wait_ns,
	struct diag *diag)
{
	struct json *got = NULL;
	uint8_t kind;
	int err = control_receive(&peer->control, &kind, &got, wait_ns, diag);

	if (err)
		return err;
	if (kind == wanted) {
		*body = got;
		return 0;
	}
	if (kind == PEER_REFUSE && json_text(json_get(got, "why"))) {
		json_bool(json_get(got, "unreachable"), &peer->unreachable);
		err = diag_error(diag, peer->unreachable ? -EHOSTUNREACH : -ECONNREFUSED,
			"the weft at %s says: %.380s", peer->control.peer,
			json_text(json_get(got, "why")));
	} else {
		err = diag_error(diag, -EPROTO, "the weft at %s sent frame %u, expected %u",
			peer->control.peer, kind, wanted);
	}
	json_free(got);
	return err;
}

/* --- this end --- */

static int parse_gid_index(const char *text, struct gid_wish *wish, struct diag *diag)
{
	char *end;
	unsigned long index;

	if (!text)
		return 0;
	index = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || index > 255)
		return diag_error(
			diag, -EINVAL, "-x \"%.40s\": expected an index of 0..255", text);
	wish->by_index = true;
	wish->index = (uint32_t)index;
	return 0;
}

static int open_device(struct peer *peer, enum gid_family only, struct diag *diag)
{
	struct peer_args *args = peer->args;
	struct verbs_choice choice = {
		.device = args->device,
		.port = (uint32_t)args->port,
		.gid = { .only = only, .ipv6_first = args->family == 1, .has_address = true },
	};
	int err = parse_gid_index(args->gid, &choice.gid, diag);

	memcpy(choice.gid.address, peer->control.local, GID_BYTES);
	if (!err)
		err = verbs_open(&peer->verbs, &choice, diag);
	if (err)
		return err;
	if (args->bind == 0)
		numa_bind(peer->verbs.device, peer->view.here.bound, GEN_BOUND);
	else
		snprintf(peer->view.here.bound, GEN_BOUND, "not bound, as asked for");
	return 0;
}

static void counters_path(const struct peer *peer, char *path, size_t size)
{
	snprintf(path, size, "/sys/class/infiniband/%s/ports/%u/hw_counters",
		peer->verbs.device, peer->verbs.port);
}

static void counters_begin(struct peer *peer)
{
	char path[160];
	struct diag ignored;

	counters_path(peer, path, sizeof(path));
	peer->view.here.has_counters = !hwcounters_read(&peer->before, path, &ignored);
}

static void counters_end(struct peer *peer)
{
	struct gen_side *side = &peer->view.here;
	struct hwcounters after;
	char path[160];
	struct diag ignored;

	counters_path(peer, path, sizeof(path));
	if (side->has_counters && !hwcounters_read(&after, path, &ignored))
		hwcounters_between(&peer->before, &after, &side->grown, &side->reset);
	else
		side->has_counters = false;
}

static void facts(struct peer *peer)
{
	struct gen_side *side = &peer->view.here;

	snprintf(side->device, sizeof(side->device), "%s", peer->verbs.device);
	gid_print(peer->verbs.gid, side->address);
	side->port = peer->verbs.port;
	side->gid_index = peer->verbs.gid_index;
	side->gid_rule = peer->verbs.gid_rule;
	side->mtu_bytes = peer->plan.mtu_bytes;
	side->speed_bps = peer->verbs.speed_bps;
	side->soft = peer->verbs.soft;
}

static void outcome(struct peer *peer)
{
	const struct gen_result *result = &peer->gen.result;
	struct gen_side *side = &peer->view.here;

	counters_end(peer);
	side->messages = result->messages;
	side->bytes = result->bytes;
	side->window_ns =
		result->end_ns > result->begin_ns ? result->end_ns - result->begin_ns : 0;
	side->messages_all = result->messages_all;
	side->received = result->received;
	side->checked = result->checked;
	side->corrupt = result->corrupt;
	side->nic_window_ns = result->nic_window_ns;
	side->start_late_ns = result->start_late_ns;
	side->pace_late_ns = result->pace_late_ns;
	side->dry = result->dry;
	side->cpu_ns = result->cpu_ns;
}

static struct json *side_json(const struct peer *peer)
{
	struct json *body = json_new_object();

	gen_put_side(body, &peer->view.here);
	return body;
}

/* --- traffic --- */

static uint64_t longest_ns(const struct gen_plan *plan)
{
	if (plan->messages)
		return COUNTED_NS;
	return plan->warmup_ns + plan->duration_ns + SLACK_NS +
	       (plan->start_ns ? GEN_AHEAD_NS_MAX : 0);
}

/* The end that listened: until the other one says that it is done. */
static int serve_traffic(struct peer *peer, struct json **done, struct diag *diag)
{
	struct gen *gen = &peer->gen;
	const struct gen_plan *plan = &peer->plan;
	uint64_t most = longest_ns(plan);
	int err = 0;

	if (plan->latency)
		err = gen_pong(gen, &peer->control, most, diag);
	else if (plan->both)
		err = gen_send(gen, diag);
	if (!err && !plan->latency)
		err = gen_receive(gen, &peer->control, most, diag);
	if (!err)
		err = hear(peer, PEER_DONE, done, TALK_NS, diag);
	if (!err)
		err = gen_get_side(*done, &peer->view.there, diag);
	if (!err && !plan->latency)
		err = gen_receive_rest(gen, peer->view.there.messages_all, diag);
	return err;
}

static int drive_traffic(struct peer *peer, struct json **result, struct diag *diag)
{
	struct gen *gen = &peer->gen;
	const struct gen_plan *plan = &peer->plan;
	int err = plan->latency ? gen_ping(gen, diag) : gen_send(gen, diag);

	if (err)
		return err;
	outcome(peer);
	err = say(peer, PEER_DONE, side_json(peer), diag);
	if (!err && plan->both)
		err = gen_receive(gen, &peer->control, longest_ns(plan), diag);
	if (!err)
		err = hear(peer, PEER_RESULT, result, TALK_NS, diag);
	if (!err)
		err = gen_get_side(*result, &peer->view.there, diag);
	if (!err && plan->both)
		err = gen_receive_rest(gen, peer->view.there.messages_all, diag);
	outcome(peer);
	return err;
}

/* --- the end that listens --- */

static int judge_by(struct peer_args *args, const struct json *hello, struct diag *diag)
{
	int64_t least_bps;

	if (!json_bool(json_get(hello, "lossy"), &args->lossy) ||
		!json_int(json_get(hello, "least_bps"), &least_bps) || least_bps < 0)
		return diag_error(diag, -EPROTO, "the peer does not say what it asks for");
	args->least_bps = (uint64_t)least_bps;
	return 0;
}

static int agree(struct peer *peer, const struct json *hello, struct diag *diag)
{
	struct gen_end end;
	int err = gen_get_plan(json_get(hello, "plan"), &peer->plan, diag);

	if (!err)
		err = gen_get_end(json_get(hello, "end"), &end, diag);
	if (!err && end.qps != peer->plan.qps)
		err = diag_error(
			diag, -EPROTO, "the peer names %u QPs of %u", end.qps, peer->plan.qps);
	if (!err)
		err = judge_by(peer->args, hello, diag);
	if (!err)
		err = open_device(peer, gid_is_ipv4(end.gid) ? GID_IPV4 : GID_IPV6, diag);
	if (err)
		return err;
	if (peer->verbs.mtu_bytes < peer->plan.mtu_bytes)
		peer->plan.mtu_bytes = peer->verbs.mtu_bytes;
	facts(peer);
	err = gen_open(&peer->gen, &peer->verbs, &peer->plan, false, diag);
	return err ? err : gen_connect(&peer->gen, &end, diag);
}

static struct json *ready_json(const struct peer *peer)
{
	struct json *body = json_new_object();
	struct gen_end end;

	gen_end(&peer->gen, &end);
	gen_put_end(json_put_object(body, "end"), &end);
	gen_put_side(json_put_object(body, "side"), &peer->view.here);
	return body;
}

static int listen_run(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	struct json *hello = NULL, *start = NULL, *done = NULL;
	int err = control_accept(
		&peer->control, args->listen, (uint16_t)args->tcp_port, args->wait_ns, diag);

	if (!err)
		err = hear(peer, PEER_HELLO, &hello, TALK_NS, diag);
	if (!err)
		err = agree(peer, hello, diag);
	if (!err) {
		counters_begin(peer);
		err = say(peer, PEER_READY, ready_json(peer), diag);
	}
	if (!err && peer->plan.cm)
		err = gen_accept(&peer->gen, &peer->control, diag);
	/* Canceled: a word has come, that all are connected or why they are not. */
	if (!err || err == -ECANCELED)
		err = hear(peer, PEER_START, &start, TALK_NS, diag);
	if (!err)
		err = serve_traffic(peer, &done, diag);
	if (!err) {
		outcome(peer);
		err = say(peer, PEER_RESULT, side_json(peer), diag);
	}
	json_free(hello);
	json_free(start);
	json_free(done);
	return err;
}

/* --- the end that connects --- */

/* What is asked of the network is told too, so that both ends judge alike. */
static struct json *hello_json(const struct peer *peer)
{
	struct json *body = json_new_object();
	struct gen_end end;

	gen_end(&peer->gen, &end);
	gen_put_plan(json_put_object(body, "plan"), &peer->plan);
	gen_put_end(json_put_object(body, "end"), &end);
	json_put_bool(body, "lossy", peer->args->lossy);
	json_put_u64(body, "least_bps", peer->args->least_bps);
	return body;
}

static int meet(struct peer *peer, const struct json *ready, struct diag *diag)
{
	const struct peer_args *args = peer->args;
	struct gen_end end;
	int err = gen_get_end(json_get(ready, "end"), &end, diag);

	if (!err && end.qps != peer->plan.qps)
		err = diag_error(
			diag, -EPROTO, "the peer names %u QPs of %u", end.qps, peer->plan.qps);
	if (!err)
		err = gen_get_side(json_get(ready, "side"), &peer->view.there, diag);
	if (!err && args->mtu_bytes > peer->view.there.mtu_bytes)
		err = diag_error(diag, -EINVAL, "-m %u: %s at %s carries at most %u",
			(unsigned)args->mtu_bytes, peer->view.there.device, peer->control.peer,
			peer->view.there.mtu_bytes);
	if (err)
		return err;
	if (peer->view.there.mtu_bytes < peer->plan.mtu_bytes)
		peer->plan.mtu_bytes = peer->view.there.mtu_bytes;
	peer->gen.plan.mtu_bytes = peer->plan.mtu_bytes;
	facts(peer);
	return gen_connect(&peer->gen, &end, diag);
}

static int prepare(struct peer *peer, struct diag *diag)
{
	int err = open_device(peer, GID_ANY, diag);

	if (err)
		return err;
	err = peer_plan(peer->args, &peer->verbs, &peer->plan, diag);
	return err ? err : gen_open(&peer->gen, &peer->verbs, &peer->plan, true, diag);
}

static int connect_run(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	struct json *ready = NULL, *result = NULL;
	int err = control_connect(
		&peer->control, args->address, (uint16_t)args->tcp_port, args->wait_ns, diag);

	if (!err)
		err = prepare(peer, diag);
	if (!err)
		err = say(peer, PEER_HELLO, hello_json(peer), diag);
	if (!err)
		err = hear(peer, PEER_READY, &ready, TALK_NS, diag);
	if (!err)
		err = meet(peer, ready, diag);
	if (!err) {
		counters_begin(peer);
		err = say(peer, PEER_START, json_new_object(), diag);
	}
	if (!err)
		err = drive_traffic(peer, &result, diag);
	json_free(ready);
	json_free(result);
	return err;
}

/* --- the command --- */

static int report(struct peer *peer)
{
	const struct peer_view *view = &peer->view;
	FILE *verdicts = peer->args->json ? stderr : stdout;

	if (peer->args->json && peer_show_json(stdout, view))
		return EXIT_UNKNOWN;
	if (!peer->args->json)
		peer_show(stdout, view);
	return peer_verdict(verdicts, view);
}

int peer_run(struct peer_args *args)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	struct diag diag;
	int err, status;

	if (!peer)
		return EXIT_UNKNOWN;
	peer->args = args;
	peer->control = (struct control)CONTROL_INIT;
	peer->view.args = args;
	peer->view.gen = &peer->gen;
	err = args->listen ? listen_run(peer, &diag) : connect_run(peer, &diag);
	if (err) {
		fprintf(stderr, "weft %s: %s\n", args->command, diag.text);
		refuse(peer, err, &diag);
		status = err == -EHOSTUNREACH ? EXIT_FAIL : EXIT_UNKNOWN;
	} else {
		status = report(peer);
	}
	gen_close(&peer->gen);
	verbs_close(&peer->verbs);
	control_close(&peer->control);
	free(peer);
	return status;
}
