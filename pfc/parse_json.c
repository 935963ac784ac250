/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/counter_table.h"
#include "pfc/scan.h"

struct document {
	const struct reader *reader;
	long line;
	char ifname[64], local[64], dscp[16];
	struct {
		double size, iterations, peak, average, rate;
	} row; /* of perftest */
	double collective_bytes;
};

static bool part(const char *path, int from_end, char *text, size_t room)
{
	const char *end = path + strlen(path), *start;

	for (;; from_end--) {
		start = end;
		while (start > path && start[-1] != '/')
			start--;
		if (from_end == 0)
			break;
		if (start == path)
			return false;
		end = start - 1;
	}
	snprintf(text, room, "%.*s", (int)(end - start), start);
	return true;
}

static const char *device(const struct document *json)
{
	return *json->ifname ? json->ifname : json->reader->device;
}

/* ip -j addr and ip -j link. */
static void read_ip(struct document *json, const char *key, const char *value)
{
	char mac[18];
	unsigned address;
	int length;
	struct fact *fact;

	if (strcmp(key, "mtu") == 0)
		reader_number(json->reader, json->line, FACT_NETDEV_MTU, device(json), NULL,
			atof(value));
	else if (strcmp(key, "address") == 0 && scan_mac(value, mac, sizeof(mac)))
		reader_add(json->reader, json->line, FACT_MAC, device(json), NULL, mac);
	else if (strcmp(key, "local") == 0)
		snprintf(json->local, sizeof(json->local), "%s", value);
	else if (strcmp(key, "prefixlen") == 0 && scan_ipv4(json->local, &address, &length) &&
		 strncmp(json->local, "127.", 4) != 0) {
		fact = reader_number(
			json->reader, json->line, FACT_ADDRESS, device(json), NULL, address);
		fact->text = facts_keep(json->reader->facts, json->local);
		fact->more = atof(value) >= 0 && atof(value) <= 32 ? atof(value) : 32;
	}
}

/* dcb -j pfc, app, apptrust, buffer: arrays by priority. */
static void read_dcb(
	struct document *json, const char *above, const char *key, const char *value)
{
	const struct reader *reader = json->reader;

	if (strcmp(above, "prio_pfc") == 0)
		reader_number(reader, json->line, FACT_PFC, device(json), key,
			strcmp(value, "true") == 0 || strcmp(value, "on") == 0);
	else if (strcmp(above, "order") == 0 && strcmp(key, "0") == 0)
		reader_add(reader, json->line, FACT_TRUST, device(json), NULL,
			strcmp(value, "dscp") == 0 ? "dscp" : "pcp");
	else if (strcmp(above, "prio_buffer") == 0)
		reader_number(
			reader, json->line, FACT_PRIO_BUFFER, device(json), key, atof(value));
	else if (strcmp(above, "buffer_size") == 0)
		reader_number(reader, json->line, FACT_BUFFER, device(json), key, atof(value));
}

/* "dscp_prio": [[26, 3], ["AF31", 3]]. */
static void read_map(
	struct document *json, const char *path, const char *key, const char *value)
{
	char above[64];

	if (!part(path, 2, above, sizeof(above)) || strcmp(above, "dscp_prio") != 0)
		return;
	if (strcmp(key, "0") == 0)
		snprintf(json->dscp, sizeof(json->dscp), "%d",
			strncmp(value, "AF", 2) == 0
				? (value[2] - '0') * 8 + (value[2] ? (value[3] - '0') * 2 : 0)
			: strncmp(value, "CS", 2) == 0 ? (value[2] - '0') * 8
						       : atoi(value));
	else if (strcmp(key, "1") == 0)
		reader_number(json->reader, json->line, FACT_DSCP_MAP, device(json), json->dscp,
			atof(value));
}

/* SONiC config_db.json. */
static void read_config_db(struct document *json, const char *path, const char *above,
	const char *key, const char *value)
{
	const struct reader *reader = json->reader;
	const char *bar = strchr(above, '|');
	char port[64];

	if (scan_has(path, "PORT_QOS_MAP/") && strcmp(key, "pfc_enable") == 0) {
		for (const char *at = value; *at; at++)
			if (isdigit((unsigned char)*at)) {
				char priority[2] = { *at, '\0' };

				reader_number(reader, json->line, FACT_SWITCH_PFC, above,
					priority, 1);
			}
	} else if (scan_has(path, "DSCP_TO_TC_MAP/") && isdigit((unsigned char)*key)) {
		reader_number(reader, json->line, FACT_SWITCH_MAP, above, key, atof(value));
	} else if (scan_has(path, "BUFFER_PROFILE") &&
		   (strcmp(key, "xoff") == 0 || strcmp(key, "size") == 0)) {
		reader_number(reader, json->line, FACT_PROFILE, above, key, atof(value));
	} else if (scan_has(path, "BUFFER_PG") && strcmp(key, "profile") == 0 && bar) {
		snprintf(port, sizeof(port), "%.*s", (int)(bar - above), above);
		value += strspn(value, "[");
		value = strrchr(value, '|') ? strrchr(value, '|') + 1 : value;
		reader_add(reader, json->line, FACT_PG, port, bar + 1, value)->text =
			facts_keep(reader->facts, value);
	}
}

/* nccl-tests -J: results of several sizes, each out of place and in place; perftest: one
 * row, the last. */
static void read_benchmark(
	struct document *json, const char *path, const char *key, double number)
{
	const struct {
		const char *key;
		double *value;
	} cells[] = {
		{ "MsgSize", &json->row.size },
		{ "n_iterations", &json->row.iterations },
		{ "BW_peak", &json->row.peak },
		{ "BW_average", &json->row.average },
		{ "MsgRate", &json->row.rate },
		{ "size", &json->collective_bytes },
	};

	for (size_t i = 0; i < COUNT_OF(cells); i++)
		if (strcmp(key, cells[i].key) == 0)
			*cells[i].value = number;
	if (strcmp(key, "bus_bw") == 0 && number >= 0)
		reader_number(json->reader, json->line, FACT_NCCL_ROW, NULL,
			nccl_test_name(json->reader->section->title), number)
			->more = json->collective_bytes;
	if (scan_has(path, "average_bus_bandwidth") && strcmp(key, "bandwidth") == 0)
		reader_number(json->reader, json->line, FACT_NCCL_AVG, NULL, NULL, number);
}

/* perftest names no unit in its JSON: the message rate times the size tells it. */
static void add_bandwidth(const struct document *json)
{
	double gbps = json->row.size * json->row.rate * 8 / 1000, factor;

	if (gbps <= 0 || json->row.average <= 0)
		return;
	factor = fabs(json->row.average / gbps - 1) < 0.02 ? 1 : 0.008388608;
	reader_number(json->reader, json->line, FACT_PERF_SIZE, NULL, NULL, json->row.size);
	reader_number(json->reader, json->line, FACT_PERF_ITERATIONS, NULL, NULL,
		json->row.iterations);
	reader_number(
		json->reader, json->line, FACT_PERF_PEAK, NULL, NULL, json->row.peak * factor);
	reader_number(
		json->reader, json->line, FACT_PERF_AVG, NULL, NULL, json->row.average * factor)
		->text = factor < 1 ? "MiB/sec" : "Gb/sec";
	reader_number(json->reader, json->line, FACT_PERF_RATE, NULL, NULL, json->row.rate);
}

static void read_leaf(struct document *json, const char *path, const char *value)
{
	char key[96], above[96] = "";
	int priority;
	double number;

	part(path, 0, key, sizeof(key));
	part(path, 1, above, sizeof(above));
	if (strcmp(key, "ifname") == 0)
		snprintf(json->ifname, sizeof(json->ifname), "%s", value);
	read_ip(json, key, value);
	read_dcb(json, above, key, value);
	read_map(json, path, key, value);
	read_config_db(json, path, above, key, value);
	if (counter_find(key, &priority) && scan_whole_number(value, &number))
		counter_add(json->reader, json->line, device(json), key, number);
	if (scan_whole_number(value, &number))
		read_benchmark(json, path, key, number);
	if (scan_has(path, "test_info/Mtu"))
		reader_add(json->reader, json->line, FACT_PERF_PARAM, NULL, "mtu", value);
}

#define DEPTH_MAX 32

/* The leaves, in order, with their paths: {"a":[{"b":1}]} is "a/0/b" = "1". What is
 * deeper than DEPTH_MAX is no output of a tool that we know. */
static void walk(
	struct document *json, const struct json *value, char *path, size_t room, int depth)
{
	size_t length = strlen(path);
	const struct json *child;
	const char *key;
	double number;
	void *at = NULL;
	bool truth;
	char text[64];

	if (depth > DEPTH_MAX)
		return;
	while (json_is_object(value) && json_next(value, &at, &key, &child)) {
		snprintf(path + length, room - length, "%s%s", length ? "/" : "", key);
		walk(json, child, path, room, depth + 1);
		path[length] = '\0';
	}
	for (size_t i = 0; json_is_array(value) && i < json_count(value); i++) {
		snprintf(path + length, room - length, "%s%zu", length ? "/" : "", i);
		walk(json, json_at(value, i), path, room, depth + 1);
		path[length] = '\0';
	}
	if (json_text(value)) {
		read_leaf(json, path, json_text(value));
	} else if (json_bool(value, &truth)) {
		read_leaf(json, path, truth ? "true" : "false");
	} else if (json_number(value, &number)) {
		snprintf(text, sizeof(text), "%.17g", number);
		read_leaf(json, path, text);
	}
}

/* Whether the section is meant to be JSON: by its first character, and by what
 * perftest and nccl-tests write or what the title says. */
static bool is_meant(const struct reader *reader, long first)
{
	const char *text = reader->lines[first].text + strspn(reader->lines[first].text, " \t");

	if (*text == '"' && scan_has(reader->section->title, "json"))
		return true;
	if (*text != '{' && *text != '[')
		return false;
	if (*text == '[')
		text += 1 + strspn(text + 1, " \t"); /* no "[4] NCCL WARN", "[   12.0] mlx5" */
	return !*text || strchr("{[\"", *text);
}

/* Whether it is what a benchmark wrote: other JSON is cut where the reader cut it. */
static bool is_benchmark(const struct reader *reader)
{
	static const char *const marks[] = { "perftest", "out_json", "_bw", "_lat", "test_info",
		"MsgSize", "BW_average", "t_avg", "json.tool", "result" };

	for (size_t i = 0; i < COUNT_OF(marks); i++) {
		if (scan_has(reader->section->title, marks[i]))
			return true;
		for (size_t k = 0; k < reader->count; k++)
			if (scan_has(reader->lines[k].text, marks[i]))
				return true;
	}
	return false;
}

void parse_json(const struct reader *reader)
{
	struct document json = { .reader = reader };
	struct json *root;
	struct diag diag;
	char path[512] = "";
	size_t bytes = 0, first = 0, used = 0;
	char *text;

	for (size_t i = 0; i < reader->count; i++)
		bytes += strlen(reader->lines[i].text) + 1;
	if (scan_has(reader->section->title, "json"))
		while (first < reader->count && !strchr("{[", *reader->lines[first].text))
			first++;
	first = first == reader->count ? 0 : first;
	while (first < reader->count &&
		reader->lines[first].text[strspn(reader->lines[first].text, " \t")] == '\0')
		first++;
	if (first == reader->count || !is_meant(reader, (long)first))
		return;
	text = zeroed(bytes + 1, 1);
	for (size_t i = 0; i < reader->count; i++) {
		size_t length = strlen(reader->lines[i].text);

		memcpy(text + used, reader->lines[i].text, length);
		text[used + length] = '\n';
		used += length + 1;
	}
	json.line = (long)first;
	if (json_parse(&root, text, used, &diag)) {
		if (is_benchmark(reader))
			reader_number(reader, (long)first, FACT_JSON_TEXT, NULL, NULL, 0)
				->text = facts_keep(reader->facts, diag.text);
	} else {
		reader_number(reader, (long)first, FACT_JSON_TEXT, NULL, NULL, 1);
		walk(&json, root, path, sizeof(path), 0);
		add_bandwidth(&json);
		json_free(root);
	}
	free(text);
}
