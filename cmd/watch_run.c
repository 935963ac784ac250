/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/watch.h"
#include "cmd/watch_record.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "lib/wholefile.h"
#include "reports/verdict.h"

#define LOOK_AGAIN_NS NS_PER_S

/* --- signals --- */

static volatile sig_atomic_t stop, resized, suspend;

static void on_signal(int number)
{
	if (number == SIGWINCH)
		resized = 1;
	else if (number == SIGTSTP)
		suspend = 1;
	else
		stop = 1;
}

/* Without SA_RESTART: the sleep between two readings ends at once. */
static void catch_signals(bool screen)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	if (!screen)
		return;
	sigaction(SIGWINCH, &action, NULL);
	sigaction(SIGTSTP, &action, NULL);
}

/* --- sampling --- */

static int record(struct watch *watch, const char *place, const char *metric, uint64_t now_ns,
	struct diag *diag)
{
	return watch->run ? watch_record_mark(watch, place, metric, now_ns, 1, diag) : 0;
}

static int look_again(
	struct watch *watch, struct watch_nic *nic, uint64_t now_ns, struct diag *diag)
{
	if (now_ns - nic->looked_ns < LOOK_AGAIN_NS)
		return 0;
	nic->looked_ns = now_ns;
	if (!sampler_again(&nic->sampler))
		return 0;
	watch_back(watch, nic, now_ns);
	return record(watch, sampler_name(&nic->sampler), RECORD_BACK, now_ns, diag);
}

static int sample_nic(struct watch *watch, struct watch_nic *nic, bool ask, struct diag *diag)
{
	uint64_t now_ns = clock_ns(), took_ns;

	sampler_read(&nic->sampler);
	if (nic->sampler.gone) {
		watch_gone(watch, nic, now_ns);
		return record(watch, sampler_name(&nic->sampler), RECORD_GONE, now_ns, diag);
	}
	if (ask) {
		sampler_ask(&nic->sampler, &watch->netlink, watch->prio_mask != 0);
		watch_lossless(watch, nic);
	}
	took_ns = clock_ns() - now_ns;
	if (took_ns > watch->longest_ns)
		watch->longest_ns = took_ns;
	watch_taken(watch, nic);
	return watch->run ? watch_record_nic(watch, nic, now_ns, diag) : 0;
}

static int sample(struct watch *watch, bool ask, struct diag *diag)
{
	int err = 0;

	for (size_t i = 0; i < watch->nic_count && !err; i++) {
		struct watch_nic *nic = &watch->nics[i];

		if (nic->sampler.gone)
			err = look_again(watch, nic, clock_ns(), diag);
		if (!nic->sampler.gone && !err)
			err = sample_nic(watch, nic, ask, diag);
	}
	watch->samples++;
	return err;
}

/* --- output --- */

struct output {
	struct live_screen screen;
	bool json;
};

static int show(struct watch *watch, struct output *output, uint64_t now_ns, struct diag *diag)
{
	struct live_view view = watch_view(watch, now_ns);
	char *text = NULL;
	size_t bytes = 0;
	FILE *metrics;
	int err = 0;

	if (output->screen.out)
		live_screen_draw(&output->screen, &view);
	else if (output->json)
		live_json_interval(stdout, &view);
	else
		live_lines(stdout, &view);
	if (!watch->args->textfile)
		return 0;
	metrics = open_memstream(&text, &bytes);
	if (!metrics)
		return diag_system(diag, -errno, "--textfile");
	live_metrics(metrics, &view);
	if (fclose(metrics) == 0)
		err = wholefile_write(watch->args->textfile, text, bytes, diag);
	free(text);
	return err;
}

/* ^Z: the shell gets its screen back, and we ours when we go on. */
static void suspend_now(struct output *output)
{
	suspend = 0;
	live_screen_end(&output->screen);
	kill(getpid(), SIGSTOP);
	live_screen_begin(&output->screen, stdout);
	resized = 1;
}

/* What stands on the screen, in another size; at first, before there is a figure. */
static void draw(struct watch *watch, struct output *output)
{
	struct live_view view;

	if (!output->screen.out)
		return;
	view = watch_view(watch, clock_ns());
	live_screen_draw(&output->screen, &view);
}

static void sleep_until(uint64_t ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static void wait_for(struct watch *watch, struct output *output, uint64_t next_ns)
{
	while (!stop && clock_ns() < next_ns) {
		sleep_until(next_ns);
		if (suspend)
			suspend_now(output);
		if (resized)
			draw(watch, output);
		resized = 0;
	}
}

/* The next time on the grid of readings; those whose time has passed are missed. */
static uint64_t next_after(struct watch *watch, uint64_t next_ns)
{
	uint64_t period_ns = NS_PER_S / watch->args->hz, now_ns = clock_ns();

	next_ns += period_ns;
	if (now_ns > next_ns) {
		uint64_t missed = (now_ns - next_ns) / period_ns + 1;

		watch->missed += missed;
		next_ns += missed * period_ns;
	}
	return next_ns;
}

static bool is_over(const struct watch *watch, uint64_t now_ns)
{
	const struct watch_args *args = watch->args;

	return stop || ferror(stdout) || (args->count && watch->intervals >= args->count) ||
	       (args->for_ns && now_ns - watch->began_ns + ALARM_BLOCK_NS > args->for_ns);
}

static int end_block(struct watch *watch, uint64_t now_ns, struct diag *diag)
{
	watch_block(watch, now_ns);
	return record(watch, RECORD_WATCH, RECORD_BLOCK, now_ns, diag);
}

static int end_interval(
	struct watch *watch, struct output *output, uint64_t now_ns, struct diag *diag)
{
	int err;

	watch_block(watch, now_ns);
	watch_interval(watch, now_ns);
	err = show(watch, output, now_ns, diag);
	if (!err)
		err = record(watch, RECORD_WATCH, RECORD_INTERVAL, now_ns, diag);
	if (!err && watch->run)
		err = watch_record_commit(watch, diag);
	watch_next(watch, now_ns);
	return err;
}

/* An interval ends at the reading next to when it should; the one after it makes up for that.
 * What was slept through is not made up for. */
static uint64_t due_after(const struct watch *watch, uint64_t due_ns, uint64_t now_ns)
{
	uint64_t interval_ns = watch->args->interval_ns;

	due_ns += interval_ns;
	return now_ns < due_ns ? due_ns : now_ns + interval_ns;
}

static int run(struct watch *watch, struct output *output, struct diag *diag)
{
	uint64_t half_ns = NS_PER_S / watch->args->hz / 2, next_ns = clock_ns(), due_ns;
	bool ask = true;
	int err;

	watch->began_ns = watch->block_ns = watch->interval_ns = next_ns;
	due_ns = next_ns + watch->args->interval_ns;
	for (;;) {
		uint64_t now_ns = clock_ns();
		bool ends = now_ns + half_ns >= due_ns;

		err = sample(watch, ask || ends, diag);
		if (ask)
			draw(watch, output);
		ask = false;
		if (ends)
			due_ns = due_after(watch, due_ns, now_ns);
		if (!err && ends)
			err = end_interval(watch, output, now_ns, diag);
		else if (!err && now_ns - watch->block_ns >= ALARM_BLOCK_NS)
			err = end_block(watch, now_ns, diag);
		if (err || is_over(watch, now_ns))
			break;
		next_ns = next_after(watch, next_ns);
		wait_for(watch, output, next_ns);
	}
	/* What an interval has that was cut off is judged as well. */
	if (!err && watch->interval_ns != watch->block_ns)
		err = end_interval(watch, output, clock_ns(), diag);
	return err;
}

static uint64_t cpu_ns(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * NS_PER_US;
}

static int end(struct watch *watch, struct output *output, bool broken)
{
	struct report_options options = { 0 };
	struct live_view view = watch_view_end(watch, watch->interval_ns);

	view.cpu_ns = cpu_ns();
	live_screen_end(&output->screen);
	report_options_for(&options, stdout);
	if (broken)
		return exit_untold(report_exit_status(view.verdict));
	if (output->json)
		live_json_end(stdout, &view);
	else
		live_end(stdout, &options, &view);
	return report_exit_status(view.verdict);
}

int watch_run(struct watch *watch, struct diag *diag)
{
	struct output output = { .json = watch->args->json };
	int err, ended = 0;

	if (!output.json)
		live_screen_begin(&output.screen, stdout);
	catch_signals(output.screen.out != NULL);
	err = run(watch, &output, diag);
	if (watch->run)
		ended = watch_record_end(watch, watch->interval_ns, err ? NULL : diag);
	err = err ? err : ended;
	watch->status = end(watch, &output, err != 0);
	return err;
}
