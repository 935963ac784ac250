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

/* Fields by where they go; all are numbers. */
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
	{ "messages", PLAN(messages), 0, UINT32_MAX },
	{ "warmup_ns", PLAN(warmup_ns), 0, DAY_NS },
	{ "duration_ns", PLAN(duration_ns), 0, DAY_NS },
	{ "interval_ns", PLAN(interval_ns), NS_PER_MS, DAY_NS },
	{ "burst", PLAN(burst), 0, GEN_BURST_MAX },
	{ "period_ps", PLAN(period_ps), 0, GEN_PERIOD_NS_MAX *PS_PER_NS },
	{ "start_ns", PLAN(start_ns), 0, INT64_MAX },
	{ "mtu_bytes", PLAN(mtu_bytes), 256, 4096 },
	{ "traffic_class", PLAN(traffic_class), 0, 255 },
	{ "timeout_exp", PLAN(timeout_exp), 1, 31 },
	{ "retry", PLAN(retry), 0, 7 },
	{ "inline_bytes", PLAN(inline_bytes), 0, 4096 },
	{ "both", PLAN(both), 0, 1 },
	{ "check", PLAN(check), 0, 1 },
	{ "latency", PLAN(latency), 0, 1 },
	{ "datagrams", PLAN(datagrams), 0, 1 },
	{ "cm", PLAN(cm), 0, 1 },
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

static void put_fields(
	struct json *object, const struct field *fields, size_t count, const void *from)
{
	for (size_t i = 0; i < count; i++)
		json_put_u64(object, fields[i].key,
			load((const char *)from + fields[i].offset, fields[i].bytes));
}

static int get_fields(const struct json *object, const struct field *fields, size_t count,
	void *to, struct diag *diag)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;
		int err = wire_number(
			object, fields[i].key, fields[i].least, fields[i].most, &value, diag);

		if (err)
			return err;
		store((char *)to + fields[i].offset, value, fields[i].bytes);
	}
	return 0;
}

void gen_put_plan(struct json *object, const struct gen_plan *plan)
{
	put_fields(object, plan_fields, COUNT_OF(plan_fields), plan);
}

int gen_get_plan(const struct json *object, struct gen_plan *plan, struct diag *diag)
{
	uint32_t every, slots, depth;
	int err;

	memset(plan, 0, sizeof(*plan));
	err = get_fields(object, plan_fields, COUNT_OF(plan_fields), plan, diag);
	if (err)
		return err;
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
	json_put_u64(object, "cm_port", end->cm_port);
	json_put_u64(object, "cm_word", end->cm_word);
	json_put_u64(object, "reads", end->reads);
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
	uint64_t rkey, port, reads;
	int err = wire_text(object, "gid", gid, sizeof(gid), diag);

	if (!err && !gid_parse(gid, end->gid))
		err = diag_error(diag, -EPROTO, "the peer's GID is no address");
	if (!err)
		err = wire_number(object, "rkey", 0, UINT32_MAX, &rkey, diag);
	if (!err)
		err = wire_number(object, "base", 0, INT64_MAX, &end->base, diag);
	if (!err)
		err = wire_number(object, "cm_port", 0, UINT16_MAX, &port, diag);
	if (!err)
		err = wire_number(object, "cm_word", 0, INT64_MAX, &end->cm_word, diag);
	if (!err)
		err = wire_number(object, "reads", 0, UINT8_MAX, &reads, diag);
	if (err)
		return err;
	end->rkey = (uint32_t)rkey;
	end->cm_port = (uint32_t)port;
	end->reads = (uint8_t)reads;
	return get_qps(object, end, diag);
}

/* --- sides --- */

#define SIDE(field) offsetof(struct gen_side, field), sizeof(((struct gen_side *)0)->field)

static const struct field side_fields[] = {
	{ "port", SIDE(port), 1, 255 },
	{ "gid_index", SIDE(gid_index), 0, 65535 },
	{ "gid_rule", SIDE(gid_rule), GID_BY_INDEX, GID_BY_SUBNET },
	{ "mtu_bytes", SIDE(mtu_bytes), 256, 4096 },
	{ "speed_bps", SIDE(speed_bps), 0, INT64_MAX },
	{ "messages", SIDE(messages), 0, INT64_MAX },
	{ "bytes", SIDE(bytes), 0, INT64_MAX },
	{ "window_ns", SIDE(window_ns), 0, INT64_MAX },
	{ "nic_window_ns", SIDE(nic_window_ns), 0, INT64_MAX },
	{ "start_late_ns", SIDE(start_late_ns), 0, INT64_MAX },
	{ "pace_late_ns", SIDE(pace_late_ns), 0, INT64_MAX },
	{ "messages_all", SIDE(messages_all), 0, INT64_MAX },
	{ "messages_least", SIDE(messages_least), 0, INT64_MAX },
	{ "received", SIDE(received), 0, INT64_MAX },
	{ "dry", SIDE(dry), 0, INT64_MAX },
	{ "checked", SIDE(checked), 0, INT64_MAX },
	{ "corrupt", SIDE(corrupt), 0, INT64_MAX },
	{ "cpu_ns", SIDE(cpu_ns), 0, INT64_MAX },
};

void gen_put_side(struct json *object, const struct gen_side *side)
{
	struct json *grown;

	json_put_text(object, "device", side->device);
	json_put_text(object, "gid", side->address);
	put_fields(object, side_fields, COUNT_OF(side_fields), side);
	json_put_bool(object, "soft", side->soft);
	json_put_text(object, "bound", side->bound);
	json_put_bool(object, "elsewhere", side->elsewhere);
	json_put_bool(object, "has_counters", side->has_counters);
	json_put_bool(object, "counters_reset", side->reset);
	json_put_bool(object, "tells_loss", side->tells_loss);
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
	int err = wire_text(object, "device", side->device, sizeof(side->device), diag);

	if (!err)
		err = wire_text(object, "gid", side->address, sizeof(side->address), diag);
	if (!err)
		err = wire_text(object, "bound", side->bound, sizeof(side->bound), diag);
	if (!err)
		err = get_fields(object, side_fields, COUNT_OF(side_fields), side, diag);
	if (err)
		return err;
	if (!json_bool(json_get(object, "soft"), &side->soft) ||
		!json_bool(json_get(object, "elsewhere"), &side->elsewhere) ||
		!json_bool(json_get(object, "has_counters"), &side->has_counters) ||
		!json_bool(json_get(object, "counters_reset"), &side->reset) ||
		!json_bool(json_get(object, "tells_loss"), &side->tells_loss))
		return diag_error(diag, -EPROTO, "the peer's facts are not whole");
	return gen_get_counters(json_get(object, "counters"), &side->grown, diag);
}
