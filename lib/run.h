/*
 * run - the run file: one SQLite file that holds the fabric and plan as run and
 * all that was observed, by any backend. Judges read it and nothing else.
 *
 * Times are ns on the run's clock, which starts at 0 with the first stage. Rows
 * are written as the run goes and committed by run_commit() (a backend calls it
 * at the end of each stage, and at least once a second), so that a crash loses at most the last
 * second. Layout: docs/run-file.md. Readers refuse a file of another version.
 *
 * Every function that can fail returns 0 or a negative errno with the sentence
 * in diag: -ENOSPC, -EDQUOT, -EFBIG (disk full, quota or ulimit reached), -EROFS,
 * -EACCES (folder or file not writable), -ENOENT (no such file or folder), -EISDIR,
 * -EBUSY (another weft writes it), -EPROTO (another schema version), -EINVAL (not a
 * run file, or a damaged one), -EIO. After a failed write all later writes fail
 * likewise; what was committed stays readable.
 *
 * Texts are cut to their fields. A run is used by one thread at a time.
 */
#ifndef LIB_RUN_H
#define LIB_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/plan.h"

#define RUN_VERSION 1
#define RUN_NAME 32

struct diag;
struct run; /* opaque */

struct run_info {
	char backend[16]; /* "sim", "verbs" */
	char program[32]; /* "weft 0.1.0" */
	char profile[16];
	char plane[32];
	char fabric_name[64];
	char fabric_path[256];
	uint64_t seed;
	const char *fabric_text; /* the file; after run_open() owned by the run */
	size_t fabric_bytes;
};

enum run_status {
	RUN_COMPLETE,
	RUN_PARTIAL, /* interrupted, or past its deadline in the backend's time */
	RUN_SKIPPED, /* a lower layer failed */
	RUN_FAILED,  /* the backend could not run it */
};

struct run_stage {
	uint32_t id; /* from 0, in order of the plan */
	char name[64];
	enum plan_layer layer;
	uint32_t variant, repeat;
	uint64_t subject;
	uint64_t t0_ns, t1_ns; /* the window of its counters */
	uint64_t expected_ns, deadline_ns;
	enum run_status status;
	char reason[256]; /* why it is not RUN_COMPLETE */
	char note[96];
};

/* Totals of a flow over its stage, both ends. */
struct run_flow {
	uint32_t stage, flow;              /* flow: index in the stage */
	char src[RUN_NAME], dst[RUN_NAME]; /* NIC names */
	enum flow_role role;
	bool not_ect;
	uint32_t qps;
	uint64_t bytes_planned;   /* payload */
	uint64_t bytes_posted;    /* payload offered to the NIC by t1 */
	uint64_t bytes_delivered; /* payload received in order: goodput */
	uint64_t packets_sent;    /* data packets, retransmissions included */
	uint64_t packets_resent;
	uint64_t packets_received; /* data packets that reached the NIC, any order */
	uint64_t timeouts;         /* ACK timeouts at the sender */
	uint64_t naks;             /* sequence-error NAKs at the sender */
	uint64_t out_of_sequence;  /* gaps seen at the receiver */
	uint64_t ce_packets;       /* data packets received with CE */
	uint64_t cnps_sent, cnps_handled;
	uint64_t start_ns; /* first packet sent, or planned start */
	uint64_t end_ns;   /* last payload byte delivered in order; 0: not complete */
	bool complete;
	bool qp_error; /* retries exhausted */
};

/* One QP's way through the fabric: ports left, ">"-separated. */
struct run_path {
	uint32_t stage, flow, qp;
	uint16_t sport;
	char ports[160];
};

/* Counter delta of one place over the stage's window. Absent is no row. */
struct run_counter {
	uint32_t stage;
	char place[RUN_NAME]; /* port name; NIC name for NICs; switch name for a whole switch */
	char name[40];        /* lib/counters.h */
	uint64_t first, last; /* totals at t0 and t1 */
};

struct run_step {
	uint32_t stage, iteration, rank, step;
	uint64_t ready_ns; /* its input had arrived, and was added where sums are made */
	uint64_t posted_ns;
	uint64_t completed_ns; /* the sender had the last ACK; 0: not reached */
	uint64_t
		arrived_ns; /* the receiver had the last byte; 0: not reached; docs/run-file.md */
};

struct run_sample {
	uint32_t stage;
	char place[RUN_NAME];
	char metric[40]; /* "goodput_bytes", "queue_bytes" */
	uint64_t t_ns;   /* end of the interval */
	uint64_t value;
};

/* What the plan has a stage send in bursts: each of the senders these bytes at the
 * start of each period. */
struct run_burst {
	uint32_t senders; /* 0: nobody, or not all the same bytes and period */
	uint64_t bytes, period_ns;
};

/* A setting or state as the device told it: "oper_state" "up". */
struct run_fact {
	char place[64];
	char key[40];
	char value[128];
	char source[64];
};

/* What a capture says, summed over the flows between two addresses: W_* of
 * lib/counters.h. Pauses stand under the MAC address that sent them; what is of the
 * whole capture has no addresses. */
struct run_wire {
	char capture[64]; /* its files, as they were given */
	char src[48], dst[48];
	char name[40];
	uint64_t value;
};

/* A finding of weft pcap about a capture, as lib/finding.h has it. */
struct run_wire_finding {
	char capture[64];
	char name[48];                  /* of the check */
	uint32_t verdict, culprit_kind; /* enum verdict, enum culprit_kind */
	char culprit[64], text[320], advice[320];
	uint64_t weight;
};

/* --- writing --- */

/* Makes the file; one that exists is replaced only if it is empty, or a run file of
 * this version that no one else writes. The file is locked until run_close(): nobody
 * else can write or read it. info is copied. */
int run_create(
	struct run **run, const char *path, const struct run_info *info, struct diag *diag);

int run_put_plan(struct run *run, const struct plan *plan, const char *const *nic_names,
	struct diag *diag);
/* stage->id is given by the caller: its index in the plan. Put again, it replaces. */
int run_put_stage(struct run *run, const struct run_stage *stage, struct diag *diag);
int run_put_flows(
	struct run *run, const struct run_flow *rows, size_t count, struct diag *diag);
int run_put_paths(
	struct run *run, const struct run_path *rows, size_t count, struct diag *diag);
int run_put_counters(
	struct run *run, const struct run_counter *rows, size_t count, struct diag *diag);
int run_put_steps(
	struct run *run, const struct run_step *rows, size_t count, struct diag *diag);
int run_put_samples(
	struct run *run, const struct run_sample *rows, size_t count, struct diag *diag);
int run_put_fact(struct run *run, const struct run_fact *fact, struct diag *diag);
int run_commit(struct run *run, struct diag *diag);
/* Opens a run file to add what captures say; locked like one that is made. The
 * errors are those of run_open() and run_create(). */
int run_append(struct run **run, const char *path, struct diag *diag);
/* In a run that was appended to: takes out what it holds of this capture, and puts
 * rows that all name it. */
int run_put_wire(struct run *run, const char *capture, const struct run_wire *rows,
	size_t count, struct diag *diag);
int run_put_wire_findings(struct run *run, const char *capture,
	const struct run_wire_finding *rows, size_t count, struct diag *diag);
/* Marks the run as ended; without it a reader says that the run was cut off. */
int run_finish(struct run *run, bool interrupted, struct diag *diag);

/* --- reading --- */

int run_open(struct run **run, const char *path, struct diag *diag); /* read-only */
/* What messages call it from now on: a file that gets another name when it is whole. */
void run_call(struct run *run, const char *path);
/* Whether nothing was ever committed to it: its writer was killed at once. */
bool run_is_blank(const char *path);
const struct run_info *run_info(const struct run *run);
bool run_ended(const struct run *run, bool *interrupted);

/* Arrays are the caller's, free() them; NULL when there are none. In the order in which
 * they were put, stages in the order of their ids. A writer may read too, what it has
 * put but not committed included: the judges of a run that has not been closed. */
int run_get_stages(struct run *run, struct run_stage **rows, size_t *count, struct diag *diag);
int run_get_flows(struct run *run, uint32_t stage, struct run_flow **rows, size_t *count,
	struct diag *diag);
int run_get_paths(struct run *run, uint32_t stage, struct run_path **rows, size_t *count,
	struct diag *diag);
int run_get_counters(struct run *run, uint32_t stage, struct run_counter **rows, size_t *count,
	struct diag *diag);
int run_get_steps(struct run *run, uint32_t stage, struct run_step **rows, size_t *count,
	struct diag *diag);
int run_get_samples(struct run *run, uint32_t stage, struct run_sample **rows, size_t *count,
	struct diag *diag);
int run_get_facts(struct run *run, struct run_fact **rows, size_t *count, struct diag *diag);
/* None in a run without captures. */
int run_get_wire(struct run *run, struct run_wire **rows, size_t *count, struct diag *diag);
int run_get_wire_findings(
	struct run *run, struct run_wire_finding **rows, size_t *count, struct diag *diag);
int run_get_ring(struct run *run, uint32_t stage, struct plan_ring *ring, struct diag *diag);
/* Every stage of the plan in its order: as run_get_stages() gives it, and where it
 * has no row yet as RUN_PARTIAL with a window of 0. */
int run_get_planned(struct run *run, struct run_stage **rows, size_t *count, struct diag *diag);
/* The NICs of a stage's ring by name, in the order of their ranks; none: *count is 0. */
int run_get_ring_names(struct run *run, uint32_t stage, char (**names)[RUN_NAME], size_t *count,
	struct diag *diag);
int run_get_burst(struct run *run, uint32_t stage, struct run_burst *burst, struct diag *diag);

/* Commits what was put, unless a write failed before. NULL is nothing. */
void run_close(struct run *run);

#endif
