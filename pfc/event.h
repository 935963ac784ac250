/*
 * event - what happened on the wire, one entry an event, in the order of the
 * records. Some are understood only later (a hole may prove to have been
 * reordering), so kinds may change until the analysis ends.
 *
 * The list is bounded: what does not fit is counted and not kept.
 */
#ifndef PFC_EVENT_H
#define PFC_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_NONE UINT32_MAX

enum event_kind {
	EVENT_GAP,          /* psn came where expected_psn was due; what lies between is lost */
	EVENT_EARLY,        /* the same, but what lies between was only late */
	EVENT_GAP_FILLED,   /* a retransmission brought it */
	EVENT_OUT_OF_ORDER, /* the late one */
	EVENT_REPEATED,     /* captured before */
	EVENT_NAK,
	EVENT_RNR_NAK,
	EVENT_CNP,
	EVENT_ICRC_BAD,
};

enum event_stream {
	STREAM_NONE,
	STREAM_REQUEST,
	STREAM_RESPONSE,
};

struct event {
	uint64_t record; /* from 1, of its file */
	uint64_t time_ns;
	uint32_t flow; /* serial number of the flow */
	uint32_t qp;
	uint32_t psn, expected_psn;
	uint32_t older; /* the one before in the same run of fills, or EVENT_NONE */
	uint32_t gap;   /* node of the gap that a fill belongs to, while it is open */
	uint16_t file;
	uint8_t kind, stream;
	uint8_t detail; /* nak_reason, or RNR timer code; of a fill: the tap lost the first */
	bool has_time;
};

struct events {
	struct event *items; /* owned */
	size_t count, room;
	size_t most; /* 0: nothing is kept */
	uint64_t left_out;
};

/* Adds a copy; returns its index, or EVENT_NONE when the list is full. */
uint32_t events_add(struct events *events, const struct event *event);

void events_free(struct events *events);

const char *event_kind_name(enum event_kind kind); /* "gap", "out_of_order" */

#endif
