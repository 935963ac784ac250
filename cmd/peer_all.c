/* SPDX-License-Identifier: Apache-2.0 */
/* bw and lat with -a: a row for each size as soon as it has been measured, and the verdict of the
 * whole, which is that of the worst. */
#include "cmd/peer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/number.h"

static const char *const words[] = { "pass", "fail", "unknown" };

static bool starts_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

/* --- what is to be kept in mind: once, at the end --- */

/* The words of both, whatever their figures. */
static bool are_alike(const char *a, const char *b)
{
	static const char figures[] = "0123456789.+-e";

	for (;; a++, b++) {
		a += strspn(a, figures);
		b += strspn(b, figures);
		if (*a != *b || !*a)
			return *a == *b;
	}
}

static void keep_note(struct peer_all *all, const char *text, uint64_t bytes)
{
	struct peer_note *note = all->notes, *end = note + all->note_count;

	while (note < end && !are_alike(note->text, text))
		note++;
	if (note < end) {
		note->sizes++;
		note->varies |= strcmp(note->text, text) != 0;
		return;
	}
	all->notes = grow(all->notes, all->note_count, &all->note_room, sizeof(*all->notes));
	all->notes[all->note_count++] = (struct peer_note){
		.text = strdup(text),
		.sizes = 1,
		.bytes = bytes,
	};
	if (!all->notes[all->note_count - 1].text)
		out_of_memory();
}

static void show_notes(FILE *out, const struct peer_all *all)
{
	char size[NUMBER_BYTES];

	for (size_t i = 0; i < all->note_count; i++) {
		const struct peer_note *note = &all->notes[i];

		number_bytes(size, sizeof(size), note->bytes);
		fprintf(out, "%s", note->text);
		if (note->varies || note->sizes < all->count)
			fprintf(out, " (at %s; likewise at %u of %u sizes)", size, note->sizes,
				all->count);
		fprintf(out, "\n");
	}
}

/* --- a size --- */

/* Faults stand below its row, with the counters that they speak of. */
static void tell_faults(
	struct peer_all *all, FILE *out, const struct peer_view *view, char *text)
{
	bool any = false;

	for (char *line = strsep(&text, "\n"); line; line = strsep(&text, "\n")) {
		if (starts_with(line, "note: ")) {
			keep_note(all, line, view->gen->plan.bytes);
		} else if (*line && !starts_with(line, "pass: ")) {
			if (!any)
				peer_show_counters(out, "  ", view);
			any = true;
			fprintf(out, "  %s\n", line);
		}
	}
}

static int verdict_of(struct peer_all *all, FILE *out, const struct peer_view *view)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	int status;

	if (!memory)
		return EXIT_UNKNOWN;
	status = peer_verdict(memory, view);
	if (fclose(memory))
		status = EXIT_UNKNOWN;
	else
		tell_faults(all, out, view, text);
	free(text);
	return status;
}

static void show_heading(FILE *out, const struct peer_view *view)
{
	peer_show_head(out, view);
	if (view->gen->plan.latency)
		fprintf(out, "\n%9s %12s %10s %10s %10s %10s %10s\n", "size", "messages",
			"least us", "p50", "p99", "p99.9", "most");
	else
		fprintf(out, "\n%9s %14s %10s %14s\n", "size", "messages", "Gb/s",
			"messages/s");
}

static double us(uint64_t ns)
{
	return (double)ns / (double)NS_PER_US;
}

static void show_row(FILE *out, const struct peer_view *view)
{
	const struct gen *gen = view->gen;
	const struct histogram *times = gen->times;
	uint64_t bps = peer_total_bps(view);
	char size[NUMBER_BYTES];

	number_bytes(size, sizeof(size), gen->plan.bytes);
	if (!view->gen->plan.latency)
		fprintf(out, "%9s %14" PRIu64 " %10.3f %14.0f", size,
			view->here.messages + view->there.messages, (double)bps / 1e9,
			(double)bps / 8 / (double)gen->plan.bytes);
	else if (times && times->count)
		fprintf(out, "%9s %12" PRIu64 " %10.2f %10.2f %10.2f %10.2f %10.2f", size,
			times->count, us(times->least), us(histogram_quantile(times, PPB / 2)),
			us(histogram_quantile(times, PPB / 100 * 99)),
			us(histogram_quantile(times, PPB / 1000 * 999)), us(times->most));
	else
		fprintf(out, "%9s %12s", size, "answered");
}

static void add_json(struct peer_all *all, const struct peer_view *view, int status)
{
	struct json *test;

	if (!all->root) {
		all->root = peer_document(view);
		all->tests = json_put_array(all->root, "sizes");
	}
	test = json_add_object(all->tests);
	peer_put_test(test, view);
	json_put_text(test, "verdict", words[status]);
}

void peer_all_add(struct peer_all *all, const struct peer_view *view)
{
	bool json = view->args->json;
	char size[NUMBER_BYTES];
	int status;

	if (!json && !all->count)
		show_heading(stdout, view);
	if (!json)
		show_row(stdout, view);
	if (json) {
		number_bytes(size, sizeof(size), view->gen->plan.bytes);
		fprintf(stderr, "%s\n", size);
	} else {
		fprintf(stdout, "\n");
	}
	status = verdict_of(all, json ? stderr : stdout, view);
	if (json)
		add_json(all, view, status);
	else
		fflush(stdout);
	all->count++;
	all->failed += status == EXIT_FAIL;
	all->unknown += status == EXIT_UNKNOWN;
	all->untold += !peer_tells_loss(view);
}

void peer_all_drop(struct peer_all *all)
{
	json_free(all->root);
	for (size_t i = 0; i < all->note_count; i++)
		free(all->notes[i].text);
	free(all->notes);
	*all = (struct peer_all){ .count = all->count };
}

/* --- the whole --- */

static void show_rest(FILE *out, struct peer_all *all)
{
	if (all->root && json_write(stdout, all->root))
		all->unknown = all->count;
	show_notes(out, all);
}

int peer_all_end(struct peer_all *all, const struct peer_view *view)
{
	FILE *out = view->args->json ? stderr : stdout;

	show_rest(out, all);
	if (all->failed) {
		fprintf(out, "fail: %u of %u sizes failed, see above\n", all->failed,
			all->count);
		return EXIT_FAIL;
	}
	if (all->unknown) {
		fprintf(out, "unknown: so are %u of %u sizes, see above\n", all->unknown,
			all->count);
		return EXIT_UNKNOWN;
	}
	fprintf(out, "pass: all %u sizes", all->count);
	if (all->untold)
		fprintf(out, "; whether packets were sent again is not known");
	if (all->untold && all->untold < all->count)
		fprintf(out, " of %u", all->untold);
	fprintf(out, "\n");
	return EXIT_PASS;
}

int peer_all_break(
	struct peer_all *all, const struct peer_view *view, int status, const char *why)
{
	FILE *out = view->args->json ? stderr : stdout;

	if (all->root)
		json_put_text(all->root, "broke", why);
	show_rest(out, all);
	if (all->failed)
		fprintf(out, "fail: %u of %u sizes failed, see above; then it broke down\n",
			all->failed, all->count);
	else
		fprintf(out, "%s: it broke down after %u size%s\n", words[status], all->count,
			all->count == 1 ? "" : "s");
	return all->failed ? EXIT_FAIL : status;
}
