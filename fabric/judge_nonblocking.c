/* SPDX-License-Identifier: Apache-2.0 */

/*
 * nonblocking.bandwidth: what permutations reach, against what random ECMP
 * leaves them.
 *
 * What the hash costs is not a fault. With the ways of the QPs known, the payload
 * that crosses a port over the port's ceiling is the time for which it is busy;
 * the busiest port on a flow's way gives the goodput that the flow can expect. Two
 * things are judged: a flow of one QP whose way nobody shares reaches limits.bandwidth like
 * any pair; and all flows together reach a share of what they can expect, which
 * leaves room for congestion control, slow to come back after a collision.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/tally.h"
#include "lib/grow.h"
#include "lib/units.h"

/* Of the expected goodput, mean over flows. Pause shares a link out at once;
 * DCQCN has to find the shares first, and ECN-capable stages may be short. */
#define SHARED_LEAST_NOT_ECT 0.70
#define SHARED_LEAST_ECT 0.25
/* The busiest port of a way carries this much more than the flow itself, at most,
 * on a way that is not shared: acknowledgements. */
#define UNSHARED_MOST 1.01
#define SHARED_ROOM 0.80

/* All permutations with the same number of QPs a pair. */
struct variant {
	uint32_t qps, stages, flows, open;
	uint32_t brief;           /* of those left open: too short to be judged */
	uint32_t ect;             /* flows that congestion control may slow down */
	uint32_t unshared, slow;  /* slow: unshared and below the limit */
	double expected, reached; /* sums of shares of the ceiling */
	double least;             /* of the unshared flows */
	struct seen seen;
	struct votes votes;
};

struct variants {
	struct variant *items;
	size_t count, room;
	double *port_s;   /* by port: seconds of payload */
	double *flow_s;   /* by flow: of the busiest port on its way */
	double *shared_s; /* by flow: of the busiest that carries others too */
};

static double own_least_share(bool not_ect)
{
	return not_ect ? SHARED_LEAST_NOT_ECT : SHARED_LEAST_ECT;
}

/* No more than the file asks of a pair that is alone. */
static double least_share(const struct fabric *fabric, bool not_ect)
{
	double limit = (double)fabric->limits.bandwidth_ppb / (double)PPB;
	double least = own_least_share(not_ect);

	return limit < least ? limit : least;
}

static void *begin(const struct judging *judging)
{
	struct variants *all = zeroed(1, sizeof(*all));

	all->port_s = zeroed(judging->fabric->port_count, sizeof(*all->port_s));
	return all;
}

static double seconds(const struct fabric *fabric, uint32_t port, double bytes)
{
	uint32_t link = fabric->ports[port].link;

	if (link == PORT_NONE)
		return 0;
	return bytes * 8 /
	       (double)payload_ceiling_bps(fabric->links[link].speed_bps, fabric->mtu_bytes);
}

/* Calls act for every port that a QP of a flow leaves. */
static void each_hop(struct variants *all, const struct evidence *evidence,
	void (*act)(struct variants *, const struct evidence *, size_t flow, uint32_t port))
{
	for (size_t flow = 0; flow < evidence->flow_count; flow++) {
		uint32_t number = evidence->flows[flow].flow;
		size_t path = evidence_first_path(evidence, number);

		for (; path < evidence->path_count && evidence->paths[path].flow == number;
			path++)
			for (uint32_t k = 0; k < evidence->ways[path].count; k++)
				act(all, evidence, flow,
					evidence->way_ports[evidence->ways[path].first + k]);
	}
}

static void load_port(
	struct variants *all, const struct evidence *evidence, size_t flow, uint32_t port)
{
	const struct run_flow *row = &evidence->flows[flow];

	all->port_s[port] +=
		seconds(evidence->fabric, port, (double)row->bytes_planned / row->qps);
}

static void load_flow(
	struct variants *all, const struct evidence *evidence, size_t flow, uint32_t port)
{
	const struct run_flow *row = &evidence->flows[flow];
	double own = seconds(evidence->fabric, port, (double)row->bytes_planned / row->qps);

	if (all->port_s[port] > all->flow_s[flow])
		all->flow_s[flow] = all->port_s[port];
	if (all->port_s[port] > own * UNSHARED_MOST && all->port_s[port] > all->shared_s[flow])
		all->shared_s[flow] = all->port_s[port];
}

/* Whether each uplink of the leaf carries all that the leaf's NICs can send or take in. */
static bool has_room(const struct fabric *fabric, uint32_t leaf)
{
	const struct node *node = &fabric->nodes[fabric_leaf_node(fabric, leaf)];
	uint64_t nics_bps = 0, least_bps = UINT64_MAX;

	for (uint32_t i = 0; i < node->port_count; i++) {
		const struct port *port = &fabric->ports[node->first_port + i];
		uint64_t bps;

		if (port->link == PORT_NONE)
			continue;
		bps = fabric->links[port->link].speed_bps;
		if (fabric->ports[port->peer].nic != PORT_NONE)
			nics_bps += bps;
		else if (bps < least_bps)
			least_bps = bps;
	}
	return nics_bps <= least_bps;
}

/* The way of the QPs is not known, and it does not matter: no hash can put more on an uplink
 * than it carries. Two tiers of switches. */
static bool any_way_will_do(const struct evidence *evidence, size_t flow)
{
	const struct fabric *fabric = evidence->fabric;
	uint32_t from, to;

	if (evidence->src[flow] == PORT_NONE || evidence->dst[flow] == PORT_NONE)
		return false;
	from = fabric_nic_leaf(fabric, evidence->src[flow]);
	to = fabric_nic_leaf(fabric, evidence->dst[flow]);
	return from != PORT_NONE && to != PORT_NONE && has_room(fabric, from) &&
	       has_room(fabric, to);
}

static void load(struct variants *all, const struct evidence *evidence)
{
	free(all->flow_s);
	free(all->shared_s);
	all->flow_s = zeroed(evidence->flow_count, sizeof(*all->flow_s));
	all->shared_s = zeroed(evidence->flow_count, sizeof(*all->shared_s));
	for (uint32_t port = 0; port < evidence->fabric->port_count; port++)
		all->port_s[port] = 0;
	each_hop(all, evidence, load_port);
	each_hop(all, evidence, load_flow);
	for (size_t i = 0; i < evidence->flow_count; i++)
		if (all->flow_s[i] <= 0 && any_way_will_do(evidence, i))
			all->flow_s[i] = seconds(evidence->fabric,
				evidence->fabric->nics[evidence->src[i]],
				(double)evidence->flows[i].bytes_planned);
}

static struct variant *variant_of(
	struct variants *all, const struct fabric *fabric, uint32_t qps)
{
	struct variant *variant;

	for (size_t i = 0; i < all->count; i++)
		if (all->items[i].qps == qps)
			return &all->items[i];
	all->items = grow(all->items, all->count, &all->room, sizeof(*all->items));
	variant = &all->items[all->count++];
	*variant = (struct variant){ .qps = qps, .least = 2 };
	votes_begin(&variant->votes, fabric);
	return variant;
}

static void look(struct variants *all, struct variant *variant, const struct evidence *evidence,
	size_t flow)
{
	const struct fabric *fabric = evidence->fabric;
	const struct run_flow *row = &evidence->flows[flow];
	double limit = (double)fabric->limits.bandwidth_ppb / (double)PPB, alone_s, share, fair;
	bool unshared, slow;

	if (evidence->src[flow] == PORT_NONE || all->flow_s[flow] <= 0 ||
		flow_is_brief(evidence, row)) {
		variant->open++;
		variant->brief += flow_is_brief(evidence, row);
		return;
	}
	alone_s =
		seconds(fabric, fabric->nics[evidence->src[flow]], (double)row->bytes_planned);
	share = flow_share(evidence, flow);
	fair = alone_s / all->flow_s[flow];
	/* Several QPs, or flows on a faster link, may together fill a link to the brim
	 * and mark: that way is shared. A link that others leave room on is not. */
	unshared = row->qps == 1 && all->flow_s[flow] <= alone_s * UNSHARED_MOST &&
		   all->shared_s[flow] <= alone_s * SHARED_ROOM;
	slow = unshared ? share < limit : share < fair * least_share(fabric, row->not_ect);
	variant->flows++;
	variant->ect += !row->not_ect;
	variant->expected += fair;
	variant->reached += share;
	variant->unshared += unshared;
	variant->slow += unshared && slow;
	if (unshared && share < variant->least)
		variant->least = share;
	votes_add(&variant->votes, evidence, flow, slow);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct variants *all = state;
	struct variant *variant;

	if (evidence->stage.layer != LAYER_NONBLOCKING || evidence->flow_count == 0)
		return;
	variant = variant_of(all, judging->fabric, evidence->stage.variant);
	variant->stages++;
	seen_add(&variant->seen, &evidence->stage);
	if (!stage_met_deadline(&evidence->stage)) {
		variant->open += (uint32_t)evidence->flow_count;
		return;
	}
	load(all, evidence);
	for (size_t i = 0; i < evidence->flow_count; i++)
		look(all, variant, evidence, i);
}

static void tell_unshared(struct judging *judging, struct variant *variant, bool bad)
{
	double limit = (double)judging->fabric->limits.bandwidth_ppb / (double)PPB;
	struct finding *finding = judging_say(judging, "nonblocking.unshared", "nonblocking",
		bad ? VERDICT_FAIL : VERDICT_PASS, &variant->seen);

	finding_text(finding,
		"%u of %u flows at %u QPs a pair whose way nobody shared stayed below "
		"%.0f %% of their ceiling; the least %.1f %%",
		variant->slow, variant->unshared, variant->qps, limit * 100,
		variant->least * 100);
	finding_limit(finding, variant->least, limit, "ratio",
		"limits.bandwidth of line rate less framing (MTU %u), and the way there",
		judging->fabric->mtu_bytes);
	if (!bad)
		return;
	finding->weight = variant->slow;
	finding_advice(finding,
		"nothing else used the links of these flows: look at the link, port "
		"or NIC that they have in common");
}

static void tell(struct judging *judging, struct variant *variant)
{
	double expected = variant->expected / variant->flows * 100;
	double reached = variant->reached / variant->flows * 100;
	double least = least_share(judging->fabric, variant->ect == 0);
	bool low = reached < expected * least;
	struct finding *finding;

	if (variant->unshared && (variant->slow == 0 || !low))
		tell_unshared(judging, variant, variant->slow > 0);
	if (variant->slow && !low) {
		judging_complain(judging, &variant->votes, &variant->seen);
		return;
	}
	finding = judging_say(judging, "nonblocking.bandwidth", "nonblocking",
		low             ? VERDICT_FAIL
		: variant->open ? VERDICT_UNKNOWN
				: VERDICT_PASS,
		&variant->seen);
	finding_text(finding,
		"%u permutations at %u QPs a pair: random ECMP leaves %.1f %% of the "
		"payload ceiling to a flow, %.1f %% was reached",
		variant->stages, variant->qps, expected, reached);
	finding_limit(finding, reached / expected, least, "ratio",
		"what the ways of the QPs leave (busiest port of each way); the share is %s",
		least < own_least_share(variant->ect == 0)
			? "limits.bandwidth: no more is asked than of a pair alone"
			: "weft's own default");
	if (!low)
		return;
	finding->weight = variant->flows;
	finding_advice(finding, "see the cause if one is named; without one look at congestion "
				"control: marks, CNPs and pause of these stages");
	judging_complain(judging, &variant->votes, &variant->seen);
}

static void tell_open(struct judging *judging, const struct variant *variant)
{
	struct finding *finding = judging_say(judging, "nonblocking.bandwidth", "nonblocking",
		VERDICT_UNKNOWN, &variant->seen);

	if (variant->brief == variant->open)
		finding_text(finding,
			"none of %u flows at %u QPs a pair ran long enough to be judged",
			variant->open, variant->qps);
	else
		finding_text(finding,
			"the ways of the QPs or the end of the flows are "
			"not known for %u flows at %u QPs a pair",
			variant->open, variant->qps);
}

static void end(struct judging *judging, void *state, bool speak)
{
	struct variants *all = state;

	for (size_t i = 0; i < all->count; i++) {
		struct variant *variant = &all->items[i];

		if (speak && variant->flows)
			tell(judging, variant);
		else if (speak)
			tell_open(judging, variant);
		votes_free(&variant->votes);
	}
	free(all->items);
	free(all->port_s);
	free(all->flow_s);
	free(all->shared_s);
	free(all);
}

const struct judge judge_nonblocking = { begin, stage, end };
