/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/looked.h"

#include <stdio.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

/* A check that fails by one name and passes, or is unknown, by another; and whether only a
 * pass proves that it was made: what it asks for does not come with every packet. */
static const struct answer {
	const char *check, *by;
	bool pass;
} answers[] = {
	{ "link.down", "link.carrier", false },
	{ "link.flap", "link.carrier", false },
	{ "nic.dscp-map", "class.proof", false },
	{ "switch.dscp-map", "class.proof", false },
	{ "nic.cnp-off", "nic.cnp", true },
	{ "nic.cnp-ignored", "nic.cnp", true },
	{ "switch.ecn-off", "switch.ecn", true },
	{ "switch.pfc-off", "switch.pfc", true },
	{ "nic.pfc-off", "switch.pfc", true },
	{ "policy.headroom", "switch.pfc", true },
	{ "nic.pause-storm", "nic.pause", false },
	{ "nic.slow-receiver", "nic.pause", false },
	{ "nic.not-ready", "nic.pause", false },
	{ "ecmp.missing", "ecmp.spread", true },
	{ "ecmp.balance", "ecmp.spread", true },
	{ "lossless.not-ect", "lossless.table", true },
	{ "stage.incomplete", "stage.partial", false },
	{ "link.corrupt", "link.corrupt", false },
};

/* Checks that rest on a figure of the culprit, which has to be there. */
static const struct rests_on {
	const char *check;
	enum digest_metric metric;
} rests[] = {
	{ "link.loss", DIGEST_LINK_LOSS },
	{ "link.rate", DIGEST_LINK_RATE },
	{ "nic.pause-storm", DIGEST_NIC_PAUSE },
	{ "nic.slow-receiver", DIGEST_NIC_PAUSE },
};

static struct answer answer_of(const struct finding *failure, bool placed)
{
	for (size_t i = 0; i < COUNT_OF(answers); i++)
		if (strcmp(answers[i].check, failure->check) == 0)
			return answers[i];
	return (struct answer){ failure->check, failure->check, !placed };
}

static bool has(const struct findings *findings, const char *check, enum verdict verdict)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].verdict == verdict &&
			strcmp(findings->items[i].check, check) == 0)
			return true;
	return false;
}

static bool passes(const struct findings *findings, const char *check)
{
	return has(findings, check, VERDICT_PASS) || has(findings, check, VERDICT_WARN);
}

/* The layer's number; LAYER_COUNT where it is judged on what all layers sent, or no layer of
 * a plan at all. */
static enum plan_layer layer_of(const struct finding *failure)
{
	for (enum plan_layer layer = LAYER_PAIRS; layer < LAYER_CLASS; layer++)
		if (strcmp(failure->layer, plan_layer_name(layer)) == 0)
			return layer;
	return LAYER_COUNT;
}

static bool is_of_traffic(const struct finding *failure)
{
	return layer_of(failure) != LAYER_COUNT ||
	       strcmp(failure->layer, plan_layer_name(LAYER_PLAN)) == 0 ||
	       strcmp(failure->layer, plan_layer_name(LAYER_CLASS)) == 0;
}

/* --- places --- */

static bool is_port_of(const char *port, const char *node)
{
	size_t length = strlen(node);

	return strncmp(port, node, length) == 0 && (!port[length] || port[length] == ':');
}

static bool is_link(const struct digest_load *load, const char *culprit)
{
	char both[2 * DIGEST_PORT + 3];

	snprintf(both, sizeof(both), "%s-%s", load->a, load->b);
	if (strcmp(both, culprit) == 0)
		return true;
	snprintf(both, sizeof(both), "%s->%s", load->a, load->b);
	if (strcmp(both, culprit) == 0)
		return true;
	snprintf(both, sizeof(both), "%s->%s", load->b, load->a);
	return strcmp(both, culprit) == 0;
}

/* Whether the end a of a link belongs to the culprit. */
static bool owns(const struct finding *failure, const char *port)
{
	switch (failure->culprit_kind) {
	case CULPRIT_PORT:
	case CULPRIT_NIC:
		return strcmp(port, failure->culprit) == 0;
	case CULPRIT_SWITCH:
	case CULPRIT_HOST:
		return is_port_of(port, failure->culprit);
	case CULPRIT_NONE:
	case CULPRIT_LINK:
	case CULPRIT_SETTING:
	case CULPRIT_NOT_NETWORK:
	case CULPRIT_UNLOCATED:
		break;
	}
	return false;
}

static bool is_placed(const struct finding *failure)
{
	switch (failure->culprit_kind) {
	case CULPRIT_LINK:
	case CULPRIT_PORT:
	case CULPRIT_SWITCH:
	case CULPRIT_NIC:
	case CULPRIT_HOST:
		return true;
	case CULPRIT_NONE:
	case CULPRIT_SETTING:
	case CULPRIT_NOT_NETWORK:
	case CULPRIT_UNLOCATED:
		break;
	}
	return false;
}

/* --- loads --- */

struct flow {
	uint64_t out, in; /* packets; of a link: from a, from b */
};

static uint64_t packets(const uint64_t *by_layer, enum plan_layer layer)
{
	uint64_t all = 0;

	if (layer != LAYER_COUNT)
		return by_layer[layer];
	for (enum plan_layer each = 0; each < LAYER_COUNT; each++)
		all += by_layer[each];
	return all;
}

static struct flow through(
	const struct digest *digest, const struct finding *failure, enum plan_layer layer)
{
	struct flow sum = { 0, 0 };

	for (size_t i = 0; i < digest->load_count; i++) {
		const struct digest_load *load = &digest->loads[i];
		bool link = failure->culprit_kind == CULPRIT_LINK &&
			    is_link(load, failure->culprit);

		if (link || owns(failure, load->a)) {
			sum.out += packets(load->from_a, layer);
			sum.in += packets(load->from_b, layer);
		}
		if (owns(failure, load->b)) {
			sum.out += packets(load->from_b, layer);
			sum.in += packets(load->from_a, layer);
		}
	}
	return sum;
}

static bool is_enough(uint64_t then, uint64_t now)
{
	uint64_t share = then / LOOKED_SHARE;
	uint64_t least = then < LOOKED_PACKETS ? then : LOOKED_PACKETS;

	return now >= (share > least ? share : least);
}

static const char *judge_load(struct flow then, struct flow now)
{
	if (!now.out && !now.in)
		return "nothing was sent over it";
	if (!then.out && !then.in)
		return now.out + now.in >= LOOKED_PACKETS ? NULL
							  : "too little was sent over it";
	return is_enough(then.out, now.out) && is_enough(then.in, now.in)
		       ? NULL
		       : "too little was sent over it";
}

static const char *judge_place(const struct digest *then, const struct finding *failure,
	const struct digest *now, enum plan_layer layer)
{
	struct flow flow = through(now, failure, layer);
	struct flow any = through(now, failure, LAYER_COUNT);

	if (!flow.out && !flow.in && (any.out || any.in))
		return "nothing was sent over it in the layer that failed";
	return judge_load(through(then, failure, layer), flow);
}

static const struct digest_load *find_load(
	const struct digest *digest, const struct digest_load *like)
{
	for (size_t i = 0; i < digest->load_count; i++)
		if (strcmp(digest->loads[i].a, like->a) == 0 &&
			strcmp(digest->loads[i].b, like->b) == 0)
			return &digest->loads[i];
	return NULL;
}

static bool ran_whole(const struct digest *digest, const char *stage)
{
	for (size_t i = 0; i < digest->stage_count; i++)
		if (strcmp(digest->stages[i].name, stage) == 0)
			return digest->stages[i].complete;
	return false;
}

/* Where a run was cut short before it knew what it had tested: all its stages, and whole. */
static const char *judge_stages(const struct digest *then, const struct digest *now)
{
	if (!then->stage_count || !digest_is_whole(now))
		return "where it was is not known";
	for (size_t i = 0; i < then->stage_count; i++)
		if (!ran_whole(now, then->stages[i].name))
			return "not all was tested that was tested then";
	return NULL;
}

static bool carried(const struct digest *digest, enum plan_layer layer)
{
	for (size_t i = 0; i < digest->load_count; i++)
		if (packets(digest->loads[i].from_a, layer) ||
			packets(digest->loads[i].from_b, layer))
			return true;
	return false;
}

/* Where a failure names no place. */
static const char *judge_all(
	const struct digest *then, const struct digest *now, enum plan_layer layer)
{
	if (!then->has_loads)
		return "where it was is not known";
	if (!carried(then, layer))
		return judge_stages(then, now);
	for (size_t i = 0; i < then->load_count; i++) {
		const struct digest_load *before = &then->loads[i];
		const struct digest_load *after = find_load(now, before);

		if (!packets(before->from_a, layer) && !packets(before->from_b, layer))
			continue;
		if (!after ||
			!is_enough(packets(before->from_a, layer),
				packets(after->from_a, layer)) ||
			!is_enough(
				packets(before->from_b, layer), packets(after->from_b, layer)))
			return "not all was tested that was tested then";
	}
	return NULL;
}

/* --- figures --- */

/* The name by which figures know the culprit. */
static void subject_of(
	char *subject, size_t size, const struct digest *digest, const struct finding *failure)
{
	snprintf(subject, size, "%s", failure->culprit);
	for (size_t i = 0; failure->culprit_kind == CULPRIT_LINK && i < digest->load_count; i++)
		if (is_link(&digest->loads[i], failure->culprit))
			snprintf(
				subject, size, "%s-%s", digest->loads[i].a, digest->loads[i].b);
}

/* So many packets that at the old ratio some would have been lost again. */
static bool would_show(
	const struct digest_figure *then, const struct digest_figure *now, bool counts)
{
	if (!counts || !then || !then->of)
		return true;
	return (double)then->events / (double)then->of * (double)now->of >= LOOKED_EVENTS;
}

static const char *judge_figure(
	const struct digest *then, const struct digest *now, const struct finding *failure)
{
	char subject[2 * DIGEST_PORT + 3];

	subject_of(subject, sizeof(subject), now, failure);
	for (size_t i = 0; i < COUNT_OF(rests); i++) {
		enum digest_metric metric = rests[i].metric;
		const struct digest_figure *figure;

		if (strcmp(rests[i].check, failure->check) != 0)
			continue;
		figure = digest_find(now, metric, subject);
		if (!figure)
			return "what its check rests on was not measured";
		if (!would_show(digest_find(then, metric, subject), figure,
			    digest_info(metric)->kind == DIGEST_COUNTS))
			return "too little was sent over it";
	}
	return NULL;
}

const char *looked_not(
	const struct digest *then, const struct finding *failure, const struct digest *now)
{
	enum plan_layer layer = layer_of(failure);
	bool placed = is_placed(failure);
	struct answer answer = answer_of(failure, placed);
	const char *why;

	if (has(&now->findings, answer.by, VERDICT_UNKNOWN))
		return "its check could not tell";
	if (!is_of_traffic(failure))
		return passes(&now->findings, failure->check) ? NULL : "its check was not made";
	if (!now->has_loads)
		return "what was tested is not known";
	why = placed ? judge_place(then, failure, now, layer) : judge_all(then, now, layer);
	if (!why && placed)
		why = judge_figure(then, now, failure);
	if (!why && answer.pass && !passes(&now->findings, answer.by))
		why = "its check was not made";
	return why;
}
