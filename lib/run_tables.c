/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run_sql.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/finding.h"
#include "lib/grow.h"
#include "lib/units.h"

#define FIELD(kind, row, member)                                                               \
	{                                                                                      \
#member, kind, offsetof(struct row, member), sizeof(((struct row *)0)->member) \
	}
#define ENUM(row, member, below)                                                               \
	{                                                                                      \
#member, FIELD_ENUM, offsetof(struct row, member), below                       \
	}
#define U64(row, member) FIELD(FIELD_U64, row, member)
#define U32(row, member) FIELD(FIELD_U32, row, member)
#define U16(row, member) FIELD(FIELD_U16, row, member)
#define BOOL(row, member) FIELD(FIELD_BOOL, row, member)
#define TEXT(row, member) FIELD(FIELD_TEXT, row, member)
#define NAME(row, member) FIELD(FIELD_NAME, row, member)

static const struct field run_fields[] = {
	TEXT(run_row, backend),
	TEXT(run_row, program),
	TEXT(run_row, profile),
	TEXT(run_row, plane),
	TEXT(run_row, fabric_name),
	TEXT(run_row, fabric_path),
	U64(run_row, seed),
	BOOL(run_row, ended),
	BOOL(run_row, interrupted),
};

static const struct field plan_fields[] = {
	TEXT(plan_row, name),
	ENUM(plan_row, layer, LAYER_COUNT),
	U32(plan_row, variant),
	U32(plan_row, repeat),
	U64(plan_row, subject),
	U64(plan_row, expected_ns),
	U64(plan_row, deadline_ns),
	U64(plan_row, sample_ns),
	U32(plan_row, flows),
	TEXT(plan_row, note),
};

static const struct field plan_flow_fields[] = {
	NAME(plan_flow_row, src),
	NAME(plan_flow_row, dst),
	U32(plan_flow_row, qps),
	U64(plan_flow_row, bytes),
	U64(plan_flow_row, start_ns),
	U64(plan_flow_row, rate_bps),
	U64(plan_flow_row, burst_bytes),
	U64(plan_flow_row, burst_period_ns),
	ENUM(plan_flow_row, role, FLOW_VICTIM + 1),
	BOOL(plan_flow_row, not_ect),
};

static const struct field ring_fields[] = {
	U32(ring_row, ranks),
	U32(ring_row, qps),
	U64(ring_row, bytes),
	U32(ring_row, elem_bytes),
	U32(ring_row, iterations),
};

static const struct field ring_rank_fields[] = {
	U32(ring_rank_row, nic),
	NAME(ring_rank_row, name),
};

static const struct field stage_fields[] = {
	TEXT(run_stage, name),
	ENUM(run_stage, layer, LAYER_COUNT),
	U32(run_stage, variant),
	U32(run_stage, repeat),
	U64(run_stage, subject),
	U64(run_stage, t0_ns),
	U64(run_stage, t1_ns),
	U64(run_stage, expected_ns),
	U64(run_stage, deadline_ns),
	ENUM(run_stage, status, RUN_FAILED + 1),
	TEXT(run_stage, reason),
	TEXT(run_stage, note),
};

static const struct field flow_fields[] = {
	U32(run_flow, flow),
	NAME(run_flow, src),
	NAME(run_flow, dst),
	ENUM(run_flow, role, FLOW_VICTIM + 1),
	BOOL(run_flow, not_ect),
	U32(run_flow, qps),
	U64(run_flow, bytes_planned),
	U64(run_flow, bytes_posted),
	U64(run_flow, bytes_delivered),
	U64(run_flow, packets_sent),
	U64(run_flow, packets_resent),
	U64(run_flow, packets_received),
	U64(run_flow, timeouts),
	U64(run_flow, naks),
	U64(run_flow, out_of_sequence),
	U64(run_flow, ce_packets),
	U64(run_flow, cnps_sent),
	U64(run_flow, cnps_handled),
	U64(run_flow, start_ns),
	U64(run_flow, end_ns),
	BOOL(run_flow, complete),
	BOOL(run_flow, qp_error),
};

static const struct field path_fields[] = {
	U32(run_path, flow),
	U32(run_path, qp),
	U16(run_path, sport),
	TEXT(run_path, ports),
};

static const struct field counter_fields[] = {
	NAME(run_counter, place),
	NAME(run_counter, name),
	U64(run_counter, first),
	U64(run_counter, last),
};

static const struct field step_fields[] = {
	U32(run_step, iteration),
	U32(run_step, rank),
	U32(run_step, step),
	U64(run_step, ready_ns),
	U64(run_step, posted_ns),
	U64(run_step, completed_ns),
	U64(run_step, arrived_ns),
};

static const struct field sample_fields[] = {
	NAME(run_sample, place),
	NAME(run_sample, metric),
	U64(run_sample, t_ns),
	U64(run_sample, value),
};

static const struct field fact_fields[] = {
	NAME(run_fact, place),
	NAME(run_fact, key),
	TEXT(run_fact, value),
	NAME(run_fact, source),
};

static const struct field wire_fields[] = {
	NAME(run_wire, capture),
	NAME(run_wire, src),
	NAME(run_wire, dst),
	NAME(run_wire, name),
	U64(run_wire, value),
};

static const struct field wire_finding_fields[] = {
	NAME(run_wire_finding, capture),
	NAME(run_wire_finding, name),
	ENUM(run_wire_finding, verdict, VERDICT_UNKNOWN + 1),
	ENUM(run_wire_finding, culprit_kind, CULPRIT_UNLOCATED + 1),
	TEXT(run_wire_finding, culprit),
	TEXT(run_wire_finding, text),
	TEXT(run_wire_finding, advice),
	U64(run_wire_finding, weight),
};

#define TABLE(name, key, fields, row)                                                          \
	{                                                                                      \
		name, key, fields, COUNT_OF(fields), sizeof(struct row)                        \
	}

const struct table run_tables[TABLE_COUNT] = {
	[TABLE_RUN] = TABLE("run", KEY_OWN, run_fields, run_row),
	[TABLE_PLAN] = TABLE("plan", KEY_OWN, plan_fields, plan_row),
	[TABLE_PLAN_FLOW] = TABLE("plan_flow", KEY_STAGE_ROW, plan_flow_fields, plan_flow_row),
	[TABLE_RING] = TABLE("ring", KEY_OWN, ring_fields, ring_row),
	[TABLE_RING_RANK] = TABLE("ring_rank", KEY_STAGE_ROW, ring_rank_fields, ring_rank_row),
	[TABLE_STAGE] = TABLE("stage", KEY_OWN, stage_fields, run_stage),
	[TABLE_FLOW] = TABLE("flow", KEY_STAGE_ROW, flow_fields, run_flow),
	[TABLE_PATH] = TABLE("path", KEY_STAGE_ROW, path_fields, run_path),
	[TABLE_COUNTER] = TABLE("counter", KEY_STAGE_ROW, counter_fields, run_counter),
	[TABLE_STEP] = TABLE("step", KEY_STAGE_ROW, step_fields, run_step),
	[TABLE_SAMPLE] = TABLE("sample", KEY_STAGE_ROW, sample_fields, run_sample),
	[TABLE_FACT] = TABLE("fact", KEY_ROW, fact_fields, run_fact),
	[TABLE_WIRE] = TABLE("wire", KEY_ROW, wire_fields, run_wire),
	[TABLE_WIRE_FINDING] =
		TABLE("wire_finding", KEY_ROW, wire_finding_fields, run_wire_finding),
};

static bool is_text(const struct field *field)
{
	return field->kind == FIELD_TEXT;
}

static void print_table(FILE *out, const struct table *table)
{
	fprintf(out, "CREATE TABLE %s(id INTEGER PRIMARY KEY", table->name);
	for (size_t i = 0; i < table->field_count; i++)
		fprintf(out, ", %s %s NOT NULL", table->fields[i].column,
			is_text(&table->fields[i]) ? "TEXT" : "INTEGER");
	fprintf(out, ")\n");
}

/* For people with the sqlite3 shell: the stage is a column and names are words. */
static void print_view(FILE *out, const struct table *table)
{
	fprintf(out, "CREATE VIEW %ss AS SELECT id%s", table->name,
		table->key == KEY_STAGE_ROW ? " >> 32 AS stage" : "");
	for (size_t i = 0; i < table->field_count; i++) {
		const char *column = table->fields[i].column;

		if (table->fields[i].kind == FIELD_NAME)
			fprintf(out, ", (SELECT text FROM name WHERE id = t.%s) AS %s", column,
				column);
		else
			fprintf(out, ", t.%s", column);
	}
	fprintf(out, " FROM %s t\n", table->name);
}

char *run_schema(unsigned from, unsigned before)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	if (from == 0)
		fprintf(out, "CREATE TABLE fabric(text TEXT NOT NULL)\n"
			     "CREATE TABLE name(id INTEGER PRIMARY KEY, text TEXT NOT NULL)\n");
	for (size_t i = from; i < before; i++)
		print_table(out, &run_tables[i]);
	for (size_t i = from; i < before; i++)
		if (run_tables[i].key != KEY_OWN)
			print_view(out, &run_tables[i]);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
