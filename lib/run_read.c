/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run_sql.h"

static int damaged(const struct run *run, const char *what, struct diag *diag)
{
	return diag_error(diag, -EINVAL, "%s is damaged (%s): it cannot be trusted; run again",
		run->path, what);
}

/* --- rows --- */

static bool store(const struct field *field, uint64_t value, char *to)
{
	uint32_t u32 = (uint32_t)value;
	uint16_t u16 = (uint16_t)value;
	bool truth = value != 0;

	switch (field->kind) {
	case FIELD_U64:
		memcpy(to, &value, sizeof(value));
		return true;
	case FIELD_U16:
		memcpy(to, &u16, sizeof(u16));
		return value <= UINT16_MAX;
	case FIELD_BOOL:
		memcpy(to, &truth, sizeof(truth));
		return value <= 1;
	case FIELD_ENUM:
		memcpy(to, &u32, sizeof(u32));
		return value < field->size;
	case FIELD_U32:
		memcpy(to, &u32, sizeof(u32));
		return value <= UINT32_MAX;
	case FIELD_TEXT:
	case FIELD_NAME:
		break;
	}
	return false;
}

/* False when the text does not fit: no writer of ours wrote that. */
static bool store_text(const struct field *field, const char *text, char *to)
{
	size_t length = text ? strlen(text) : field->size;

	if (length >= field->size)
		return false;
	memcpy(to, text, length + 1);
	return true;
}

static bool read_field(const struct run *run, sqlite3_stmt *statement, int index,
	const struct field *field, char *to)
{
	/* Asked for once: without mutexes a value may be looked at as often as one likes. */
	sqlite3_value *value = sqlite3_column_value(statement, index);
	uint64_t number;

	if (field->kind == FIELD_TEXT)
		return sqlite3_value_type(value) == SQLITE_TEXT &&
		       store_text(field, (const char *)sqlite3_value_text(value), to);
	if (sqlite3_value_type(value) != SQLITE_INTEGER)
		return false;
	number = (uint64_t)sqlite3_value_int64(value);
	if (field->kind == FIELD_NAME)
		return store_text(field, names_text(&run->names, number), to);
	return store(field, number, to);
}

static bool read_row(
	const struct run *run, sqlite3_stmt *statement, const struct table *table, char *row)
{
	uint64_t id = (uint64_t)sqlite3_column_int64(statement, 0);
	uint32_t number = (uint32_t)(table->key == KEY_STAGE_ROW ? id >> 32 : id);

	if (table->key != KEY_ROW)
		memcpy(row, &number, sizeof(number));
	if (table->key == KEY_OWN && id > UINT32_MAX)
		return false;
	for (size_t i = 0; i < table->field_count; i++)
		if (!read_field(run, statement, (int)i + 1, &table->fields[i],
			    row + table->fields[i].offset))
			return false;
	return true;
}

static int read_rows(struct run *run, sqlite3_stmt *statement, const struct table *table,
	void **rows, size_t *count, struct diag *diag)
{
	size_t room = 0;
	sqlite3_int64 before = -1;
	int rc;

	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		char *row;

		/* Ids that do not rise are pages that point in a circle. */
		if (sqlite3_column_int64(statement, 0) <= before)
			return damaged(run, table->name, diag);
		before = sqlite3_column_int64(statement, 0);
		*rows = grow(*rows, *count, &room, table->row_bytes);
		row = (char *)*rows + (*count)++ * table->row_bytes;
		memset(row, 0, table->row_bytes);
		if (!read_row(run, statement, table, row))
			return damaged(run, table->name, diag);
	}
	return rc == SQLITE_DONE ? 0 : run_sqlite_error(run, rc, diag);
}

int run_read(struct run *run, enum table_id id, const uint32_t *stage, void *rows,
	size_t *count, struct diag *diag)
{
	const struct table *table = &run_tables[id];
	uint64_t first = stage ? (uint64_t)*stage << 32 : 0;
	sqlite3_stmt *statement = NULL;
	void *found = NULL;
	size_t found_count = 0;
	char sql[96];
	int err;

	if (stage && table->key == KEY_OWN)
		first = *stage;
	snprintf(sql, sizeof(sql), "SELECT * FROM %s WHERE id BETWEEN ? AND ? ORDER BY id",
		table->name);
	err = run_prepare(run, sql, &statement, diag);
	if (err)
		return err;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)first);
	sqlite3_bind_int64(statement, 2,
		!stage                  ? INT64_MAX
		: table->key == KEY_OWN ? (sqlite3_int64)first
					: (sqlite3_int64)(first + UINT32_MAX));
	err = read_rows(run, statement, table, &found, &found_count, diag);
	sqlite3_finalize(statement);
	if (err) {
		free(found);
		return err;
	}
	memcpy(rows, &found, sizeof(found));
	*count = found_count;
	return 0;
}

/* --- opening --- */

/* The tables of every run, and behind them all of those of captures or none. */
static int check_schema(struct run *run, struct diag *diag)
{
	char *base = run_schema(0, TABLE_BASE_COUNT), *line = base;
	char *more = run_schema(TABLE_BASE_COUNT, TABLE_COUNT);
	sqlite3_stmt *statement = NULL;
	int rc = SQLITE_OK;
	bool same = base && more;
	int err = run_prepare(run, "SELECT sql || char(10) FROM sqlite_schema ORDER BY rowid",
		&statement, diag);

	while (!err && same && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(statement, 0);
		size_t length = sql ? strlen(sql) : 0;

		if (!*line && !run->has_wire) {
			run->has_wire = true;
			line = more;
		}
		same = length && strncmp(line, sql, length) == 0;
		line += same ? length : 0;
	}
	if (!err && same && rc != SQLITE_DONE)
		err = run_sqlite_error(run, rc, diag);
	else if (!err && (!same || *line))
		err = damaged(run, "its tables are not those of a run file", diag);
	sqlite3_finalize(statement);
	free(base);
	free(more);
	return err;
}

/* Whether the pages hang together: what a cut or a flipped byte most often breaks. */
static int check_pages(struct run *run, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	int err = run_prepare(run, "PRAGMA quick_check(1)", &statement, diag);
	int rc;

	if (err)
		return err;
	rc = sqlite3_step(statement);
	if (rc != SQLITE_ROW)
		err = run_sqlite_error(run, rc == SQLITE_DONE ? SQLITE_CORRUPT : rc, diag);
	else if (strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
		err = damaged(run, "pages", diag);
	sqlite3_finalize(statement);
	return err;
}

static int read_names(struct run *run, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	int err = run_prepare(run, "SELECT id, text FROM name ORDER BY id", &statement, diag);
	int rc = SQLITE_DONE;

	while (!err && (rc = sqlite3_step(statement)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(statement, 1);
		sqlite3_int64 number = sqlite3_column_int64(statement, 0);
		bool is_new;

		if (!text || names_put(&run->names, text, &is_new) != number || !is_new)
			err = damaged(run, "names", diag);
	}
	if (!err && rc != SQLITE_DONE)
		err = run_sqlite_error(run, rc, diag);
	sqlite3_finalize(statement);
	return err;
}

static int read_fabric(struct run *run, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	int err = run_prepare(run, "SELECT text FROM fabric", &statement, diag);
	const char *text = NULL;
	int rc;

	if (err)
		return err;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(statement, 0);
	if (text) {
		run->info.fabric_bytes = (size_t)sqlite3_column_bytes(statement, 0);
		run->fabric_text = zeroed(run->info.fabric_bytes + 1, 1);
		memcpy(run->fabric_text, text, run->info.fabric_bytes);
		run->info.fabric_text = run->fabric_text;
	} else {
		err = rc == SQLITE_ROW || rc == SQLITE_DONE ? damaged(run, "fabric", diag)
							    : run_sqlite_error(run, rc, diag);
	}
	sqlite3_finalize(statement);
	return err;
}

static int read_info(struct run *run, struct diag *diag)
{
	struct run_row *row = NULL;
	size_t count = 0;
	int err = run_read(run, TABLE_RUN, NULL, &row, &count, diag);

	if (err)
		return err;
	if (count != 1) {
		free(row);
		return damaged(run, "run", diag);
	}
	memcpy(run->info.backend, row->backend, sizeof(row->backend));
	memcpy(run->info.program, row->program, sizeof(row->program));
	memcpy(run->info.profile, row->profile, sizeof(row->profile));
	memcpy(run->info.plane, row->plane, sizeof(row->plane));
	memcpy(run->info.fabric_name, row->fabric_name, sizeof(row->fabric_name));
	memcpy(run->info.fabric_path, row->fabric_path, sizeof(row->fabric_path));
	run->info.seed = row->seed;
	run->ended = row->ended;
	run->interrupted = row->interrupted;
	free(row);
	return read_fabric(run, diag);
}

static int attach_reader(struct run *run, const char *path, int flags, struct diag *diag)
{
	uint32_t version = 0;
	int err = run_attach(run, path, flags, diag);

	if (err)
		return err;
	switch (run_kind(run, &version)) {
	case RUN_KIND_NONE:
		return diag_error(diag, -EINVAL,
			"%s is empty: nothing was recorded in it; run again", path);
	case RUN_KIND_ALIEN:
		return diag_error(diag, -EINVAL,
			"%s is not a run file: name one that weft accept has written", path);
	case RUN_KIND_OTHER:
		return run_other_version(run, version, diag);
	case RUN_KIND_RUN:
		break;
	}
	return 0;
}

/*
 * A writer that was killed in the middle of a commit leaves a journal with which
 * the commit before is restored. That writes to the file, so a read-only handle
 * answers SQLITE_READONLY_ROLLBACK, and one that may write does it.
 */
static int lock_for_reading(struct run *run, const char *path, struct diag *diag)
{
	int rc = sqlite3_exec(
		run->db, "BEGIN; SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
	int err;

	if (rc == SQLITE_OK)
		return 0;
	if (sqlite3_extended_errcode(run->db) != SQLITE_READONLY_ROLLBACK)
		return run_sqlite_error(run, rc, diag);
	sqlite3_close(run->db);
	run->db = NULL;
	err = attach_reader(run, path, SQLITE_OPEN_READWRITE, diag);
	if (!err && sqlite3_db_readonly(run->db, "main"))
		return diag_error(diag, -EACCES,
			"%s was cut off while it was written and must be repaired first: copy "
			"it and "
			"%s-journal to a folder that you may write to",
			path, path);
	return err ? err : run_exec(run, "BEGIN; SELECT count(*) FROM sqlite_schema", diag);
}

/* Whether it is what it says, and what it is of. */
static int check(struct run *run, struct diag *diag)
{
	int err = check_schema(run, diag);

	if (!err)
		err = check_pages(run, diag);
	if (!err)
		err = read_names(run, diag);
	return err ? err : read_info(run, diag);
}

static int check_there(const char *path, struct diag *diag)
{
	int err = run_check_path(path, diag);

	if (err == -ENOENT)
		diag_error(diag, err, "%s does not exist: name a run file", path);
	return err;
}

int run_open(struct run **run, const char *path, struct diag *diag)
{
	struct run *opened = zeroed(1, sizeof(*opened));
	int err = check_there(path, diag);

	if (!err)
		err = attach_reader(opened, path, SQLITE_OPEN_READONLY, diag);
	if (!err)
		err = lock_for_reading(opened, path, diag);
	if (!err)
		err = check(opened, diag);
	if (err) {
		run_close(opened);
		return err;
	}
	*run = opened;
	return 0;
}

bool run_is_blank(const char *path)
{
	struct run *opened = zeroed(1, sizeof(*opened));
	uint32_t version = 0;
	struct diag diag;
	bool is_blank = !check_there(path, &diag) &&
			!run_attach(opened, path, SQLITE_OPEN_READONLY, &diag) &&
			run_kind(opened, &version) == RUN_KIND_NONE;

	run_close(opened);
	return is_blank;
}

int run_append(struct run **run, const char *path, struct diag *diag)
{
	struct run *opened = zeroed(1, sizeof(*opened));
	int err = check_there(path, diag);

	opened->writing = true;
	if (!err)
		err = run_check_folder(path, diag);
	if (!err)
		err = attach_reader(opened, path, SQLITE_OPEN_READWRITE, diag);
	if (!err)
		err = run_exec(opened, run_writer_setup, diag);
	if (!err)
		err = run_exec(opened, "BEGIN EXCLUSIVE", diag);
	if (!err)
		err = check(opened, diag);
	if (!err && !opened->has_wire)
		err = run_make_tables(opened, run_schema(TABLE_BASE_COUNT, TABLE_COUNT), diag);
	if (!err)
		err = run_go_on(opened, diag);
	if (err) {
		opened->failed = err;
		run_close(opened);
		return err;
	}
	opened->has_wire = true;
	*run = opened;
	return 0;
}

/* --- what run.h offers --- */

const struct run_info *run_info(const struct run *run)
{
	return &run->info;
}

bool run_ended(const struct run *run, bool *interrupted)
{
	*interrupted = run->interrupted;
	return run->ended;
}

int run_get_stages(struct run *run, struct run_stage **rows, size_t *count, struct diag *diag)
{
	return run_read(run, TABLE_STAGE, NULL, rows, count, diag);
}

int run_get_flows(struct run *run, uint32_t stage, struct run_flow **rows, size_t *count,
	struct diag *diag)
{
	return run_read_kept(run, TABLE_FLOW, stage, rows, count, diag);
}

int run_get_paths(struct run *run, uint32_t stage, struct run_path **rows, size_t *count,
	struct diag *diag)
{
	return run_read(run, TABLE_PATH, &stage, rows, count, diag);
}

int run_get_counters(struct run *run, uint32_t stage, struct run_counter **rows, size_t *count,
	struct diag *diag)
{
	return run_read_kept(run, TABLE_COUNTER, stage, rows, count, diag);
}

int run_get_steps(struct run *run, uint32_t stage, struct run_step **rows, size_t *count,
	struct diag *diag)
{
	return run_read_kept(run, TABLE_STEP, stage, rows, count, diag);
}

int run_get_samples(struct run *run, uint32_t stage, struct run_sample **rows, size_t *count,
	struct diag *diag)
{
	return run_read(run, TABLE_SAMPLE, &stage, rows, count, diag);
}

int run_get_facts(struct run *run, struct run_fact **rows, size_t *count, struct diag *diag)
{
	return run_read(run, TABLE_FACT, NULL, rows, count, diag);
}

static int read_ranks(
	struct run *run, uint32_t stage, struct plan_ring *ring, struct diag *diag)
{
	struct ring_rank_row *ranks = NULL;
	size_t count = 0;
	int err = run_read(run, TABLE_RING_RANK, &stage, &ranks, &count, diag);

	if (!err && count != ring->ranks)
		err = damaged(run, "ring_rank", diag);
	if (!err) {
		ring->nics = zeroed(count, sizeof(*ring->nics));
		for (size_t i = 0; i < count; i++)
			ring->nics[i] = ranks[i].nic;
	}
	free(ranks);
	return err;
}

int run_get_ring(struct run *run, uint32_t stage, struct plan_ring *ring, struct diag *diag)
{
	struct plan_ring found = { .ranks = 0 };
	struct ring_row *row = NULL;
	size_t count = 0;
	int err = run_read(run, TABLE_RING, &stage, &row, &count, diag);

	if (!err && count) {
		found.ranks = row->ranks;
		found.qps = row->qps;
		found.bytes = row->bytes;
		found.elem_bytes = row->elem_bytes;
		found.iterations = row->iterations;
		err = read_ranks(run, stage, &found, diag);
	}
	free(row);
	if (!err)
		*ring = found;
	return err;
}
