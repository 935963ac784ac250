/*
 * figures - what a report shows of a run besides the findings: sums and rates
 * taken from the observations, a row a stage, a row for each kind of incast, a
 * row a ring. Shows, does not judge.
 *
 * A rate is payload delivered in order over the time from a flow's start to its
 * last byte, or to the end of the window where it did not finish. Counters are
 * differences over the stage's window; one that no place has is absent, which
 * is not zero.
 */
#ifndef REPORTS_FIGURES_H
#define REPORTS_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/run.h"

struct diag;

/* A counter summed over all places and priorities. */
struct figure_count {
	bool present; /* false: no place has it */
	uint64_t value;
};

struct figure_flows {
	uint32_t count, complete, qps;
	uint32_t targets; /* NICs that receive */
	uint32_t not_ect; /* how many of the flows */
	uint64_t bytes_planned, bytes_posted, bytes_delivered;
	uint64_t slowest_bps, median_bps, fastest_bps; /* over flows; 0: none */
	uint64_t target_bps;   /* into the NIC that receives slowest, from all its senders */
	uint64_t together_bps; /* all bytes, from the first start to the last end */
};

struct figure_stage {
	struct run_stage stage;
	struct figure_flows main, victim;
	/* Over all flows, both ends. */
	uint64_t packets_sent, packets_resent, packets_received;
	uint64_t timeouts, naks, out_of_sequence;
	uint64_t ce_packets, cnps_sent, cnps_handled;
	uint32_t qp_errors;
	/* Over all ports. */
	struct figure_count drops;      /* every "..._discards" */
	struct figure_count pause;      /* XOFF frames sent */
	struct figure_count pause_us;   /* time that ports were held */
	struct figure_count ecn_marked; /* by switches */
	struct figure_count queue_peak; /* the highest egress queue, bytes */
	struct run_burst burst;         /* in the burst layer, as planned */
};

struct figure_ring {
	uint32_t stage; /* index of the stage among the stages */
	uint32_t ranks, qps, iterations, iterations_complete;
	uint64_t bytes;                /* V, reduced per rank */
	uint64_t time_ns;              /* mean of the complete all-reduces; 0: none */
	uint64_t algbw_bps, busbw_bps; /* nccl-tests: V/t, and that x 2(n-1)/n */
	bool has_slowest;
	uint32_t slowest_rank; /* sends over the slowest edge, by median step time */
	char slowest_src[RUN_NAME], slowest_dst[RUN_NAME]; /* "" where not known */
	uint64_t slowest_ns, median_ns; /* its step time, and that of all edges */
};

/* Everything the run file holds, added up. */
struct figures {
	struct figure_stage *stages; /* owned; every stage of the plan, in its order */
	size_t stage_count;
	struct figure_ring *rings; /* owned */
	size_t ring_count;
};

#define FIGURES_INIT                                                                           \
	{                                                                                      \
		NULL, 0, NULL, 0                                                               \
	}

/* Returns 0, or a negative errno of reading the run. */
int figures_read(struct figures *figures, struct run *run, struct diag *diag);
void figures_free(struct figures *figures); /* safe twice */

const char *figure_status_name(enum run_status status); /* "complete", "partial", ... */

/* Of one flow of a stage; 0: it did not run. */
uint64_t figure_flow_bps(const struct run_flow *flow, const struct run_stage *stage);

enum figure_kind {
	FIGURE_ECT,     /* marked by switches, slowed by DCQCN */
	FIGURE_NOT_ECT, /* never marked: PFC alone */
	FIGURE_BOTH,
};

enum figure_kind figure_kind(const struct figure_flows *flows);
const char *figure_kind_name(enum figure_kind kind); /* "ECT", "Not-ECT", "both" */

/* A row of the lossless truth table: the stages of the lossless layer that ran
 * and differ in nothing but their repeat, added up. */
struct figure_truth {
	char name[64];    /* of the stages, without the number of the repeat */
	uint32_t variant; /* N of N:1 */
	enum figure_kind kind;
	uint32_t stages, complete, targets;
	uint64_t bytes_posted, bytes_delivered; /* offered load and goodput */
	uint64_t slowest_bps;                   /* into the target that receives slowest */
	uint64_t victim_bps;                    /* of the slowest victim; 0: no victim */
	uint64_t packets_sent, packets_resent, timeouts, out_of_sequence;
	uint64_t ce_packets, cnps_sent;
	struct figure_count drops, pause;
};

/* Sets *rows, the caller's to free(), in the order of the plan; returns how many
 * there are. */
size_t figures_truth(const struct figures *figures, struct figure_truth **rows);

/* A stage of the burst layer in the grid of what bursts were planned: a column for each
 * size of a burst, a row for each gap. Gaps that offer the same rate within 2 % are one:
 * what is left between bursts grows with them. */
struct figure_burst {
	uint32_t stage; /* index of the stage among the stages */
	uint32_t size, gap;
	double offered_bps; /* by all senders, on average over a period */
};

struct figure_bursts {
	struct figure_burst *cells; /* owned; gap by gap from the longest, in each by size */
	size_t count;
	uint32_t sizes, gaps;
};

/* Of stages of one size and gap the one with the highest queue is told. The caller
 * frees cells. */
void figures_bursts(const struct figures *figures, struct figure_bursts *bursts);

/* What the zero-drop claim rests on: data packets that arrived, of one layer or of
 * all (LAYER_COUNT), in the stages that ran. */
struct figure_loss {
	uint64_t packets;
	uint64_t resent;  /* by the senders */
	uint64_t dropped; /* by switches, for whatever cause */
	bool counted;     /* switches told their drops */
};

struct figure_loss figures_loss(const struct figures *figures, enum plan_layer layer);

/* Largest loss probability that n packets without loss leave open, at 95 %
 * confidence: the rule of three, 3/n, never under the exact 1 - 0.05^(1/n).
 * n > 0. */
double figures_loss_bound(uint64_t n);

#endif
