/*
 * agent - one host's part of a run on real NICs, at the end of a control channel.
 *
 * The coordinator (fabric/agents.h) asks, the agent answers; nothing is kept from one
 * stage to the next but the open devices.
 *
 *	coordinator                 agent
 *	                        <-  HELLO     program, host
 *	PORTS                   ->            only for weft discover
 *	                        <-  PORTS     what the RoCE ports of the host are
 *	OPEN      devices       ->
 *	                        <-  OPENED    what each is
 *	CLOCK                   ->            at any time; also to show that it still lives
 *	                        <-  CLOCK     the agent's clock
 *	PREPARE   ends          ->            memory and QPs of the flows that begin or end here,
 *	                                      and of probes, if asked for
 *	                        <-  PREPARED  how to reach them
 *	CONNECT   the other ends ->            probes leave, counters are read
 *	                        <-  CONNECTED
 *	START     when          ->            traffic runs, counters are watched
 *	                        <-  SENT      what came of each end
 *	STEPS     from which    ->            of a ring, as often as it takes
 *	                        <-  STEPS     when each was ready, posted, acknowledged, here
 *	STOP      what arrived  ->            payload is compared
 *	                        <-  RESULT    counters, their samples, series, probes
 *
 * In the place of any answer REFUSE, with a sentence: the stage is then over for this
 * agent, and it waits for the next. A frame that is malformed, too large or out of turn
 * ends the agent, as does the end of its input, and AGENT_SILENCE_NS without a frame; QPs
 * and memory go with it.
 */
#ifndef FABRIC_AGENT_H
#define FABRIC_AGENT_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/agent_counters.h"
#include "fabric/allreduce.h"
#include "fabric/gen_wire.h"
#include "lib/control.h"

#define AGENT_DEVICES_MAX 16u
#define AGENT_ENDS_MAX 1024u
#define AGENT_SILENCE_NS (8 * NS_PER_S)
#define AGENT_TALK_NS (5 * NS_PER_S) /* for a frame to be taken */
#define AGENT_STAGE_NS_MAX (UINT64_C(3600) * NS_PER_S)
#define AGENT_SUMS_NS_MAX (UINT64_C(600) * NS_PER_S) /* that sums put a deadline off by */

enum agent_frame {
	AGENT_HELLO = 1,
	AGENT_OPEN,
	AGENT_OPENED,
	AGENT_CLOCK,
	AGENT_PREPARE,
	AGENT_PREPARED,
	AGENT_CONNECT,
	AGENT_CONNECTED,
	AGENT_START,
	AGENT_SENT,
	AGENT_STEPS,
	AGENT_STOP,
	AGENT_RESULT,
	AGENT_REFUSE,
	AGENT_PORTS,
};

/* When the messages of a flow may leave: all at once, in bursts, or at a rate. */
struct agent_pace {
	uint64_t start_ns;  /* from the start of the stage */
	uint64_t messages;  /* of each QP that may leave every period_ns; 0: all */
	uint64_t period_ns; /* > 0 with messages */
};

/* One end of a flow. */
struct agent_end {
	uint32_t device; /* of those opened */
	bool active;
	struct gen_plan plan;
	struct agent_pace pace;
};

/* What came of an active end; times are the agent's. */
struct agent_sent {
	uint64_t messages;         /* acknowledged, all QPs */
	uint64_t posted;           /* all QPs */
	uint64_t begin_ns, end_ns; /* first posted, last acknowledged; 0: never */
	bool unreachable;          /* retries exhausted: the network did not deliver */
	char why[256];             /* "" when all went */
};

/* What came of a rank of a ring. */
struct agent_ring_sent {
	uint64_t taken, acknowledged; /* steps */
	uint64_t checked;             /* chunks */
	uint64_t sums_ns;             /* that checking and adding took */
	struct allreduce_wrong wrong;
	bool unreachable_next,
		unreachable_prev; /* the network did not deliver, there or back */
	bool failed;              /* its device or a QP did, for another reason */
	char why[256];
};

#define AGENT_STEPS_MAX 1000u /* in a frame */

void agent_put_ring(struct json *object, const struct allreduce_plan *plan);
void agent_put_ring_sent(struct json *object, const struct agent_ring_sent *sent);
void agent_put_steps(struct json *list, const struct allreduce_step *steps, uint32_t count);
int agent_get_ring(const struct json *object, struct allreduce_plan *plan, struct diag *diag);
int agent_get_ring_sent(
	const struct json *object, struct agent_ring_sent *sent, struct diag *diag);
/* Into steps, which has room for most. Returns how many, or -EPROTO. */
int agent_get_steps(const struct json *list, struct allreduce_step *steps, uint32_t most,
	struct diag *diag);

void agent_put_end(struct json *object, const struct agent_end *end);
void agent_put_sent(struct json *object, const struct agent_sent *sent);
/* 0, or -EPROTO with what is wrong. */
int agent_get_end(const struct json *object, struct agent_end *end, struct diag *diag);
int agent_get_sent(const struct json *object, struct agent_sent *sent, struct diag *diag);

/* Serves until the other end hangs up: 0. Else -ETIMEDOUT after a long silence, -EPROTO, or
 * the error of the channel, with the sentence. */
int agent_serve(struct control *control, const char *program, struct diag *diag);

#endif
