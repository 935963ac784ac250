/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/watch.h"
#include "lib/grow.h"
#include "lib/units.h"

static struct live_count count_of(const struct gauge *gauge, enum meaning means, int priority)
{
	struct gauge_growth growth;
	struct live_count count = { 0 };

	if (gauge_get(gauge, GAUGE_INTERVAL, means, priority, &growth)) {
		count.known = true;
		count.grown = growth.grown;
	}
	count.total_known = gauge_total(gauge, means, priority, &count.total);
	return count;
}

/* What is known of either; of both their sum. */
static struct live_count sum_of(struct live_count a, struct live_count b)
{
	return (struct live_count){
		.known = a.known || b.known,
		.total_known = a.total_known || b.total_known,
		.grown = a.grown + b.grown,
		.total = a.total + b.total,
	};
}

static struct live_count sum(
	const struct gauge *gauge, const enum meaning *means, size_t how_many)
{
	struct live_count all = { 0 };

	for (size_t i = 0; i < how_many; i++)
		all = sum_of(all, count_of(gauge, means[i], GAUGE_NO_PRIORITY));
	return all;
}

/* Of the port; where it is not told, of its priorities together. */
static struct live_count drops(const struct gauge *gauge)
{
	static const enum meaning port[] = { MEANS_RX_DROP, MEANS_TX_DROP };
	struct live_count all = sum(gauge, port, COUNT_OF(port));

	if (gauge_has(gauge, MEANS_RX_DROP, GAUGE_NO_PRIORITY))
		return all;
	for (int p = 0; p < GAUGE_PRIORITIES; p++)
		all = sum_of(all, count_of(gauge, MEANS_PRIO_DROP, p));
	return all;
}

static struct live_count flaps(const struct gauge *gauge)
{
	struct live_count count;

	if (gauge_has(gauge, MEANS_LINK_DOWN, GAUGE_NO_PRIORITY))
		return count_of(gauge, MEANS_LINK_DOWN, GAUGE_NO_PRIORITY);
	count = count_of(gauge, MEANS_CARRIER_CHANGES, GAUGE_NO_PRIORITY);
	count.grown = (count.grown + 1) / 2; /* down and up count one each */
	count.total = (count.total + 1) / 2;
	return count;
}

static struct live_rate rate_of(
	const struct gauge *gauge, enum meaning means, uint64_t peak_bps)
{
	struct gauge_growth growth;
	struct live_rate rate = { 0 };

	if (!gauge_get(gauge, GAUGE_INTERVAL, means, GAUGE_NO_PRIORITY, &growth))
		return rate;
	rate.known = true;
	rate.bps = (uint64_t)((double)growth.grown * 8 * NS_PER_S / (double)growth.span_ns);
	rate.peak_bps = peak_bps > rate.bps ? peak_bps : rate.bps;
	return rate;
}

static struct live_share share_of(
	const struct gauge *gauge, enum meaning means, int priority, uint64_t peak_ppb)
{
	struct gauge_growth growth;
	struct live_share share = { 0 };

	if (!gauge_get(gauge, GAUGE_INTERVAL, means, priority, &growth))
		return share;
	share.known = true;
	share.ppb = gauge_share_ppb(&growth);
	share.peak_ppb = peak_ppb > share.ppb ? peak_ppb : share.ppb;
	return share;
}

static void fill_prios(struct live_nic *live, const struct watch_nic *nic)
{
	const struct gauge *gauge = &nic->sampler.gauge;

	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		if (!(nic->lossless >> p & 1))
			continue;
		live->prios[live->prio_count++] = (struct live_prio){
			.priority = p,
			.held = share_of(gauge, MEANS_PFC_RX_TIME, p, nic->peaks.held_ppb[p]),
			.holds = share_of(gauge, MEANS_PFC_TX_TIME, p, nic->peaks.holds_ppb[p]),
			.drops = count_of(gauge, MEANS_PRIO_DROP, p),
		};
	}
}

/* A counter that was asked for by name, whatever it means. */
static void fill_named(struct live_named *named, const struct gauge *gauge, const char *name)
{
	*named = (struct live_named){ .name = name };
	for (size_t i = 0; i < gauge->count; i++) {
		const struct gauge_counter *counter = &gauge->counters[i];

		if (strcmp(counter->name, name) != 0)
			continue;
		named->count.known = counter->state[GAUGE_INTERVAL] == GAUGE_COUNTED;
		named->count.grown = counter->grown[GAUGE_INTERVAL];
		named->count.total_known = gauge_counter_total(counter, &named->count.total);
		named->largest = counter->largest;
		named->age_ns = counter->row                    ? counter_age_ns(counter->row)
				: counter->source == GAUGE_PORT ? 10 * NS_PER_MS
								: 0;
		return;
	}
}

static void fill_counts(struct live_count *counts, const struct gauge *gauge)
{
	static const enum meaning retry[] = { MEANS_SEQ_NAK, MEANS_TIMEOUT };
	static const enum meaning error[] = { MEANS_CRC, MEANS_SYMBOL, MEANS_ICRC,
		MEANS_FEC_UNCORRECTED, MEANS_RETRY_EXCEEDED };

	counts[LIVE_CE] = count_of(gauge, MEANS_CE_RX, GAUGE_NO_PRIORITY);
	counts[LIVE_CNP_OUT] = count_of(gauge, MEANS_CNP_TX, GAUGE_NO_PRIORITY);
	counts[LIVE_CNP_IN] = count_of(gauge, MEANS_CNP_RX, GAUGE_NO_PRIORITY);
	counts[LIVE_RETRY] = sum(gauge, retry, COUNT_OF(retry));
	counts[LIVE_DROP] = drops(gauge);
	counts[LIVE_ERROR] = sum(gauge, error, COUNT_OF(error));
	counts[LIVE_FLAP] = flaps(gauge);
}

static void fill_nic(struct watch *watch, struct live_nic *live, struct watch_nic *nic)
{
	const struct gauge *gauge = &nic->sampler.gauge;

	*live = (struct live_nic){
		.name = sampler_name(&nic->sampler),
		.rdma = nic->sampler.nic.rdma,
		.driver = nic->sampler.driver,
		.gone = nic->sampler.gone,
		.tx = rate_of(gauge, MEANS_TX_BYTES, nic->peaks.tx_bps),
		.rx = rate_of(gauge, MEANS_RX_BYTES, nic->peaks.rx_bps),
	};
	memcpy(live->note, nic->note, sizeof(live->note));
	fill_counts(live->counts, gauge);
	fill_prios(live, nic);
	if (!watch->wanted_count)
		return;
	live->named = nic->named;
	live->named_count = watch->wanted_count;
	for (size_t i = 0; i < watch->wanted_count; i++)
		fill_named(&nic->named[i], gauge, watch->wanted[i]);
}

struct live_view watch_view(struct watch *watch, uint64_t now_ns)
{
	for (size_t i = 0; i < watch->nic_count; i++)
		fill_nic(watch, &watch->view_nics[i], &watch->nics[i]);
	return (struct live_view){
		.elapsed_ns = now_ns - watch->began_ns,
		.span_ns = now_ns - watch->interval_ns,
		.read_ns = watch->longest_ns,
		.samples = watch->samples,
		.missed = watch->missed,
		.hz = watch->args->hz,
		.nics = watch->view_nics,
		.nic_count = watch->nic_count,
		.alarms = watch->alarms,
		.alarm_count = watch->alarm_count,
		.events = watch->events,
		.event_count = watch->event_count,
	};
}

/* --- the end --- */

static void add_blind(
	struct watch *watch, const struct watch_nic *nic, const char *kind, const char *why)
{
	struct live_blind *blind;

	watch->blind = grow(
		watch->blind, watch->blind_count, &watch->blind_room, sizeof(*watch->blind));
	blind = &watch->blind[watch->blind_count++];
	*blind = (struct live_blind){ .kind = kind, .why = why };
	strncpy(blind->nic, sampler_name(&nic->sampler), sizeof(blind->nic) - 1);
}

/* What is denied or broken explains what is missing. */
static void find_blind(struct watch *watch, const struct watch_nic *nic)
{
	for (int kind = 0; kind < ALARM_GONE; kind++) {
		const char *why;

		if (!(watch->kinds >> kind & 1))
			continue;
		why = alarm_blind((enum alarm_kind)kind, &nic->sampler.gauge,
			nic->lossless_known, nic->lossless);
		if (why)
			add_blind(watch, nic, alarm_kind_name((enum alarm_kind)kind),
				nic->note[0] ? nic->note : why);
	}
}

/* Counters that were asked for by name stand for themselves. */
static void find_unread(struct watch *watch, const struct watch_nic *nic)
{
	for (size_t i = 0; i < watch->wanted_count; i++) {
		bool read = false;

		for (size_t j = 0; j < nic->sampler.gauge.count && !read; j++) {
			const struct gauge_counter *counter = &nic->sampler.gauge.counters[j];

			read = strcmp(counter->name, watch->wanted[i]) == 0 && counter->counted;
		}
		if (!read)
			add_blind(watch, nic, watch->wanted[i],
				nic->note[0] ? nic->note : "this NIC has no such counter");
	}
}

struct live_view watch_view_end(struct watch *watch, uint64_t now_ns)
{
	struct live_view view;

	watch->blind_count = 0;
	for (size_t i = 0; i < watch->nic_count; i++) {
		const struct watch_nic *nic = &watch->nics[i];

		if (watch->wanted_count)
			find_unread(watch, nic);
		else
			find_blind(watch, nic);
		if (nic->fell)
			add_blind(watch, nic, "counters",
				"some went down in the watch: what they counted then is lost");
	}
	if (watch->cut_off)
		add_blind(watch, &watch->nics[0], "recording",
			"it was cut off: what came after it is not known");
	view = watch_view(watch, now_ns);
	view.blind = watch->blind;
	view.blind_count = watch->blind_count;
	view.verdict = view.alarm_count   ? VERDICT_FAIL
		       : view.blind_count ? VERDICT_UNKNOWN
					  : VERDICT_PASS;
	return view;
}
