/*
 * live - the backend "verbs": stages of a plan on real NICs, through the agents.
 *
 * What a host can see is observed: bytes and times of each flow by its own sender's
 * clock, counters of each NIC over the window, steps of a ring. Rows of run_flow that no NIC
 * tells per flow (retransmissions, timeouts, gaps) are filled from the counters of a NIC only
 * where it has one flow in that direction; the counters themselves are all in the run file.
 * packets_sent is derived from bytes and MTU. Ways of QPs are not known.
 */
#ifndef FABRIC_LIVE_H
#define FABRIC_LIVE_H

#include <stdint.h>

#include "fabric/agents.h"
#include "fabric/sim.h"
#include "lib/plan.h"

struct live {
	struct agents agents;
	const struct fabric *fabric; /* borrowed */
	const struct plan *plan;     /* borrowed */
	uint64_t zero_ns;            /* our clock at 0 of the run's; 0: not started */
};

#define LIVE_INIT                                                                              \
	{                                                                                      \
		.agents = AGENTS_INIT                                                          \
	}

/* One stage; the first of a run once before, for nothing. Returns 0 also when flows did not finish
 * or agents are missing: that is in the result; else a negative errno with why it could not be run
 * at all. */
int live_stage(struct live *live, size_t index, struct sim_result *result, struct diag *diag);

/* What the devices tell of themselves, and how well their clocks are known. */
int live_put_facts(struct live *live, struct run *run, struct diag *diag);

/* --- for live*.c --- */

#define LIVE_SERIES_MAX 36000u
#define LIVE_MORE_COUNTERS 8u /* of a NIC: of rings and probes */

struct live_end {
	struct agents_host *host;
	uint32_t flow;
	bool active, missing; /* missing: a host of its flow is not there */
	struct gen_end here;
};

/* Bytes per interval since the flow began. */
struct live_series {
	uint64_t *bytes; /* owned */
	uint32_t count;
};

/* Datagrams of a NIC that came in, at whatever NIC. */
struct live_probes {
	uint64_t arrived, right;
	uint32_t wrong_dscp; /* of the last that was not right */
};

/* Messages of a flow that were compared where they came in. */
struct live_payload {
	uint64_t checked, corrupt;
};

/* A rank of the stage's ring. */
struct live_rank {
	struct agents_host *host;
	struct gen_end next, prev; /* how the next rank's, and the one before, reach it */
	struct agent_ring_sent sent;
	struct allreduce_step *steps; /* owned */
	uint32_t step_count;          /* of those told */
};

struct live_stage {
	struct live *live;              /* borrowed */
	const struct plan_stage *stage; /* borrowed */
	struct live_end *ends;          /* owned; two a flow, the active one first */
	size_t end_count;
	bool *skip;                      /* owned; by host: was not there from the start */
	struct gen_plan *plans;          /* owned; by flow */
	struct agent_pace *paces;        /* owned */
	struct agent_sent *sent;         /* owned */
	struct live_series *series;      /* owned */
	struct agent_counters *counters; /* owned; by NIC */
	uint32_t *probe_qps;             /* owned; by NIC; 0: takes no probes */
	struct live_probes *probes;      /* owned; by NIC */
	struct live_payload *payloads;   /* owned; by flow */
	uint64_t start_ns, end_ns;       /* our clock */
	struct live_rank *ranks;         /* owned */
	char missing[256];               /* why not all could be run; "" */
};

/* How a flow is sent: messages, window and QPs for these devices. */
void live_flow_plan(const struct live *live, const struct plan_flow *flow, uint64_t interval_ns,
	struct gen_plan *plan, struct agent_pace *pace);

/* How long the agents are waited for while the traffic of a stage runs. */
uint64_t live_traffic_ns(const struct plan_stage *stage);

/* The ring's part of the frames, and of the result. */
void live_ring_open(struct live_stage *run);
void live_ring_close(struct live_stage *run);
void live_ring_prepare(
	struct live_stage *run, const struct agents_host *host, struct json *body);
int live_ring_prepared(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag);
void live_ring_connect(
	struct live_stage *run, const struct agents_host *host, struct json *body);
int live_ring_sent(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag);
void live_ring_steps(struct live_stage *run); /* asks all hosts for their steps */
void live_ring_collect(struct live_stage *run, struct sim_result *result);

/* Of one rank: brings the arrivals, by the next host's clock, onto the clock of the rank's own, as
 * far as the two may differ by error_ns. */
void live_ring_align(struct run_step *steps, uint32_t count, uint64_t error_ns);

/* The probes' part: every flow of a stage of pairs sends datagrams of its class. */
void live_probe_open(struct live_stage *run);
void live_probe_close(struct live_stage *run);
void live_probe_prepare(const struct live_stage *run, struct json *body);
int live_probe_prepared(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag);
void live_probe_connect(
	const struct live_stage *run, const struct live_end *end, struct json *object);
int live_probe_result(struct live_stage *run, const struct agents_host *host,
	const struct json *body, struct diag *diag);
void live_probe_collect(struct live_stage *run, struct sim_result *result);

/* The payload's part: the last messages of every flow of a stage of pairs are compared. */
bool live_payload_is_checked(const struct live_stage *run);
void live_payload_stop(
	const struct live_stage *run, const struct live_end *end, struct json *list);
int live_payload_result(struct live_stage *run, const struct live_end *end,
	const struct json *from, struct diag *diag);
void live_payload_collect(struct live_stage *run, struct sim_result *result);

/* One more counter of a NIC, which began at 0. */
void live_put_counter(struct live_stage *run, struct sim_result *result, uint32_t nic,
	const char *name, uint64_t value);

/* What is the same for every QP of a stage: MTU, class, timeout, retry. */
struct live_terms {
	uint32_t mtu_bytes;
	uint8_t traffic_class, timeout_exp, retry;
};
struct live_terms live_terms(
	const struct live *live, uint32_t src_nic, uint32_t dst_nic, bool not_ect);

/* Name of a NIC, as rows have it. */
void live_nic_name(const struct live *live, uint32_t nic, char text[RUN_NAME]);

/* Whether a time of an agent lies in the stage that runs, or is 0, for never. */
bool live_is_of_stage(
	const struct live_stage *run, const struct agents_host *host, uint64_t ns);

/* Time of an agent on the run's clock. */
uint64_t live_run_ns(const struct live *live, const struct agents_host *host, uint64_t ns);

void live_collect(struct live_stage *run, uint32_t id, struct sim_result *result);

#endif
