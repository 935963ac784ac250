/*
 * run_sql - what the files behind lib/run.h share: the tables of the run file as
 * rows of C, so that the layout of each is said once and writing, reading and
 * the schema follow from it. Private to lib/run*.c.
 */
#ifndef LIB_RUN_SQL_H
#define LIB_RUN_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/names.h"
#include "lib/run.h"

#define RUN_APPLICATION_ID 0x77656674 /* "weft", in the header of the file */
#define RUN_STAGES_MAX (UINT32_C(1) << 31)

enum field_kind {
	FIELD_U64, /* from 2^63 on kept as the negative number of the same bits */
	FIELD_U32,
	FIELD_U16,
	FIELD_BOOL,
	FIELD_ENUM, /* below size */
	FIELD_TEXT, /* char[size] */
	FIELD_NAME, /* char[size]; in the file a number of the table name */
};

struct field {
	const char *column;
	enum field_kind kind;
	size_t offset; /* in the row's struct */
	size_t size;
};

/* The column id of every table, from which the order of reading follows. */
enum table_key {
	KEY_ROW, /* counts up from 0 */
	KEY_OWN, /* the uint32_t that the row's struct begins with; put again, it replaces */
	KEY_STAGE_ROW, /* that uint32_t is the stage; id = stage * 2^32 + row in the stage */
};

struct table {
	const char *name;
	enum table_key key;
	const struct field *fields;
	size_t field_count;
	size_t row_bytes;
};

enum table_id {
	TABLE_RUN,
	TABLE_PLAN,
	TABLE_PLAN_FLOW,
	TABLE_RING,
	TABLE_RING_RANK,
	TABLE_STAGE,
	TABLE_FLOW,
	TABLE_PATH,
	TABLE_COUNTER,
	TABLE_STEP,
	TABLE_SAMPLE,
	TABLE_FACT,
	/* From here on: only in a file into which a capture was read. */
	TABLE_WIRE,
	TABLE_WIRE_FINDING,
	TABLE_COUNT,
};
#define TABLE_BASE_COUNT TABLE_WIRE

extern const struct table run_tables[TABLE_COUNT];

/* Rows of the tables that lib/run.h has no struct for. */
struct run_row {
	uint32_t id; /* 0 */
	char backend[16], program[32], profile[16], plane[32];
	char fabric_name[64], fabric_path[256];
	uint64_t seed;
	bool ended, interrupted;
};

struct plan_row {
	uint32_t stage;
	char name[64];
	enum plan_layer layer;
	uint32_t variant, repeat;
	uint64_t subject, expected_ns, deadline_ns, sample_ns;
	uint32_t flows;
	char note[96];
};

struct plan_flow_row {
	uint32_t stage;
	char src[RUN_NAME], dst[RUN_NAME];
	uint32_t qps;
	uint64_t bytes, start_ns, rate_bps, burst_bytes, burst_period_ns;
	enum flow_role role;
	bool not_ect;
};

struct ring_row {
	uint32_t stage;
	uint32_t ranks, qps;
	uint64_t bytes;
	uint32_t elem_bytes, iterations;
};

struct ring_rank_row {
	uint32_t stage;
	uint32_t nic; /* index in the fabric */
	char name[RUN_NAME];
};

struct kept; /* lib/run_kept.c */

struct run {
	sqlite3 *db;
	char path[512]; /* for sentences; a longer path is cut there only */
	bool writing;
	bool has_wire; /* TABLE_WIRE and what follows it are there */
	int failed;    /* of the first write that failed; then no other is tried */
	char failed_text[768];
	struct run_info info;
	char *fabric_text; /* owned */
	bool ended, interrupted;
	struct names names;
	sqlite3_stmt *insert_name;
	sqlite3_stmt *inserts[TABLE_COUNT];
	uint32_t stage[TABLE_COUNT]; /* of the last row put */
	uint64_t next[TABLE_COUNT];  /* id of the row after it */
	struct kept *kept;           /* owned; of a run that is only read */
	size_t kept_count, kept_room, kept_bytes;
};

/* The schema of the tables from..before, one statement a line; free() it. The
 * first part, from 0, has the tables fabric and name as well. */
char *run_schema(unsigned from, unsigned before);

/* Runs each line of a schema and frees it; NULL: -ENOMEM. */
int run_make_tables(struct run *run, char *schema, struct diag *diag);

/* What a writer asks of SQLite before all else; in run.c it is told why. */
extern const char run_writer_setup[];

/* The rows of KEY_ROW tables go on behind those that are there. */
int run_go_on(struct run *run, struct diag *diag);

/* Opens the database at path as the file that it is, without looking inside. On
 * failure run_close() still has to be called. */
int run_attach(struct run *run, const char *path, int flags, struct diag *diag);

/* What the first bytes of the file say. */
enum run_kind {
	RUN_KIND_NONE,  /* empty: nothing that could be lost */
	RUN_KIND_RUN,   /* a run file of this version */
	RUN_KIND_OTHER, /* a run file of another version: *version */
	RUN_KIND_ALIEN, /* not a run file */
};
enum run_kind run_kind(struct run *run, uint32_t *version);

/* Refuses a path that is there and is no regular file; -ENOENT without a
 * sentence when nothing is there. */
int run_check_path(const char *path, struct diag *diag);

/* Refuses a path at which this user cannot write a run file. */
int run_check_folder(const char *path, struct diag *diag);

/* The refusal of a file of another version: -EPROTO. */
int run_other_version(const struct run *run, uint32_t version, struct diag *diag);

/* The errno and the sentence for a call on run->db that answered rc. */
int run_sqlite_error(const struct run *run, int rc, struct diag *diag);

int run_exec(struct run *run, const char *sql, struct diag *diag);
int run_prepare(struct run *run, const char *sql, sqlite3_stmt **statement, struct diag *diag);

/* Writes rows of the table's struct; the first failure is also that of all later calls. */
int run_put(struct run *run, enum table_id table, const void *rows, size_t count,
	struct diag *diag);

/* All rows of a table, or with a stage those of one stage, in the order of id.
 * rows is where the pointer to them goes (a struct S **); free() them. */
int run_read(struct run *run, enum table_id table, const uint32_t *stage, void *rows,
	size_t *count, struct diag *diag);

/* The same for what several judges and reports read: of a run that is only read, rows are
 * taken from the file once, and later from memory, up to 128 MiB. */
int run_read_kept(struct run *run, enum table_id table, uint32_t stage, void *rows,
	size_t *count, struct diag *diag);
void run_kept_free(struct run *run);

#endif
