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

uint64_t peer_ceiling_bps(const struct gen_plan *plan, const struct gen_side *side)
{
	uint64_t packets = (plan->bytes + plan->mtu_bytes - 1) / plan->mtu_bytes;
	double share = (double)plan->bytes /
		       (double)(plan->bytes + packets * ROCE_WIRE_OVERHEAD_BYTES);

	return side->soft ? 0 : (uint64_t)((double)side->speed_bps * share);
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

static double ms(uint64_t ns)
{
	return (double)ns / (double)NS_PER_MS;
}

/* A packet that is lost at the end of a burst is sent again after one timeout. */
static void hint_time(FILE *out, const struct gen_plan *plan, uint64_t window_ns)
{
	uint64_t timeout_ns = UINT64_C(4096) << plan->timeout_exp;

	if (window_ns >= NS_PER_S || plan->latency)
		return;
	if (!plan->datagrams && window_ns < timeout_ns)
		fprintf(out,
			"note: %.3g ms are too short for congestion control to settle, and "
			"less "
			"than the %.3g ms until a lost packet is sent again: choose -D instead "
			"of -n\n",
			ms(window_ns), ms(timeout_ns));
	else
		fprintf(out,
			"note: %.3g ms are too short for congestion control to settle: choose "
			"-D instead of -n\n",
			ms(window_ns));
}

static void hint_devices(FILE *out, const struct peer_view *view)
{
	const struct peer_match *match = view->match;

	if (match && (match->devices_here > 1 || match->devices_there > 1))
		fprintf(out,
			"note: of %u device%s here and %u there, %s and %s were tested and no "
			"other: -d and --peer-device choose\n",
			match->devices_here, match->devices_here == 1 ? "" : "s",
			match->devices_there, view->here.device, view->there.device);
	else if (view->devices > 1)
		fprintf(out,
			"note: of %u devices here, %s was tested and no other: -d chooses\n",
			view->devices, view->here.device);
}

/* What cannot be is told of, and what cannot be had. */
static void hint_ceiling(FILE *out, const struct peer_view *view, const struct gen_side *from,
	const struct gen_side *to)
{
	const struct gen_plan *plan = &view->gen->plan;
	uint64_t bps = peer_rate_bps(view, from, to), ceiling = peer_ceiling_bps(plan, from);

	if (plan->latency || !ceiling)
		return;
	if (bps > ceiling)
		fprintf(out,
			"note: %.1f Gb/s from %s are more than its port of %.1f Gb/s carries, "
			"which is %.1f of payload: is its speed told right, or was no link "
			"crossed?\n",
			(double)bps / 1e9, from->device, (double)from->speed_bps / 1e9,
			(double)ceiling / 1e9);
	if (view->args->least_bps > ceiling * (plan->both ? 2 : 1))
		fprintf(out,
			"note: --min %.1fG cannot be reached: a port of %.1f Gb/s carries %.1f "
			"of payload in packets of %u bytes\n",
			(double)view->args->least_bps / 1e9, (double)from->speed_bps / 1e9,
			(double)ceiling / 1e9, plan->mtu_bytes);
}

/* A timed window holds whole bursts, give or take one. */
static void hint_pace(FILE *out, const struct gen_plan *plan, const struct gen_side *side)
{
	double asked, sent, slack;

	if (!plan->burst || plan->messages || !side->window_ns || plan->latency)
		return;
	asked = (double)plan->burst * (double)plan->bytes * 8e12 / (double)plan->period_ps;
	sent = (double)side->bytes * 8e9 / (double)side->window_ns;
	slack = 0.001 + (double)plan->period_ps / 1e3 / (double)side->window_ns;
	if (sent < asked * (1 - slack))
		fprintf(out,
			"note: %s sent %.4g Gb/s of the %.4g asked for, the latest message "
			"%.3g ms "
			"late: a larger -t or --burst, or a faster host\n",
			side->device, sent / 1e9, asked / 1e9, ms(side->pace_late_ns));
}

static void hint_side(FILE *out, const struct peer_view *view, const struct gen_side *side,
	const struct gen_side *other)
{
	if (side->elsewhere)
		fprintf(out,
			"note: %s was driven from processors that are not on its NUMA node, "
			"which "
			"an outer taskset or cgroup forbids: the host is measured too\n",
			side->device);
	if (side != peer_sender(view) && !view->gen->plan.both)
		return;
	hint_ceiling(out, view, side, other);
	hint_pace(out, &view->gen->plan, side);
}

static void hints(FILE *out, const struct peer_view *view)
{
	const struct gen_plan *plan = &view->gen->plan;
	const struct gen_side *from = peer_sender(view);
	const struct histogram *times = view->gen->times;

	if (strcmp(view->here.address, view->there.address) == 0)
		fprintf(out, "note: both ends are %s: no network was crossed\n",
			view->here.address);
	hint_devices(out, view);
	hint_time(out, plan, from->window_ns);
	hint_side(out, view, &view->here, &view->there);
	hint_side(out, view, &view->there, &view->here);
	/* Those of the warm-up are not in the quantiles, which the end that measures has. */
	if (times && times->count < TAIL_MESSAGES)
		fprintf(out,
			"note: a p99.9 needs %u messages or more, these were %" PRIu64 "\n",
			TAIL_MESSAGES, times->count);
}

/* --- what there is to judge by --- */

/* With both ways, each of them. */
static bool was_counted(const struct peer_view *view)
{
	const struct gen_side *here = &view->here, *there = &view->there;

	return view->gen->plan.both ? here->messages && there->messages
				    : peer_sender(view)->messages != 0;
}

static bool was_checked(const struct peer_view *view)
{
	const struct gen_side *here = &view->here, *there = &view->there;

	return view->gen->plan.both ? here->checked && there->checked
				    : here->checked || there->checked;
}

bool peer_tells_loss(const struct peer_view *view)
{
	return view->gen->plan.datagrams || (view->here.tells_loss && view->there.tells_loss);
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
	if (!plan->latency && was_counted(view) && peer_total_bps(view) < least) {
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
	else if (peer_tells_loss(view))
		fprintf(out, "pass: every message arrived%s\n",
			view->args->lossy ? "" : ", and no packet was sent again");
	else
		fprintf(out, "pass: every message arrived; whether packets were sent again is "
			     "not known\n");
	return EXIT_PASS;
}
