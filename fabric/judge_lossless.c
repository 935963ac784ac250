/* SPDX-License-Identifier: Apache-2.0 */

/*
 * lossless: the truth table of incast in one window (offered, delivered, resent,
 * drops, pause, marks, notifications), for Not-ECT and ECT apart:
 *   Not-ECT: PFC acts; no CE and no CNP, since nothing may be marked;
 *   ECT:     CE and CNP act, before PFC does.
 * Source: SONiC RoCEv2 test plan, cases 2 and 3. Loss is judged in lossless.loss.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/stages.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* All stages of one kind and one N. */
struct row {
	enum lossless_kind kind;
	uint32_t variant;
	struct tally tally;
	uint64_t window_ns;
	bool settled;
	struct seen seen;
};

struct rows {
	struct row *items;
	size_t count, room;
	uint64_t not_ect_ce;
	uint64_t not_ect_cnps;
	struct seen wrong;
	struct votes votes;
};

static void *begin(const struct judging *judging)
{
	struct rows *rows = zeroed(1, sizeof(*rows));

	votes_begin(&rows->votes, judging->fabric);
	return rows;
}

static bool is_table_kind(uint64_t kind)
{
	return kind == LOSSLESS_NOT_ECT || kind == LOSSLESS_ECT ||
	       kind == LOSSLESS_LOCAL_NOT_ECT || kind == LOSSLESS_LOCAL_ECT ||
	       kind == LOSSLESS_LEAF_WIDE;
}

static struct row *row_of(struct rows *rows, const struct run_stage *stage)
{
	struct row *row;

	for (size_t i = 0; i < rows->count; i++)
		if (rows->items[i].kind == stage->subject &&
			rows->items[i].variant == stage->variant)
			return &rows->items[i];
	rows->items = grow(rows->items, rows->count, &rows->room, sizeof(*rows->items));
	row = &rows->items[rows->count++];
	*row = (struct row){ .kind = (enum lossless_kind)stage->subject,
		.variant = stage->variant,
		.settled = true };
	return row;
}

/* A mark or a notification on a flow that may not be marked. */
static void look_at_not_ect(struct rows *rows, const struct evidence *evidence)
{
	uint64_t before = rows->not_ect_ce + rows->not_ect_cnps;

	for (size_t i = 0; i < evidence->flow_count; i++) {
		const struct run_flow *flow = &evidence->flows[i];

		if (!flow->not_ect)
			continue;
		rows->not_ect_ce += flow->ce_packets;
		rows->not_ect_cnps += flow->cnps_sent;
		votes_add(&rows->votes, evidence, i, flow->ce_packets || flow->cnps_sent);
	}
	if (rows->not_ect_ce + rows->not_ect_cnps > before)
		seen_add(&rows->wrong, &evidence->stage);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct rows *rows = state;
	struct row *row;

	(void)judging;
	if (evidence->stage.layer != LAYER_LOSSLESS)
		return;
	look_at_not_ect(rows, evidence);
	if (!is_table_kind(evidence->stage.subject))
		return;
	row = row_of(rows, &evidence->stage);
	tally_add(&row->tally, evidence);
	seen_add(&row->seen, &evidence->stage);
	row->window_ns += evidence->stage.t1_ns - evidence->stage.t0_ns;
	row->settled &= stage_met_deadline(&evidence->stage);
}

static const char *kind_text(enum lossless_kind kind)
{
	switch (kind) {
	case LOSSLESS_NOT_ECT:
		return "across leaves, Not-ECT";
	case LOSSLESS_ECT:
		return "across leaves, ECT";
	case LOSSLESS_LOCAL_NOT_ECT:
		return "inside a leaf, Not-ECT";
	case LOSSLESS_LOCAL_ECT:
		return "inside a leaf, ECT";
	case LOSSLESS_LEAF_WIDE:
		return "leaf to leaf, ECT";
	case LOSSLESS_ALONE:
	case LOSSLESS_MIXED:
		break;
	}
	return "";
}

static bool wants_pause(enum lossless_kind kind)
{
	return kind == LOSSLESS_NOT_ECT || kind == LOSSLESS_LOCAL_NOT_ECT;
}

/* Without switches that tell: what was delivered. judge_scope says what was not seen. */
static void tell_row_live(struct judging *judging, const struct row *row)
{
	const struct tally *tally = &row->tally;
	struct finding *finding = judging_say(judging, "lossless.table", "lossless",
		row->settled ? VERDICT_PASS : VERDICT_UNKNOWN, &row->seen);

	finding_text(finding,
		"%u:1 %s: %.1f of %.1f MiB delivered, %" PRIu64
		" gaps, NAKs and retries counted by NICs; pause and marks were not read",
		row->variant, kind_text(row->kind),
		(double)tally->delivered_bytes / (double)MIB,
		(double)tally->planned_bytes / (double)MIB, tally->nic_loss);
}

static void tell_row(struct judging *judging, const struct row *row)
{
	const struct tally *tally = &row->tally;
	uint64_t acted = wants_pause(row->kind) ? tally->xoff : tally->ce;
	bool read = wants_pause(row->kind) ? tally->has_pause : tally->has_marks;
	bool known = row->settled && read &&
		     (acted || !judging->fabric->policy.ecn || !judging->fabric->policy.pfc);
	struct finding *finding;

	if (judging_is_live(judging) && !tally->has_pause && !tally->has_marks) {
		tell_row_live(judging, row);
		return;
	}
	finding = judging_say(judging, "lossless.table", "lossless",
		known ? VERDICT_PASS : VERDICT_UNKNOWN, &row->seen);

	finding_text(finding,
		"%u:1 %s: %.1f of %.1f MiB delivered, %" PRIu64 " of %" PRIu64
		" packets resent, %" PRIu64 " dropped, %" PRIu64 " XOFF, %" PRIu64
		" CE, %" PRIu64 " CNP",
		row->variant, kind_text(row->kind),
		(double)tally->delivered_bytes / (double)MIB,
		(double)tally->planned_bytes / (double)MIB, tally->resent, tally->sent,
		tally_drops(tally), tally->xoff, tally->ce, tally->cnps_sent);
	if (known)
		return;
	finding_advice(finding, "%s",
		!read ? "read the pause and marking counters of the switches in this window"
		      : "offer more, or more senders: nothing here made the switches act");
}

static void tell_not_ect(struct judging *judging, struct rows *rows)
{
	struct finding *finding = judging_say(
		judging, "lossless.not-ect", "lossless", VERDICT_FAIL, &rows->wrong);

	finding->weight = rows->not_ect_ce + rows->not_ect_cnps;
	finding_text(finding,
		"%" PRIu64 " packets sent as Not-ECT arrived with CE, and %" PRIu64
		" CNPs were sent for them",
		rows->not_ect_ce, rows->not_ect_cnps);
	finding_limit(finding, (double)rows->not_ect_ce, 0, "packets",
		"RFC 3168: a Not-ECT packet is never marked");
	finding_advice(
		finding, "look for a remark of the whole ToS byte on the way of these flows");
	judging_complain(judging, &rows->votes, &rows->wrong);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct rows *rows = state;

	for (size_t i = 0; speak && i < rows->count; i++)
		tell_row(judging, &rows->items[i]);
	if (speak && rows->wrong.stages)
		tell_not_ect(judging, rows);
	votes_free(&rows->votes);
	free(rows->items);
	free(rows);
}

const struct judge judge_lossless = { begin, stage, end };
