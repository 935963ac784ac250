/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/watch.h"
#include "cmd/watch_record.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run.h"

/* What a recorded value is when there was none. */
#define ABSENT UINT64_MAX

/* By source; see cmd/watch_record.h. */
static const char *const sources[GAUGE_SOURCES] = {
	[GAUGE_DRIVER] = "before:driver",
	[GAUGE_PORT] = "before:port",
	[GAUGE_NETDEV] = "before:netdev",
	[GAUGE_LINE] = "before:line",
};

static int put_fact(struct watch *watch, const char *place, const char *key, const char *value,
	const char *source, struct diag *diag)
{
	struct run_fact fact = { .place = "" };

	snprintf(fact.place, sizeof(fact.place), "%.63s", place);
	snprintf(fact.key, sizeof(fact.key), "%s", key);
	snprintf(fact.value, sizeof(fact.value), "%s", value);
	snprintf(fact.source, sizeof(fact.source), "%s", source);
	return run_put_fact(watch->run, &fact, diag);
}

static int put_stage(
	struct watch *watch, uint64_t t1_ns, enum run_status status, struct diag *diag)
{
	const struct run_stage stage = {
		.id = RECORD_STAGE,
		.name = "watch",
		.layer = LAYER_PLAN,
		.t1_ns = t1_ns,
		.status = status,
		.note = "counters of NICs, read by weft watch",
	};

	return run_put_stage(watch->run, &stage, diag);
}

static int put_nic(struct watch *watch, const struct sampler *sampler, struct diag *diag)
{
	const char *name = sampler_name(sampler);
	int err = put_fact(watch, name, "driver", sampler->driver, "ethtool -i", diag);

	return err ? err : put_fact(watch, name, "rdma", sampler->nic.rdma, "sysfs", diag);
}

static int put_options(struct watch *watch, struct diag *diag)
{
	static const char source[] = "options of the watch";
	char text[24];
	int err;

	snprintf(text, sizeof(text), "%u", watch->kinds);
	err = put_fact(watch, RECORD_WATCH, RECORD_KINDS, text, source, diag);
	snprintf(text, sizeof(text), "%" PRIu64, watch->args->hz);
	if (!err)
		err = put_fact(watch, RECORD_WATCH, RECORD_HZ, text, source, diag);
	if (!err && watch->args->both_ends)
		err = put_fact(watch, RECORD_WATCH, RECORD_BOTH_ENDS, "1", source, diag);
	if (!err && watch->wanted_count)
		err = put_fact(watch, RECORD_WATCH, RECORD_CHOSEN, "1", source, diag);
	return err;
}

int watch_record_begin(struct watch *watch, struct diag *diag)
{
	const struct run_info info = {
		.backend = "watch",
		.program = "weft " WEFT_VERSION,
		.profile = "watch",
		.fabric_text = "",
	};
	int err = run_create(&watch->run, watch->args->record, &info, diag);

	if (!err)
		err = put_stage(watch, 0, RUN_PARTIAL, diag);
	for (size_t i = 0; i < watch->nic_count && !err; i++)
		err = put_nic(watch, &watch->nics[i].sampler, diag);
	if (!err)
		err = put_options(watch, diag);
	return err ? err : run_commit(watch->run, diag);
}

/* By place in the gauge; a set of counters that has changed is recorded whole. */
static uint64_t *recorded_of(struct watch_nic *nic)
{
	if (nic->recorded_count != nic->sampler.gauge.count) {
		free(nic->recorded);
		nic->recorded_count = nic->sampler.gauge.count;
		nic->recorded = zeroed(nic->recorded_count, sizeof(*nic->recorded));
		for (size_t i = 0; i < nic->recorded_count; i++)
			nic->recorded[i] = ABSENT;
	}
	return nic->recorded;
}

static int put_sample(struct watch *watch, const char *place, const char *metric, uint64_t t_ns,
	uint64_t value, struct diag *diag)
{
	struct run_sample sample = { .stage = RECORD_STAGE, .t_ns = t_ns, .value = value };

	snprintf(sample.place, sizeof(sample.place), "%.31s", place);
	snprintf(sample.metric, sizeof(sample.metric), "%s", metric);
	return run_put_samples(watch->run, &sample, 1, diag);
}

int watch_record_mark(struct watch *watch, const char *place, const char *metric,
	uint64_t now_ns, uint64_t value, struct diag *diag)
{
	return put_sample(watch, place, metric, now_ns - watch->began_ns, value, diag);
}

/* Which priorities are lossless, when that has changed. */
static int put_lossless(
	struct watch *watch, struct watch_nic *nic, uint64_t now_ns, struct diag *diag)
{
	uint64_t value = nic->lossless | (nic->lossless_known ? RECORD_KNOWN : 0);

	if (nic->recorded_lossless == value + 1)
		return 0;
	nic->recorded_lossless = value + 1;
	return watch_record_mark(
		watch, sampler_name(&nic->sampler), RECORD_LOSSLESS, now_ns, value, diag);
}

int watch_record_nic(
	struct watch *watch, struct watch_nic *nic, uint64_t now_ns, struct diag *diag)
{
	const struct gauge *gauge = &nic->sampler.gauge;
	const char *name = sampler_name(&nic->sampler);
	uint64_t *recorded = recorded_of(nic);
	int err = put_lossless(watch, nic, now_ns, diag);

	for (size_t i = 0; i < gauge->count && !err; i++) {
		const struct gauge_counter *counter = &gauge->counters[i];
		const struct gauge_reading *reading = &gauge->sources[counter->source];

		if (!counter->there || !reading->asked || recorded[i] == counter->value)
			continue;
		recorded[i] = counter->value;
		err = watch_record_mark(
			watch, name, counter->name, reading->after_ns, counter->value, diag);
	}
	for (size_t i = 0; i < GAUGE_SOURCES && !err; i++) {
		const struct gauge_reading *reading = &gauge->sources[i];

		if (reading->asked && reading->there)
			err = watch_record_mark(watch, name, sources[i], reading->after_ns,
				reading->before_ns - watch->began_ns, diag);
	}
	return err ? err
		   : watch_record_mark(
			     watch, name, RECORD_READING, now_ns, watch->samples, diag);
}

enum gauge_source watch_record_source(const char *metric)
{
	enum gauge_source source = 0;

	while (source < GAUGE_SOURCES && strcmp(metric, sources[source]) != 0)
		source++;
	return source;
}

int watch_record_commit(struct watch *watch, struct diag *diag)
{
	return run_commit(watch->run, diag);
}

/* What the judges of the watch found goes in as facts: the file stands for itself. */
static int put_alarms(struct watch *watch, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < watch->alarm_count && !err; i++) {
		const struct live_alarm *alarm = &watch->alarms[i];
		struct run_fact fact = { .source = "weft watch" };

		snprintf(fact.place, sizeof(fact.place), "%.63s", alarm->nic);
		if (alarm->priority >= 0)
			snprintf(fact.key, sizeof(fact.key), "alarm:%.28s:%c", alarm->check,
				'0' + alarm->priority);
		else
			snprintf(fact.key, sizeof(fact.key), "alarm:%.30s", alarm->check);
		snprintf(fact.value, sizeof(fact.value), "%.127s", alarm->text);
		err = run_put_fact(watch->run, &fact, diag);
	}
	return err;
}

int watch_record_end(struct watch *watch, uint64_t now_ns, struct diag *diag)
{
	struct diag own;
	int err;

	diag = diag ? diag : &own;
	err = put_alarms(watch, diag);
	if (!err)
		err = put_stage(watch, now_ns - watch->began_ns, RUN_COMPLETE, diag);
	if (!err)
		err = run_finish(watch->run, false, diag);
	run_close(watch->run);
	watch->run = NULL;
	return err;
}
