/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/number.h"
#include "reports/tables.h"

/* 0 is none. */
static void rate_cell(struct table *table, uint64_t bps)
{
	char text[NUMBER_BYTES];

	number_gbps(text, sizeof(text), bps);
	table_cell(table, bps ? INK_PLAIN : INK_DIM, "%s", bps ? text : "-");
}

static void bytes_cell(struct table *table, uint64_t bytes)
{
	char text[NUMBER_BYTES];

	number_bytes(text, sizeof(text), bytes);
	table_cell(table, INK_PLAIN, "%s", text);
}

static void nic_cells(struct table *table, const struct places *places, uint32_t index)
{
	const struct scene_nic *from = &places->scene->nics[index];
	const struct place_nic *nic = &places->nics[index];
	const struct place_port *port = NULL;

	if (from->link != SCENE_NONE)
		port = &places->ports[2 * from->link];
	table_cell(table, INK_PLAIN, "%s", from->name);
	if (port)
		table_cell(table, INK_PLAIN, "%s", places->scene->links[from->link].b_port);
	else
		table_cell(table, INK_BAD, "no cable");
	rate_cell(table, port ? places->scene->links[from->link].speed_bps : 0);
	bytes_cell(table, nic->bytes_out);
	bytes_cell(table, nic->bytes_in);
	rate_cell(table, nic->out_bps);
	rate_cell(table, nic->in_bps);
	tables_count(table, tables_bad_if(nic->resent), nic->resent);
	tables_count(table, tables_bad_if(nic->timeouts), nic->timeouts);
	tables_count(table, tables_bad_if(nic->qp_errors), nic->qp_errors);
	tables_count(table, INK_PLAIN, nic->ce_packets);
	tables_count(table, INK_PLAIN, nic->cnps_sent);
	if (port)
		tables_counter(table, tables_bad_if(port->xoff_sent.value), &port->xoff_sent);
	else
		table_cell(table, INK_DIM, "?");
}

void tables_nics(struct table *table, const struct places *places)
{
	static const struct table_column columns[] = { { "NIC", true, 0 }, { "port", true, 0 },
		{ "Gb/s", false, 0 }, { "sent", false, 0 }, { "received", false, 0 },
		{ "slowest out", false, 0 }, { "slowest in", false, 0 }, { "resent", false, 0 },
		{ "timeouts", false, 0 }, { "QP errors", false, 0 }, { "CE", false, 0 },
		{ "CNP", false, 0 }, { "XOFF sent", false, 0 } };

	table_init(table, columns, COUNT_OF(columns));
	for (uint32_t i = 0; i < places->scene->nic_count; i++)
		nic_cells(table, places, i);
}

/* One end of a cable, to be sorted by how much it stands out. */
struct standing {
	uint32_t port;
	uint64_t missing, drops, held_us, errors;
};

static int by_number(uint64_t a, uint64_t b)
{
	return (a < b) - (a > b);
}

static int worst_first(const void *left, const void *right)
{
	const struct standing *a = left, *b = right;
	int order = by_number(a->missing, b->missing);

	if (!order)
		order = by_number(a->drops, b->drops);
	if (!order)
		order = by_number(a->errors, b->errors);
	if (!order)
		order = by_number(a->held_us, b->held_us);
	return order ? order : (a->port > b->port) - (a->port < b->port);
}

static void link_cells(
	struct table *table, const struct places *places, const struct standing *standing)
{
	const struct scene_link *link = &places->scene->links[standing->port / 2];
	const struct place_port *port = &places->ports[standing->port];
	bool up = standing->port % 2 == 0;
	char held[NUMBER_BYTES];

	number_time(held, sizeof(held), port->held_us * NS_PER_US);
	table_cell(table, INK_PLAIN, "%s", up ? link->a_port : link->b_port);
	table_cell(table, INK_PLAIN, "%s", up ? link->b_port : link->a_port);
	rate_cell(table, link->speed_bps);
	table_cell(table, INK_PLAIN, "%.0f %%", 100 * port->busiest);
	tables_count(table, INK_PLAIN, port->sent);
	tables_count(table, tables_bad_if(port->missing), port->missing);
	tables_counter(table, tables_bad_if(port->drops.value), &port->drops);
	tables_counter(table, tables_bad_if(port->crc_errors.value), &port->crc_errors);
	tables_counter(
		table, tables_bad_if(port->carrier_changes.value), &port->carrier_changes);
	tables_counter(table, INK_PLAIN, &port->xoff_sent);
	table_cell(table, INK_PLAIN, "%s", held);
	tables_counter(table, INK_PLAIN, &port->marked);
}

void tables_links(struct table *table, const struct places *places, size_t most)
{
	static const struct table_column columns[] = { { "from port", true, 0 },
		{ "to port", true, 0 }, { "Gb/s", false, 0 }, { "busiest", false, 0 },
		{ "packets", false, 0 }, { "missing", false, 0 }, { "drops", false, 0 },
		{ "CRC errors", false, 0 }, { "carrier", false, 0 }, { "XOFF sent", false, 0 },
		{ "held", false, 0 }, { "CE marked", false, 0 } };
	size_t ports = 2ul * places->scene->link_count, used = 0;
	struct standing *rows = zeroed(ports, sizeof(*rows));

	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < ports; i++) {
		const struct place_port *port = &places->ports[i];
		struct standing row = { (uint32_t)i, port->missing, port->drops.value,
			port->held_us, port->crc_errors.value + port->carrier_changes.value };

		if (row.missing || row.drops || row.held_us || row.errors)
			rows[used++] = row;
	}
	if (used)
		qsort(rows, used, sizeof(*rows), worst_first);
	for (size_t i = 0; i < used && i < most; i++)
		link_cells(table, places, &rows[i]);
	free(rows);
}

static int slowest_first(const void *left, const void *right)
{
	const struct place_pair *a = left, *b = right;

	if (a->bps != b->bps)
		return a->bps < b->bps ? -1 : 1;
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

void tables_pairs(
	struct table *table, const struct places *places, enum plan_layer layer, size_t most)
{
	static const struct table_column columns[] = { { "from", true, 0 }, { "to", true, 0 },
		{ "goodput Gb/s", false, 0 } };
	struct place_pair *pairs = zeroed(places->pair_count, sizeof(*pairs));
	size_t used = 0;

	for (size_t i = 0; i < places->pair_count; i++)
		if (places->pairs[i].layer == layer)
			pairs[used++] = places->pairs[i];
	if (used)
		qsort(pairs, used, sizeof(*pairs), slowest_first);
	table_init(table, columns, COUNT_OF(columns));
	for (size_t i = 0; i < used && i < most; i++) {
		char rate[NUMBER_BYTES];

		number_gbps(rate, sizeof(rate), pairs[i].bps);
		table_cell(table, INK_PLAIN, "%s", places->scene->nics[pairs[i].src].name);
		table_cell(table, INK_PLAIN, "%s", places->scene->nics[pairs[i].dst].name);
		table_cell(table, INK_PLAIN, "%s", rate);
	}
	free(pairs);
}
