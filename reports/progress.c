/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/units.h"
#include "reports/ink.h"

#define REDRAW_NS (100 * NS_PER_MS)
/* Before this the rate is guesswork, and so would be the time left. */
#define GUESS_AFTER_NS (2 * NS_PER_S)

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static double share_done(const struct progress_at *at)
{
	double share = 0;

	if (at->all)
		share = (double)at->done / (double)at->all;
	else if (at->count && at->index)
		share = (double)(at->index - 1) / (double)at->count;
	return share > 1 ? 1 : share;
}

static void time_left(char *text, size_t size, double share, uint64_t elapsed_ns)
{
	uint64_t left_s;

	text[0] = '\0';
	if (elapsed_ns < GUESS_AFTER_NS || share < 0.02)
		return;
	left_s = (uint64_t)((double)elapsed_ns / NS_PER_S * (1 - share) / share + 0.5);
	if (left_s < 120)
		snprintf(text, size, ", about %" PRIu64 " s left", left_s);
	else
		snprintf(text, size, ", about %" PRIu64 " min left", (left_s + 30) / 60);
}

void progress_line(char *text, size_t size, unsigned width, const struct progress_at *at,
	uint64_t elapsed_ns)
{
	double share = share_done(at);
	char line[256], safe[256], left[64];

	time_left(left, sizeof(left), share, elapsed_ns);
	snprintf(line, sizeof(line), "%3.0f %%  stage %" PRIu32 " of %" PRIu32 "%s  %s: %s",
		share * 100, at->index, at->count, left, at->layer, at->stage);
	ink_safe(safe, sizeof(safe), line);
	/* Cut at whole characters until it fits; one call a tenth of a second. */
	while (ink_columns(safe) > width) {
		size_t end = strlen(safe) - 1;

		while (end && ((unsigned char)safe[end] & 0xc0) == 0x80)
			end--;
		safe[end] = '\0';
	}
	snprintf(text, size, "%s", safe);
}

void progress_begin(struct progress *progress, FILE *out)
{
	const char *term = getenv("TERM");
	struct report_options options = { 0 };
	int fd = fileno(out);

	*progress = (struct progress)PROGRESS_INIT;
	if (fd < 0 || !isatty(fd) || !term || strcmp(term, "dumb") == 0)
		return;
	report_options_for(&options, out);
	progress->out = out;
	progress->width = options.width;
	progress->began_ns = now_ns();
}

void progress_show(struct progress *progress, const struct progress_at *at)
{
	char line[512];
	uint64_t now;

	if (!progress->out)
		return;
	now = now_ns();
	if (progress->shown_ns && now - progress->shown_ns < REDRAW_NS)
		return;
	progress->shown_ns = now;
	/* The last column stays free: writing it makes some terminals wrap. */
	progress_line(line, sizeof(line), progress->width - 1, at, now - progress->began_ns);
	fprintf(progress->out, "\r%s\033[K", line);
	fflush(progress->out);
}

void progress_end(struct progress *progress)
{
	if (progress->out && progress->shown_ns) {
		fputs("\r\033[K", progress->out);
		fflush(progress->out);
	}
	progress->out = NULL;
}
