/* SPDX-License-Identifier: Apache-2.0 */
/* bw and lat with -a: a row for each size as soon as it has been measured, and the verdict of the
 * whole, which is that of the worst. */
#include "cmd/peer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/number.h"

static const char *const words[] = { "pass", "fail", "unknown" };

static bool starts_with(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

/* What is said of one size: faults below its row; what is to be kept in mind, once, at the end. */
static int verdict_of(FILE *out, const struct peer_view *view, bool notes)
{
	char *text = NULL, *rest;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	int status;

	if (!memory)
		return EXIT_UNKNOWN;
	status = peer_verdict(memory, view);
	if (fclose(memory)) {
		free(text);
		return EXIT_UNKNOWN;
	}
	rest = text;
	for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
		if (*line && !starts_with(line, "pass: ") &&
			starts_with(line, "note: ") == notes)
			fprintf(out, "%s%s\n", notes ? "" : "  ", line);
	free(text);
	return status;
}

static void show_heading(FILE *out, const struct peer_view *view)
{
	peer_show_head(out, view);
	if (view->args->latency)
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
	if (!view->args->latency)
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
	status = verdict_of(json ? stderr : stdout, view, false);
	if (json)
		add_json(all, view, status);
	else
		fflush(stdout);
	all->count++;
	all->failed += status == EXIT_FAIL;
	all->unknown += status == EXIT_UNKNOWN;
}

void peer_all_drop(struct peer_all *all)
{
	json_free(all->root);
	all->root = all->tests = NULL;
}

int peer_all_end(struct peer_all *all, const struct peer_view *view)
{
	FILE *out = view->args->json ? stderr : stdout;

	if (all->root && json_write(stdout, all->root))
		all->unknown = all->count;
	peer_all_drop(all);
	verdict_of(out, view, true);
	if (all->failed)
		fprintf(out, "fail: %u of %u sizes failed, see above\n", all->failed,
			all->count);
	else if (all->unknown)
		fprintf(out, "unknown: so are %u of %u sizes, see above\n", all->unknown,
			all->count);
	else
		fprintf(out, "pass: all %u sizes\n", all->count);
	return all->failed ? EXIT_FAIL : all->unknown ? EXIT_UNKNOWN : EXIT_PASS;
}
