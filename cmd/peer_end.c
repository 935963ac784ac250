/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer_end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/host.h"
#include "lib/json.h"
#include "lib/netlink.h"
#include "lib/numa.h"
#include "lib/rdma_counters.h"

#define WORD_NS (NS_PER_S / 2) /* for the last one of an end that breaks down */
#define SLACK_NS (60 * NS_PER_S)
#define COUNTED_NS (UINT64_C(86400) * NS_PER_S) /* a run by count, which nobody can foresee */

/* --- talk --- */

int peer_say(struct peer *peer, uint8_t kind, struct json *body, struct diag *diag)
{
	int err = control_send(&peer->control, kind, body, PEER_TALK_NS, diag);

	json_free(body);
	return err;
}

/* Why this end gives up. What becomes of it is not looked at. */
void peer_refuse(struct peer *peer, int err, const struct diag *why)
{
	struct json *body = json_new_object();
	struct diag ignored;

	if (peer->control.fd < 0 || err == -EPIPE) {
		json_free(body);
		return;
	}
	json_put_text(body, "why", why->text);
	json_put_bool(body, "unreachable", err == -EHOSTUNREACH);
	peer_say(peer, PEER_REFUSE, body, &ignored);
}

/* The next frame must be of this kind. A refusal is an error with the peer's sentence. */
int peer_hear(struct peer *peer, uint8_t wanted, struct json **body, uint64_t wait_ns,
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

int peer_cause(struct peer *peer, int err, uint8_t wanted, struct diag *diag)
{
	struct json *body = NULL;
	struct diag why;
	int said;

	if (!control_ready(&peer->control, err == -ECANCELED ? 0 : WORD_NS))
		return err;
	said = peer_hear(peer, wanted, &body, WORD_NS, &why);
	json_free(body);
	/* Of two that do not reach each other, this end tells of itself. */
	if (!said || (said == -EHOSTUNREACH && err == -EHOSTUNREACH))
		return err;
	*diag = why;
	return said;
}

void peer_put_program(struct json *body)
{
	json_put_text(body, "program", "weft " WEFT_VERSION);
}

int peer_check_program(const struct json *body, struct diag *diag)
{
	char program[64];
	int err = wire_text(body, "program", program, sizeof(program), diag);

	if (err || strcmp(program, "weft " WEFT_VERSION) == 0)
		return err;
	return diag_error(diag, -EPROTO,
		"%s asks, and weft " WEFT_VERSION " runs here: install the same on both hosts",
		program);
}

/* --- this end --- */

int peer_gid_index(const char *name, const char *text, struct gid_wish *wish, struct diag *diag)
{
	char *end;
	unsigned long index;

	if (!text)
		return 0;
	index = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || index > 255)
		return diag_error(
			diag, -EINVAL, "%s \"%.40s\": expected an index of 0..255", name, text);
	wish->by_index = true;
	wish->index = (uint32_t)index;
	return 0;
}

int peer_open(struct peer *peer, enum gid_family only, struct diag *diag)
{
	struct peer_args *args = peer->args;
	struct gen_side *side = &peer->view.here;
	struct verbs_choice choice = {
		.device = args->device,
		.port = (uint32_t)args->port,
		.gid = { .only = only, .ipv6_first = args->family == 1, .has_address = true },
	};
	int err = peer_gid_index("-x", args->gid, &choice.gid, diag);

	memcpy(choice.gid.address, peer->control.local, GID_BYTES);
	if (peer->use)
		choice = (struct verbs_choice){
			.device = peer->use->device,
			.port = peer->use->port,
			.gid = { .by_index = true, .index = peer->use->gid_index },
		};
	if (!err)
		err = verbs_open(&peer->verbs, &choice, diag);
	if (err)
		return err;
	if (peer->use)
		peer->verbs.gid_rule = peer->use_rule;
	else if (!args->device)
		peer->view.devices = verbs_device_count();
	if (args->bind == 0)
		side->elsewhere =
			numa_bind(peer->verbs.device, side->bound, GEN_BOUND) == NUMA_ELSEWHERE;
	else
		snprintf(side->bound, GEN_BOUND, "not bound, as asked for");
	return 0;
}

static bool read_counters(const struct peer *peer, struct hwcounters *counters)
{
	const struct host host = { .root = NULL };
	struct netlink netlink;
	struct diag ignored;
	int err;

	netlink_init(&netlink, &host);
	err = rdma_counters_of_port(
		&netlink, peer->verbs.device, peer->verbs.port, true, counters, &ignored);
	netlink_close(&netlink);
	return !err;
}

void peer_counters_begin(struct peer *peer)
{
	peer->view.here.has_counters = read_counters(peer, &peer->before);
}

static void counters_end(struct peer *peer)
{
	struct gen_side *side = &peer->view.here;
	struct hwcounters after;

	side->has_counters = side->has_counters && read_counters(peer, &after);
	if (!side->has_counters)
		return;
	hwcounters_between(&peer->before, &after, &side->grown, &side->reset);
	side->tells_loss = hwcounters_tell_loss(&peer->before, &after) && !side->reset;
}

void peer_facts(struct peer *peer)
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

void peer_outcome(struct peer *peer)
{
	const struct gen_result *result = &peer->gen.result;
	struct gen_side *side = &peer->view.here;

	counters_end(peer);
	side->messages = result->messages;
	side->bytes = result->bytes;
	side->window_ns =
		result->end_ns > result->begin_ns ? result->end_ns - result->begin_ns : 0;
	side->messages_all = result->messages_all;
	side->messages_least = result->messages_least;
	side->received = result->received;
	side->checked = result->checked;
	side->corrupt = result->corrupt;
	side->nic_window_ns = result->nic_window_ns;
	side->start_late_ns = result->start_late_ns;
	side->pace_late_ns = result->pace_late_ns;
	side->dry = result->dry;
	side->cpu_ns = result->cpu_ns;
}

struct json *peer_side(const struct peer *peer)
{
	struct json *body = json_new_object();

	gen_put_side(body, &peer->view.here);
	return body;
}

uint64_t peer_longest_ns(const struct gen_plan *plan)
{
	if (plan->messages)
		return COUNTED_NS;
	return plan->warmup_ns + plan->duration_ns + SLACK_NS +
	       (plan->start_ns ? GEN_AHEAD_NS_MAX : 0);
}
