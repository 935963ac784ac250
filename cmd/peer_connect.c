/* SPDX-License-Identifier: Apache-2.0 */
/* The end that connects: it asks, and drives the traffic. */
#include "cmd/peer_end.h"

#include <errno.h>

#include "lib/diag.h"
#include "lib/json.h"

/* A word that comes before the start is why there will be none. */
static int send_all(struct peer *peer, struct json **result, struct diag *diag)
{
	int err = gen_await_start(&peer->gen, &peer->control, diag);

	if (err == -ECANCELED) {
		err = peer_hear(peer, PEER_RESULT, result, PEER_TALK_NS, diag);
		return err ? err
			   : diag_error(diag, -EPROTO,
				     "the weft at %s had a result before the start",
				     peer->control.peer);
	}
	return err ? err : gen_send(&peer->gen, diag);
}

static int drive_traffic(struct peer *peer, struct json **result, struct diag *diag)
{
	struct gen *gen = &peer->gen;
	const struct gen_plan *plan = &peer->plan;
	int err = plan->latency ? gen_ping(gen, diag) : send_all(peer, result, diag);

	if (err)
		return err;
	peer_outcome(peer);
	err = peer_say(peer, PEER_DONE, peer_side(peer), diag);
	if (!err && plan->both)
		err = gen_receive(gen, &peer->control, peer_longest_ns(plan), diag);
	if (!err)
		err = peer_hear(peer, PEER_RESULT, result, PEER_TALK_NS, diag);
	if (!err)
		err = gen_get_side(*result, &peer->view.there, diag);
	if (!err && plan->both)
		err = gen_receive_rest(gen, peer->view.there.messages_all,
			peer->view.there.messages_least, diag);
	peer_outcome(peer);
	return err;
}

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
	err = gen_plan_complete(&peer->plan, diag); /* a datagram may not fit now */
	if (err)
		return err;
	peer->gen.plan.mtu_bytes = peer->plan.mtu_bytes;
	peer_facts(peer);
	return gen_connect(&peer->gen, &end, diag);
}

static int prepare(struct peer *peer, struct diag *diag)
{
	int err = peer_open(peer, GID_ANY, diag);

	if (err)
		return err;
	err = peer_plan(peer->args, &peer->verbs, &peer->plan, diag);
	return err ? err : gen_open(&peer->gen, &peer->verbs, &peer->plan, true, diag);
}

int peer_connect(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	struct json *ready = NULL, *result = NULL;
	int err = control_connect(
		&peer->control, args->address, (uint16_t)args->tcp_port, args->wait_ns, diag);

	if (!err)
		err = prepare(peer, diag);
	if (!err)
		err = peer_say(peer, PEER_HELLO, hello_json(peer), diag);
	if (!err)
		err = peer_hear(peer, PEER_READY, &ready, PEER_TALK_NS, diag);
	if (!err)
		err = meet(peer, ready, diag);
	if (!err) {
		peer_counters_begin(peer);
		err = peer_say(peer, PEER_START, json_new_object(), diag);
	}
	if (!err)
		err = drive_traffic(peer, &result, diag);
	json_free(ready);
	json_free(result);
	return err;
}
