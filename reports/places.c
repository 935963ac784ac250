/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/places.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/counter_kind.h"

/* What a port told in one stage; folded into its place_port after the stage. */
struct window {
	bool counted, received_counted;
	uint64_t sent, received, bytes, held_us;
};

struct reading {
	struct places *places;
	struct place_names *names;
	struct counter_kinds *kinds;
	struct window *windows; /* of each port */
	const struct run_stage *stage;
};

static void add_delta(uint64_t *sum, const struct run_counter *row)
{
	*sum += row->last - row->first;
}

static void add_to_window(
	struct window *window, enum counter_kind kind, const struct run_counter *row)
{
	if (kind == COUNTER_TX_PACKETS) {
		window->counted = true;
		add_delta(&window->sent, row);
	} else if (kind == COUNTER_RX_PACKETS) {
		window->received_counted = true;
		add_delta(&window->received, row);
	} else if (kind == COUNTER_TX_BYTES) {
		add_delta(&window->bytes, row);
	} else if (kind == COUNTER_HELD_US) {
		add_delta(&window->held_us, row);
	}
}

static void add_count(struct figure_count *count, const struct run_counter *row)
{
	count->present = true;
	add_delta(&count->value, row);
}

static void add_to_port(
	struct place_port *port, enum counter_kind kind, const struct run_counter *row)
{
	if (kind == COUNTER_DROP)
		add_count(&port->drops, row);
	else if (kind == COUNTER_XOFF_SENT)
		add_count(&port->xoff_sent, row);
	else if (kind == COUNTER_MARKED)
		add_count(&port->marked, row);
	else if (kind == COUNTER_CRC_ERRORS)
		add_count(&port->crc_errors, row);
	else if (kind == COUNTER_CARRIER_CHANGES)
		add_count(&port->carrier_changes, row);
}

static void keep_first(
	struct place_event *firsts, enum place_first what, const struct run_counter *row)
{
	struct place_event *first = &firsts[what];

	if (first->place[0] && first->t_ns <= row->last)
		return;
	*first = (struct place_event){ row->stage, what, row->last, "" };
	memcpy(first->place, row->place, sizeof(first->place));
}

static void add_to_firsts(
	struct place_event *firsts, enum counter_kind kind, const struct run_counter *row)
{
	if (kind == COUNTER_FIRST_PAUSE_NS)
		keep_first(firsts, FIRST_PAUSE, row);
	else if (kind == COUNTER_FIRST_MARK_NS)
		keep_first(firsts, FIRST_MARK, row);
	else if (kind == COUNTER_FIRST_DROP_NS)
		keep_first(firsts, FIRST_DROP, row);
}

static void add_events(struct places *places, const struct place_event *firsts)
{
	for (size_t i = 0; i < FIRST_COUNT; i++) {
		if (!firsts[i].place[0])
			continue;
		places->events = grow(places->events, places->event_count, &places->event_room,
			sizeof(*places->events));
		places->events[places->event_count++] = firsts[i];
	}
}

/* Rows of a place stand together: its name is looked up once. A counter that went
 * down was reset and says nothing. */
static void add_counters(
	const struct reading *reading, const struct run_counter *rows, size_t count)
{
	struct place_event firsts[FIRST_COUNT] = { 0 };
	const char *place = NULL;
	uint32_t port = SCENE_NONE;

	for (size_t i = 0; i < count; i++) {
		enum counter_kind kind = counter_kind(reading->kinds, rows[i].name);

		if (!place || strcmp(place, rows[i].place) != 0) {
			place = rows[i].place;
			port = place_find_port(reading->names, place);
		}
		add_to_firsts(firsts, kind, &rows[i]);
		if (port == SCENE_NONE || rows[i].last < rows[i].first)
			continue;
		add_to_window(&reading->windows[port], kind, &rows[i]);
		add_to_port(&reading->places->ports[port], kind, &rows[i]);
	}
	add_events(reading->places, firsts);
}

static void fold_port(const struct reading *reading, uint32_t port)
{
	const struct window *own = &reading->windows[port], *peer = &reading->windows[port ^ 1];
	const struct run_stage *stage = reading->stage;
	struct place_port *sum = &reading->places->ports[port];
	uint64_t speed_bps = reading->places->scene->links[port / 2].speed_bps;
	double window_ns = (double)(stage->t1_ns - stage->t0_ns), share;

	sum->counted |= own->counted;
	sum->sent += own->sent;
	sum->held_us += own->held_us;
	/* In a stage that was cut short packets are still on their way. */
	if (stage->status == RUN_COMPLETE && own->counted && peer->received_counted &&
		own->sent > peer->received)
		sum->missing += own->sent - peer->received;
	share = (double)own->held_us * NS_PER_US / window_ns;
	if (share > sum->held)
		sum->held = share < 1 ? share : 1;
	if (!speed_bps)
		return;
	share = (double)own->bytes * 8 * NS_PER_S / window_ns / (double)speed_bps;
	if (share > sum->busiest) {
		sum->busiest = share;
		sum->busiest_stage = stage->id;
	}
}

static int read_counters(const struct reading *reading, struct run *run, struct diag *diag)
{
	uint32_t ports = 2 * reading->places->scene->link_count;
	struct run_counter *rows = NULL;
	size_t count = 0;
	int err;

	err = run_get_counters(run, reading->stage->id, &rows, &count, diag);
	if (err)
		return err;
	memset(reading->windows, 0, ports * sizeof(*reading->windows));
	add_counters(reading, rows, count);
	free(rows);
	if (reading->stage->t1_ns > reading->stage->t0_ns)
		for (uint32_t i = 0; i < ports; i++)
			fold_port(reading, i);
	return 0;
}

static void keep_least(uint64_t *least, uint64_t value)
{
	if (value && (!*least || value < *least))
		*least = value;
}

static void add_sender(struct place_nic *nic, const struct run_flow *flow, uint64_t bps)
{
	nic->flows_out++;
	nic->incomplete += !flow->complete;
	nic->bytes_out += flow->bytes_delivered;
	nic->resent += flow->packets_resent;
	nic->timeouts += flow->timeouts;
	nic->cnps_handled += flow->cnps_handled;
	nic->qp_errors += flow->qp_error;
	keep_least(&nic->out_bps, bps);
}

static void add_receiver(struct place_nic *nic, const struct run_flow *flow, uint64_t bps)
{
	nic->flows_in++;
	nic->bytes_in += flow->bytes_delivered;
	nic->out_of_sequence += flow->out_of_sequence;
	nic->ce_packets += flow->ce_packets;
	nic->cnps_sent += flow->cnps_sent;
	keep_least(&nic->in_bps, bps);
}

static void add_flow(const struct reading *reading, const struct run_flow *flow)
{
	struct places *places = reading->places;
	enum plan_layer layer = reading->stage->layer;
	uint32_t src = place_find_nic(reading->names, flow->src);
	uint32_t dst = place_find_nic(reading->names, flow->dst);
	uint64_t bps = figure_flow_bps(flow, reading->stage);
	uint64_t alone_bps = layer == LAYER_PAIRS ? bps : 0;

	if (src == SCENE_NONE || dst == SCENE_NONE)
		return;
	add_sender(&places->nics[src], flow, alone_bps);
	add_receiver(&places->nics[dst], flow, alone_bps);
	if (flow->role != FLOW_MAIN || (layer != LAYER_PAIRS && layer != LAYER_NONBLOCKING))
		return;
	places->pairs = grow(
		places->pairs, places->pair_count, &places->pair_room, sizeof(*places->pairs));
	places->pairs[places->pair_count++] = (struct place_pair){ layer, src, dst, bps };
}

static int read_flows(const struct reading *reading, struct run *run, struct diag *diag)
{
	struct run_flow *flows = NULL;
	size_t count = 0;
	int err;

	err = run_get_flows(run, reading->stage->id, &flows, &count, diag);
	for (size_t i = 0; !err && i < count; i++)
		add_flow(reading, &flows[i]);
	free(flows);
	return err;
}

static int by_pair(const void *left, const void *right)
{
	const struct place_pair *a = left, *b = right;

	if (a->layer != b->layer)
		return a->layer < b->layer ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->bps > b->bps) - (a->bps < b->bps);
}

/* Of the same pair in the same layer the slowest stays. */
static void keep_slowest(struct places *places)
{
	size_t kept = 0;

	if (places->pair_count)
		qsort(places->pairs, places->pair_count, sizeof(*places->pairs), by_pair);
	for (size_t i = 0; i < places->pair_count; i++) {
		const struct place_pair *last = kept ? &places->pairs[kept - 1] : NULL;

		if (last && last->layer == places->pairs[i].layer &&
			last->src == places->pairs[i].src && last->dst == places->pairs[i].dst)
			continue;
		places->pairs[kept++] = places->pairs[i];
	}
	places->pair_count = kept;
}

static int read_all(struct places *places, const struct scene *scene, struct run *run,
	bool with_counters, struct diag *diag)
{
	struct places read = { .scene = scene };
	struct run_stage *stages = NULL;
	struct counter_kinds kinds = { .kinds = NULL };
	struct reading reading = { .places = &read, .kinds = &kinds };
	size_t count = 0;
	int err;

	err = run_get_stages(run, &stages, &count, diag);
	if (err)
		return err;
	read.ports = zeroed(2ul * scene->link_count, sizeof(*read.ports));
	read.nics = zeroed(scene->nic_count, sizeof(*read.nics));
	reading.windows = zeroed(2ul * scene->link_count, sizeof(*reading.windows));
	reading.names = place_names_new(scene);
	for (size_t i = 0; !err && i < count; i++) {
		reading.stage = &stages[i];
		err = read_flows(&reading, run, diag);
		if (!err && with_counters)
			err = read_counters(&reading, run, diag);
	}
	keep_slowest(&read);
	place_names_free(reading.names);
	counter_kinds_free(&kinds);
	free(reading.windows);
	free(stages);
	if (err)
		places_free(&read);
	else
		*places = read;
	return err;
}

int places_read(
	struct places *places, const struct scene *scene, struct run *run, struct diag *diag)
{
	return read_all(places, scene, run, scene->link_count > 0, diag);
}

int places_read_flows(
	struct places *places, const struct scene *scene, struct run *run, struct diag *diag)
{
	return read_all(places, scene, run, false, diag);
}

void places_free(struct places *places)
{
	free(places->ports);
	free(places->nics);
	free(places->pairs);
	free(places->events);
	*places = (struct places)PLACES_INIT;
}

bool places_counted(const struct places *places, uint32_t link)
{
	return places->ports[2 * link].counted && places->ports[2 * link + 1].counted;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

double places_busiest(const struct places *places, uint32_t link)
{
	return larger(places->ports[2 * link].busiest, places->ports[2 * link + 1].busiest);
}

double places_held(const struct places *places, uint32_t link)
{
	return larger(places->ports[2 * link].held, places->ports[2 * link + 1].held);
}

uint64_t places_missing(const struct places *places, uint32_t link)
{
	return places->ports[2 * link].missing + places->ports[2 * link + 1].missing;
}

uint64_t places_sent(const struct places *places, uint32_t link)
{
	return places->ports[2 * link].sent + places->ports[2 * link + 1].sent;
}
