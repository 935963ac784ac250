/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/watch.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run.h"

#define STAGE 0u
/* What a recorded value is when there was none. */
#define ABSENT UINT64_MAX

/*
 * A reading is rows of samples, by NIC: a row for each counter whose value is another than
 * in the row before; then a row for each source that was read, named "before:SOURCE": its
 * time is the one after the reading, its value the one before it.
 */
static const char *const sources[GAUGE_SOURCES] = {
	[GAUGE_DRIVER] = "before:driver",
	[GAUGE_PORT] = "before:port",
	[GAUGE_NETDEV] = "before:netdev",
	[GAUGE_LINE] = "before:line",
};

static int put_fact(struct watch *watch, const struct watch_nic *nic, const char *key,
	const char *value, const char *source, struct diag *diag)
{
	struct run_fact fact = { .place = "" };

	if (!value[0])
		return 0;
	snprintf(fact.place, sizeof(fact.place), "%.63s", sampler_name(&nic->sampler));
	snprintf(fact.key, sizeof(fact.key), "%s", key);
	snprintf(fact.value, sizeof(fact.value), "%s", value);
	snprintf(fact.source, sizeof(fact.source), "%s", source);
	return run_put_fact(watch->run, &fact, diag);
}

static int put_stage(
	struct watch *watch, uint64_t t1_ns, enum run_status status, struct diag *diag)
{
	const struct run_stage stage = {
		.id = STAGE,
		.name = "watch",
		.layer = LAYER_PLAN,
		.t1_ns = t1_ns,
		.status = status,
		.note = "counters of NICs, read by weft watch",
	};

	return run_put_stage(watch->run, &stage, diag);
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
	for (size_t i = 0; i < watch->nic_count && !err; i++) {
		const struct watch_nic *nic = &watch->nics[i];

		err = put_fact(watch, nic, "rdma", nic->sampler.nic.rdma, "sysfs", diag);
		if (!err)
			err = put_fact(
				watch, nic, "driver", nic->sampler.driver, "ethtool -i", diag);
	}
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

static int put_sample(struct watch *watch, const struct watch_nic *nic, const char *metric,
	uint64_t t_ns, uint64_t value, struct diag *diag)
{
	struct run_sample sample = { .stage = STAGE, .t_ns = t_ns, .value = value };

	snprintf(sample.place, sizeof(sample.place), "%.31s", sampler_name(&nic->sampler));
	snprintf(sample.metric, sizeof(sample.metric), "%s", metric);
	return run_put_samples(watch->run, &sample, 1, diag);
}

int watch_record_nic(struct watch *watch, size_t index, struct diag *diag)
{
	struct watch_nic *nic = &watch->nics[index];
	const struct gauge *gauge = &nic->sampler.gauge;
	uint64_t *recorded = recorded_of(nic);
	int err = 0;

	for (size_t i = 0; i < gauge->count && !err; i++) {
		const struct gauge_counter *counter = &gauge->counters[i];
		const struct gauge_reading *reading = &gauge->sources[counter->source];

		if (!counter->there || !reading->asked || recorded[i] == counter->value)
			continue;
		recorded[i] = counter->value;
		err = put_sample(watch, nic, counter->name, reading->after_ns - watch->began_ns,
			counter->value, diag);
	}
	for (size_t i = 0; i < GAUGE_SOURCES && !err; i++) {
		const struct gauge_reading *reading = &gauge->sources[i];

		if (reading->asked && reading->there)
			err = put_sample(watch, nic, sources[i],
				reading->after_ns - watch->began_ns,
				reading->before_ns - watch->began_ns, diag);
	}
	return err;
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
