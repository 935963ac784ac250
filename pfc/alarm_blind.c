/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/alarm.h"

/* One of these must have been counted in the whole watch. */
static bool any(
	const struct gauge *gauge, const enum meaning *means, size_t count, int priority)
{
	for (size_t i = 0; i < count; i++)
		if (gauge_counted(gauge, means[i], priority))
			return true;
	return false;
}

#define ANY(gauge, priority, ...)                                                              \
	any(gauge, (const enum meaning[]){ __VA_ARGS__ },                                      \
		COUNT_OF(((const enum meaning[]){ __VA_ARGS__ })), priority)

static const char *storm(const struct gauge *gauge, int priority)
{
	if (ANY(gauge, priority, MEANS_PFC_RX_TIME) && ANY(gauge, priority, MEANS_PFC_TX_TIME))
		return NULL;
	if (ANY(gauge, priority, MEANS_PFC_RX, MEANS_PFC_TX))
		return "the driver counts PFC frames but not for how long they paused";
	return "no counter of PFC";
}

static const char *deadlock(const struct gauge *gauge, int priority)
{
	if (!ANY(gauge, priority, MEANS_PFC_RX_TIME, MEANS_PFC_RX) ||
		!ANY(gauge, priority, MEANS_PFC_TX_TIME, MEANS_PFC_TX))
		return "no counters of PFC by priority in both directions";
	if (!ANY(gauge, priority, MEANS_PRIO_TX_BYTES, MEANS_PRIO_TX) ||
		!ANY(gauge, priority, MEANS_PRIO_RX_BYTES, MEANS_PRIO_RX))
		return "no counters of traffic by priority";
	return NULL;
}

static const char *drop(const struct gauge *gauge, int priority)
{
	if (ANY(gauge, priority, MEANS_PRIO_DROP) ||
		ANY(gauge, GAUGE_NO_PRIORITY, MEANS_RX_DROP))
		return NULL;
	return "no counter of drops on arrival";
}

/* The first reason among the lossless priorities. */
static const char *by_priority(const char *(*blind)(const struct gauge *, int),
	const struct gauge *gauge, bool known, uint8_t lossless)
{
	if (!known)
		return "which priorities are lossless is not known: no dcbnl, or no answer; "
		       "name them with --prio";
	for (int p = 0; p < GAUGE_PRIORITIES; p++) {
		const char *why = lossless >> p & 1 ? blind(gauge, p) : NULL;

		if (why)
			return why;
	}
	return NULL;
}

const char *alarm_blind(
	enum alarm_kind kind, const struct gauge *gauge, bool lossless_known, uint8_t lossless)
{
	const int port = GAUGE_NO_PRIORITY;

	switch (kind) {
	case ALARM_STORM:
		return by_priority(storm, gauge, lossless_known, lossless);
	case ALARM_DEADLOCK:
		return by_priority(deadlock, gauge, lossless_known, lossless);
	case ALARM_DROP:
		return by_priority(drop, gauge, lossless_known, lossless);
	case ALARM_CNP:
		return ANY(gauge, port, MEANS_CE_RX) && ANY(gauge, port, MEANS_CNP_TX)
			       ? NULL
			       : "no counters of CE marks and CNPs";
	case ALARM_FLAP:
		return ANY(gauge, port, MEANS_LINK_DOWN, MEANS_CARRIER_CHANGES)
			       ? NULL
			       : "no counter of link losses";
	case ALARM_ERROR:
		return ANY(gauge, port, MEANS_OOS, MEANS_SEQ_NAK, MEANS_TIMEOUT)
			       ? NULL
			       : "no counter of retransmission or loss of the RDMA port";
	case ALARM_GONE:
	case ALARM_KINDS:
		break;
	}
	return NULL;
}
