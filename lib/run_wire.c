/* SPDX-License-Identifier: Apache-2.0 */
/* What captures say, beside what backends saw: read into a run that has ended. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>

#include "lib/diag.h"
#include "lib/run_sql.h"

/* Takes the capture's rows out of a table. */
static int drop(struct run *run, enum table_id id, const char *capture, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	char sql[128];
	int err, rc;

	snprintf(sql, sizeof(sql),
		"DELETE FROM %s WHERE capture = (SELECT id FROM name WHERE text = ?)",
		run_tables[id].name);
	err = run_prepare(run, sql, &statement, diag);
	if (err)
		return err;
	sqlite3_bind_text(statement, 1, capture, -1, SQLITE_STATIC);
	errno = 0;
	rc = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return rc == SQLITE_DONE ? 0 : run_sqlite_error(run, rc, diag);
}

static int put(struct run *run, enum table_id id, const char *capture, const void *rows,
	size_t count, struct diag *diag)
{
	int err;

	assert(run->writing && run->has_wire);
	if (run->failed)
		return diag_error(diag, run->failed, "%s", run->failed_text);
	err = drop(run, id, capture, diag);
	if (!err)
		return run_put(run, id, rows, count, diag);
	run->failed = err;
	snprintf(run->failed_text, sizeof(run->failed_text), "%s", diag->text);
	sqlite3_exec(run->db, "ROLLBACK", NULL, NULL, NULL);
	return err;
}

int run_put_wire(struct run *run, const char *capture, const struct run_wire *rows,
	size_t count, struct diag *diag)
{
	return put(run, TABLE_WIRE, capture, rows, count, diag);
}

int run_put_wire_findings(struct run *run, const char *capture,
	const struct run_wire_finding *rows, size_t count, struct diag *diag)
{
	return put(run, TABLE_WIRE_FINDING, capture, rows, count, diag);
}

static int get(struct run *run, enum table_id id, void *rows, size_t *count, struct diag *diag)
{
	*count = 0;
	return run->has_wire ? run_read(run, id, NULL, rows, count, diag) : 0;
}

int run_get_wire(struct run *run, struct run_wire **rows, size_t *count, struct diag *diag)
{
	return get(run, TABLE_WIRE, rows, count, diag);
}

int run_get_wire_findings(
	struct run *run, struct run_wire_finding **rows, size_t *count, struct diag *diag)
{
	return get(run, TABLE_WIRE_FINDING, rows, count, diag);
}
