/*
 * wire - what one or several captures say, record by record, in constant memory.
 *
 *	wire_init(&wire, &options);
 *	while (capture_next(...) == 1)
 *		wire_record(&wire, &record, file, tap);
 *	wire_finish(&wire);
 *
 * Records are given in the order of time. A tap is a place where packets were
 * captured: the same packet seen at two taps is no repetition. A file is where
 * the record numbers of events count; several files may come from one tap.
 *
 * Nothing here fails: what cannot be decoded is counted.
 */
#ifndef PFC_WIRE_H
#define PFC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pfc/burst.h"
#include "pfc/cm.h"
#include "pfc/event.h"
#include "pfc/flow.h"
#include "pfc/frame.h"
#include "pfc/icrc.h"
#include "pfc/pause.h"
#include "pfc/psn.h"

#define WIRE_FILES_MAX 256u
#define WIRE_TAGS_MAX 256u
#define WIRE_LINK_TYPES_MAX 16u
#define WIRE_RECENT_LOG2 8u

struct capture_record;

struct wire_options {
	uint32_t flows_most;      /* 0: 2,000,000, or 1,000,000 connections */
	uint32_t events_most;     /* 0: 65,536 */
	uint64_t rate_bps;        /* line rate of the ports; 0: not known */
	uint64_t burst_share_ppb; /* of it that makes a burst; 0: 90 % */
	unsigned burst_scale;     /* 0, 1, 2: 10 us, 100 us, 1 ms */
};

/* Counters over flows, those that were closed early included. */
struct wire_sums {
	uint64_t flows, connections, paired; /* paired: main flows that have a peer */
	uint64_t one_sided;                  /* main flows with reliable requests and no peer */
	uint64_t request_packets;            /* requests and READ responses */
	uint64_t gap_events, gap_psns, missing, lost_network, lost_capture, lost_unknown;
	uint64_t lost_after; /* captured, and yet a NAK asked for it */
	uint64_t asked_late; /* a NAK asked for what was only late */
	uint64_t repeated, out_of_order, copies;
	uint64_t resent[RESEND_CAUSES];
	uint64_t resent_soon;  /* of those for no NAK: no silence came before */
	uint64_t soon_runs;    /* of these, behind the first of each flow */
	uint64_t asked_before; /* NAKs for what was sent before the first captured */
	uint64_t naks[NAK_REASONS], rnr_naks, cnps, icrc_bad;
	uint64_t data_ecn[4];
	uint64_t ce_without_cnp, cnp_without_ce; /* main flows */
	uint64_t alternate; /* main flows that lack every other PSN or so */
};

struct wire {
	struct wire_options options;

	uint64_t records, wire_bytes, captured_bytes;
	uint64_t file_records[WIRE_FILES_MAX];
	bool has_time;
	uint64_t now_ns;            /* of the last record with a time */
	uint64_t first_ns, last_ns; /* after wire_finish() */
	/* Of each tap; first_ns is UINT64_MAX where no record had a time. */
	struct wire_span {
		uint64_t first_ns, last_ns;
	} spans[WIRE_FILES_MAX];
	uint64_t roce_v1, roce_v2, bth_cut, malformed;
	uint64_t opcodes[256];
	uint64_t icrc[3]; /* by enum icrc */
	uint64_t mac_control, other;
	uint64_t fragments;   /* first and later ones of UDP over IP */
	uint64_t unsupported; /* records of link types that we do not decode */
	uint16_t link_types[WIRE_LINK_TYPES_MAX]; /* those types */
	uint32_t link_type_count;
	struct tag tags[WIRE_TAGS_MAX]; /* distinct ones round RoCE packets */
	uint32_t tag_count;
	uint64_t tags_left_out;

	struct flow_table flows;
	/* Flows found lately, by a hash, and the main ones of these; NULL: none. Emptied
	 * whenever flows are closed or retired. */
	struct wire_recent {
		struct flow *flow, *owner;
	} recent[1u << WIRE_RECENT_LOG2];
	struct psn_pool holes;
	struct events events;
	struct pause pause;
	struct bursts bursts;
	struct cm *cm;      /* owned; made at the first datagram */
	uint32_t *unpaired; /* owned: heads of lists of main flows without a peer */
	uint32_t unpaired_mask;
	struct flow_dscp_use {
		uint64_t data, acks, cnps;
	} dscp_use[64];

	uint64_t closed_flows;         /* early, to make room */
	struct wire_sums closed, sums; /* sums: after wire_finish() */
};

void wire_init(struct wire *wire, const struct wire_options *options);

void wire_record(
	struct wire *wire, const struct capture_record *record, uint16_t file, uint16_t tap);

/* The same for several that follow each other in a file. */
void wire_records(struct wire *wire, const struct capture_record *records, size_t count,
	uint16_t file, uint16_t tap);

/* Whether a record's PSN was passed at a tap before; nothing is counted. Of flows that
 * the tap does not know, and of PSNs too far off to tell, it is not known. */
enum wire_seen {
	WIRE_SEEN_UNKNOWN,
	WIRE_SEEN_NOT,
	WIRE_SEEN_BEFORE,
	WIRE_SEEN_KINDS,
} wire_seen(const struct wire *wire, const struct capture_record *record, uint16_t tap);

/* Judges what is open and adds up. Once. */
void wire_finish(struct wire *wire);

void wire_free(struct wire *wire);

/* The books of a main flow's requests, and of its READ responses. */
const struct psn_books *wire_requests(const struct wire *wire, const struct flow *flow);
const struct psn_books *wire_responses(const struct wire *wire, const struct flow *flow);

/* The main flows' counters of packets sent again, of requests and responses. */
uint64_t wire_resent(const struct wire *wire, const struct flow *flow, enum resend_cause cause);

/* "10.0.0.6", "2001:db8::6", "::ffff:10.0.0.6". */
void flow_address_text(
	const uint8_t *address, enum flow_family family, char *text, size_t size);

#endif
