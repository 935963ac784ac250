/* SPDX-License-Identifier: Apache-2.0 */
/* The end that connects: it asks, and drives the traffic. */
#include "cmd/peer_end.h"

#include <errno.h>
#include <inttypes.h>

#include "fabric/wire.h"
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
	return err ? err : gen_send(&peer->gen, &peer->control, diag);
}

static int drive_traffic(struct peer *peer, struct json **result, struct diag *diag)
{
	struct gen *gen = &peer->gen;
	const struct gen_plan *plan = &peer->plan;
	int err = plan->latency ? gen_ping(gen, &peer->control, diag)
				: send_all(peer, result, diag);

	if (err)
		return peer_cause(peer, err, PEER_RESULT, diag);
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
	if (err)
		return err;
	peer_outcome(peer);
	return peer_say(peer, PEER_LAST, peer_side(peer), diag);
}

/* What the other end, started through ssh, is to use; of the user's options there is none there. */
static void put_use(struct json *use, const struct peer *peer)
{
	bool subnet = peer->match.rule == PEER_ONE_SUBNET;
	enum gid_rule rule = peer->args->peer_gid                 ? GID_BY_INDEX
			     : subnet                             ? GID_BY_SUBNET
			     : gid_is_ipv4(peer->match.there.gid) ? GID_FIRST_IPV4
								  : GID_FIRST_IPV6;

	peer_put_end(use, &peer->match.there);
	json_put_u64(use, "gid_rule", rule);
	json_put_u64(use, "bind", peer->args->bind);
}

/* What is asked of the network is told too, so that both ends judge alike. */
static struct json *hello_json(const struct peer *peer, bool last)
{
	struct json *body = json_new_object();
	struct gen_end end;

	gen_end(&peer->gen, &end);
	gen_put_plan(json_put_object(body, "plan"), &peer->plan);
	gen_put_end(json_put_object(body, "end"), &end);
	peer_put_program(body);
	if (peer->use)
		put_use(json_put_object(body, "use"), peer);
	json_put_bool(body, "all", peer->args->all);
	json_put_bool(body, "last", last);
	/* Datagrams as large as both ends' MTUs are. */
	json_put_bool(body, "fits",
		peer->args->connection && !peer->args->mtu_bytes &&
			(peer->args->all || !peer->args->bytes));
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
	err = gen_connect(&peer->gen, &end, diag);
	/* A connection that is turned away does not say why; who did so does. */
	return err && peer->plan.cm ? peer_cause(peer, err, PEER_RESULT, diag) : err;
}

/* A datagram holds no more than the MTU. */
static uint64_t largest(const struct peer *peer)
{
	uint64_t mtu = peer->args->mtu_bytes ? peer->args->mtu_bytes : peer->verbs.mtu_bytes;

	return peer->args->connection && mtu < PEER_ALL_MOST ? mtu : PEER_ALL_MOST;
}

static bool is_last(const struct peer *peer)
{
	return !peer->args->all || peer->args->bytes * 2 > largest(peer);
}

static int propose(struct peer *peer, struct json **ready, struct diag *diag)
{
	int err = peer_plan(peer->args, &peer->verbs, &peer->plan, diag);

	if (!err)
		err = gen_open(&peer->gen, &peer->verbs, &peer->plan, true, diag);
	if (!err)
		err = peer_say(peer, PEER_HELLO, hello_json(peer, is_last(peer)), diag);
	return err ? err : peer_hear(peer, PEER_READY, ready, PEER_TALK_NS, diag);
}

/* The other end's MTU is smaller: as if it had been asked for. */
static int propose_smaller(struct peer *peer, struct json **ready, struct diag *diag)
{
	uint64_t mtu;
	int err = wire_number(*ready, "mtu_bytes", 256, 4096, &mtu, diag);

	json_free(*ready);
	*ready = NULL;
	if (err)
		return err;
	peer->args->mtu_bytes = mtu;
	peer_again(peer);
	return propose(peer, ready, diag);
}

/* One test, of messages of one size. */
static int test(struct peer *peer, struct diag *diag)
{
	struct json *ready = NULL, *result = NULL;
	int err = propose(peer, &ready, diag);

	if (!err && json_get(ready, "mtu_bytes"))
		err = propose_smaller(peer, &ready, diag);
	if (!err)
		err = meet(peer, ready, diag);
	if (!err) {
		peer_counters_begin(peer);
		err = peer_say(peer, PEER_START, json_new_object(), diag);
	}
	if (!err)
		err = drive_traffic(peer, &result, diag);
	if (!err)
		peer_report(peer, is_last(peer));
	json_free(ready);
	json_free(result);
	return err;
}

/* What cannot be at the last size is refused before the first. */
static int foresee(const struct peer *peer, struct diag *diag)
{
	struct peer_args args = *peer->args;
	struct gen_plan plan;
	struct diag why;
	int err;

	while (args.bytes * 2 <= largest(peer))
		args.bytes *= 2;
	err = peer_plan(&args, &peer->verbs, &plan, &why);
	if (!err)
		return 0;
	return diag_error(diag, err,
		"-a goes up to %" PRIu64 " bytes, and -s without it is one size: %.400s",
		args.bytes, why.text);
}

static int test_all(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	uint64_t most = largest(peer);
	int err;

	if (args->bytes > most)
		return diag_error(diag, -EINVAL, "-s %" PRIu64 ": -a ends at %" PRIu64 " bytes",
			args->bytes, most);
	err = foresee(peer, diag);
	if (!err)
		err = test(peer, diag);
	while (!err && !is_last(peer)) {
		peer_again(peer);
		args->bytes *= 2;
		err = test(peer, diag);
	}
	return err;
}

int peer_connect(struct peer *peer, struct diag *diag)
{
	struct peer_args *args = peer->args;
	int err = args->ssh ? peer_start(peer, diag)
			    : control_connect(&peer->control, args->address,
				      (uint16_t)args->tcp_port, args->wait_ns, diag);

	if (!err)
		err = peer_open(peer, GID_ANY, diag);
	if (err)
		return err;
	return args->all ? test_all(peer, diag) : test(peer, diag);
}
