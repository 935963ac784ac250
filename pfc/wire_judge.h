/*
 * wire_judge - what a capture says about the network, as findings.
 *
 * A loss is named with where it lies as seen from the tap: before it (the PSN is
 * absent here and the receiver asked for it), behind it (the PSN is here and the
 * receiver asked all the same), or at the tap itself (the receiver had it). What
 * a capture cannot tell is unknown, or said in a warning where other
 * connections of the same capture could be judged.
 */
#ifndef PFC_WIRE_JUDGE_H
#define PFC_WIRE_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/finding.h"
#include "pfc/wire.h"

/* What is known beside the records. */
struct wire_facts {
	const char *const *tap_names; /* borrowed; one a tap, for people */
	uint32_t taps;
	const char *damaged; /* borrowed: why a file could not be read to its end; or NULL */
	bool cut;            /* a file ends inside a record */
	uint64_t dropped;    /* packets that the capturer says it lost */
	unsigned priority;   /* the lossless one; above 7: not told */
};

/* Paused for more than this share of the time is trouble, and for more than that
 * share of a window's line rate a burst. Ours; no standard gives them. */
#define WIRE_PAUSED_LIMIT_PPB UINT64_C(100000000)

/* After wire_finish(). Adds findings of layer "wire", sorted. */
void wire_judge(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings);

/* Its parts: connections; ports; several taps; the capture itself. */
void wire_judge_flows(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings);
void wire_judge_ports(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings);
void wire_judge_taps(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings);
void wire_judge_capture(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings);

/* For people: the file's name without its folder. */
const char *wire_tap_name(const struct wire_facts *facts, uint16_t tap);

/* "QP 69 10.0.0.6 -> 10.0.0.4". */
void wire_flow_text(const struct flow *flow, char *text, size_t size);

#endif
