/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/alarm.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define STORM_PPB (95 * PPB / 100) /* a reading takes time itself: this is all of it */
#define BOTH_WAYS_PPB (PPB / 2)
#define SHARE_LASTS_NS (2 * NS_PER_S)

struct judging {
	const struct gauge *gauge;
	enum gauge_window window;
	alarm_raise *raise;
	void *context;
};

static const char *const kind_names[ALARM_KINDS] = {
	[ALARM_STORM] = "storm",
	[ALARM_DEADLOCK] = "deadlock",
	[ALARM_CNP] = "cnp",
	[ALARM_DROP] = "drop",
	[ALARM_FLAP] = "flap",
	[ALARM_ERROR] = "error",
	[ALARM_GONE] = "gone",
};

const char *alarm_kind_name(enum alarm_kind kind)
{
	return kind_names[kind];
}

/* Raises the alarm of a check if measured is beyond its limit. */
__attribute__((format(printf, 5, 6))) static void judge(const struct judging *judging,
	enum alarm_check check, int priority, double measured, const char *fmt, ...)
{
	const struct alarm_limit *limit = &alarm_limits[check];
	struct alarm alarm = { .limit = limit, .priority = priority, .measured = measured };
	double most = (double)limit->limit;
	va_list args;

	if (limit->at_least ? measured < most : measured <= most)
		return;
	va_start(args, fmt);
	vsnprintf(alarm.text, sizeof(alarm.text), fmt, args);
	va_end(args);
	judging->raise(judging->context, &alarm);
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

/* --- blocks: what lasts fractions of a second --- */

/* How long a pause has been going on without a break. */
static void judge_unbroken(const struct judging *judging, uint64_t *lasted_ns,
	enum meaning time, enum alarm_check check, int priority, const char *what)
{
	struct gauge_growth growth;

	if (!gauge_get(judging->gauge, GAUGE_BLOCK, time, priority, &growth) ||
		gauge_share_ppb(&growth) < STORM_PPB) {
		*lasted_ns = 0;
		return;
	}
	*lasted_ns += growth.span_ns;
	judge(judging, check, priority, (double)*lasted_ns / NS_PER_MS,
		"%s on priority %d for %" PRIu64 " ms without a break (%s)", what, priority,
		*lasted_ns / NS_PER_MS, growth.counter->name);
}

/* Whether a pause fills at least half of the block, or, where the driver counts no time,
 * was asked for in it at all. */
static bool is_paused(
	const struct gauge *gauge, enum meaning time, enum meaning frames, int priority)
{
	struct gauge_growth growth;

	if (gauge_get(gauge, GAUGE_BLOCK, time, priority, &growth))
		return gauge_share_ppb(&growth) >= BOTH_WAYS_PPB;
	return gauge_get(gauge, GAUGE_BLOCK, frames, priority, &growth) && growth.grown;
}

/* Nothing went through the priority; false also when nobody counts that. */
static bool is_still(
	const struct gauge *gauge, enum meaning bytes, enum meaning packets, int priority)
{
	struct gauge_growth growth;

	if (!gauge_get(gauge, GAUGE_BLOCK, bytes, priority, &growth) &&
		!gauge_get(gauge, GAUGE_BLOCK, packets, priority, &growth))
		return false;
	return growth.grown == 0;
}

static uint64_t block_ns(const struct gauge *gauge)
{
	return gauge->sources[GAUGE_DRIVER].span_ns[GAUGE_BLOCK];
}

static void judge_deadlock(const struct judging *judging, uint64_t *stuck_ns, int priority)
{
	const struct gauge *gauge = judging->gauge;

	if (!is_paused(gauge, MEANS_PFC_RX_TIME, MEANS_PFC_RX, priority) ||
		!is_paused(gauge, MEANS_PFC_TX_TIME, MEANS_PFC_TX, priority) ||
		!is_still(gauge, MEANS_PRIO_TX_BYTES, MEANS_PRIO_TX, priority) ||
		!is_still(gauge, MEANS_PRIO_RX_BYTES, MEANS_PRIO_RX, priority)) {
		*stuck_ns = 0;
		return;
	}
	*stuck_ns += block_ns(gauge);
	judge(judging, CHECK_DEADLOCK, priority, (double)*stuck_ns / NS_PER_MS,
		"priority %d is paused in both directions and nothing has got through for "
		"%" PRIu64 " ms",
		priority, *stuck_ns / NS_PER_MS);
}

void alarm_block(struct alarm_state *state, const struct gauge *gauge, uint8_t lossless,
	alarm_raise *raise, void *context)
{
	const struct judging judging = { gauge, GAUGE_BLOCK, raise, context };

	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		if (!(lossless >> p & 1))
			continue;
		judge_unbroken(&judging, &state->held_ns[p], MEANS_PFC_RX_TIME,
			CHECK_STORM_HELD, p, "held by the other end");
		judge_unbroken(&judging, &state->holds_ns[p], MEANS_PFC_TX_TIME,
			CHECK_STORM_HOLDS, p, "holds the other end");
		judge_deadlock(&judging, &state->stuck_ns[p], p);
	}
}

/* --- intervals: shares and rates --- */

static void judge_share(const struct judging *judging, uint64_t *lasted_ns, enum meaning time,
	enum alarm_check check, int priority, const char *what)
{
	struct gauge_growth growth;
	uint64_t ppb;

	if (!gauge_get(judging->gauge, judging->window, time, priority, &growth)) {
		*lasted_ns = 0;
		return;
	}
	ppb = gauge_share_ppb(&growth);
	if (ppb <= alarm_limits[check].limit * (PPB / 100)) {
		*lasted_ns = 0;
		return;
	}
	*lasted_ns += growth.span_ns;
	/* The last interval may be a hair short. */
	if (*lasted_ns < SHARE_LASTS_NS - ALARM_BLOCK_NS)
		return;
	judge(judging, check, priority, (double)ppb * 100 / PPB,
		"%s on priority %d for %.0f %% of the last %.1f s (%s)", what, priority,
		(double)ppb * 100 / PPB, seconds(growth.span_ns), growth.counter->name);
}

/* Any growth of a meaning, or growth faster than a limit "/s". */
static void judge_growth(
	const struct judging *judging, enum alarm_check check, enum meaning means, int priority)
{
	struct gauge_growth growth;
	double measured;

	if (!gauge_get(judging->gauge, judging->window, means, priority, &growth))
		return;
	measured = (double)growth.grown;
	if (alarm_limits[check].unit[0] == '/')
		measured = measured * NS_PER_S / (double)growth.span_ns;
	judge(judging, check, priority, measured, "%s: %" PRIu64 " in %.1f s (%s)%s%s",
		meaning_name(means), growth.grown, seconds(growth.span_ns),
		growth.counter->name, growth.counter->row->note[0] ? "; " : "",
		growth.counter->row->note);
}

static void judge_cnp(const struct judging *judging, struct alarm_state *state)
{
	struct gauge_growth ce, cnp;

	judge_growth(judging, CHECK_CNP_IGNORED, MEANS_CNP_IGNORED, GAUGE_NO_PRIORITY);
	if (!gauge_get(judging->gauge, judging->window, MEANS_CE_RX, GAUGE_NO_PRIORITY, &ce) ||
		!gauge_get(
			judging->gauge, judging->window, MEANS_CNP_TX, GAUGE_NO_PRIORITY, &cnp))
		return;
	state->ce_alone = cnp.grown ? 0 : state->ce_alone + ce.grown;
	judge(judging, CHECK_CNP_MISSING, GAUGE_NO_PRIORITY, (double)state->ce_alone,
		"%" PRIu64 " marked packets have come (%s), and not one CNP was sent (%s)",
		state->ce_alone, ce.counter->name, cnp.counter->name);
}

/* What is dropped on arrival: by priority where the driver tells it; what is dropped in
 * another class is no alarm. */
static void judge_drops(const struct judging *judging, uint8_t lossless)
{
	bool told = false;

	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		told = told || gauge_has(judging->gauge, MEANS_PRIO_DROP, p);
		if (lossless >> p & 1)
			judge_growth(judging, CHECK_DROP_CLASS, MEANS_PRIO_DROP, p);
	}
	if (!told)
		judge_growth(judging, CHECK_DROP_PORT, MEANS_RX_DROP, GAUGE_NO_PRIORITY);
}

/* The carrier goes by where no counter of losses does. */
static void judge_link(const struct judging *judging)
{
	if (gauge_has(judging->gauge, MEANS_LINK_DOWN, GAUGE_NO_PRIORITY))
		judge_growth(judging, CHECK_LINK_DOWN, MEANS_LINK_DOWN, GAUGE_NO_PRIORITY);
	else
		judge_growth(judging, CHECK_CARRIER, MEANS_CARRIER_CHANGES, GAUGE_NO_PRIORITY);
}

void alarm_interval(struct alarm_state *state, const struct gauge *gauge, uint8_t lossless,
	alarm_raise *raise, void *context)
{
	static const struct {
		enum alarm_check check;
		enum meaning means;
	} rates[] = {
		{ CHECK_STORM_WATCHDOG, MEANS_STORM },
		{ CHECK_DROP_TX, MEANS_TX_DROP },
		{ CHECK_TIMEOUT, MEANS_TIMEOUT },
		{ CHECK_OUT_OF_SEQUENCE, MEANS_OOS },
		{ CHECK_SEQUENCE_NAK, MEANS_SEQ_NAK },
		{ CHECK_RETRY_EXCEEDED, MEANS_RETRY_EXCEEDED },
		{ CHECK_NOT_READY, MEANS_RNR },
		{ CHECK_ICRC, MEANS_ICRC },
		{ CHECK_CRC, MEANS_CRC },
		{ CHECK_SYMBOL, MEANS_SYMBOL },
		{ CHECK_FEC, MEANS_FEC_UNCORRECTED },
	};
	const struct judging judging = { gauge, GAUGE_INTERVAL, raise, context };

	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		if (!(lossless >> p & 1))
			continue;
		judge_share(&judging, &state->share_ns[0][p], MEANS_PFC_RX_TIME,
			CHECK_SHARE_HELD, p, "held by the other end");
		judge_share(&judging, &state->share_ns[1][p], MEANS_PFC_TX_TIME,
			CHECK_SHARE_HOLDS, p, "holds the other end");
	}
	judge_cnp(&judging, state);
	judge_drops(&judging, lossless);
	judge_link(&judging);
	for (size_t i = 0; i < COUNT_OF(rates); i++)
		judge_growth(&judging, rates[i].check, rates[i].means, GAUGE_NO_PRIORITY);
}

/* False when one of them does not tell. */
static bool sum(const struct gauge *const *gauges, size_t count, enum meaning means,
	uint64_t *total, uint64_t *span_ns)
{
	*total = 0;
	for (size_t i = 0; i < count; i++) {
		struct gauge_growth growth;

		if (!gauge_get(gauges[i], GAUGE_INTERVAL, means, GAUGE_NO_PRIORITY, &growth))
			return false;
		*total += growth.grown;
		*span_ns = growth.span_ns;
	}
	return true;
}

void alarm_between(
	const struct gauge *const *gauges, size_t count, alarm_raise *raise, void *context)
{
	const struct judging judging = { NULL, GAUGE_INTERVAL, raise, context };
	uint64_t sent, handled, span_ns = 0;

	if (!sum(gauges, count, MEANS_CNP_TX, &sent, &span_ns) ||
		!sum(gauges, count, MEANS_CNP_RX, &handled, &span_ns) || handled >= sent ||
		sent < alarm_limits[CHECK_CNP_MISSING].limit)
		return;
	judge(&judging, CHECK_CNP_UNHANDLED, GAUGE_NO_PRIORITY,
		(double)(sent - handled) * 100 / (double)sent,
		"%" PRIu64 " CNPs were sent in %.1f s and %" PRIu64 " handled, over all NICs",
		sent, seconds(span_ns), handled);
}
