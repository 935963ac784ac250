/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/units.h"
#include "reports/number.h"
#include "reports/table.h"

static const struct table_column columns[] = {
	{ "NIC", true, 0 },
	{ "prio", false, 0 },
	{ "tx Gb/s", false, 0 },
	{ "rx Gb/s", false, 0 },
	{ "held", false, 0 },
	{ "holds", false, 0 },
	{ "CE/s", false, 5 },
	{ "CNP/s out", false, 4 }, /* each may have gone alone */
	{ "CNP/s in", false, 4 },
	{ "retry/s", false, 0 },
	{ "drop", false, 0 },
	{ "err", false, 0 },
	{ "flap", false, 0 },
};

static const struct table_column named_columns[] = {
	{ "NIC", true, 0 },
	{ "counter", true, 0 },
	{ "/s", false, 0 },
	{ "largest step", false, 4 },
	{ "total", false, 0 },
};

static void share_cell(struct table *table, const struct live_share *share)
{
	double percent = (double)share->ppb * 100 / PPB;

	if (!share->known)
		table_cell(table, INK_DIM, "-");
	else
		table_cell(table, share->ppb ? INK_DOUBT : INK_PLAIN, "%.*f %%",
			percent < 10 ? 1 : 0, percent);
}

static void rate_cell(struct table *table, const struct live_rate *rate)
{
	char text[NUMBER_BYTES];

	if (!rate->known) {
		table_cell(table, INK_DIM, "-");
		return;
	}
	number_gbps(text, sizeof(text), rate->bps);
	table_cell(table, INK_PLAIN, "%s", text);
}

static uint64_t per_s(uint64_t grown, uint64_t span_ns)
{
	return span_ns ? (uint64_t)((double)grown * NS_PER_S / (double)span_ns + 0.5) : 0;
}

static void number_cell(struct table *table, bool known, uint64_t number, enum ink_style style)
{
	char text[NUMBER_BYTES];

	if (!known) {
		table_cell(table, INK_DIM, "-");
		return;
	}
	number_count(text, sizeof(text), number);
	table_cell(table, number ? style : INK_PLAIN, "%s", text);
}

static void counts_cells(
	struct table *table, const struct live_nic *nic, const struct live_view *view)
{
	for (int what = LIVE_CE; what <= LIVE_RETRY; what++)
		number_cell(table, nic->counts[what].known,
			per_s(nic->counts[what].grown, view->span_ns),
			what == LIVE_RETRY ? INK_BAD : INK_PLAIN);
	for (int what = LIVE_DROP; what < LIVE_WHATS; what++)
		number_cell(
			table, nic->counts[what].total_known, nic->counts[what].total, INK_BAD);
}

/* The first lossless priority stands in the NIC's own row, each other one below it. */
static void prio_cells(struct table *table, const struct live_nic *nic, size_t index)
{
	static const struct live_share unknown;
	const struct live_prio *prio = index < nic->prio_count ? &nic->prios[index] : NULL;

	if (prio)
		table_cell(table, INK_PLAIN, "%d", prio->priority);
	else
		table_cell(table, INK_DIM, "-");
	if (index == 0) {
		rate_cell(table, &nic->tx);
		rate_cell(table, &nic->rx);
	} else {
		table_cell(table, INK_PLAIN, "%s", "");
		table_cell(table, INK_PLAIN, "%s", "");
	}
	share_cell(table, prio ? &prio->held : &unknown);
	share_cell(table, prio ? &prio->holds : &unknown);
}

static void nic_rows(
	struct table *table, const struct live_nic *nic, const struct live_view *view)
{
	table_cell(table, nic->gone ? INK_BAD : INK_BOLD, "%s%s", nic->name,
		nic->gone ? " (gone)" : "");
	prio_cells(table, nic, 0);
	counts_cells(table, nic, view);
	for (size_t i = 1; i < nic->prio_count; i++) {
		table_cell(table, INK_PLAIN, "%s", "");
		prio_cells(table, nic, i);
		for (int what = LIVE_CE; what < LIVE_WHATS; what++)
			if (what == LIVE_DROP)
				number_cell(table, nic->prios[i].drops.total_known,
					nic->prios[i].drops.total, INK_BAD);
			else
				table_cell(table, INK_PLAIN, "%s", "");
	}
}

static void draw_nics(struct ink *ink, const struct live_view *view, size_t count)
{
	struct table table;

	table_init(&table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < count; i++)
		nic_rows(&table, &view->nics[i], view);
	table_print(&table, ink);
}

static void named_rows(
	struct table *table, const struct live_nic *nic, const struct live_view *view)
{
	for (size_t i = 0; i < nic->named_count; i++) {
		const struct live_named *named = &nic->named[i];

		table_cell(table, INK_BOLD, "%s", i ? "" : nic->name);
		table_cell(table, INK_PLAIN, "%s", named->name);
		number_cell(table, named->count.known, per_s(named->count.grown, view->span_ns),
			INK_PLAIN);
		number_cell(table, named->count.known, named->largest, INK_PLAIN);
		number_cell(table, named->count.total_known, named->count.total, INK_PLAIN);
	}
}

static void draw_named(struct ink *ink, const struct live_view *view, size_t count)
{
	struct table table;

	table_init(&table, named_columns, COUNT_OF(named_columns));
	for (size_t i = 0; i < count; i++)
		named_rows(&table, &view->nics[i], view);
	table_print(&table, ink);
}

static bool is_named(const struct live_view *view)
{
	for (size_t i = 0; i < view->nic_count; i++)
		if (view->nics[i].named)
			return true;
	return false;
}

static void draw_head(struct ink *ink, const struct live_view *view)
{
	char text[NUMBER_BYTES];
	size_t active = 0;

	for (size_t i = 0; i < view->alarm_count; i++)
		active += view->alarms[i].active;
	number_time(text, sizeof(text), view->elapsed_ns);
	ink_put(ink, INK_BOLD, "weft watch");
	ink_put(ink, INK_PLAIN, "  %s  %" PRIu64 " samples a second", text, view->hz);
	if (view->missed)
		ink_put(ink, INK_DOUBT, "  %" PRIu64 " missed", view->missed);
	if (active)
		ink_put(ink, INK_BAD, "  %zu alarm%s now, %zu in all", active,
			active == 1 ? "" : "s", view->alarm_count);
	else if (view->alarm_count)
		ink_put(ink, INK_DOUBT, "  no alarm now, %zu before", view->alarm_count);
	else
		ink_put(ink, INK_GOOD, "  no alarm");
	ink_end(ink);
}

#define WRAPPED 6u /* columns before what an alarm's or a note's next lines say */

static void draw_alarm(struct ink *ink, const struct live_alarm *alarm, bool wraps)
{
	char text[NUMBER_BYTES], words[sizeof(alarm->text) + 64];

	number_time(text, sizeof(text), alarm->active ? alarm->first_ns : alarm->last_ns);
	ink_put(ink, alarm->active ? INK_BAD : INK_DIM, "  %s %s",
		alarm->active ? "since" : "until", text);
	ink_put(ink, INK_BOLD, "  %s", alarm->nic);
	snprintf(words, sizeof(words), "%s: %s", alarm->check, alarm->text);
	ink_put(ink, INK_PLAIN, "  ");
	if (wraps)
		ink_wrap(ink, INK_PLAIN, WRAPPED, words);
	else
		ink_put(ink, INK_PLAIN, "%s", words);
	ink_end(ink);
}

/* On as many lines as it takes, if all that come after it keep one each. Returns how many. */
static unsigned put_alarm(
	struct ink *ink, const struct live_alarm *alarm, unsigned room, size_t after)
{
	unsigned lines = 0;
	char *drawn = NULL;
	size_t bytes = 0;
	struct ink trial = *ink;

	trial.out = open_memstream(&drawn, &bytes);
	if (trial.out) {
		draw_alarm(&trial, alarm, true);
		fclose(trial.out);
	}
	for (size_t i = 0; i < bytes; i++)
		lines += drawn[i] == '\n';
	if (lines && lines + after <= room) {
		fputs(drawn, ink->out);
	} else {
		draw_alarm(ink, alarm, false);
		lines = 1;
	}
	free(drawn);
	return lines;
}

/* Those that go on first; as many as there is room for. */
static unsigned draw_alarms(
	struct ink *ink, const struct live_view *view, unsigned room, size_t wanted)
{
	unsigned drawn = 0;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = view->alarm_count; i-- > 0 && drawn < room;)
			if (view->alarms[i].active == (pass == 0))
				drawn += put_alarm(
					ink, &view->alarms[i], room - drawn, --wanted);
	return drawn;
}

static unsigned draw_notes(struct ink *ink, const struct live_view *view, unsigned room)
{
	unsigned drawn = 0;

	for (size_t i = 0; i < view->nic_count && drawn < room; i++) {
		if (!view->nics[i].note[0])
			continue;
		ink_put(ink, INK_DOUBT, "  %s: %s", view->nics[i].name, view->nics[i].note);
		ink_end(ink);
		drawn++;
	}
	for (size_t i = 0; i < view->event_count && drawn < room; i++) {
		ink_put(ink, INK_DOUBT, "  %s", view->events[i]);
		ink_end(ink);
		drawn++;
	}
	return drawn;
}

/* How many NICs fit into so many rows, titles included; *used: the rows that they take. */
static size_t nics_that_fit(
	const struct live_view *view, bool named, unsigned room, unsigned *used)
{
	size_t count = 0;

	*used = 1;
	for (; count < view->nic_count; count++) {
		const struct live_nic *nic = &view->nics[count];
		size_t rows = named ? nic->named_count : nic->prio_count;

		rows += !rows && !named;
		if (*used + rows > room)
			break;
		*used += (unsigned)rows;
	}
	return count;
}

/* What goes on below the table keeps at least a third of the screen, if it needs it. */
static size_t wanted_below(const struct live_view *view)
{
	size_t wanted = view->alarm_count + view->event_count;

	for (size_t i = 0; i < view->nic_count; i++)
		wanted += view->nics[i].note[0] != '\0';
	return wanted;
}

void live_draw(FILE *out, const struct report_options *options, unsigned height,
	const struct live_view *view)
{
	const unsigned around = 4; /* head, NICs left out or an empty line, legend, one spare */
	size_t wanted = wanted_below(view);
	unsigned below = wanted > height / 3 ? height / 3 : (unsigned)wanted, used, room;
	bool named = is_named(view);
	size_t count = nics_that_fit(
		view, named, height > around + below ? height - around - below : 1, &used);
	struct ink ink;

	ink_init(&ink, out, options);
	draw_head(&ink, view);
	if (named)
		draw_named(&ink, view, count);
	else
		draw_nics(&ink, view, count);
	if (count < view->nic_count)
		ink_put(&ink, INK_DIM, "  and %zu NICs more", view->nic_count - count);
	ink_end(&ink);
	room = height > used + around ? height - used - around : 0;
	room -= draw_alarms(&ink, view, room, wanted);
	draw_notes(&ink, view, room);
	ink_put(&ink, INK_DIM,
		named ? "  largest step: between two readings; ^C ends"
		      : "  held: time the network stopped this NIC by PFC; holds: it stopped "
			"the network");
}
