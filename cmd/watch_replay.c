/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/watch.h"
#include "cmd/watch_record.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "reports/verdict.h"

static struct watch_nic *find_nic(struct watch *watch, const char *name)
{
	for (size_t i = 0; i < watch->nic_count; i++)
		if (strcmp(watch->nics[i].sampler.nic.netdev, name) == 0)
			return &watch->nics[i];
	return NULL;
}

/* A NIC begins with the fact of its driver. */
static void take_fact(struct watch *watch, struct watch_args *args, const struct run_fact *fact)
{
	struct watch_nic *nic;

	if (strcmp(fact->place, RECORD_WATCH) == 0) {
		if (strcmp(fact->key, RECORD_KINDS) == 0)
			watch->kinds = (unsigned)strtoul(fact->value, NULL, 10);
		else if (strcmp(fact->key, RECORD_HZ) == 0)
			args->hz = strtoul(fact->value, NULL, 10);
		args->both_ends |= strcmp(fact->key, RECORD_BOTH_ENDS) == 0;
		return;
	}
	nic = find_nic(watch, fact->place);
	if (!nic && strcmp(fact->key, "driver") == 0 && watch->nic_count < WATCH_NICS) {
		nic = &watch->nics[watch->nic_count++];
		nic->sampler = (struct sampler)SAMPLER_INIT;
		gauge_index(&nic->sampler.gauge);
		/* A place is cut to its column. */
		snprintf(nic->sampler.nic.netdev, sizeof(nic->sampler.nic.netdev), "%.31s",
			fact->place);
		snprintf(
			nic->sampler.driver, sizeof(nic->sampler.driver), "%.63s", fact->value);
	} else if (nic && strcmp(fact->key, "rdma") == 0) {
		snprintf(nic->sampler.nic.rdma, sizeof(nic->sampler.nic.rdma), "%.63s",
			fact->value);
	}
}

/* --- samples --- */

static struct gauge_counter *find_counter(struct gauge *gauge, const char *name)
{
	for (size_t i = 0; i < gauge->count; i++)
		if (strcmp(gauge->counters[i].name, name) == 0)
			return &gauge->counters[i];
	return NULL;
}

/* Where it was read follows from its row, as it did when it was recorded. */
static struct gauge_counter *add_counter(struct sampler *sampler, const char *name)
{
	static const struct {
		char where;
		enum gauge_source source;
	} places[] = {
		{ 'S', GAUGE_DRIVER },
		{ 'H', GAUGE_PORT },
		{ 'C', GAUGE_PORT },
		{ 'N', GAUGE_NETDEV },
		{ 'E', GAUGE_LINE },
	};
	struct gauge_counter *counter = NULL;

	for (size_t i = 0; i < COUNT_OF(places) && !counter; i++) {
		int priority = GAUGE_NO_PRIORITY;
		const char *driver = places[i].where == 'S' ? sampler->driver : NULL;
		const struct counter_row *row =
			counter_find_of(name, places[i].where, driver, &priority);

		if (row)
			counter = gauge_add(
				&sampler->gauge, name, places[i].source, row, priority);
	}
	if (!counter)
		counter =
			gauge_add(&sampler->gauge, name, GAUGE_DRIVER, NULL, GAUGE_NO_PRIORITY);
	gauge_index(&sampler->gauge);
	return counter;
}

static void take_reading(struct watch *watch, struct watch_nic *nic)
{
	watch_taken(watch, nic);
	for (size_t i = 0; i < GAUGE_SOURCES; i++)
		nic->sampler.gauge.sources[i].asked = false;
}

static void take_source(
	struct gauge *gauge, enum gauge_source source, const struct run_sample *sample)
{
	struct gauge_reading *reading = &gauge->sources[source];

	reading->asked = reading->there = true;
	reading->after_ns = sample->t_ns;
	reading->before_ns = sample->value < sample->t_ns ? sample->value : sample->t_ns;
}

static void take_lossless(struct watch *watch, struct watch_nic *nic, uint64_t value)
{
	nic->sampler.lossless_known = value & RECORD_KNOWN;
	nic->sampler.lossless = (uint8_t)value;
	watch_lossless(watch, nic);
	nic->lossless = (uint8_t)value;
}

static void take_nic(
	struct watch *watch, struct watch_nic *nic, const struct run_sample *sample)
{
	enum gauge_source source = watch_record_source(sample->metric);
	struct gauge_counter *counter;

	if (source < GAUGE_SOURCES) {
		take_source(&nic->sampler.gauge, source, sample);
	} else if (strcmp(sample->metric, RECORD_READING) == 0) {
		take_reading(watch, nic);
	} else if (strcmp(sample->metric, RECORD_LOSSLESS) == 0) {
		take_lossless(watch, nic, sample->value);
	} else if (strcmp(sample->metric, RECORD_GONE) == 0) {
		nic->sampler.gone = true;
		watch_gone(watch, nic, sample->t_ns);
	} else if (strcmp(sample->metric, RECORD_BACK) == 0) {
		nic->sampler.gone = false;
		watch_back(watch, nic, sample->t_ns);
	} else {
		counter = find_counter(&nic->sampler.gauge, sample->metric);
		if (!counter)
			counter = add_counter(&nic->sampler, sample->metric);
		counter->there = true;
		counter->value = sample->value;
	}
}

static void take_sample(struct watch *watch, const struct run_sample *sample)
{
	struct watch_nic *nic = find_nic(watch, sample->place);

	if (nic) {
		take_nic(watch, nic, sample);
	} else if (strcmp(sample->metric, RECORD_BLOCK) == 0) {
		watch_block(watch, sample->t_ns);
	} else if (strcmp(sample->metric, RECORD_INTERVAL) == 0) {
		watch_block(watch, sample->t_ns);
		watch_interval(watch, sample->t_ns);
		watch_next(watch, sample->t_ns);
	}
	if (strcmp(sample->metric, RECORD_READING) == 0 && sample->value >= watch->samples)
		watch->samples = sample->value + 1;
}

/* --- the whole --- */

static int take_facts(
	struct watch *watch, struct watch_args *args, struct run *run, struct diag *diag)
{
	struct run_fact *facts = NULL;
	size_t count = 0;
	int err = run_get_facts(run, &facts, &count, diag);

	for (size_t i = 0; i < count && !err; i++)
		take_fact(watch, args, &facts[i]);
	free(facts);
	if (!err && !watch->nic_count)
		return diag_error(diag, -EINVAL, "the recorded watch has no NIC in it");
	return err;
}

static int take_samples(
	struct watch *watch, struct run *run, uint64_t *end_ns, struct diag *diag)
{
	struct run_sample *samples = NULL;
	size_t count = 0;
	int err = run_get_samples(run, RECORD_STAGE, &samples, &count, diag);

	for (size_t i = 0; i < count && !err; i++)
		take_sample(watch, &samples[i]);
	if (count)
		*end_ns = samples[count - 1].t_ns;
	free(samples);
	return err;
}

static int show(struct watch *watch, uint64_t end_ns, bool json, int *status)
{
	struct report_options options = { 0 };
	struct live_view view = watch_view_end(watch, end_ns);

	report_options_for(&options, stdout);
	if (json)
		live_json_end(stdout, &view);
	else
		live_end(stdout, &options, &view);
	*status = report_exit_status(view.verdict);
	return 0;
}

int watch_replay(struct run *run, bool json, int *status, struct diag *diag)
{
	struct watch_args args = { 0 };
	struct watch *watch = zeroed(1, sizeof(*watch));
	uint64_t end_ns = 0;
	bool interrupted;
	int err;

	watch->cut_off = !run_ended(run, &interrupted);
	watch->args = &args;
	watch->kinds = (1u << ALARM_KINDS) - 1;
	watch->nics = zeroed(WATCH_NICS, sizeof(*watch->nics));
	watch->view_nics = zeroed(WATCH_NICS, sizeof(*watch->view_nics));
	err = take_facts(watch, &args, run, diag);
	if (!err)
		err = take_samples(watch, run, &end_ns, diag);
	if (!err)
		err = show(watch, end_ns, json, status);
	watch_close(watch);
	return err;
}
