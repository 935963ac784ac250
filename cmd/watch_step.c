/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/watch.h"
#include "lib/grow.h"
#include "lib/run.h"
#include "lib/units.h"

void watch_event(struct watch *watch, const char *fmt, ...)
{
	va_list args;

	if (watch->event_count == WATCH_EVENTS)
		return;
	va_start(args, fmt);
	vsnprintf(watch->events[watch->event_count++], sizeof(watch->events[0]), fmt, args);
	va_end(args);
}

/* --- alarms --- */

struct raising {
	struct watch *watch;
	const struct watch_nic *nic; /* NULL: of all */
	uint64_t now_ns;
};

static struct live_alarm *find_alarm(
	struct watch *watch, const char *nic, const struct alarm *alarm)
{
	for (size_t i = 0; i < watch->alarm_count; i++) {
		struct live_alarm *old = &watch->alarms[i];

		if (old->check == alarm->limit->id && old->priority == alarm->priority &&
			strcmp(old->nic, nic) == 0)
			return old;
	}
	return NULL;
}

static struct live_alarm *add_alarm(
	struct watch *watch, const char *nic, const struct alarm *alarm)
{
	const struct alarm_limit *limit = alarm->limit;
	struct live_alarm *added;

	watch->alarms = grow(
		watch->alarms, watch->alarm_count, &watch->alarm_room, sizeof(*watch->alarms));
	added = &watch->alarms[watch->alarm_count++];
	*added = (struct live_alarm){
		.check = limit->id,
		.kind = alarm_kind_name(limit->kind),
		.unit = limit->unit,
		.limit_source = limit->source,
		.advice = limit->advice,
		.priority = alarm->priority,
		.limit = (double)limit->limit,
	};
	snprintf(added->nic, sizeof(added->nic), "%s", nic);
	snprintf(added->text, sizeof(added->text), "%s", alarm->text);
	return added;
}

static void raise_alarm(void *context, const struct alarm *alarm)
{
	const struct raising *raising = context;
	struct watch *watch = raising->watch;
	const char *nic = raising->nic ? sampler_name(&raising->nic->sampler) : "all";
	uint64_t now_ns = raising->now_ns - watch->began_ns;
	struct live_alarm *raised;

	if (!(watch->kinds >> alarm->limit->kind & 1))
		return;
	raised = find_alarm(watch, nic, alarm);
	if (!raised) {
		raised = add_alarm(watch, nic, alarm);
		raised->first_ns = now_ns;
	}
	if (alarm->measured > raised->measured)
		raised->measured = alarm->measured;
	raised->last_ns = now_ns;
	raised->intervals += !raised->active;
	raised->active = true;
}

/* --- one NIC --- */

static void fell(void *context, const struct gauge_counter *counter)
{
	struct watch_nic *nic = context;
	bool wrapped = counter->state[GAUGE_BLOCK] == GAUGE_WRAPPED;

	if (nic->fallen++ == 0)
		snprintf(nic->first_fallen, sizeof(nic->first_fallen),
			"%s went down from %" PRIu64 " to %" PRIu64 ": %s", counter->name,
			counter->last, counter->value,
			wrapped ? "it wrapped at 32 bits, or was reset" : "it was reset");
}

/* What each source says, once for each change. */
static void note_errors(struct watch_nic *nic)
{
	static const char *const sources[GAUGE_SOURCES] = {
		[GAUGE_DRIVER] = "driver statistics",
		[GAUGE_PORT] = "counters of the RDMA port",
		[GAUGE_NETDEV] = "files of the interface",
		[GAUGE_LINE] = NULL, /* many drivers have no FEC statistics */
	};
	size_t used = 0;

	nic->note[0] = '\0';
	for (size_t i = 0; i < GAUGE_SOURCES; i++) {
		int err = nic->sampler.errs[i];

		if (!err || err == -ENOENT || err == -EOPNOTSUPP || !sources[i] ||
			used >= sizeof(nic->note))
			continue;
		used += (size_t)snprintf(nic->note + used, sizeof(nic->note) - used, "%s%s: %s",
			used ? "; " : "", sources[i], host_why(err));
	}
}

void watch_taken(struct watch *watch, struct watch_nic *nic)
{
	nic->fallen = 0;
	gauge_take(&nic->sampler.gauge, fell, nic);
	if (nic->fallen) {
		nic->fell = true;
		if (nic->fallen > 1)
			watch_event(watch,
				"%s: %s, and %zu others went down as well; no "
				"number is made of this interval",
				sampler_name(&nic->sampler), nic->first_fallen,
				nic->fallen - 1);
		else
			watch_event(watch, "%s: %s; no number is made of this interval",
				sampler_name(&nic->sampler), nic->first_fallen);
	}
	note_errors(nic);
}

void watch_gone(struct watch *watch, struct watch_nic *nic, uint64_t now_ns)
{
	struct raising raising = { watch, nic, now_ns };
	struct alarm alarm = {
		.limit = &alarm_limits[CHECK_GONE],
		.priority = GAUGE_NO_PRIORITY,
		.measured = 1,
	};

	nic->gone_ns = nic->looked_ns = now_ns;
	nic->was_gone = true;
	nic->state = (struct alarm_state){ 0 };
	gauge_rebase(&nic->sampler.gauge);
	snprintf(alarm.text, sizeof(alarm.text), "the NIC went away %.1f s after the start",
		(double)(now_ns - watch->began_ns) / NS_PER_S);
	raise_alarm(&raising, &alarm);
}

void watch_back(struct watch *watch, struct watch_nic *nic, uint64_t now_ns)
{
	watch_event(watch, "%s: it is back after %.1f s; its counters begin anew",
		sampler_name(&nic->sampler), (double)(now_ns - nic->gone_ns) / NS_PER_S);
}

static uint8_t counted_priorities(const struct gauge *gauge)
{
	uint8_t mask = 0;

	for (int p = 0; p < GAUGE_PRIORITIES; p++)
		if (gauge_has(gauge, MEANS_PFC_RX, p) || gauge_has(gauge, MEANS_PFC_RX_TIME, p))
			mask = (uint8_t)(mask | 1u << p);
	return mask;
}

static void list_priorities(char *text, size_t size, uint8_t mask)
{
	size_t used = 0;

	snprintf(text, size, "none");
	for (int p = 0; p < GAUGE_PRIORITIES; p++)
		if (mask >> p & 1)
			used += (size_t)snprintf(
				text + used, size - used, "%s%d", used ? "," : "", p);
}

void watch_lossless(struct watch *watch, struct watch_nic *nic)
{
	const struct sampler *sampler = &nic->sampler;
	char before[32], now[32];

	nic->lossless_known = watch->prio_mask || sampler->lossless_known;
	if (watch->prio_mask)
		nic->lossless = watch->prio_mask;
	else if (sampler->lossless_known)
		nic->lossless = sampler->lossless;
	else
		nic->lossless = counted_priorities(&sampler->gauge);
	if (nic->told_any && nic->told_lossless != nic->lossless) {
		list_priorities(before, sizeof(before), nic->told_lossless);
		list_priorities(now, sizeof(now), nic->lossless);
		watch_event(watch, "%s: the lossless priorities were %s and are now %s",
			sampler_name(sampler), before, now);
	}
	nic->told_lossless = nic->lossless;
	nic->told_any = true;
}

/* --- time goes by --- */

static void top(uint64_t *peak, uint64_t value)
{
	if (value > *peak)
		*peak = value;
}

static uint64_t block_bps(const struct gauge *gauge, enum meaning means)
{
	struct gauge_growth growth;

	if (!gauge_get(gauge, GAUGE_BLOCK, means, GAUGE_NO_PRIORITY, &growth))
		return 0;
	return (uint64_t)((double)growth.grown * 8 * NS_PER_S / (double)growth.span_ns);
}

static uint64_t block_share(const struct gauge *gauge, enum meaning means, int priority)
{
	struct gauge_growth growth;

	if (!gauge_get(gauge, GAUGE_BLOCK, means, priority, &growth))
		return 0;
	return gauge_share_ppb(&growth);
}

static void note_peaks(struct watch_nic *nic)
{
	const struct gauge *gauge = &nic->sampler.gauge;

	top(&nic->peaks.tx_bps, block_bps(gauge, MEANS_TX_BYTES));
	top(&nic->peaks.rx_bps, block_bps(gauge, MEANS_RX_BYTES));
	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		top(&nic->peaks.held_ppb[p], block_share(gauge, MEANS_PFC_RX_TIME, p));
		top(&nic->peaks.holds_ppb[p], block_share(gauge, MEANS_PFC_TX_TIME, p));
	}
}

void watch_block(struct watch *watch, uint64_t now_ns)
{
	for (size_t i = 0; i < watch->nic_count; i++) {
		struct watch_nic *nic = &watch->nics[i];
		struct raising raising = { watch, nic, now_ns };

		note_peaks(nic);
		alarm_block(
			&nic->state, &nic->sampler.gauge, nic->lossless, raise_alarm, &raising);
		gauge_close(&nic->sampler.gauge, GAUGE_BLOCK);
	}
	watch->block_ns = now_ns;
}

void watch_interval(struct watch *watch, uint64_t now_ns)
{
	const struct gauge *gauges[WATCH_NICS];
	struct raising raising = { watch, NULL, now_ns };

	for (size_t i = 0; i < watch->nic_count; i++) {
		struct watch_nic *nic = &watch->nics[i];

		raising.nic = nic;
		gauges[i] = &nic->sampler.gauge;
		alarm_interval(&nic->state, gauges[i], nic->lossless, raise_alarm, &raising);
	}
	raising.nic = NULL;
	if (watch->args->both_ends)
		alarm_between(gauges, watch->nic_count, raise_alarm, &raising);
	watch->intervals++;
}

void watch_next(struct watch *watch, uint64_t now_ns)
{
	for (size_t i = 0; i < watch->nic_count; i++) {
		gauge_close(&watch->nics[i].sampler.gauge, GAUGE_INTERVAL);
		watch->nics[i].peaks = (struct watch_peaks){ 0 };
	}
	for (size_t i = 0; i < watch->alarm_count; i++)
		watch->alarms[i].active = false;
	watch->event_count = 0;
	watch->longest_ns = 0;
	watch->interval_ns = now_ns;
}

void watch_close(struct watch *watch)
{
	for (size_t i = 0; i < watch->nic_count; i++) {
		sampler_close(&watch->nics[i].sampler);
		free(watch->nics[i].recorded);
	}
	netlink_close(&watch->netlink);
	run_close(watch->run);
	free(watch->nics);
	free(watch->view_nics);
	free(watch->alarms);
	free(watch->blind);
	free(watch);
}
