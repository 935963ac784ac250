/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "lib/units.h"
#include "reports/live.h"
#include "reports/metrics.h"

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

static void put_nic(
	FILE *out, const char *family, const char *suffix, const struct live_nic *nic)
{
	fprintf(out, "%s%s", family, suffix);
	metrics_label(out, "{", "nic", nic->name);
	metrics_label(out, ",", "rdma", nic->rdma);
}

static void put_counters(FILE *out, const struct live_view *view)
{
	for (int what = 0; what < LIVE_WHATS; what++) {
		metrics_counter(out, counters[what].name, counters[what].help);
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

	metrics_family(out, family, "Mean rate over the interval.");
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
	metrics_family(out, "weft_nic_pause_ratio",
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
	metrics_family(out, "weft_nic_present", "0 while the NIC is gone.");
	for (size_t i = 0; i < view->nic_count; i++) {
		put_nic(out, "weft_nic_present", "", &view->nics[i]);
		fprintf(out, "} %d\n", !view->nics[i].gone);
	}
}

/* Each alarm that there has been since the watch began. */
static void put_alarms(FILE *out, const struct live_view *view)
{
	metrics_family(out, "weft_alarm", "1 in an interval that raised it, else 0.");
	for (size_t i = 0; i < view->alarm_count; i++) {
		const struct live_alarm *alarm = &view->alarms[i];

		fputs("weft_alarm", out);
		metrics_label(out, "{", "nic", alarm->nic);
		metrics_label(out, ",", "check", alarm->check);
		fprintf(out, ",priority=\"");
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
