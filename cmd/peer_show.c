/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/number.h"

#define BAR_ROWS 10u

static const char *const works[] = { "write", "write with immediate", "send", "read" };

static uint64_t rate_bps(const struct gen_side *side)
{
	if (!side->window_ns)
		return 0;
	return (uint64_t)((double)side->bytes * 8 * (double)NS_PER_S / (double)side->window_ns);
}

static uint64_t total_bps(const struct peer_view *view)
{
	return rate_bps(&view->here) + rate_bps(&view->there);
}

/* The end that listens is told of by the other one. */
static const struct gen_side *sender(const struct peer_view *view)
{
	return view->gen->active ? &view->here : &view->there;
}

/* --- text --- */

static void show_side(FILE *out, const char *label, const struct gen_side *side)
{
	char rate[NUMBER_BYTES] = "speed not told";

	if (side->speed_bps && !side->soft)
		number_rate(rate, sizeof(rate), side->speed_bps);
	fprintf(out, "%-15s %s port %u, GID %u %s (RoCE v2), %s\n", label, side->device,
		side->port, side->gid_index, side->address, side->soft ? "Soft-RoCE" : rate);
}

static void show_plan(FILE *out, const struct gen_plan *plan)
{
	static const char *const ecn[] = { "not ECT", "ECT(1)", "ECT(0)", "CE" };
	char bytes[NUMBER_BYTES], timeout[NUMBER_BYTES];

	number_bytes(bytes, sizeof(bytes), plan->bytes);
	number_time(timeout, sizeof(timeout), UINT64_C(4096) << plan->timeout_exp);
	fprintf(out, "traffic class   %u (DSCP %u, %s)\n", plan->traffic_class,
		plan->traffic_class >> 2, ecn[plan->traffic_class & 3]);
	fprintf(out, "RC              MTU %u, timeout %s, %u retries\n", plan->mtu_bytes,
		timeout, plan->retry);
	fprintf(out, "test            %s%s%s, %u QP%s, messages of %s",
		plan->latency ? "latency of " : "", works[plan->work],
		plan->both ? " both ways" : "", plan->qps, plan->qps > 1 ? "s" : "", bytes);
	if (!plan->latency)
		fprintf(out, ", %u under way a QP, a completion per %u", plan->depth,
			plan->every);
	if (plan->messages)
		fprintf(out, ", %" PRIu64 " messages a QP\n", plan->messages);
	else
		fprintf(out, ", %.3g s after %.3g s of warm-up\n",
			(double)plan->duration_ns / (double)NS_PER_S,
			(double)plan->warmup_ns / (double)NS_PER_S);
}

static void show_rate(
	FILE *out, const char *label, const struct gen_side *side, const struct gen_plan *plan)
{
	char rate[NUMBER_BYTES], messages[NUMBER_BYTES], time[NUMBER_BYTES];
	uint64_t ceiling = payload_ceiling_bps(side->speed_bps, plan->mtu_bytes);

	number_rate(rate, sizeof(rate), rate_bps(side));
	number_count(messages, sizeof(messages), side->messages);
	number_time(time, sizeof(time), side->window_ns);
	fprintf(out, "%-15s %s of payload, %s messages in %s", label, rate, messages, time);
	if (side->speed_bps && !side->soft)
		fprintf(out, ", %.1f %% of the port's ceiling",
			100 * (double)rate_bps(side) / (double)ceiling);
	if (side->bytes && side->cpu_ns)
		fprintf(out, ", %.3g s of CPU a GB",
			(double)side->cpu_ns / (double)side->bytes);
	fprintf(out, "\n");
}

/* Least and most of the whole intervals: the last one is seldom whole. */
static void show_series(FILE *out, const struct gen *gen)
{
	const struct gen_result *result = &gen->result;
	uint64_t least = UINT64_MAX, most = 0, interval = gen->plan.interval_ns;
	char low[NUMBER_BYTES], high[NUMBER_BYTES], every[NUMBER_BYTES];

	if (result->series_count < 3)
		return;
	for (uint32_t i = 0; i + 1 < result->series_count; i++) {
		least = result->series[i] < least ? result->series[i] : least;
		most = result->series[i] > most ? result->series[i] : most;
	}
	number_rate(low, sizeof(low), least * 8 * NS_PER_MS / (interval / 1000));
	number_rate(high, sizeof(high), most * 8 * NS_PER_MS / (interval / 1000));
	number_time(every, sizeof(every), interval);
	fprintf(out, "per %-11s least %s, most %s\n", every, low, high);
}

static void show_times(FILE *out, const struct histogram *times)
{
	static const struct {
		const char *label;
		uint64_t share_ppb;
	} rows[] = {
		{ "p50", PPB / 2 },
		{ "p90", PPB / 10 * 9 },
		{ "p99", PPB / 100 * 99 },
		{ "p99.9", PPB / 1000 * 999 },
	};

	fprintf(out, "one way, us    ");
	fprintf(out, " least %.2f", (double)times->least / (double)NS_PER_US);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		fprintf(out, ", %s %.2f", rows[i].label,
			(double)histogram_quantile(times, rows[i].share_ppb) /
				(double)NS_PER_US);
	fprintf(out, ", most %.2f, mean %.2f of %" PRIu64 "\n",
		(double)times->most / (double)NS_PER_US,
		(double)times->sum / (double)times->count / (double)NS_PER_US, times->count);
}

static void show_counters(FILE *out, const struct gen_side *side)
{
	char value[NUMBER_BYTES];
	bool any = false;

	fprintf(out, "%-15.15s ", side->device);
	if (!side->has_counters) {
		fprintf(out, "has no counters to be read: whether packets were sent again is "
			     "not known\n");
		return;
	}
	for (uint32_t i = 0; i < side->grown.count; i++) {
		number_count(value, sizeof(value), side->grown.items[i].value);
		fprintf(out, "%s%s +%s", any ? ", " : "", side->grown.items[i].name, value);
		any = true;
	}
	fprintf(out, "%s%s\n", any ? "" : "no counter moved",
		side->reset ? " (some were reset meanwhile)" : "");
}

void peer_show(FILE *out, const struct peer_view *view)
{
	const struct gen *gen = view->gen;
	const struct gen_plan *plan = &gen->plan;

	show_side(out, "this end", &view->here);
	show_side(out, "other end", &view->there);
	show_plan(out, plan);
	if (plan->latency && gen->times && gen->times->count)
		show_times(out, gen->times);
	if (!plan->latency && plan->both) {
		show_rate(out, "from this end", &view->here, plan);
		show_rate(out, "from the other", &view->there, plan);
	} else if (!plan->latency) {
		show_rate(out, "bandwidth", sender(view), plan);
	}
	show_series(out, gen);
	if (plan->check)
		fprintf(out,
			"payload         CRC32C of %" PRIu64 " messages compared, %" PRIu64
			" differ\n",
			view->here.checked + view->there.checked,
			view->here.corrupt + view->there.corrupt);
	show_counters(out, &view->here);
	show_counters(out, &view->there);
}

/* --- JSON --- */

static void put_times(struct json *object, const struct histogram *times)
{
	struct json *buckets, *pair;
	uint64_t low, width;

	json_put_u64(object, "count", times->count);
	json_put_u64(object, "least_ns", times->least);
	json_put_u64(object, "p50_ns", histogram_quantile(times, PPB / 2));
	json_put_u64(object, "p90_ns", histogram_quantile(times, PPB / 10 * 9));
	json_put_u64(object, "p99_ns", histogram_quantile(times, PPB / 100 * 99));
	json_put_u64(object, "p999_ns", histogram_quantile(times, PPB / 1000 * 999));
	json_put_u64(object, "most_ns", times->most);
	json_put_double(object, "mean_ns", (double)times->sum / (double)times->count);
	buckets = json_put_array(object, "histogram_ns");
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		if (!times->counts[i])
			continue;
		histogram_bucket(i, &low, &width);
		pair = json_add_array(buckets);
		json_add_u64(pair, low);
		json_add_u64(pair, times->counts[i]);
	}
}

int peer_show_json(FILE *out, const struct peer_view *view)
{
	const struct gen *gen = view->gen;
	const struct gen_result *result = &gen->result;
	struct json *root = json_new_object(), *series;
	int err;

	json_put_u64(root, "schema", 1);
	json_put_text(root, "program", "weft " WEFT_VERSION);
	json_put_text(root, "backend", "verbs");
	json_put_text(root, "command", view->args->command);
	gen_put_plan(json_put_object(root, "plan"), &gen->plan);
	gen_put_side(json_put_object(root, "this_end"), &view->here);
	gen_put_side(json_put_object(root, "other_end"), &view->there);
	if (!gen->plan.latency)
		json_put_double(root, "gbps", (double)total_bps(view) / 1e9);
	if (gen->times && gen->times->count)
		put_times(json_put_object(root, "one_way"), gen->times);
	series = json_put_array(root, "bytes_per_interval");
	for (uint32_t i = 0; i < result->series_count; i++)
		json_add_u64(series, result->series[i]);
	err = json_write(out, root);
	json_free(root);
	return err;
}

/* --- the verdict --- */

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

int peer_verdict(FILE *out, const struct peer_view *view)
{
	const struct gen_plan *plan = &view->gen->plan;
	const struct gen_side *from = sender(view);
	uint64_t corrupt = view->here.corrupt + view->there.corrupt;
	uint64_t least = view->args->least_bps;
	int status = judge_losses(out, view);

	if (corrupt) {
		fprintf(out, "fail: the payload of %" PRIu64 " messages is not what was sent",
			corrupt);
		if (view->here.corrupt)
			fprintf(out, "; here first on QP %u, slot %u",
				view->gen->result.corrupt_qp, view->gen->result.corrupt_slot);
		fprintf(out, "\n");
		status = EXIT_FAIL;
	}
	if (!plan->latency && total_bps(view) < least) {
		fprintf(out, "fail: %.3f Gb/s is less than the %.3f Gb/s asked for\n",
			(double)total_bps(view) / 1e9, (double)least / 1e9);
		status = EXIT_FAIL;
	}
	if (status != EXIT_PASS)
		return status;
	if (!from->messages || (plan->check && !view->here.checked && !view->there.checked)) {
		fprintf(out, "unknown: nothing was %s\n",
			from->messages ? "checked" : "counted");
		return EXIT_UNKNOWN;
	}
	if (view->here.has_counters && view->there.has_counters)
		fprintf(out, "pass: every message arrived%s\n",
			view->args->lossy ? "" : ", and no packet was sent again");
	else
		fprintf(out, "pass: every message arrived; whether packets were sent again is "
			     "not known\n");
	return EXIT_PASS;
}
