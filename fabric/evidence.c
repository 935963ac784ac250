/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/evidence.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/lookup.h"
#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/names.h"
#include "lib/units.h"

enum kind { DELTA, LEVEL };

static const struct {
	const char *name;
	enum metric metric;
	enum kind kind;
} known[] = {
	{ C_TX_BYTES, M_TX_BYTES, DELTA },
	{ C_RX_BYTES, M_RX_BYTES, DELTA },
	{ C_TX_PACKETS, M_TX_PACKETS, DELTA },
	{ C_RX_PACKETS, M_RX_PACKETS, DELTA },
	{ C_CARRIER_CHANGES, M_CARRIER, DELTA },
	{ C_RX_CRC_ERRORS, M_CRC, DELTA },
	{ C_TX_PRIO_BYTES, M_TX_PRIO_BYTES, DELTA },
	{ C_TX_PRIO_PACKETS, M_TX_PRIO_PACKETS, DELTA },
	{ C_RX_PRIO_PACKETS, M_RX_PRIO_PACKETS, DELTA },
	{ C_TX_PRIO_PAUSE, M_TX_PAUSE, DELTA },
	{ C_TX_PRIO_PAUSE_US, M_TX_PAUSE_US, DELTA },
	{ C_RX_PRIO_PAUSE, M_RX_PAUSE, DELTA },
	{ C_RX_PRIO_PAUSE_US, M_RX_PAUSE_US, DELTA },
	{ C_TX_PRIO_BUSY_NS, M_BUSY_NS, DELTA },
	{ C_RX_DSCP_PACKETS, M_RX_DSCP_PACKETS, DELTA },
	{ C_ECN_MARKED, M_MARKED, DELTA },
	{ C_QUEUE_PEAK, M_QUEUE_PEAK, LEVEL },
	{ C_QUEUE_PEAK_ECT, M_QUEUE_PEAK_ECT, LEVEL },
	{ C_INGRESS_PEAK, M_INGRESS_PEAK, LEVEL },
	{ C_HEADROOM_PEAK, M_HEADROOM_PEAK, LEVEL },
	{ C_DROP_BUFFER, M_DROP_BUFFER, DELTA },
	{ C_DROP_HEADROOM, M_DROP_HEADROOM, DELTA },
	{ C_DROP_EGRESS, M_DROP_EGRESS, DELTA },
	{ C_DROP_LINK_DOWN, M_DROP_LINK_DOWN, DELTA },
	{ C_DROP_NO_ROUTE, M_DROP_NO_ROUTE, DELTA },
	{ C_DROP_WATCHDOG, M_DROP_WATCHDOG, DELTA },
	{ C_ECN_BEFORE_PFC_NS, M_FIRST_PAUSE_NS, LEVEL },
	{ C_FIRST_MARK_NS, M_FIRST_MARK_NS, LEVEL },
	{ C_OUT_OF_SEQUENCE, M_OUT_OF_SEQUENCE, DELTA },
	{ C_PACKET_SEQ_ERR, M_SEQ_ERR, DELTA },
	{ C_ACK_TIMEOUT, M_ACK_TIMEOUT, DELTA },
	{ C_IMPLIED_NAK, M_IMPLIED_NAK, DELTA },
	{ C_ADP_RETRANS, M_ADP_RETRANS, DELTA },
	{ C_ADP_TIMEOUT, M_ADP_TIMEOUT, DELTA },
	{ C_NP_CNP_SENT, M_CNP_SENT, DELTA },
	{ C_RP_CNP_HANDLED, M_CNP_HANDLED, DELTA },
	{ C_NP_CE, M_CE, DELTA },
	{ C_TX_POLICY_BYTES, M_TX_POLICY_BYTES, DELTA },
	{ C_TX_RDMA_BYTES, M_TX_RDMA_BYTES, DELTA },
	{ C_DROP_OVERSIZE, M_DROP_OVERSIZE, DELTA },
	{ C_DROP_POLICER, M_DROP_POLICER, DELTA },
	{ C_DROP_TTL, M_DROP_TTL, DELTA },
	{ C_ICRC_ERRORS, M_ICRC, DELTA },
	{ C_OUT_OF_BUFFER, M_OUT_OF_BUFFER, DELTA },
	{ C_DUPLICATE, M_DUPLICATE, DELTA },
	{ C_PROBES_ARRIVED, M_PROBES_ARRIVED, DELTA },
	{ C_PROBES_RIGHT, M_PROBES_RIGHT, DELTA },
	{ C_PROBES_WRONG_DSCP, M_PROBES_WRONG_DSCP, LEVEL },
	{ C_PAYLOAD_CHECKED, M_PAYLOAD_CHECKED, DELTA },
	{ C_PAYLOAD_CORRUPT, M_PAYLOAD_CORRUPT, DELTA },
	{ C_RING_CHECKED, M_RING_CHECKED, DELTA },
	{ C_RING_SUMS_NS, M_RING_SUMS_NS, DELTA },
	{ C_RING_WRONG, M_RING_WRONG, DELTA },
	{ C_RING_WRONG_STEP, M_RING_WRONG_STEP, LEVEL },
	{ C_RING_WRONG_CHUNK, M_RING_WRONG_CHUNK, LEVEL },
};

/* Drops that a packet of any priority can meet; those of the other priorities
 * are summed in M_DROP_OTHER. */
static const char *const drops[] = { C_DROP_BUFFER, C_DROP_HEADROOM, C_DROP_EGRESS,
	C_DROP_WATCHDOG };

#define NAMES_MOST (COUNT_OF(known) + COUNT_OF(drops) * PRIORITIES)

struct counter_names {
	struct counter_name {
		enum metric metric;
		enum kind kind;
	} items[NAMES_MOST];
	struct names numbers; /* owned; the number of a text is that of its item */
};

static void name_add(struct counter_names *names, const char *format, unsigned priority,
	enum metric metric, enum kind kind)
{
	char text[sizeof(((struct run_counter *)0)->name)];
	uint32_t number;
	bool is_new;

	/* Names without a priority ignore the argument. */
	snprintf(text, sizeof(text), format, priority);
	number = names_put(&names->numbers, text, &is_new);
	assert(is_new && number < NAMES_MOST);
	names->items[number] = (struct counter_name){ metric, kind };
}

static void names_of_policy(struct counter_names *names, const struct policy *policy)
{
	names->numbers = (struct names)NAMES_INIT;
	for (size_t i = 0; i < COUNT_OF(known); i++)
		name_add(
			names, known[i].name, policy->priority, known[i].metric, known[i].kind);
	for (unsigned priority = 0; priority < PRIORITIES; priority++)
		for (size_t i = 0; priority != policy->priority && i < COUNT_OF(drops); i++)
			name_add(names, drops[i], priority, M_DROP_OTHER, DELTA);
}

static const struct counter_name *find_name(const struct counter_names *names, const char *text)
{
	uint32_t number = names_find(&names->numbers, text);

	return number == NAMES_NONE ? NULL : &names->items[number];
}

static void take(struct evidence *evidence, uint32_t port, const struct counter_name *name,
	const struct run_counter *row)
{
	uint64_t *value = &evidence->values[(size_t)port * M_COUNT + name->metric];
	uint64_t seen = name->kind == LEVEL ? row->last : row->last - row->first;

	if (name->kind == DELTA && row->last < row->first)
		return;
	if (name->metric == M_DROP_OTHER && *value != EVIDENCE_ABSENT)
		seen += *value;
	*value = seen;
	if (name->metric == M_CARRIER)
		value[M_CARRIER_TOTAL - M_CARRIER] = row->last;
}

static int load_counters(struct evidence *evidence, struct run *run,
	const struct lookup *lookup, struct diag *diag)
{
	size_t values = (size_t)evidence->fabric->port_count * M_COUNT, count;
	struct counter_names counters;
	struct run_counter *rows;
	int err = run_get_counters(run, evidence->stage.id, &rows, &count, diag);

	if (err)
		return err;
	names_of_policy(&counters, &evidence->fabric->policy);
	evidence->values = zeroed(values, sizeof(*evidence->values));
	for (size_t i = 0; i < values; i++)
		evidence->values[i] = EVIDENCE_ABSENT;
	for (size_t i = 0; i < count; i++) {
		const struct counter_name *name = find_name(&counters, rows[i].name);
		uint32_t port = name ? lookup_port(lookup, rows[i].place, strlen(rows[i].place))
				     : PORT_NONE;

		if (port != PORT_NONE)
			take(evidence, port, name, &rows[i]);
	}
	names_free(&counters.numbers);
	free(rows);
	return 0;
}

static int load_flows(struct evidence *evidence, struct run *run, const struct lookup *lookup,
	struct diag *diag)
{
	int err = run_get_flows(
		run, evidence->stage.id, &evidence->flows, &evidence->flow_count, diag);

	if (err)
		return err;
	evidence->src = zeroed(evidence->flow_count, sizeof(*evidence->src));
	evidence->dst = zeroed(evidence->flow_count, sizeof(*evidence->dst));
	for (size_t i = 0; i < evidence->flow_count; i++) {
		evidence->src[i] = lookup_nic(lookup, evidence->flows[i].src);
		evidence->dst[i] = lookup_nic(lookup, evidence->flows[i].dst);
	}
	return 0;
}

/* "host1>leaf1:9>spine2:1" as ports; what is unknown is left out. Returns how
 * many stand at ports. */
static uint32_t parse_way(const struct lookup *lookup, const char *text, uint32_t *ports)
{
	uint32_t count = 0;

	while (*text) {
		size_t length = strcspn(text, ">");
		uint32_t port = lookup_port(lookup, text, length);

		if (port != PORT_NONE)
			ports[count++] = port;
		text += length + (text[length] == '>');
	}
	return count;
}

static int by_flow(const void *left, const void *right)
{
	const struct run_path *a = left, *b = right;

	if (a->flow != b->flow)
		return a->flow < b->flow ? -1 : 1;
	return (a->qp > b->qp) - (a->qp < b->qp);
}

static int load_ways(struct evidence *evidence, struct run *run, const struct lookup *lookup,
	struct diag *diag)
{
	uint32_t used = 0;
	int err = run_get_paths(
		run, evidence->stage.id, &evidence->paths, &evidence->path_count, diag);
	size_t room = 0;

	if (err)
		return err;
	if (evidence->path_count)
		qsort(evidence->paths, evidence->path_count, sizeof(*evidence->paths), by_flow);
	evidence->ways = zeroed(evidence->path_count, sizeof(*evidence->ways));
	for (size_t i = 0; i < evidence->path_count; i++)
		room += strlen(evidence->paths[i].ports) / 2 + 1;
	evidence->way_ports = zeroed(room, sizeof(*evidence->way_ports));
	for (size_t i = 0; i < evidence->path_count; i++) {
		evidence->ways[i].first = used;
		evidence->ways[i].count =
			parse_way(lookup, evidence->paths[i].ports, &evidence->way_ports[used]);
		used += evidence->ways[i].count;
	}
	return 0;
}

static int check_flows(const struct evidence *evidence, struct diag *diag)
{
	for (size_t i = 0; i < evidence->flow_count; i++)
		if (evidence->flows[i].qps == 0 || evidence->flows[i].qps > EVIDENCE_QPS_MAX)
			return diag_error(diag, -EINVAL,
				"the run file has a flow of %u queue pairs in stage \"%s\"; "
				"expected 1..%u: run it again",
				evidence->flows[i].qps, evidence->stage.name, EVIDENCE_QPS_MAX);
	return 0;
}

static int check_ring(const struct evidence *evidence, struct diag *diag)
{
	const struct plan_ring *ring = &evidence->ring;
	bool fits = ring->ranks == 0 || (ring->elem_bytes > 0 && ring->ranks > 1 &&
						ring->iterations <= EVIDENCE_ITERATIONS_MAX);

	for (uint32_t i = 0; fits && i < ring->ranks; i++)
		fits = ring->nics[i] < evidence->fabric->nic_count;
	if (fits)
		return 0;
	return diag_error(diag, -EINVAL,
		"the ring of stage \"%s\" in the run file does not fit its fabric: run it "
		"again",
		evidence->stage.name);
}

size_t evidence_first_path(const struct evidence *evidence, uint32_t flow)
{
	size_t low = 0, high = evidence->path_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (evidence->paths[middle].flow < flow)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The largest number of frames that can be on their way in one direction when
 * a window closes before the network is empty: what the cable holds in frames of
 * the least size, and one at each end. */
static uint64_t in_flight_most(const struct link *link)
{
	uint64_t cable_ns = (uint64_t)link->length_m * 5;

	return link->speed_bps / 8 * cable_ns / NS_PER_S / 84 + 2;
}

static bool is_settled(const struct evidence *evidence)
{
	if (evidence->stage.status != RUN_COMPLETE)
		return false;
	for (size_t i = 0; i < evidence->flow_count; i++)
		if (!evidence->flows[i].complete)
			return false;
	return true;
}

static bool had_carrier(const struct evidence *evidence, const struct link *link)
{
	return evidence_sum(evidence, link->a, M_CARRIER) == 0 &&
	       evidence_sum(evidence, link->b, M_CARRIER) == 0;
}

bool evidence_lost(
	const struct evidence *evidence, uint32_t port, uint64_t *sent_out, uint64_t *lost)
{
	const struct fabric *fabric = evidence->fabric;
	uint64_t sent = evidence_at(evidence, port, M_TX_PACKETS), got;
	const struct link *link;

	if (fabric->ports[port].link == PORT_NONE)
		return false;
	link = &fabric->links[fabric->ports[port].link];
	got = evidence_at(evidence, fabric->ports[port].peer, M_RX_PACKETS);
	if (sent == EVIDENCE_ABSENT || got == EVIDENCE_ABSENT || !had_carrier(evidence, link))
		return false;
	*sent_out = sent;
	*lost = 0;
	if (sent > got && (is_settled(evidence) || sent > got + in_flight_most(link)))
		*lost = sent - got;
	return true;
}

int evidence_load(struct evidence *evidence, struct run *run, const struct fabric *fabric,
	const struct lookup *lookup, const struct run_stage *stage, struct diag *diag)
{
	int err;

	*evidence = (struct evidence)EVIDENCE_INIT;
	evidence->fabric = fabric;
	evidence->stage = *stage;
	err = load_counters(evidence, run, lookup, diag);
	if (!err)
		err = load_flows(evidence, run, lookup, diag);
	if (!err)
		err = load_ways(evidence, run, lookup, diag);
	if (!err)
		err = run_get_steps(
			run, stage->id, &evidence->steps, &evidence->step_count, diag);
	if (!err && stage->layer == LAYER_RING)
		err = run_get_ring(run, stage->id, &evidence->ring, diag);
	if (!err)
		err = check_flows(evidence, diag);
	if (!err)
		err = check_ring(evidence, diag);
	if (err)
		evidence_free(evidence);
	return err;
}

void evidence_free(struct evidence *evidence)
{
	free(evidence->values);
	free(evidence->flows);
	free(evidence->src);
	free(evidence->dst);
	free(evidence->ways);
	free(evidence->way_ports);
	free(evidence->paths);
	free(evidence->steps);
	free(evidence->ring.nics);
	*evidence = (struct evidence)EVIDENCE_INIT;
}
