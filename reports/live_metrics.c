/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "reports/live.h"

static const struct {
	const char *name, *help;
} counters[LIVE_WHATS] = {
	[LIVE_CE] = { "weft_nic_ce_packets", "RoCE packets that came marked CE." },
	[LIVE_CNP_OUT] = { "weft_nic_cnps_sent", "Congestion notifications sent." },
	[LIVE_CNP_IN] = { "weft_nic_cnps_handled", "Congestion notifications acted on." },
	[LIVE_RETRY] = { "weft_nic_retries", "Sequence NAKs and acknowledgement time-outs." },
	[LIVE_DROP] = { "weft_nic_drops", "Packets dropped at the port." },
	[LIVE_ERROR] = { "weft_nic_errors", "Damaged frames and dead queue pairs." },
	[LIVE_FLAP] = { "weft_nic_flaps", "Link losses." },
};

/* A label's value: OpenMetrics escapes these three, and a name holds no other control. */
static void put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '"' || *text == '\\')
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
}

static void put_nic(
	FILE *out, const char *family, const char *suffix, const struct live_nic *nic)
{
	fprintf(out, "%s%s{nic=\"", family, suffix);
	put_text(out, nic->name);
	fprintf(out, "\",rdma=\"");
	put_text(out, nic->rdma);
	fputc('"', out);
}

static void put_head(FILE *out, const char *family, const char *type, const char *help)
{
	fprintf(out, "# TYPE %s %s\n# HELP %s %s\n", family, type, family, help);
}

static void put_counters(FILE *out, const struct live_view *view)
{
	for (int what = 0; what < LIVE_WHATS; what++) {
		put_head(out, counters[what].name, "counter", counters[what].help);
		for (size_t i = 0; i < view->nic_count; i++) {
			const struct live_nic *nic = &view->nics[i];

			if (!nic->counts[what].total_known)
				continue;
			put_nic(out, counters[what].name, "_total", nic);
			fprintf(out, "} %" PRIu64 "\n", nic->counts[what].total);
		}
	}
}

static void put_rates(FILE *out, const struct live_view *view)
{
	static const char family[] = "weft_nic_bits_per_second";

	put_head(out, family, "gauge", "Mean rate over the interval.");
	for (size_t i = 0; i < view->nic_count; i++) {
		const struct live_nic *nic = &view->nics[i];

		if (nic->tx.known) {
			put_nic(out, family, "", nic);
			fprintf(out, ",direction=\"tx\"} %" PRIu64 "\n", nic->tx.bps);
		}
		if (nic->rx.known) {
			put_nic(out, family, "", nic);
			fprintf(out, ",direction=\"rx\"} %" PRIu64 "\n", nic->rx.bps);
		}
	}
}

static void put_share(FILE *out, const struct live_nic *nic, int priority,
	const char *direction, const struct live_share *share)
{
	if (!share->known)
		return;
	put_nic(out, "weft_nic_pause_ratio", "", nic);
	fprintf(out, ",priority=\"%d\",direction=\"%s\"} %.9f\n", priority, direction,
		(double)share->ppb / PPB);
}

static void put_shares(FILE *out, const struct live_view *view)
{
	put_head(out, "weft_nic_pause_ratio", "gauge",
		"Share of the interval: held by the other end, or holding it.");
	for (size_t i = 0; i < view->nic_count; i++)
		for (size_t j = 0; j < view->nics[i].prio_count; j++) {
			const struct live_prio *prio = &view->nics[i].prios[j];

			put_share(out, &view->nics[i], prio->priority, "held", &prio->held);
			put_share(out, &view->nics[i], prio->priority, "holds", &prio->holds);
		}
}

static void put_present(FILE *out, const struct live_view *view)
{
	put_head(out, "weft_nic_present", "gauge", "0 while the NIC is gone.");
	for (size_t i = 0; i < view->nic_count; i++) {
		put_nic(out, "weft_nic_present", "", &view->nics[i]);
		fprintf(out, "} %d\n", !view->nics[i].gone);
	}
}

/* Each alarm that there has been since the watch began. */
static void put_alarms(FILE *out, const struct live_view *view)
{
	put_head(out, "weft_alarm", "gauge", "1 in an interval that raised it, else 0.");
	for (size_t i = 0; i < view->alarm_count; i++) {
		const struct live_alarm *alarm = &view->alarms[i];

		fprintf(out, "weft_alarm{nic=\"");
		put_text(out, alarm->nic);
		fprintf(out, "\",check=\"%s\",priority=\"", alarm->check);
		if (alarm->priority >= 0)
			fprintf(out, "%d", alarm->priority);
		fprintf(out, "\"} %d\n", alarm->active);
	}
}

void live_metrics(FILE *out, const struct live_view *view)
{
	put_present(out, view);
	put_rates(out, view);
	put_shares(out, view);
	put_counters(out, view);
	put_alarms(out, view);
	fputs("# EOF\n", out);
}
