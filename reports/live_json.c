/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/json.h"
#include "lib/units.h"
#include "reports/live.h"

static const char *const whats[LIVE_WHATS] = {
	[LIVE_CE] = "ce_packets",
	[LIVE_CNP_OUT] = "cnps_sent",
	[LIVE_CNP_IN] = "cnps_handled",
	[LIVE_RETRY] = "retries",
	[LIVE_DROP] = "drops",
	[LIVE_ERROR] = "errors",
	[LIVE_FLAP] = "flaps",
};

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

static void put_count(struct json *object, const char *key, const struct live_count *count)
{
	struct json *pair = json_put_object(object, key);

	if (count->known)
		json_put_u64(pair, "interval", count->grown);
	else
		json_put_null(pair, "interval");
	if (count->total_known)
		json_put_u64(pair, "total", count->total);
	else
		json_put_null(pair, "total");
}

static void put_rate(struct json *object, const char *key, const struct live_rate *rate)
{
	struct json *pair;

	if (!rate->known) {
		json_put_null(object, key);
		return;
	}
	pair = json_put_object(object, key);
	json_put_u64(pair, "mean", rate->bps);
	json_put_u64(pair, "peak", rate->peak_bps);
}

static void put_share(struct json *object, const char *key, const struct live_share *share)
{
	struct json *pair;

	if (!share->known) {
		json_put_null(object, key);
		return;
	}
	pair = json_put_object(object, key);
	json_put_double(pair, "mean", (double)share->ppb / PPB);
	json_put_double(pair, "peak", (double)share->peak_ppb / PPB);
}

static void put_named(struct json *object, const struct live_nic *nic)
{
	struct json *counters = json_put_object(object, "counters");

	for (size_t i = 0; i < nic->named_count; i++) {
		const struct live_named *named = &nic->named[i];
		struct json *entry = json_put_object(counters, named->name);

		put_count(entry, "count", &named->count);
		json_put_u64(entry, "largest_step", named->largest);
		json_put_double(entry, "age_s", seconds(named->age_ns));
	}
}

static void put_nic(struct json *array, const struct live_nic *nic)
{
	struct json *object = json_add_object(array), *prios;

	json_put_text(object, "nic", nic->name);
	json_put_text(object, "rdma", nic->rdma[0] ? nic->rdma : NULL);
	json_put_text(object, "driver", nic->driver[0] ? nic->driver : NULL);
	json_put_bool(object, "gone", nic->gone);
	json_put_text(object, "note", nic->note[0] ? nic->note : NULL);
	if (nic->named) {
		put_named(object, nic);
		return;
	}
	put_rate(object, "tx_bps", &nic->tx);
	put_rate(object, "rx_bps", &nic->rx);
	for (int what = 0; what < LIVE_WHATS; what++)
		put_count(object, whats[what], &nic->counts[what]);
	prios = json_put_array(object, "priorities");
	for (size_t i = 0; i < nic->prio_count; i++) {
		const struct live_prio *prio = &nic->prios[i];
		struct json *entry = json_add_object(prios);

		json_put_i64(entry, "priority", prio->priority);
		put_share(entry, "held", &prio->held);
		put_share(entry, "holds", &prio->holds);
		put_count(entry, "drops", &prio->drops);
	}
}

static void put_alarm(struct json *array, const struct live_alarm *alarm)
{
	struct json *object = json_add_object(array);

	json_put_text(object, "nic", alarm->nic[0] ? alarm->nic : NULL);
	json_put_text(object, "kind", alarm->kind);
	json_put_text(object, "check", alarm->check);
	if (alarm->priority >= 0)
		json_put_i64(object, "priority", alarm->priority);
	else
		json_put_null(object, "priority");
	json_put_double(object, "worst", alarm->measured);
	json_put_double(object, "limit", alarm->limit);
	json_put_text(object, "unit", alarm->unit);
	json_put_text(object, "limit_source", alarm->limit_source);
	json_put_double(object, "first_s", seconds(alarm->first_ns));
	json_put_double(object, "last_s", seconds(alarm->last_ns));
	json_put_u64(object, "intervals", alarm->intervals);
	json_put_text(object, "text", alarm->text);
	json_put_text(object, "advice", alarm->advice);
}

static struct json *head(const char *type, const struct live_view *view)
{
	struct json *root = json_new_object();

	json_put_text(root, "type", type);
	json_put_double(root, "elapsed_s", seconds(view->elapsed_ns));
	json_put_u64(root, "samples", view->samples);
	json_put_u64(root, "missed_samples", view->missed);
	return root;
}

/* json_write() breaks lines and indents; no string of a document holds a newline that is
 * not escaped, so that taking out what follows each one leaves the same document. */
static int write_line(FILE *out, struct json *root)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *document = open_memstream(&text, &bytes);
	int err = document ? json_write(document, root) : -ENOMEM;

	if (document && fclose(document) && !err)
		err = -ENOMEM;
	for (const char *at = text; !err && at && *at; at++) {
		if (*at != '\n') {
			fputc(*at, out);
			continue;
		}
		while (at[1] == ' ')
			at++;
	}
	fputc('\n', out);
	free(text);
	json_free(root);
	if (!err && fflush(out))
		err = -errno;
	return err;
}

int live_json_interval(FILE *out, const struct live_view *view)
{
	struct json *root = head("interval", view), *array;

	json_put_double(root, "interval_s", seconds(view->span_ns));
	json_put_double(root, "longest_reading_s", seconds(view->read_ns));
	array = json_put_array(root, "nics");
	for (size_t i = 0; i < view->nic_count; i++)
		put_nic(array, &view->nics[i]);
	array = json_put_array(root, "alarms");
	for (size_t i = 0; i < view->alarm_count; i++)
		if (view->alarms[i].active)
			put_alarm(array, &view->alarms[i]);
	array = json_put_array(root, "notes");
	for (size_t i = 0; i < view->event_count; i++)
		json_add_text(array, view->events[i]);
	return write_line(out, root);
}

int live_json_end(FILE *out, const struct live_view *view)
{
	struct json *root = head("end", view), *array;

	json_put_double(root, "cpu_s", seconds(view->cpu_ns));
	json_put_text(root, "verdict", verdict_name(view->verdict));
	array = json_put_array(root, "alarms");
	for (size_t i = 0; i < view->alarm_count; i++)
		put_alarm(array, &view->alarms[i]);
	array = json_put_array(root, "not_watched");
	for (size_t i = 0; i < view->blind_count; i++) {
		struct json *entry = json_add_object(array);

		json_put_text(entry, "nic", view->blind[i].nic);
		json_put_text(entry, "kind", view->blind[i].kind);
		json_put_text(entry, "why", view->blind[i].why);
	}
	return write_line(out, root);
}
