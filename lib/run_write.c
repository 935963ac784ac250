/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/run_sql.h"

static int failed_before(const struct run *run, struct diag *diag)
{
	return diag_error(diag, run->failed, "%s", run->failed_text);
}

/* Remembers the failure; what was not committed is given up. */
static int fail(struct run *run, int err, struct diag *diag)
{
	if (!run->failed) {
		run->failed = err;
		snprintf(run->failed_text, sizeof(run->failed_text), "%s", diag->text);
		if (!sqlite3_get_autocommit(run->db))
			sqlite3_exec(run->db, "ROLLBACK", NULL, NULL, NULL);
	}
	return err;
}

static int fail_sqlite(struct run *run, int rc, struct diag *diag)
{
	return fail(run, run_sqlite_error(run, rc, diag), diag);
}

static int prepare_insert(struct run *run, enum table_id id, struct diag *diag)
{
	const struct table *table = &run_tables[id];
	char sql[256];
	size_t used;

	if (run->inserts[id])
		return 0;
	snprintf(sql, sizeof(sql), "INSERT %sINTO %s VALUES (?",
		table->key == KEY_OWN ? "OR REPLACE " : "", table->name);
	used = strlen(sql);
	assert(used + 2 * table->field_count + 2 < sizeof(sql));
	for (size_t i = 0; i < table->field_count; i++, used += 2)
		memcpy(sql + used, ",?", 2);
	memcpy(sql + used, ")", 2);
	return run_prepare(run, sql, &run->inserts[id], diag);
}

/* The number of a name; a new one is written down before its first use. */
static int name_number(struct run *run, const char *text, size_t size, sqlite3_int64 *number)
{
	char name[128];
	bool is_new;
	int rc = SQLITE_DONE;

	snprintf(name, sizeof(name), "%.*s", (int)strnlen(text, size - 1), text);
	*number = names_put(&run->names, name, &is_new);
	if (!is_new)
		return SQLITE_OK;
	sqlite3_bind_int64(run->insert_name, 1, *number);
	sqlite3_bind_text(run->insert_name, 2, name, -1, SQLITE_TRANSIENT);
	rc = sqlite3_step(run->insert_name);
	sqlite3_reset(run->insert_name);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static uint64_t unsigned_at(const void *from, enum field_kind kind)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;
	bool truth;

	switch (kind) {
	case FIELD_U64:
		memcpy(&u64, from, sizeof(u64));
		return u64;
	case FIELD_U16:
		memcpy(&u16, from, sizeof(u16));
		return u16;
	case FIELD_BOOL:
		memcpy(&truth, from, sizeof(truth));
		return truth;
	case FIELD_U32:
	case FIELD_ENUM:
	case FIELD_TEXT:
	case FIELD_NAME:
		break;
	}
	memcpy(&u32, from, sizeof(u32));
	return u32;
}

static int bind(struct run *run, sqlite3_stmt *statement, int index, const struct field *field,
	const void *row)
{
	const char *from = (const char *)row + field->offset;
	sqlite3_int64 number;
	int rc;

	if (field->kind == FIELD_TEXT)
		return sqlite3_bind_text(statement, index, from,
			(int)strnlen(from, field->size - 1), SQLITE_STATIC);
	if (field->kind == FIELD_NAME) {
		rc = name_number(run, from, field->size, &number);
		if (rc != SQLITE_OK)
			return rc;
	} else {
		number = (sqlite3_int64)unsigned_at(from, field->kind);
	}
	return sqlite3_bind_int64(statement, index, number);
}

static int next_id(struct run *run, enum table_id id, uint32_t stage, uint64_t *next)
{
	sqlite3_stmt *statement = NULL;
	char sql[128];
	int rc;

	snprintf(sql, sizeof(sql), "SELECT max(id) FROM %s WHERE id BETWEEN ? AND ?",
		run_tables[id].name);
	rc = sqlite3_prepare_v2(run->db, sql, -1, &statement, NULL);
	if (rc != SQLITE_OK)
		return rc;
	*next = (uint64_t)stage << 32;
	sqlite3_bind_int64(statement, 1, (sqlite3_int64)*next);
	sqlite3_bind_int64(statement, 2, (sqlite3_int64)(*next + UINT32_MAX));
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW && sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
		*next = (uint64_t)sqlite3_column_int64(statement, 0) + 1;
	sqlite3_finalize(statement);
	return rc == SQLITE_ROW ? SQLITE_OK : rc;
}

int run_go_on(struct run *run, struct diag *diag)
{
	int rc = SQLITE_OK;

	for (unsigned id = 0; id < TABLE_COUNT && rc == SQLITE_OK; id++)
		if (run_tables[id].key == KEY_ROW)
			rc = next_id(run, (enum table_id)id, 0, &run->next[id]);
	return rc == SQLITE_OK ? 0 : run_sqlite_error(run, rc, diag);
}

/* The id of the row, which begins with its own number or its stage's. */
static int row_id(struct run *run, enum table_id id, const void *row, uint64_t *key)
{
	uint32_t number = 0;
	int rc = SQLITE_OK;

	if (run_tables[id].key == KEY_ROW) {
		*key = run->next[id]++;
		return SQLITE_OK;
	}
	memcpy(&number, row, sizeof(number));
	*key = number;
	if (run_tables[id].key == KEY_OWN)
		return SQLITE_OK;
	assert(number < RUN_STAGES_MAX);
	if (run->stage[id] != number || run->next[id] == 0)
		rc = next_id(run, id, number, &run->next[id]);
	run->stage[id] = number;
	*key = run->next[id]++;
	return rc;
}

static int put_one(struct run *run, enum table_id id, const void *row)
{
	const struct table *table = &run_tables[id];
	sqlite3_stmt *statement = run->inserts[id];
	uint64_t key;
	int rc = row_id(run, id, row, &key);

	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(statement, 1, (sqlite3_int64)key);
	for (size_t i = 0; i < table->field_count && rc == SQLITE_OK; i++)
		rc = bind(run, statement, (int)i + 2, &table->fields[i], row);
	if (rc != SQLITE_OK)
		return rc;
	errno = 0;
	rc = sqlite3_step(statement);
	sqlite3_reset(statement);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int run_put(
	struct run *run, enum table_id id, const void *rows, size_t count, struct diag *diag)
{
	int err = 0;

	assert(run->writing);
	if (run->failed)
		return failed_before(run, diag);
	if (!run->insert_name)
		err = run_prepare(
			run, "INSERT INTO name VALUES (?, ?)", &run->insert_name, diag);
	if (!err)
		err = prepare_insert(run, id, diag);
	if (err)
		return fail(run, err, diag);
	for (size_t i = 0; i < count; i++) {
		int rc = put_one(run, id, (const char *)rows + i * run_tables[id].row_bytes);

		if (rc != SQLITE_OK)
			return fail_sqlite(run, rc, diag);
	}
	return 0;
}

int run_commit(struct run *run, struct diag *diag)
{
	int rc;

	if (run->failed)
		return failed_before(run, diag);
	errno = 0;
	rc = sqlite3_exec(run->db, "COMMIT; BEGIN", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : fail_sqlite(run, rc, diag);
}
