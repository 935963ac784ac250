/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "reports/ink.h"
#include "reports/live.h"
#include "reports/number.h"
#include "reports/verdict.h"

static void put_rate(FILE *out, const char *name, const struct live_rate *rate)
{
	char text[NUMBER_BYTES] = "-";

	if (rate->known)
		number_gbps(text, sizeof(text), rate->bps);
	fprintf(out, " %s %s", name, text);
}

static void put_share(FILE *out, const char *name, const struct live_share *share)
{
	if (share->known)
		fprintf(out, " %s %.1f%%", name, (double)share->ppb * 100 / PPB);
	else
		fprintf(out, " %s -", name);
}

static void put_counts(FILE *out, const struct live_nic *nic)
{
	static const char *const names[LIVE_WHATS] = {
		[LIVE_CE] = "CE",
		[LIVE_CNP_OUT] = "CNP-out",
		[LIVE_CNP_IN] = "CNP-in",
		[LIVE_RETRY] = "retry",
		[LIVE_DROP] = "drop",
		[LIVE_ERROR] = "err",
		[LIVE_FLAP] = "flap",
	};

	for (int what = 0; what < LIVE_WHATS; what++)
		if (nic->counts[what].known)
			fprintf(out, " %s %" PRIu64, names[what], nic->counts[what].grown);
		else
			fprintf(out, " %s -", names[what]);
}

static void put_nic(FILE *out, const struct live_nic *nic)
{
	if (nic->gone) {
		fprintf(out, " gone\n");
		return;
	}
	for (size_t i = 0; i < nic->named_count; i++)
		if (nic->named[i].count.known)
			fprintf(out, " %s %" PRIu64 " largest %" PRIu64, nic->named[i].name,
				nic->named[i].count.grown, nic->named[i].largest);
		else
			fprintf(out, " %s -", nic->named[i].name);
	if (!nic->named) {
		put_rate(out, "tx", &nic->tx);
		put_rate(out, "rx", &nic->rx);
		fprintf(out, " Gb/s");
		for (size_t i = 0; i < nic->prio_count; i++) {
			fprintf(out, " prio %d", nic->prios[i].priority);
			put_share(out, "held", &nic->prios[i].held);
			put_share(out, "holds", &nic->prios[i].holds);
		}
		put_counts(out, nic);
	}
	fputc('\n', out);
}

void live_lines(FILE *out, const struct live_view *view)
{
	double now = (double)view->elapsed_ns / NS_PER_S;
	char safe[256];

	for (size_t i = 0; i < view->nic_count; i++) {
		ink_safe(safe, sizeof(safe), view->nics[i].name);
		fprintf(out, "%.1f s %s", now, safe);
		put_nic(out, &view->nics[i]);
	}
	for (size_t i = 0; i < view->event_count; i++) {
		ink_safe(safe, sizeof(safe), view->events[i]);
		fprintf(out, "%.1f s note %s\n", now, safe);
	}
	for (size_t i = 0; i < view->alarm_count; i++) {
		const struct live_alarm *alarm = &view->alarms[i];

		if (!alarm->active || alarm->intervals > 1)
			continue;
		ink_safe(safe, sizeof(safe), alarm->nic);
		fprintf(out, "%.1f s ALARM %s %s: %s\n", now, safe, alarm->check, alarm->text);
	}
	fflush(out);
}

/* --- the end --- */

static void end_alarm(struct ink *ink, const struct live_alarm *alarm)
{
	char text[512], figure[NUMBER_BYTES];

	ink_put(ink, INK_BAD, "  %s", alarm->nic);
	ink_put(ink, INK_BOLD, "  %s  ", alarm->check);
	ink_wrap(ink, INK_PLAIN, 6, alarm->text);
	ink_end(ink);
	number_figure(figure, sizeof(figure), alarm->measured, alarm->unit);
	snprintf(text, sizeof(text),
		"worst %s, limit %.0f %s (%s); in %" PRIu64
		" intervals, from %.1f s to %.1f s; %s",
		figure, alarm->limit, alarm->unit, alarm->limit_source, alarm->intervals,
		(double)alarm->first_ns / NS_PER_S, (double)alarm->last_ns / NS_PER_S,
		alarm->advice);
	ink_to(ink, 6);
	ink_wrap(ink, INK_DIM, 6, text);
	ink_end(ink);
}

/* The kinds that a NIC lacks for the same reason as entry i: "storm, drop". Empty when an
 * earlier entry has told it. */
static void list_kinds(char *text, size_t size, const struct live_view *view, size_t i)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t j = 0; j < view->blind_count && used < size; j++) {
		const struct live_blind *other = &view->blind[j];

		if (strcmp(other->nic, view->blind[i].nic) != 0 ||
			strcmp(other->why, view->blind[i].why) != 0)
			continue;
		if (j < i) {
			text[0] = '\0';
			return;
		}
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", used ? ", " : "", other->kind);
	}
}

/* The NICs that lack just these for this reason; empty when an earlier entry told it. */
static void list_nics(
	char *text, size_t size, const struct live_view *view, size_t i, const char *kinds)
{
	size_t used = 0;
	char theirs[256];

	text[0] = '\0';
	for (size_t j = 0; j < view->blind_count && used < size; j++) {
		if (strcmp(view->blind[j].why, view->blind[i].why) != 0)
			continue;
		list_kinds(theirs, sizeof(theirs), view, j);
		if (strcmp(theirs, kinds) != 0)
			continue;
		if (j < i) {
			text[0] = '\0';
			return;
		}
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", used ? ", " : "", view->blind[j].nic);
	}
}

static void end_blind(struct ink *ink, const struct live_view *view)
{
	char kinds[256], nics[512], text[1024];

	ink_put(ink, INK_DOUBT, "could not be watched:");
	ink_end(ink);
	for (size_t i = 0; i < view->blind_count; i++) {
		list_kinds(kinds, sizeof(kinds), view, i);
		if (!kinds[0])
			continue;
		list_nics(nics, sizeof(nics), view, i, kinds);
		if (!nics[0])
			continue;
		snprintf(text, sizeof(text), "%s: %s: %s", nics, kinds, view->blind[i].why);
		ink_to(ink, 2);
		ink_wrap(ink, INK_PLAIN, 6, text);
		ink_end(ink);
	}
}

void live_end(FILE *out, const struct report_options *options, const struct live_view *view)
{
	static const struct {
		const char *word;
		enum ink_style style;
	} heads[] = {
		[VERDICT_PASS] = { "PASS", INK_GOOD },
		[VERDICT_WARN] = { "PASS", INK_GOOD },
		[VERDICT_FAIL] = { "FAIL", INK_BAD },
		[VERDICT_UNKNOWN] = { "UNKNOWN", INK_DOUBT },
	};
	struct ink ink;

	ink_init(&ink, out, options);
	ink_put(&ink, heads[view->verdict].style, "%s", heads[view->verdict].word);
	ink_put(&ink, INK_PLAIN,
		"  %zu NIC%s watched for %.1f s, %" PRIu64 " samples, %zu alarm%s",
		view->nic_count, view->nic_count == 1 ? "" : "s",
		(double)view->elapsed_ns / NS_PER_S, view->samples, view->alarm_count,
		view->alarm_count == 1 ? "" : "s");
	if (view->missed)
		ink_put(&ink, INK_DOUBT, ", %" PRIu64 " missed", view->missed);
	if (view->cpu_ns && view->elapsed_ns)
		ink_put(&ink, INK_DIM, ", %.1f %% of a core",
			(double)view->cpu_ns * 100 / (double)view->elapsed_ns);
	ink_end(&ink);
	for (size_t i = 0; i < view->alarm_count; i++)
		end_alarm(&ink, &view->alarms[i]);
	if (view->blind_count)
		end_blind(&ink, view);
}
