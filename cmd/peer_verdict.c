/* SPDX-License-Identifier: Apache-2.0 */
/* Whether bw or lat between two hosts did what was asked for. */
#include "cmd/peer.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/units.h"

#define TAIL_MESSAGES 10000u

/* --- rates --- */

static uint64_t sent_bps(const struct gen_side *side)
{
	if (!side->window_ns)
		return 0;
	return (uint64_t)((double)side->bytes * 8 * (double)NS_PER_S / (double)side->window_ns);
}

uint64_t peer_rate_bps(
	const struct peer_view *view, const struct gen_side *from, const struct gen_side *to)
{
	uint64_t bps = sent_bps(from);

	if (!view->gen->plan.datagrams || !from->messages_all)
		return bps;
	return (uint64_t)((double)bps * (double)to->received / (double)from->messages_all);
}

uint64_t peer_total_bps(const struct peer_view *view)
{
	return peer_rate_bps(view, &view->here, &view->there) +
	       peer_rate_bps(view, &view->there, &view->here);
}

const struct gen_side *peer_sender(const struct peer_view *view)
{
	return view->gen->active ? &view->here : &view->there;
}

/* --- losses --- */

static uint64_t sum_of(const struct gen_side *side, bool (*is)(const char *name))
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < side->grown.count; i++)
		if (is(side->grown.items[i].name))
			sum += side->grown.items[i].value;
	return sum;
}

static int judge_losses(FILE *out, const struct peer_view *view)
{
	const struct gen_side *sides[] = { &view->here, &view->there };
	uint64_t late = sum_of(&view->here, hwcounters_is_not_ready) +
			sum_of(&view->there, hwcounters_is_not_ready);
	const char *word = view->args->lossy ? "warn" : late ? "unknown" : "fail";
	uint64_t all = 0;

	for (size_t i = 0; i < COUNT_OF(sides); i++) {
		uint64_t lost = sum_of(sides[i], hwcounters_is_loss);

		if (lost)
			fprintf(out,
				"%s: %s counts %" PRIu64
				" packets lost, late or sent again: see its "
				"counters above\n",
				word, sides[i]->device, lost);
		all += lost;
	}
	if (all && late)
		fprintf(out,
			"%s: the receiver was not ready %" PRIu64 " times, which alone puts "
			"packets out of sequence: choose --op write, or a larger -s\n",
			word, late);
	if (!all || view->args->lossy)
		return EXIT_PASS;
	return late ? EXIT_UNKNOWN : EXIT_FAIL;
}

/* Unknown is less than a failure that was seen. */
static int worse(int a, int b)
{
	if (a == EXIT_FAIL || b == EXIT_FAIL)
		return EXIT_FAIL;
	return a == EXIT_PASS ? b : a;
}

/* --- datagrams: what did not arrive, and whose fault it can be --- */

static uint64_t lost(const struct gen_side *from, const struct gen_side *to)
{
	return from->messages_all > to->received ? from->messages_all - to->received : 0;
}

static int judge_direction(FILE *out, const struct peer_view *view, const struct gen_side *from,
	const struct gen_side *to)
{
	bool lossy = view->args->lossy;

	if (!lost(from, to))
		return EXIT_PASS;
	fprintf(out,
		"%s: %" PRIu64 " of %" PRIu64 " datagrams from %s did not arrive at %s%s\n",
		lossy     ? "warn"
		: to->dry ? "unknown"
			  : "fail",
		lost(from, to), from->messages_all, from->device, to->device,
		to->dry ? ", which may have had no receive posted: choose --rate or a smaller "
			  "-t"
			: ", which had receives posted all the time");
	return lossy ? EXIT_PASS : to->dry ? EXIT_UNKNOWN : EXIT_FAIL;
}

static int judge_datagrams(FILE *out, const struct peer_view *view)
{
	const struct gen_side *from = peer_sender(view);
	const struct gen_side *to = from == &view->here ? &view->there : &view->here;

	if (!view->gen->plan.datagrams || view->gen->plan.latency)
		return EXIT_PASS;
	return worse(judge_direction(out, view, from, to),
		view->gen->plan.both ? judge_direction(out, view, to, from) : EXIT_PASS);
}

/* --- what is to be kept in mind --- */

static void hints(FILE *out, const struct peer_view *view)
{
	const struct gen_plan *plan = &view->gen->plan;
	const struct gen_side *from = peer_sender(view);

	if (strcmp(view->here.address, view->there.address) == 0)
		fprintf(out, "note: both ends are %s: no network was crossed\n",
			view->here.address);
	if (!plan->latency && plan->messages && from->window_ns < NS_PER_S)
		fprintf(out,
			"note: %.3g ms are too short for congestion control to settle: "
			"choose -D instead of -n\n",
			(double)from->window_ns / (double)NS_PER_MS);
	if (plan->latency && from->messages < TAIL_MESSAGES)
		fprintf(out,
			"note: a p99.9 needs %u messages or more, these were %" PRIu64 "\n",
			TAIL_MESSAGES, from->messages);
}

/* --- what there is to judge by --- */

/* With both ways, each of them. */
static bool was_counted(const struct peer_view *view)
{
	const struct gen_side *here = &view->here, *there = &view->there;

	return view->gen->plan.both ? here->messages && there->messages
				    : peer_sender(view)->messages != 0;
}

/* The end that connects tells the other one what it sent before it looks at its own writes. */
static bool was_checked(const struct peer_view *view)
{
	const struct gen_side *here = &view->here, *there = &view->there;

	if (!view->gen->plan.both)
		return here->checked || there->checked;
	return here->checked && (there->checked || !view->gen->active);
}

/* --- the verdict --- */

int peer_verdict(FILE *out, const struct peer_view *view)
{
	const struct gen_plan *plan = &view->gen->plan;
	uint64_t corrupt = view->here.corrupt + view->there.corrupt;
	uint64_t least = view->args->least_bps;
	int status = worse(judge_losses(out, view), judge_datagrams(out, view));

	hints(out, view);
	if (corrupt) {
		fprintf(out, "fail: the payload of %" PRIu64 " messages is not what was sent",
			corrupt);
		if (view->here.corrupt)
			fprintf(out, "; here first on QP %u, slot %u",
				view->gen->result.corrupt_qp, view->gen->result.corrupt_slot);
		fprintf(out, "\n");
		status = EXIT_FAIL;
	}
	if (!plan->latency && peer_total_bps(view) < least) {
		fprintf(out, "fail: %.3f Gb/s is less than the %.3f Gb/s asked for\n",
			(double)peer_total_bps(view) / 1e9, (double)least / 1e9);
		status = EXIT_FAIL;
	}
	if (status != EXIT_PASS)
		return status;
	if (!was_counted(view) || (plan->check && !was_checked(view))) {
		fprintf(out, "unknown: nothing was %s%s\n",
			was_counted(view) ? "checked" : "counted",
			plan->both ? ", one way or both" : "");
		return EXIT_UNKNOWN;
	}
	if (plan->datagrams)
		fprintf(out, "pass: %s\n",
			lost(&view->here, &view->there) + lost(&view->there, &view->here)
				? "what was asked for; not all datagrams arrived, see above"
				: "every datagram arrived");
	else if (view->here.tells_loss && view->there.tells_loss)
		fprintf(out, "pass: every message arrived%s\n",
			view->args->lossy ? "" : ", and no packet was sent again");
	else
		fprintf(out, "pass: every message arrived; whether packets were sent again is "
			     "not known\n");
	return EXIT_PASS;
}
