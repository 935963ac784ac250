/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/gen_wire.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "lib/utf8.h"

#define DAY_NS (UINT64_C(86400) * NS_PER_S)

/* Fields of a plan by where they go; all are numbers. */
#define PLAN(field) offsetof(struct gen_plan, field), sizeof(((struct gen_plan *)0)->field)

static const struct field {
	const char *key;
	size_t offset, bytes;
	uint64_t least, most;
} plan_fields[] = {
	{ "work", PLAN(work), VERBS_WRITE, VERBS_READ },
	{ "qps", PLAN(qps), 1, VERBS_QPS_MAX },
	{ "bytes", PLAN(bytes), 1, GEN_BYTES_MAX },
	{ "depth", PLAN(depth), 1, GEN_DEPTH_MAX },
	{ "every", PLAN(every), 1, GEN_DEPTH_MAX },
	{ "slots", PLAN(slots), 1, GEN_DEPTH_MAX },
	{ "messages", PLAN(messages), 0, INT64_MAX / GEN_BYTES_MAX / VERBS_QPS_MAX },
	{ "warmup_ns", PLAN(warmup_ns), 0, DAY_NS },
	{ "duration_ns", PLAN(duration_ns), 0, DAY_NS },
	{ "interval_ns", PLAN(interval_ns), NS_PER_MS, DAY_NS },
	{ "mtu_bytes", PLAN(mtu_bytes), 256, 4096 },
	{ "traffic_class", PLAN(traffic_class), 0, 255 },
	{ "timeout_exp", PLAN(timeout_exp), 1, 31 },
	{ "retry", PLAN(retry), 0, 7 },
	{ "inline_bytes", PLAN(inline_bytes), 0, 4096 },
	{ "both", PLAN(both), 0, 1 },
	{ "check", PLAN(check), 0, 1 },
	{ "latency", PLAN(latency), 0, 1 },
	{ "seed", PLAN(seed), 0, INT64_MAX },
};

static uint64_t load(const void *from, size_t bytes)
{
	uint64_t value = 0;

	memcpy(&value, from,
		bytes); /* the fields are all little-endian or one byte: see store */
	return value;
}

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "load() and store() take the low bytes of a number from its front"
#endif

static void store(void *to, uint64_t value, size_t bytes)
{
	memcpy(to, &value, bytes);
}

void gen_put_plan(struct json *object, const struct gen_plan *plan)
{
	for (size_t i = 0; i < COUNT_OF(plan_fields); i++)
		json_put_u64(object, plan_fields[i].key,
			load((const char *)plan + plan_fields[i].offset, plan_fields[i].bytes));
}

int gen_get_plan(const struct json *object, struct gen_plan *plan, struct diag *diag)
{
	uint32_t every, slots, depth;

	memset(plan, 0, sizeof(*plan));
	for (size_t i = 0; i < COUNT_OF(plan_fields); i++) {
		const struct field *field = &plan_fields[i];
		uint64_t value;
		int err = wire_number(
			object, field->key, field->least, field->most, &value, diag);

		if (err)
			return err;
		store((char *)plan + field->offset, value, field->bytes);
	}
	every = plan->every;
	slots = plan->slots;
	depth = plan->depth;
	if (gen_plan_complete(plan, diag))
		return -EPROTO;
	if (plan->every == every && plan->slots == slots && plan->depth == depth)
		return 0;
	return diag_error(diag, -EPROTO,
		"the peer counts %u slots and a completion per %u of %u "
		"messages, which does not go together",
		slots, every, depth);
}

/* --- ends --- */

void gen_put_end(struct json *object, const struct gen_end *end)
{
	char gid[GID_TEXT];
	struct json *qps;

	gid_print(end->gid, gid);
	json_put_text(object, "gid", gid);
	json_put_u64(object, "rkey", end->rkey);
	json_put_u64(object, "base", end->base);
	qps = json_put_array(object, "qp");
	for (uint32_t i = 0; i < end->qps; i++) {
		json_add_u64(qps, end->qp[i].number);
		json_add_u64(qps, end->qp[i].psn);
	}
}

static int get_qps(const struct json *object, struct gen_end *end, struct diag *diag)
{
	const struct json *qps = json_get(object, "qp");
	size_t count = json_count(qps);

	if (!json_is_array(qps) || count % 2 || count / 2 < 1 || count / 2 > VERBS_QPS_MAX)
		return diag_error(
			diag, -EPROTO, "the peer names no QPs, or more than %u", VERBS_QPS_MAX);
	end->qps = (uint32_t)(count / 2);
	for (size_t i = 0; i < count; i++) {
		int64_t number;

		if (!json_int(json_at(qps, i), &number) || number < 0 || number > 0xffffff)
			return diag_error(
				diag, -EPROTO, "the peer's QP %zu is no 24-bit number", i / 2);
		if (i % 2)
			end->qp[i / 2].psn = (uint32_t)number;
		else
			end->qp[i / 2].number = (uint32_t)number;
	}
	return 0;
}

int gen_get_end(const struct json *object, struct gen_end *end, struct diag *diag)
{
	char gid[GID_TEXT];
	uint64_t rkey;
	int err = wire_text(object, "gid", gid, sizeof(gid), diag);

	if (!err && !gid_parse(gid, end->gid))
		err = diag_error(diag, -EPROTO, "the peer's GID is no address");
	if (!err)
		err = wire_number(object, "rkey", 0, UINT32_MAX, &rkey, diag);
	if (!err)
		err = wire_number(object, "base", 0, INT64_MAX, &end->base, diag);
	if (err)
		return err;
	end->rkey = (uint32_t)rkey;
	return get_qps(object, end, diag);
}

/* --- sides --- */

void gen_put_side(struct json *object, const struct gen_side *side)
{
	struct json *grown;

	json_put_text(object, "device", side->device);
	json_put_u64(object, "port", side->port);
	json_put_text(object, "gid", side->address);
	json_put_u64(object, "gid_index", side->gid_index);
	json_put_u64(object, "mtu_bytes", side->mtu_bytes);
	json_put_u64(object, "speed_bps", side->speed_bps);
	json_put_bool(object, "soft", side->soft);
	json_put_u64(object, "messages", side->messages);
	json_put_u64(object, "bytes", side->bytes);
	json_put_u64(object, "window_ns", side->window_ns);
	json_put_u64(object, "messages_all", side->messages_all);
	json_put_u64(object, "received", side->received);
	json_put_u64(object, "checked", side->checked);
	json_put_u64(object, "corrupt", side->corrupt);
	json_put_u64(object, "cpu_ns", side->cpu_ns);
	json_put_bool(object, "has_counters", side->has_counters);
	json_put_bool(object, "counters_reset", side->reset);
	grown = json_put_object(object, "counters");
	for (uint32_t i = 0; i < side->grown.count; i++)
		json_put_u64(grown, side->grown.items[i].name, side->grown.items[i].value);
}

int gen_get_counters(const struct json *counters, struct hwcounters *grown, struct diag *diag)
{
	const struct json *value;
	const char *key;
	void *at = NULL;
	int64_t number;

	grown->count = 0;
	while (json_next(counters, &at, &key, &value)) {
		struct hwcounter *item = &grown->items[grown->count];

		if (grown->count == HWCOUNTERS_MAX || strlen(key) >= sizeof(item->name) ||
			utf8_has_control(key) || !json_int(value, &number) || number < 0)
			return diag_error(diag, -EPROTO, "the peer's counters make no sense");
		memcpy(item->name, key, strlen(key) + 1);
		item->value = (uint64_t)number;
		grown->count++;
	}
	return 0;
}

int gen_get_side(const struct json *object, struct gen_side *side, struct diag *diag)
{
	const struct {
		const char *key;
		uint64_t *value;
	} numbers[] = {
		{ "speed_bps", &side->speed_bps },
		{ "messages", &side->messages },
		{ "bytes", &side->bytes },
		{ "window_ns", &side->window_ns },
		{ "messages_all", &side->messages_all },
		{ "received", &side->received },
		{ "checked", &side->checked },
		{ "corrupt", &side->corrupt },
		{ "cpu_ns", &side->cpu_ns },
	};
	uint64_t port, index, mtu;
	int err = wire_text(object, "device", side->device, sizeof(side->device), diag);

	for (size_t i = 0; i < COUNT_OF(numbers) && !err; i++)
		err = wire_number(object, numbers[i].key, 0, INT64_MAX, numbers[i].value, diag);
	if (!err)
		err = wire_text(object, "gid", side->address, sizeof(side->address), diag);
	if (!err)
		err = wire_number(object, "port", 1, 255, &port, diag);
	if (!err)
		err = wire_number(object, "gid_index", 0, 65535, &index, diag);
	if (!err)
		err = wire_number(object, "mtu_bytes", 256, 4096, &mtu, diag);
	if (err)
		return err;
	side->port = (uint32_t)port;
	side->gid_index = (uint32_t)index;
	side->mtu_bytes = (uint32_t)mtu;
	if (!json_bool(json_get(object, "soft"), &side->soft) ||
		!json_bool(json_get(object, "has_counters"), &side->has_counters) ||
		!json_bool(json_get(object, "counters_reset"), &side->reset))
		return diag_error(diag, -EPROTO, "the peer's facts are not whole");
	return gen_get_counters(json_get(object, "counters"), &side->grown, diag);
}
