/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/number.h"

static const char *const works[] = { "write", "write with immediate", "send", "read" };

/* --- text --- */

static void show_side(FILE *out, const char *label, const struct gen_side *side)
{
	static const char *const rules[] = { "chosen by -x", "the control channel's address",
		"the first of IPv4", "the first of IPv6", "in the other end's subnet" };
	char rate[NUMBER_BYTES] = "speed not told";

	if (side->speed_bps && !side->soft)
		number_rate(rate, sizeof(rate), side->speed_bps);
	fprintf(out, "%-15s %s port %u, GID %u %s (RoCE v2, %s), %s\n", label, side->device,
		side->port, side->gid_index, side->address, rules[side->gid_rule],
		side->soft ? "Soft-RoCE" : rate);
	fprintf(out, "%-15s %s\n", "", side->bound);
}

static void show_match(FILE *out, const struct peer_match *match)
{
	static const char *const rules[] = { "both in one subnet",
		"the only ones that would do", "of one name, none share a subnet" };

	fprintf(out, "devices         %s\n", rules[match->rule]);
}

static void show_plan(FILE *out, const struct gen_plan *plan, bool all)
{
	static const char *const ecn[] = { "not ECT", "ECT(1)", "ECT(0)", "CE" };
	char bytes[NUMBER_BYTES], timeout[NUMBER_BYTES];

	if (all)
		snprintf(bytes, sizeof(bytes), "all sizes");
	else
		number_bytes(bytes, sizeof(bytes), plan->bytes);
	number_time(timeout, sizeof(timeout), UINT64_C(4096) << plan->timeout_exp);
	fprintf(out, "traffic class   %u (DSCP %u, %s)\n", plan->traffic_class,
		plan->traffic_class >> 2, ecn[plan->traffic_class & 3]);
	if (plan->datagrams)
		fprintf(out, "UD              MTU %u, nothing is sent again\n",
			plan->mtu_bytes);
	else
		fprintf(out,
			"RC              MTU %u, timeout %s, %u retries, connected by %s\n",
			plan->mtu_bytes, timeout, plan->retry,
			plan->cm ? "the RDMA connection manager" : "the control channel");
	fprintf(out, "test            %s%s%s, %u QP%s, messages of %s",
		plan->latency ? "latency of " : "", works[plan->work],
		plan->both ? " both ways" : "", plan->qps, plan->qps > 1 ? "s" : "", bytes);
	if (!plan->latency && !all)
		fprintf(out, ", %u under way a QP, a completion per %u", plan->depth,
			plan->every);
	if (plan->messages)
		fprintf(out, ", %" PRIu64 " messages a QP, all counted\n", plan->messages);
	else
		fprintf(out, ", %.3g s counted after %.3g s of warm-up, what ends later not\n",
			(double)plan->duration_ns / (double)NS_PER_S,
			(double)plan->warmup_ns / (double)NS_PER_S);
}

static void show_pace(FILE *out, const struct gen_plan *plan, const struct gen_side *from)
{
	char bytes[NUMBER_BYTES], period[NUMBER_BYTES], late[NUMBER_BYTES];

	if (plan->start_ns) {
		number_time(late, sizeof(late), from->start_late_ns);
		fprintf(out, "start           %.6f s since 1970, and %s\n",
			(double)plan->start_ns / (double)NS_PER_S, late);
	}
	if (!plan->burst)
		return;
	number_bytes(bytes, sizeof(bytes), plan->burst * plan->bytes);
	number_time(period, sizeof(period), plan->period_ps / PS_PER_NS);
	number_time(late, sizeof(late), from->pace_late_ns);
	fprintf(out, "pace            %" PRIu64 " messages (%s) every %s, at most %s late\n",
		plan->burst, bytes, period, late);
}

static void show_rate(
	FILE *out, const char *label, const struct peer_view *view, const struct gen_side *side)
{
	const struct gen_plan *plan = &view->gen->plan;
	const struct gen_side *to = side == &view->here ? &view->there : &view->here;
	char rate[NUMBER_BYTES], messages[NUMBER_BYTES], time[NUMBER_BYTES];
	uint64_t ceiling = peer_ceiling_bps(plan, side);
	uint64_t bps = peer_rate_bps(view, side, to);

	number_rate(rate, sizeof(rate), bps);
	number_count(messages, sizeof(messages), side->messages);
	number_time(time, sizeof(time), side->window_ns);
	fprintf(out, "%-15s %s of payload, %s messages in %s", label, rate, messages, time);
	if (ceiling)
		fprintf(out, ", %.1f %% of the port's ceiling of %.1f Gb/s",
			100 * (double)bps / (double)ceiling, (double)ceiling / 1e9);
	/* Of the whole run, as the processor's time is. */
	if (side->messages_all && side->cpu_ns)
		fprintf(out, ", %.3g s of CPU a GB",
			(double)side->cpu_ns / (double)side->messages_all /
				(double)plan->bytes);
	fprintf(out, "\n");
	if (plan->datagrams)
		fprintf(out, "%-15s %" PRIu64 " of %" PRIu64 " datagrams arrived\n", "",
			to->received, side->messages_all);
	if (side->nic_window_ns) {
		number_time(time, sizeof(time), side->nic_window_ns);
		fprintf(out, "%-15s by the NIC's clock in %s\n", "", time);
	} else if (!plan->messages) {
		fprintf(out, "%-15s by the host's clock: %s tells no completion times\n", "",
			side->device);
	}
}

/* Half a minute at 800 Gb/s has more than 2^64 bits times nanoseconds in a second. */
static uint64_t rate_of(uint64_t bytes, uint64_t time_ns)
{
	return (uint64_t)((double)bytes * 8 * (double)NS_PER_S / (double)time_ns);
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
	number_rate(low, sizeof(low), rate_of(least, interval));
	number_rate(high, sizeof(high), rate_of(most, interval));
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
	fprintf(out, "%s%s%s\n", any ? "" : "no counter moved",
		side->reset ? " (some were reset meanwhile)" : "",
		side->tells_loss || side->reset ? "" : " (losses are not told)");
}

void peer_show_counters(FILE *out, const char *indent, const struct peer_view *view)
{
	fprintf(out, "%s", indent);
	show_counters(out, &view->here);
	fprintf(out, "%s", indent);
	show_counters(out, &view->there);
}

void peer_show_head(FILE *out, const struct peer_view *view)
{
	show_side(out, "this end", &view->here);
	show_side(out, "other end", &view->there);
	if (view->match)
		show_match(out, view->match);
	show_plan(out, &view->gen->plan, view->args->all);
}

void peer_show(FILE *out, const struct peer_view *view)
{
	const struct gen *gen = view->gen;
	const struct gen_plan *plan = &gen->plan;

	peer_show_head(out, view);
	show_pace(out, plan, peer_sender(view));
	if (plan->latency && gen->times && gen->times->count)
		show_times(out, gen->times);
	if (!plan->latency && plan->both) {
		show_rate(out, "from this end", view, &view->here);
		show_rate(out, "from the other", view, &view->there);
	} else if (!plan->latency) {
		show_rate(out, "bandwidth", view, peer_sender(view));
	}
	show_series(out, gen);
	if (plan->check)
		fprintf(out,
			"payload         CRC32C of %" PRIu64 " messages compared, %" PRIu64
			" differ\n",
			view->here.checked + view->there.checked,
			view->here.corrupt + view->there.corrupt);
	peer_show_counters(out, "", view);
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

void peer_put_test(struct json *object, const struct peer_view *view)
{
	const struct gen *gen = view->gen;
	const struct gen_result *result = &gen->result;
	struct json *series;

	gen_put_plan(json_put_object(object, "plan"), &gen->plan);
	gen_put_side(json_put_object(object, "this_end"), &view->here);
	gen_put_side(json_put_object(object, "other_end"), &view->there);
	if (!gen->plan.latency)
		json_put_double(object, "gbps", (double)peer_total_bps(view) / 1e9);
	if (gen->times && gen->times->count)
		put_times(json_put_object(object, "one_way"), gen->times);
	series = json_put_array(object, "bytes_per_interval");
	for (uint32_t i = 0; i < result->series_count; i++)
		json_add_u64(series, result->series[i]);
}

struct json *peer_document(const struct peer_view *view)
{
	struct json *root = json_new_object();

	json_put_u64(root, "schema", 1);
	json_put_text(root, "program", "weft " WEFT_VERSION);
	json_put_text(root, "backend", "verbs");
	json_put_text(root, "command", view->args->command);
	return root;
}

int peer_show_json(FILE *out, const struct peer_view *view)
{
	struct json *root = peer_document(view);
	int err;

	peer_put_test(root, view);
	err = json_write(out, root);
	json_free(root);
	return err;
}
