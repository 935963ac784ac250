/* SPDX-License-Identifier: Apache-2.0 */
/* The end that listens: it does what the other one asks for. */
#include "cmd/peer_end.h"

#include <errno.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"

/* What this end sends by itself. A word that comes before its start is why there will be none,
 * or that the other one, by its own clock, is done. */
static int send_as_well(struct peer *peer, struct json **done, struct diag *diag)
{
	int err = gen_await_start(&peer->gen, &peer->control, diag);

	if (!err)
		return gen_send(&peer->gen, &peer->control, diag);
	if (err != -ECANCELED)
		return err;
	err = peer_hear(peer, PEER_DONE, done, PEER_TALK_NS, diag);
	if (err)
		return err;
	return diag_error(diag, -EPROTO,
		"the weft at %s was done before the start by this host's clock: are the clocks "
		"of both hosts right?",
		peer->control.peer);
}

/* Until the other one says that it is done. */
static int serve_traffic(struct peer *peer, struct json **done, struct diag *diag)
{
	struct gen *gen = &peer->gen;
	const struct gen_plan *plan = &peer->plan;
	uint64_t most = peer_longest_ns(plan);
	int err = 0;

	if (plan->latency)
		err = gen_pong(gen, &peer->control, most, diag);
	else if (plan->both)
		err = send_as_well(peer, done, diag);
	if (err && !*done)
		return peer_cause(peer, err, PEER_DONE, diag);
	if (!err && !plan->latency)
		err = gen_receive(gen, &peer->control, most, diag);
	if (!err)
		err = peer_hear(peer, PEER_DONE, done, PEER_TALK_NS, diag);
	if (!err)
		err = gen_get_side(*done, &peer->view.there, diag);
	if (!err && !plan->latency)
		err = gen_receive_rest(gen, peer->view.there.messages_all,
			peer->view.there.messages_least, diag);
	return err;
}

static int judge_by(struct peer_args *args, const struct json *hello, struct diag *diag)
{
	int64_t least_bps;

	if (!json_bool(json_get(hello, "lossy"), &args->lossy) ||
		!json_bool(json_get(hello, "all"), &args->all) ||
		!json_int(json_get(hello, "least_bps"), &least_bps) || least_bps < 0)
		return diag_error(diag, -EPROTO, "the peer does not say what it asks for");
	args->least_bps = (uint64_t)least_bps;
	return 0;
}

/* What this end is to use, where the other one has started it: nobody else overrules its own
 * options. */
static int take_use(struct peer *peer, const struct json *hello, struct diag *diag)
{
	const struct json *use = json_get(hello, "use");
	uint64_t rule, bind;
	int err;

	if (!use || !peer_is_stdio(peer->args))
		return 0;
	err = peer_get_end(use, &peer->match.here, diag);
	if (!err)
		err = wire_number(use, "gid_rule", GID_BY_INDEX, GID_BY_SUBNET, &rule, diag);
	if (!err)
		err = wire_number(use, "bind", 0, 1, &bind, diag);
	if (err)
		return err;
	peer->use = &peer->match.here;
	peer->use_rule = (enum gid_rule)rule;
	peer->args->bind = (unsigned)bind;
	return 0;
}

/* smaller: whether the other end is to ask again, for datagrams that fit this end's MTU; NULL: it
 * was told. */
static int agree(struct peer *peer, const struct json *hello, bool *smaller, struct diag *diag)
{
	struct gen_end end;
	bool fits = false;
	int err = peer_check_program(hello, diag);

	if (!err)
		err = gen_get_plan(json_get(hello, "plan"), &peer->plan, diag);
	if (!err)
		err = gen_get_end(json_get(hello, "end"), &end, diag);
	if (!err && end.qps != peer->plan.qps)
		err = diag_error(
			diag, -EPROTO, "the peer names %u QPs of %u", end.qps, peer->plan.qps);
	if (!err && peer->plan.latency != peer->args->latency)
		err = diag_error(diag, -EINVAL,
			"weft %s asks, and weft %s listens: start the same command at both "
			"ends",
			peer->plan.latency ? "lat" : "bw", peer->args->command);
	if (!err)
		err = judge_by(peer->args, hello, diag);
	if (!err)
		err = take_use(peer, hello, diag);
	if (!err && !peer->verbs.context)
		err = peer_open(peer, gid_is_ipv4(end.gid) ? GID_IPV4 : GID_IPV6, diag);
	if (err)
		return err;
	if (peer->verbs.mtu_bytes < peer->plan.mtu_bytes) {
		if (smaller && json_bool(json_get(hello, "fits"), &fits) && fits) {
			*smaller = true;
			return 0;
		}
		peer->plan.mtu_bytes = peer->verbs.mtu_bytes;
	}
	peer_facts(peer);
	err = gen_plan_complete(&peer->plan, diag); /* a datagram may not fit now */
	if (err)
		return err;
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

static int hear_hello(struct peer *peer, bool *smaller, bool *last, struct diag *diag)
{
	struct json *hello = NULL;
	int err = peer_hear(peer, PEER_HELLO, &hello, PEER_TALK_NS, diag);

	if (!err && !json_bool(json_get(hello, "last"), last))
		err = diag_error(diag, -EPROTO, "the peer does not say whether more follows");
	if (!err)
		err = agree(peer, hello, smaller, diag);
	json_free(hello);
	return err;
}

static int ask_for_smaller(struct peer *peer, struct diag *diag)
{
	struct json *body = json_new_object();

	json_put_u64(body, "mtu_bytes", peer->verbs.mtu_bytes);
	return peer_say(peer, PEER_READY, body, diag);
}

/* What the other end had received when it was done is not all: this end may still have been
 * sending. Its last word is what both judge by. */
static int hear_last(struct peer *peer, struct diag *diag)
{
	struct json *side = NULL;
	int err = peer_hear(peer, PEER_LAST, &side, PEER_TALK_NS, diag);

	if (!err)
		err = gen_get_side(side, &peer->view.there, diag);
	json_free(side);
	return err;
}

/* One test. */
static int serve(struct peer *peer, bool *last, struct diag *diag)
{
	struct json *start = NULL, *done = NULL;
	bool smaller = false;
	int err = hear_hello(peer, &smaller, last, diag);

	if (!err && smaller) {
		err = ask_for_smaller(peer, diag);
		if (!err)
			err = hear_hello(peer, NULL, last, diag);
	}
	if (!err) {
		peer_counters_begin(peer);
		err = peer_say(peer, PEER_READY, ready_json(peer), diag);
	}
	if (!err && peer->plan.cm)
		err = gen_accept(&peer->gen, &peer->control, diag);
	/* Canceled: a word has come, that all are connected or why they are not. */
	if (!err || err == -ECANCELED)
		err = peer_hear(peer, PEER_START, &start, PEER_TALK_NS, diag);
	if (!err)
		err = serve_traffic(peer, &done, diag);
	if (!err) {
		peer_outcome(peer);
		err = peer_say(peer, PEER_RESULT, peer_side(peer), diag);
	}
	if (!err)
		err = hear_last(peer, diag);
	if (!err)
		peer_report(peer, *last);
	json_free(start);
	json_free(done);
	return err;
}

int peer_listen(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	bool last = false;
	int err = peer_is_stdio(args) ? peer_serve_stdio(peer, diag)
				      : control_accept(&peer->control, args->listen,
						(uint16_t)args->tcp_port, args->wait_ns, diag);

	if (!err)
		err = serve(peer, &last, diag);
	while (!err && !last) {
		peer_again(peer);
		err = serve(peer, &last, diag);
	}
	return err;
}
