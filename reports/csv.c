/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/json.h"
#include "reports/places.h"

#define KEY_BYTES 96

/* --- rows that the JSON report has not --- */

static void put_counter(struct json *row, const char *key, const struct figure_count *count)
{
	if (count->present)
		json_put_u64(row, key, count->value);
	else
		json_put_null(row, key);
}

static void put_rate(struct json *row, const char *key, uint64_t bps)
{
	if (bps)
		json_put_u64(row, key, bps);
	else
		json_put_null(row, key);
}

static void add_nics(struct json *rows, const struct places *places)
{
	for (uint32_t i = 0; i < places->scene->nic_count; i++) {
		const struct place_nic *nic = &places->nics[i];
		struct json *row = json_add_object(rows);

		json_put_text(row, "nic", places->scene->nics[i].name);
		json_put_u64(row, "flows_out", nic->flows_out);
		json_put_u64(row, "flows_in", nic->flows_in);
		json_put_u64(row, "flows_incomplete", nic->incomplete);
		json_put_u64(row, "bytes_out", nic->bytes_out);
		json_put_u64(row, "bytes_in", nic->bytes_in);
		put_rate(row, "slowest_out_bps", nic->out_bps);
		put_rate(row, "slowest_in_bps", nic->in_bps);
		json_put_u64(row, "packets_resent", nic->resent);
		json_put_u64(row, "timeouts", nic->timeouts);
		json_put_u64(row, "out_of_sequence", nic->out_of_sequence);
		json_put_u64(row, "ce_packets", nic->ce_packets);
		json_put_u64(row, "cnps_sent", nic->cnps_sent);
		json_put_u64(row, "cnps_handled", nic->cnps_handled);
		json_put_u64(row, "qp_errors", nic->qp_errors);
	}
}

/* A row for each direction. */
static void add_cables(struct json *rows, const struct places *places)
{
	for (uint32_t i = 0; i < 2 * places->scene->link_count; i++) {
		const struct scene_link *link = &places->scene->links[i / 2];
		const struct place_port *port = &places->ports[i];
		struct json *row = json_add_object(rows);

		json_put_text(row, "from", i % 2 ? link->b_port : link->a_port);
		json_put_text(row, "to", i % 2 ? link->a_port : link->b_port);
		put_rate(row, "speed_bps", link->speed_bps);
		if (port->counted) {
			json_put_u64(row, "packets_sent", port->sent);
			json_put_u64(row, "packets_missing", port->missing);
			json_put_double(row, "busiest_share", port->busiest);
			json_put_double(row, "held_share", port->held);
		}
		put_counter(row, "drops", &port->drops);
		put_counter(row, "crc_errors", &port->crc_errors);
		put_counter(row, "carrier_changes", &port->carrier_changes);
		put_counter(row, "pfc_xoff_sent", &port->xoff_sent);
		put_counter(row, "ecn_marked", &port->marked);
	}
}

static void add_pairs(struct json *rows, const struct places *places)
{
	for (size_t i = 0; i < places->pair_count; i++) {
		const struct place_pair *pair = &places->pairs[i];
		struct json *row = json_add_object(rows);

		json_put_text(row, "layer", plan_layer_name(pair->layer));
		json_put_text(row, "src", places->scene->nics[pair->src].name);
		json_put_text(row, "dst", places->scene->nics[pair->dst].name);
		json_put_u64(row, "goodput_bps", pair->bps);
	}
}

static const struct place_table {
	const char *name;
	void (*add)(struct json *rows, const struct places *places);
} place_tables[] = {
	{ "nics", add_nics },
	{ "cables", add_cables },
	{ "pairs", add_pairs },
};

static const char *const json_tables[] = { "findings", "stages", "lossless", "ring" };

/* --- rows as lines --- */

struct columns {
	char (*keys)[KEY_BYTES]; /* owned */
	size_t count, room;
};

static void add_column(struct columns *columns, const char *key)
{
	for (size_t i = 0; i < columns->count; i++)
		if (strcmp(columns->keys[i], key) == 0)
			return;
	columns->keys =
		grow(columns->keys, columns->count, &columns->room, sizeof(*columns->keys));
	snprintf(columns->keys[columns->count++], KEY_BYTES, "%s", key);
}

/* Keys in the order in which rows first have them. A key that is an object in one row
 * and null in another is a column only by what is inside of it. */
static void find_columns(struct columns *columns, const struct json *row, const char *before)
{
	const struct json *value;
	char name[KEY_BYTES];
	const char *key;
	void *at = NULL;

	while (json_next(row, &at, &key, &value)) {
		snprintf(name, sizeof(name), "%s%s", before, key);
		if (json_is_object(value)) {
			strncat(name, ".", sizeof(name) - strlen(name) - 1);
			find_columns(columns, value, name);
		} else {
			add_column(columns, name);
		}
	}
}

/* Whether another column is "KEY.something". */
static bool is_object_elsewhere(const struct columns *columns, size_t column)
{
	size_t length = strlen(columns->keys[column]);

	for (size_t i = 0; i < columns->count; i++)
		if (strncmp(columns->keys[i], columns->keys[column], length) == 0 &&
			columns->keys[i][length] == '.')
			return true;
	return false;
}

static void drop_objects(struct columns *columns)
{
	size_t kept = 0;

	for (size_t i = 0; i < columns->count; i++) {
		if (is_object_elsewhere(columns, i))
			continue;
		memmove(columns->keys[kept++], columns->keys[i], KEY_BYTES);
	}
	columns->count = kept;
}

static void put_text(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, ",\"\r\n") != NULL;
	bool formula = text[0] && strchr("=+-@\t\r", text[0]);

	if (quoted)
		fputc('"', out);
	if (formula)
		fputc('\'', out);
	for (const char *c = text; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	if (quoted)
		fputc('"', out);
}

static void put_value(FILE *out, const struct json *value)
{
	int64_t whole;
	double number;
	bool truth;

	if (json_text(value))
		put_text(out, json_text(value));
	else if (json_int(value, &whole))
		fprintf(out, "%" PRId64, whole);
	else if (json_number(value, &number))
		fprintf(out, "%.12g", number);
	else if (value && json_bool(value, &truth))
		fputs(truth ? "true" : "false", out);
}

/* The value at "main.flows"; NULL when it is not there. */
static const struct json *value_at(const struct json *row, const char *key)
{
	const char *dot = strchr(key, '.');
	char first[KEY_BYTES];

	if (!dot)
		return json_get(row, key);
	snprintf(first, sizeof(first), "%.*s", (int)(dot - key), key);
	return value_at(json_get(row, first), dot + 1);
}

static void put_rows(FILE *out, const struct json *rows)
{
	struct columns columns = { NULL, 0, 0 };
	size_t count = json_count(rows);

	for (size_t i = 0; i < count; i++)
		find_columns(&columns, json_at(rows, i), "");
	drop_objects(&columns);
	for (size_t c = 0; c < columns.count; c++)
		fprintf(out, "%s%s", c ? "," : "", columns.keys[c]);
	if (columns.count)
		fputc('\n', out);
	for (size_t i = 0; i < count; i++) {
		for (size_t c = 0; c < columns.count; c++) {
			if (c)
				fputc(',', out);
			put_value(out, value_at(json_at(rows, i), columns.keys[c]));
		}
		fputc('\n', out);
	}
	free(columns.keys);
}

/* --- the tables --- */

static const struct place_table *place_table(const char *table)
{
	for (size_t i = 0; i < COUNT_OF(place_tables); i++)
		if (strcmp(place_tables[i].name, table) == 0)
			return &place_tables[i];
	return NULL;
}

bool csv_knows(const char *table)
{
	for (size_t i = 0; i < COUNT_OF(json_tables); i++)
		if (strcmp(json_tables[i], table) == 0)
			return true;
	return place_table(table) != NULL;
}

int report_csv(FILE *out, const char *table, struct run *run, const struct findings *findings,
	const struct scene *scene, struct diag *diag)
{
	const struct place_table *of_places = place_table(table);
	const struct report_options options = { .run_path = NULL };
	struct places places = PLACES_INIT;
	struct json *root = NULL;
	int err;

	if (!of_places) {
		err = report_json_tree(&root, run, findings, &options, diag);
		if (!err)
			put_rows(out, json_get(root, table));
	} else {
		err = places_read(&places, scene, run, diag);
		root = json_new_array();
		if (!err) {
			of_places->add(root, &places);
			put_rows(out, root);
		}
		places_free(&places);
	}
	json_free(root);
	return err;
}
