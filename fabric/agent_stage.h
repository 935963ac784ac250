/*
 * agent_stage - one stage on one host: the ends of flows that lie here, their traffic, and
 * the counters of the devices. Known to fabric/agent*.c alone.
 */
#ifndef FABRIC_AGENT_STAGE_H
#define FABRIC_AGENT_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/agent.h"
#include "lib/verbs_ud.h"

struct diag;
struct json;

struct agent_flow {
	struct agent_end end;
	struct gen gen;
	struct agent_sent sent;
	struct verbs_ud_target probe; /* of an active end; qp_number 0: none */
	uint32_t probe_id;
	uint8_t gid[GID_BYTES]; /* of the other end */
	bool over;
};

/* The rank of a ring that lies here; all of it 0: none. */
struct agent_ring {
	bool here, over;
	struct allreduce all;
	struct agent_ring_sent sent;
};

struct agent_stage {
	struct control *control;     /* borrowed */
	const struct verbs *devices; /* borrowed */
	uint32_t device_count;
	struct agent_flow *flows; /* owned */
	uint32_t flow_count;
	uint32_t
		*unanswered; /* owned; flows whose address was asked for, and nobody answered */
	uint32_t unanswered_count;
	struct agent_ring ring;
	struct verbs_ud *uds;            /* owned; of each device; NULL: no probes */
	struct agent_counters *counters; /* owned; of each device */
	struct agent_watch *watch;       /* owned; from START to STOP */
	uint64_t begin_ns, end_ns;       /* of the traffic */
	uint64_t heard_ns;               /* when a frame came last while it runs */
	uint32_t number;                 /* of the stages of this agent, from 1 */
	bool prepared, connected, started, soft;
	bool stop; /* the coordinator said so */
};

#define AGENT_STAGE_INIT                                                                       \
	{                                                                                      \
		.flows = NULL                                                                  \
	}

/* The bodies of the frames of the same names, and what answers them. Errors: -EPROTO where
 * the frame is to blame, and then the agent ends; any other is a refusal. */
int agent_stage_prepare(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag);
int agent_stage_connect(struct agent_stage *stage, const struct json *body, struct diag *diag);

/* Whether this is how connecting fails where the kernel cannot resolve the peer's address. */
bool agent_is_unresolved(int err);

/* Such an error; -EIO and another sentence where the device tells nothing of its port: a firmware
 * that does not answer fails in the same way, and that is no fault of the network. */
int agent_unresolved_by(const struct verbs *verbs, int err, struct diag *diag);

/* Runs to the end, to the deadline, or to a frame STOP, and answers CLOCK meanwhile. */
int agent_stage_run(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag);
/* Compares the payload of flows that ended here, as the frame STOP tells of. */
int agent_stage_check(struct agent_stage *stage, const struct json *body, struct diag *diag);
void agent_stage_result(struct agent_stage *stage, struct json *answer);
void agent_stage_close(struct agent_stage *stage); /* safe on AGENT_STAGE_INIT, safe twice */

/* The ring's part of the frames; nothing where the body has no ring. */
int agent_ring_prepare(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag);
int agent_ring_connect(struct agent_stage *stage, const struct json *body, struct diag *diag);
/* One turn; how many completions. */
uint32_t agent_ring_turn(struct agent_stage *stage);
void agent_ring_sent(struct agent_stage *stage, struct json *answer);
int agent_ring_steps(struct agent_stage *stage, const struct json *body, struct json *answer,
	struct diag *diag);

/* Datagrams of the class, which show with which DSCP they arrive; nothing where the body asks
 * for none. A device that has no datagrams sends and receives none. */
void agent_probe_prepare(
	struct agent_stage *stage, const struct json *body, struct json *answer);
int agent_probe_connect(struct agent_stage *stage, uint32_t flow, const struct json *end,
	const struct gen_end *there, struct diag *diag);
void agent_probe_send(struct agent_stage *stage);
void agent_probe_result(struct agent_stage *stage, struct json *answer);
void agent_probe_close(struct agent_stage *stage); /* safe twice */

/* How long the traffic may last: as long as its deadline, and what a ring's sums have taken. */
uint64_t agent_traffic_ns(const struct agent_stage *stage, uint64_t deadline_ns);

/* How long to sleep before the start of the traffic: never so long that it could be missed; 0: not
 * at all. */
uint64_t agent_nap_ns(uint64_t now_ns, uint64_t begin_ns);

/* Takes one frame while a stage runs, if there is one: CLOCK is answered, STOP noted. */
int agent_listen(struct agent_stage *stage, struct diag *diag);

/* An answer, which takes the body over. */
int agent_say(
	struct control *control, enum agent_frame kind, struct json *body, struct diag *diag);
int agent_say_clock(struct control *control, const struct json *asked, struct diag *diag);

#endif
