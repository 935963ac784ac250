/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/plan.h"
#include "fabric/stages.h"
#include "lib/quantity.h"
#include "lib/units.h"
#include "reports/number.h"

#define CABLES_SHOWN 8u
#define LABEL "  %-20s"

static const char *plural(uint64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

static void print_head(FILE *out, const struct fabric *fabric)
{
	fprintf(out, "%s, %s plane: %u %s, %u %s, %u %s, %u %s\n\n", fabric->name,
		fabric->plane, fabric->hosts, plural(fabric->hosts, "host", "hosts"),
		fabric->nic_count, plural(fabric->nic_count, "NIC", "NICs"), fabric->leaves,
		plural(fabric->leaves, "leaf", "leaves"), fabric->spines,
		plural(fabric->spines, "spine", "spines"));
}

static void print_cables(FILE *out, const struct summary *summary)
{
	size_t shown = summary->cable_count;

	if (shown > CABLES_SHOWN)
		shown = CABLES_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		const struct summary_cable *cable = &summary->cables[i];
		bool first = i == 0 || cable[-1].uplink != cable->uplink;
		char speed[QUANTITY_TEXT], headroom[NUMBER_BYTES];

		quantity_print(QUANTITY_RATE, cable->speed_bps, speed);
		number_count(headroom, sizeof(headroom), cable->headroom_bytes);
		fprintf(out, LABEL "%u x %s, %u m, headroom %s bytes a port\n",
			first ? (cable->uplink ? "uplinks" : "NIC links") : "", cable->count,
			speed, cable->length_m, headroom);
	}
	if (shown < summary->cable_count)
		fprintf(out, LABEL "and %zu more kinds of cable (--links lists all)\n", "",
			summary->cable_count - shown);
}

static void ratio_text(char *text, size_t size, uint64_t ppb)
{
	if (ppb == UINT64_MAX)
		snprintf(text, size, "no uplink");
	else
		snprintf(text, size, "%" PRIu64 ".%02" PRIu64 " : 1", ppb / PPB,
			ppb % PPB / (PPB / 100));
}

static void print_oversubscription(FILE *out, const struct plan_view *view)
{
	const struct summary *summary = &view->summary;
	const struct summary_leaf *leaf = &summary->leaves[summary->oversub_max_leaf];
	char least[32], most[32], host[NUMBER_BYTES], uplink[NUMBER_BYTES];

	if (!summary->oversub_max_ppb) {
		fprintf(out, LABEL "none: all hosts are on one leaf\n", "oversubscription");
		return;
	}
	ratio_text(least, sizeof(least), summary->oversub_min_ppb);
	ratio_text(most, sizeof(most), summary->oversub_max_ppb);
	number_gbps(host, sizeof(host), leaf->host_bps);
	number_gbps(uplink, sizeof(uplink), leaf->uplink_bps);
	if (summary->oversub_min_ppb == summary->oversub_max_ppb)
		fprintf(out, LABEL "%s on every leaf (%s : %s Gb/s)\n", "oversubscription",
			most, host, uplink);
	else
		fprintf(out, LABEL "%s at best, %s on leaf%u (%s : %s Gb/s)\n",
			"oversubscription", least, most, summary->oversub_max_leaf + 1, host,
			uplink);
}

static void print_hops(FILE *out, const struct summary *summary)
{
	uint64_t all = 0;
	const char *between = "";

	for (unsigned i = 0; i < SUMMARY_HOPS; i++)
		all += summary->pairs[i];
	if (!all)
		return;
	fprintf(out, LABEL, "switches on a path");
	for (unsigned i = 0; i < SUMMARY_HOPS; i++) {
		char pairs[NUMBER_BYTES];

		if (!summary->pairs[i])
			continue;
		number_count(pairs, sizeof(pairs), summary->pairs[i]);
		fprintf(out, "%s%u for %s NIC %s (%.1f %%)", between, i, pairs,
			plural(summary->pairs[i], "pair", "pairs"),
			100.0 * (double)summary->pairs[i] / (double)all);
		between = ", ";
	}
	fprintf(out, "\n");
}

static void print_fabric(FILE *out, const struct plan_view *view)
{
	const struct summary *summary = &view->summary;
	const struct fabric *fabric = &view->fabric;
	char rate[NUMBER_BYTES], least[NUMBER_BYTES];

	fprintf(out, "fabric\n");
	print_cables(out, summary);
	print_oversubscription(out, view);
	print_hops(out, summary);
	number_rate(rate, sizeof(rate), summary->bisection_bps);
	fprintf(out, LABEL "%s, half of the NICs to the other half\n", "bisection", rate);
	number_rate(rate, sizeof(rate),
		payload_ceiling_bps(summary->nic_bps_max, fabric->mtu_bytes));
	number_rate(least, sizeof(least),
		payload_ceiling_bps(summary->nic_bps_min, fabric->mtu_bytes));
	fprintf(out, LABEL "%s%s%s a NIC: line rate x %u / %u (MTU %u)\n", "payload ceiling",
		summary->nic_bps_min < summary->nic_bps_max ? least : "",
		summary->nic_bps_min < summary->nic_bps_max ? " to " : "", rate,
		fabric->mtu_bytes, fabric->mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES,
		fabric->mtu_bytes);
	fprintf(out, LABEL "switch %" PRIu64 " ns, NIC %" PRIu64 " ns a side\n", "latency",
		fabric->switch_ns, fabric->nic_ns);
}

static void print_policy(FILE *out, const struct plan_view *view)
{
	const struct policy *policy = &view->fabric.policy;
	char a[NUMBER_BYTES], b[NUMBER_BYTES], c[QUANTITY_TEXT];

	fprintf(out, "\npolicy\n" LABEL "DSCP %u in priority %u, CNP DSCP %u in priority %u\n",
		"class", policy->dscp, policy->priority, policy->cnp_dscp,
		policy->cnp_priority);
	number_bytes(a, sizeof(a), policy->ecn_kmin_bytes);
	number_bytes(b, sizeof(b), policy->ecn_kmax_bytes);
	quantity_print(QUANTITY_SHARE, policy->ecn_pmax_ppb, c);
	if (policy->ecn)
		fprintf(out, LABEL "marks from %s (kmin) to %s (kmax), pmax %s, DCQCN %s\n",
			"ECN", a, b, c, policy->dcqcn.off ? "off" : "on");
	else
		fprintf(out, LABEL "off\n", "ECN");
	if (policy->pfc && policy->xoff_bytes) {
		number_bytes(a, sizeof(a), policy->xoff_bytes);
		fprintf(out, LABEL "pauses from %s of a port\n", "PFC", a);
	} else if (policy->pfc) {
		fprintf(out, LABEL "pauses from 1/%u of the shared buffer that is free\n",
			"PFC", 1u << policy->alpha_shift);
	} else {
		fprintf(out, LABEL "off\n", "PFC");
	}
	number_bytes(a, sizeof(a), policy->buffer_bytes);
	number_bytes(b, sizeof(b), view->summary.leaf_headroom_bytes);
	number_bytes(c, sizeof(c), view->summary.spine_headroom_bytes);
	fprintf(out, LABEL "%s a switch, of it headroom %s on a leaf, %s on a spine\n",
		"buffer", a, b, c);
}

static bool takes_priority(const struct fault *fault)
{
	return (fault->kind == FAULT_DSCP_MAP || fault->kind == FAULT_CNP_MAP) &&
	       fault->port == PORT_NONE;
}

static void print_amount(FILE *out, const struct fabric *fabric, const struct fault *fault)
{
	char other[2 * NAME_BYTES];
	char amount[QUANTITY_TEXT], period[QUANTITY_TEXT];

	if (fault->kind == FAULT_FLAP) {
		quantity_print(QUANTITY_TIME, fault->amount_ns, amount);
		quantity_print(QUANTITY_TIME, fault->period_ns, period);
		fprintf(out, "  down %s every %s", amount, period);
	} else if (fault->amount_ppb) {
		quantity_print(QUANTITY_SHARE, fault->amount_ppb, amount);
		fprintf(out, "  %s", amount);
	} else if (fault->amount_ns) {
		quantity_print(QUANTITY_TIME, fault->amount_ns, amount);
		fprintf(out, "  %s", amount);
	} else if (fault->amount_count) {
		fprintf(out, "  %" PRIu64, fault->amount_count);
	} else if (takes_priority(fault)) {
		fprintf(out, "  to priority %u", fault->priority);
	} else if (fault->kind == FAULT_SWAP) {
		fabric_link_name(fabric, fault->other, other);
		fprintf(out, "  with %s", other);
	} else if (fault->kind == FAULT_ROUTE) {
		fprintf(out, "  for leaf%u", fault->towards + 1);
	}
}

static void print_faults(FILE *out, const struct fabric *fabric)
{
	char from[QUANTITY_TEXT], to[QUANTITY_TEXT];

	if (!fabric->fault_count)
		return;
	fprintf(out, "\nfaults injected when simulated\n");
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		fprintf(out, LABEL "%s", fault_kind_name(fault->kind), fault->place);
		print_amount(out, fabric, fault);
		if (fault->from_ns || fault->to_ns != UINT64_MAX) {
			quantity_print(QUANTITY_TIME, fault->from_ns, from);
			quantity_print(QUANTITY_TIME, fault->to_ns, to);
			fprintf(out, "  from %s to %s", from,
				fault->to_ns == UINT64_MAX ? "the end" : to);
		}
		fprintf(out, "\n");
	}
}

static uint32_t stage_flows(const struct plan_stage *stage)
{
	return stage->flow_count + stage->ring.ranks;
}

static void load_text(char *text, size_t size, uint64_t bytes)
{
	if (bytes)
		number_bytes(text, size, bytes);
	else
		snprintf(text, size, "-");
}

static void print_stage(FILE *out, const struct plan_view *view, size_t index)
{
	const struct plan_stage *stage = &view->plan.stages[index];
	const struct load_uplinks *load = &view->uplinks[index];
	char start[NUMBER_BYTES], lasts[NUMBER_BYTES], bytes[NUMBER_BYTES], most[NUMBER_BYTES],
		mean[NUMBER_BYTES];

	number_time(start, sizeof(start), plan_start_ns(&view->plan, index));
	number_time(lasts, sizeof(lasts), stage->expected_ns);
	number_bytes(bytes, sizeof(bytes), load_stage_bytes(stage));
	load_text(most, sizeof(most), load->max_bytes);
	load_text(mean, sizeof(mean), load->ports ? load->total_bytes / load->ports : 0);
	fprintf(out, "  %-27s %9s %9s %6u %10s %10s %10s\n", stage->name, start, lasts,
		stage_flows(stage), bytes, most, mean);
}

static void print_stages(FILE *out, const struct plan_view *view)
{
	const struct plan *plan = &view->plan;
	char bytes[NUMBER_BYTES], lasts[NUMBER_BYTES];

	fprintf(out, "\nstages of profile %s, seed %" PRIu64 "\n", plan->profile, plan->seed);
	fprintf(out, "  %-27s %9s %9s %6s %10s %10s %10s\n", "", "starts", "expected", "flows",
		"payload", "uplink max", "mean");
	for (size_t i = 0; i < plan->count; i++)
		print_stage(out, view, i);
	number_bytes(bytes, sizeof(bytes), view->bytes);
	number_time(lasts, sizeof(lasts), view->expected_ns);
	fprintf(out,
		"\n%zu %s, %s of payload, %s on the wire if nothing is wrong. Starts are on "
		"the run's\n"
		"clock, for the times of faults; uplink loads are what ECMP gives on the "
		"average.\n",
		plan->count, plural(plan->count, "stage", "stages"), bytes, lasts);
}

static void print_links(FILE *out, const struct plan_view *view)
{
	const struct fabric *fabric = &view->fabric;

	fprintf(out, "\nlinks%*s %8s %7s %14s %14s\n", 24, "", "speed", "length", "sent up",
		"sent down");
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *link = &fabric->links[i];
		char name[2 * NAME_BYTES], speed[QUANTITY_TEXT], up[NUMBER_BYTES],
			down[NUMBER_BYTES];

		fabric_link_name(fabric, i, name);
		quantity_print(QUANTITY_RATE, link->speed_bps, speed);
		load_text(up, sizeof(up), view->port_bytes[link->a]);
		load_text(down, sizeof(down), view->port_bytes[link->b]);
		fprintf(out, "  %-27s %8s %5u m %14s %14s\n", name, speed, link->length_m, up,
			down);
	}
}

int plan_print_text(FILE *out, const struct plan_view *view)
{
	print_head(out, &view->fabric);
	print_fabric(out, view);
	print_policy(out, view);
	print_faults(out, &view->fabric);
	if (!view->brief)
		print_stages(out, view);
	if (view->links)
		print_links(out, view);
	return ferror(out) ? -EIO : 0;
}
