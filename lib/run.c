/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/run.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/run_sql.h"
#include "lib/units.h"

/* --- making the file --- */

/*
 * cache_spill off: the file changes in a commit and at no other time, so that a
 * run that is killed between two commits leaves a file that needs no recovery.
 * With the rollback journal (and not a write-ahead log) everything committed is
 * in the one file, which can be copied and read in a read-only folder.
 */
const char run_writer_setup[] = "PRAGMA locking_mode = EXCLUSIVE;"
				"PRAGMA page_size = 4096;"
				"PRAGMA cache_spill = OFF;"
				"PRAGMA synchronous = FULL;"
				"PRAGMA journal_mode = DELETE";

/* Empties the file, however damaged, and keeps the exclusive lock. */
static int make_empty(struct run *run, struct diag *diag)
{
	int err;

	sqlite3_db_config(run->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
	sqlite3_db_config(run->db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
	err = run_exec(run, run_writer_setup, diag);
	if (!err)
		err = run_exec(run, "VACUUM", diag);
	sqlite3_db_config(run->db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
	sqlite3_db_config(run->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	return err;
}

int run_make_tables(struct run *run, char *schema, struct diag *diag)
{
	char *rest = schema;
	int err = schema ? 0 : -ENOMEM;

	for (char *line = strtok_r(rest, "\n", &rest); line && !err;
		line = strtok_r(NULL, "\n", &rest))
		err = run_exec(run, line, diag);
	free(schema);
	return err;
}

static int make_tables(struct run *run, struct diag *diag)
{
	char pragmas[96];
	int err;

	snprintf(pragmas, sizeof(pragmas),
		"PRAGMA application_id = %d; PRAGMA user_version = %d", RUN_APPLICATION_ID,
		RUN_VERSION);
	err = run_exec(run, pragmas, diag);
	return err ? err : run_make_tables(run, run_schema(0, TABLE_BASE_COUNT), diag);
}

static int put_fabric(struct run *run, const struct run_info *info, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	int err = run_prepare(run, "INSERT INTO fabric VALUES (?)", &statement, diag);
	int rc;

	if (err)
		return err;
	sqlite3_bind_text64(statement, 1, info->fabric_text ? info->fabric_text : "",
		info->fabric_bytes, SQLITE_STATIC, SQLITE_UTF8);
	rc = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return rc == SQLITE_DONE ? 0 : run_sqlite_error(run, rc, diag);
}

static int take_file(struct run *run, const char *path, struct diag *diag)
{
	uint32_t version = 0;
	int err;

	err = run_check_folder(path, diag);
	if (!err)
		err = run_attach(run, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, diag);
	if (err)
		return err;
	switch (run_kind(run, &version)) {
	case RUN_KIND_ALIEN:
		return diag_error(diag, -EINVAL,
			"%s exists and is not a run file, so it is left alone: name another "
			"file",
			path);
	case RUN_KIND_OTHER:
		return run_other_version(run, version, diag);
	case RUN_KIND_NONE:
	case RUN_KIND_RUN:
		break;
	}
	return 0;
}

/* A string as it is cut to fit; texts of more than the field holds are cut. */
#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

static void keep_info(struct run *run, const struct run_info *info)
{
	run->info = *info;
	run->fabric_text = zeroed(info->fabric_bytes + 1, 1);
	if (info->fabric_bytes)
		memcpy(run->fabric_text, info->fabric_text, info->fabric_bytes);
	run->info.fabric_text = run->fabric_text;
}

static int put_info(struct run *run, struct diag *diag)
{
	struct run_row row = { 0 };

	COPY(row.backend, run->info.backend);
	COPY(row.program, run->info.program);
	COPY(row.profile, run->info.profile);
	COPY(row.plane, run->info.plane);
	COPY(row.fabric_name, run->info.fabric_name);
	COPY(row.fabric_path, run->info.fabric_path);
	row.seed = run->info.seed;
	row.ended = run->ended;
	row.interrupted = run->interrupted;
	return run_put(run, TABLE_RUN, &row, 1, diag);
}

void run_call(struct run *run, const char *path)
{
	snprintf(run->path, sizeof(run->path), "%s", path);
}

int run_create(
	struct run **run, const char *path, const struct run_info *info, struct diag *diag)
{
	struct run *made = zeroed(1, sizeof(*made));
	int err = run_check_path(path, diag);

	made->writing = true;
	keep_info(made, info);
	if (!err || err == -ENOENT)
		err = take_file(made, path, diag);
	if (!err)
		err = make_empty(made, diag);
	if (!err)
		err = run_exec(made, "BEGIN EXCLUSIVE", diag);
	if (!err)
		err = make_tables(made, diag);
	if (!err)
		err = put_fabric(made, info, diag);
	if (!err)
		err = put_info(made, diag);
	if (!err)
		err = run_commit(made, diag);
	if (err) {
		made->failed = err;
		run_close(made);
		return err;
	}
	*run = made;
	return 0;
}

/* --- what run.h offers --- */

static int put_plan_flow(struct run *run, uint32_t stage, const struct plan_flow *flow,
	const char *const *nic_names, struct diag *diag)
{
	struct plan_flow_row row = {
		.stage = stage,
		.qps = flow->qps,
		.bytes = flow->bytes,
		.start_ns = flow->start_ns,
		.rate_bps = flow->rate_bps,
		.burst_bytes = flow->burst_bytes,
		.burst_period_ns = flow->burst_period_ns,
		.role = flow->role,
		.not_ect = flow->not_ect,
	};

	COPY(row.src, nic_names[flow->src]);
	COPY(row.dst, nic_names[flow->dst]);
	return run_put(run, TABLE_PLAN_FLOW, &row, 1, diag);
}

static int put_plan_ring(struct run *run, uint32_t stage, const struct plan_ring *ring,
	const char *const *nic_names, struct diag *diag)
{
	struct ring_row row = {
		.stage = stage,
		.ranks = ring->ranks,
		.qps = ring->qps,
		.bytes = ring->bytes,
		.elem_bytes = ring->elem_bytes,
		.iterations = ring->iterations,
	};
	int err = ring->ranks ? run_put(run, TABLE_RING, &row, 1, diag) : 0;

	for (uint32_t rank = 0; rank < ring->ranks && !err; rank++) {
		struct ring_rank_row member = { .stage = stage, .nic = ring->nics[rank] };

		COPY(member.name, nic_names[ring->nics[rank]]);
		err = run_put(run, TABLE_RING_RANK, &member, 1, diag);
	}
	return err;
}

int run_put_plan(struct run *run, const struct plan *plan, const char *const *nic_names,
	struct diag *diag)
{
	int err = 0;

	assert(plan->count < RUN_STAGES_MAX);
	for (uint32_t i = 0; i < plan->count && !err; i++) {
		const struct plan_stage *stage = &plan->stages[i];
		struct plan_row row = {
			.stage = i,
			.layer = stage->layer,
			.variant = stage->variant,
			.repeat = stage->repeat,
			.subject = stage->subject,
			.expected_ns = stage->expected_ns,
			.deadline_ns = stage->deadline_ns,
			.sample_ns = stage->sample_ns,
			.flows = stage->flow_count,
		};

		COPY(row.name, stage->name);
		COPY(row.note, stage->note);
		err = run_put(run, TABLE_PLAN, &row, 1, diag);
		for (uint32_t flow = 0; flow < stage->flow_count && !err; flow++)
			err = put_plan_flow(run, i, &stage->flows[flow], nic_names, diag);
		if (!err)
			err = put_plan_ring(run, i, &stage->ring, nic_names, diag);
	}
	return err;
}

int run_put_stage(struct run *run, const struct run_stage *stage, struct diag *diag)
{
	return run_put(run, TABLE_STAGE, stage, 1, diag);
}

int run_put_flows(struct run *run, const struct run_flow *rows, size_t count, struct diag *diag)
{
	return run_put(run, TABLE_FLOW, rows, count, diag);
}

int run_put_paths(struct run *run, const struct run_path *rows, size_t count, struct diag *diag)
{
	return run_put(run, TABLE_PATH, rows, count, diag);
}

int run_put_counters(
	struct run *run, const struct run_counter *rows, size_t count, struct diag *diag)
{
	return run_put(run, TABLE_COUNTER, rows, count, diag);
}

int run_put_steps(struct run *run, const struct run_step *rows, size_t count, struct diag *diag)
{
	return run_put(run, TABLE_STEP, rows, count, diag);
}

int run_put_samples(
	struct run *run, const struct run_sample *rows, size_t count, struct diag *diag)
{
	return run_put(run, TABLE_SAMPLE, rows, count, diag);
}

int run_put_fact(struct run *run, const struct run_fact *fact, struct diag *diag)
{
	return run_put(run, TABLE_FACT, fact, 1, diag);
}

int run_finish(struct run *run, bool interrupted, struct diag *diag)
{
	int err;

	run->ended = true;
	run->interrupted = interrupted;
	err = put_info(run, diag);
	return err ? err : run_commit(run, diag);
}

void run_close(struct run *run)
{
	if (!run)
		return;
	sqlite3_finalize(run->insert_name);
	for (size_t i = 0; i < TABLE_COUNT; i++)
		sqlite3_finalize(run->inserts[i]);
	/* What was put is kept, though nobody asked for a commit. */
	if (run->writing && !run->failed)
		sqlite3_exec(run->db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(run->db);
	names_free(&run->names);
	run_kept_free(run);
	free(run->fabric_text);
	free(run);
}
