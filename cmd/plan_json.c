/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/plan.h"
#include "fabric/stages.h"
#include "lib/json.h"
#include "lib/units.h"

static double share(uint64_t ppb)
{
	return (double)ppb / (double)PPB;
}

static void put_sizes(struct json *root, const struct plan_view *view)
{
	const struct fabric *fabric = &view->fabric;
	struct json *object = json_put_object(root, "fabric");

	json_put_text(object, "name", fabric->name);
	json_put_text(object, "plane", fabric->plane);
	json_put_text(object, "file", view->path);
	json_put_u64(object, "hosts", fabric->hosts);
	json_put_u64(object, "nics", fabric->nic_count);
	json_put_u64(object, "rails", fabric->rails);
	json_put_u64(object, "leaves", fabric->leaves);
	json_put_u64(object, "spines", fabric->spines);
	json_put_u64(object, "nic_links", view->summary.nic_links);
	json_put_u64(object, "uplinks", view->summary.uplinks);
	json_put_u64(object, "mtu_bytes", fabric->mtu_bytes);
	json_put_u64(object, "switch_latency_ns", fabric->switch_ns);
	json_put_u64(object, "nic_latency_ns", fabric->nic_ns);
	json_put_u64(object, "bisection_bps", view->summary.bisection_bps);
	json_put_u64(object, "payload_ceiling_bps",
		payload_ceiling_bps(view->summary.nic_bps_max, fabric->mtu_bytes));
}

static void put_cables(struct json *root, const struct summary *summary)
{
	struct json *array = json_put_array(root, "cables");

	for (size_t i = 0; i < summary->cable_count; i++) {
		const struct summary_cable *cable = &summary->cables[i];
		struct json *object = json_add_object(array);

		json_put_text(object, "kind", cable->uplink ? "uplink" : "nic");
		json_put_u64(object, "count", cable->count);
		json_put_u64(object, "speed_bps", cable->speed_bps);
		json_put_u64(object, "length_m", cable->length_m);
		json_put_u64(object, "headroom_bytes", cable->headroom_bytes);
	}
}

/* null where there are no uplinks, or only one leaf has NICs. */
static void put_ratio(struct json *object, const char *key, uint64_t ppb)
{
	if (ppb == 0 || ppb == UINT64_MAX)
		json_put_null(object, key);
	else
		json_put_double(object, key, share(ppb));
}

static void put_leaves(struct json *root, const struct plan_view *view)
{
	const struct fabric *fabric = &view->fabric;
	const struct summary *summary = &view->summary;
	struct json *array = json_put_array(root, "leaves");

	for (uint32_t i = 0; i < fabric->leaves; i++) {
		struct json *object = json_add_object(array);

		json_put_text(object, "name", fabric->nodes[fabric_leaf_node(fabric, i)].name);
		json_put_u64(object, "nics", summary->leaves[i].nics);
		json_put_u64(object, "host_bps", summary->leaves[i].host_bps);
		json_put_u64(object, "uplink_bps", summary->leaves[i].uplink_bps);
		put_ratio(object, "oversubscription", summary->leaves[i].oversub_ppb);
	}
	array = json_put_array(root, "hops");
	for (unsigned i = 0; i < SUMMARY_HOPS; i++) {
		struct json *object;

		if (!summary->pairs[i])
			continue;
		object = json_add_object(array);
		json_put_u64(object, "switches", i);
		json_put_u64(object, "nic_pairs", summary->pairs[i]);
	}
}

static void put_policy(struct json *root, const struct plan_view *view)
{
	const struct policy *policy = &view->fabric.policy;
	struct json *object = json_put_object(root, "policy");

	json_put_u64(object, "dscp", policy->dscp);
	json_put_u64(object, "priority", policy->priority);
	json_put_u64(object, "cnp_dscp", policy->cnp_dscp);
	json_put_u64(object, "cnp_priority", policy->cnp_priority);
	json_put_bool(object, "ecn", policy->ecn);
	json_put_u64(object, "ecn_kmin_bytes", policy->ecn_kmin_bytes);
	json_put_u64(object, "ecn_kmax_bytes", policy->ecn_kmax_bytes);
	json_put_double(object, "ecn_pmax", share(policy->ecn_pmax_ppb));
	json_put_bool(object, "dcqcn", !policy->dcqcn.off);
	json_put_bool(object, "pfc", policy->pfc);
	json_put_double(object, "alpha", 1.0 / (double)(1u << policy->alpha_shift));
	json_put_u64(object, "xoff_bytes", policy->xoff_bytes);
	json_put_u64(object, "buffer_bytes", policy->buffer_bytes);
	json_put_u64(object, "leaf_headroom_bytes", view->summary.leaf_headroom_bytes);
	json_put_u64(object, "spine_headroom_bytes", view->summary.spine_headroom_bytes);
	json_put_u64(object, "timeout", policy->timeout_exp);
	json_put_u64(object, "retry", policy->retry);
	json_put_text(object, "transport",
		policy->selective_repeat ? "selective-repeat" : "go-back-n");
}

static void put_limits(struct json *root, const struct limits *limits)
{
	struct json *object = json_put_object(root, "limits");

	json_put_double(object, "bandwidth", share(limits->bandwidth_ppb));
	json_put_double(object, "busbw", share(limits->busbw_ppb));
	json_put_double(object, "oversubscription", share(limits->oversub_ppb));
	json_put_double(object, "loss", share(limits->loss_ppb));
	json_put_double(object, "victim", share(limits->victim_ppb));
	json_put_double(object, "spread", share(limits->spread_ppb));
	json_put_double(object, "spike", share(limits->spike_ppb));
}

/* What only some kinds of fault have. */
static void put_more(
	struct json *object, const struct fabric *fabric, const struct fault *fault)
{
	char other[2 * NAME_BYTES];

	if ((fault->kind == FAULT_DSCP_MAP || fault->kind == FAULT_CNP_MAP) &&
		fault->port == PORT_NONE)
		json_put_u64(object, "priority", fault->priority);
	if (fault->kind == FAULT_BURST_LOSS)
		json_put_u64(object, "burst", fault->burst);
	if (fault->kind == FAULT_SWAP) {
		fabric_link_name(fabric, fault->other, other);
		json_put_text(object, "with", other);
	}
	if (fault->kind == FAULT_ROUTE)
		json_put_text(object, "towards",
			fabric->nodes[fabric_leaf_node(fabric, fault->towards)].name);
}

static void put_faults(struct json *root, const struct fabric *fabric)
{
	struct json *array = json_put_array(root, "faults");

	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];
		struct json *object = json_add_object(array);

		json_put_text(object, "kind", fault_kind_name(fault->kind));
		json_put_text(object, "place", fault->place);
		json_put_u64(object, "from_ns", fault->from_ns);
		json_put_u64(object, "to_ns", fault->to_ns); /* null: to the end */
		if (fault->amount_ppb)
			json_put_double(object, "amount", share(fault->amount_ppb));
		if (fault->amount_ns)
			json_put_u64(object, "amount_ns", fault->amount_ns);
		if (fault->amount_count)
			json_put_u64(object, "amount_count", fault->amount_count);
		if (fault->period_ns)
			json_put_u64(object, "period_ns", fault->period_ns);
		put_more(object, fabric, fault);
	}
}

static void put_stage(struct json *object, const struct plan_view *view, size_t index)
{
	const struct plan_stage *stage = &view->plan.stages[index];
	const struct load_uplinks *load = &view->uplinks[index];
	uint64_t qps = (uint64_t)stage->ring.ranks * stage->ring.qps;

	for (uint32_t i = 0; i < stage->flow_count; i++)
		qps += stage->flows[i].qps;
	json_put_text(object, "name", stage->name);
	json_put_text(object, "layer", plan_layer_name(stage->layer));
	json_put_u64(object, "variant", stage->variant);
	json_put_u64(object, "repeat", stage->repeat);
	json_put_u64(object, "flows", stage->flow_count);
	json_put_u64(object, "ranks", stage->ring.ranks);
	json_put_u64(object, "qps", qps);
	json_put_u64(object, "bytes", load_stage_bytes(stage));
	json_put_u64(object, "start_ns", plan_start_ns(&view->plan, index));
	json_put_u64(object, "expected_ns", stage->expected_ns);
	json_put_u64(object, "deadline_ns", stage->deadline_ns);
	json_put_u64(object, "uplink_max_bytes", load->max_bytes);
	json_put_u64(
		object, "uplink_mean_bytes", load->ports ? load->total_bytes / load->ports : 0);
	json_put_text(object, "note", stage->note);
}

static void put_links(struct json *root, const struct plan_view *view)
{
	const struct fabric *fabric = &view->fabric;
	struct json *array = json_put_array(root, "links");

	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *link = &fabric->links[i];
		struct json *object = json_add_object(array);
		char name[2 * NAME_BYTES];

		fabric_link_name(fabric, i, name);
		json_put_text(object, "name", name);
		json_put_u64(object, "speed_bps", link->speed_bps);
		json_put_u64(object, "length_m", link->length_m);
		if (view->brief)
			continue;
		json_put_u64(object, "up_bytes", view->port_bytes[link->a]);
		json_put_u64(object, "down_bytes", view->port_bytes[link->b]);
	}
}

static void put_stages(struct json *root, const struct plan_view *view)
{
	struct json *array;

	json_put_text(root, "profile", view->plan.profile);
	json_put_u64(root, "seed", view->plan.seed);
	json_put_u64(root, "bytes", view->bytes);
	json_put_u64(root, "expected_ns", view->expected_ns);
	array = json_put_array(root, "stages");
	for (size_t i = 0; i < view->plan.count; i++)
		put_stage(json_add_object(array), view, i);
}

int plan_print_json(FILE *out, const struct plan_view *view)
{
	struct json *root = json_new_object();
	int err;

	json_put_text(root, "schema", "weft-plan");
	json_put_u64(root, "version", 1);
	put_sizes(root, view);
	put_cables(root, &view->summary);
	put_leaves(root, view);
	put_policy(root, view);
	put_limits(root, &view->fabric.limits);
	put_faults(root, &view->fabric);
	if (!view->brief)
		put_stages(root, view);
	if (view->links)
		put_links(root, view);
	err = json_write(out, root);
	json_free(root);
	return err;
}
