/*
 * judging - what the judges share: the table of judges, the findings as they
 * grow, which component is known to be at fault, and which symptoms still look
 * for theirs. Internal to fabric/judge*.c.
 *
 * A judge sees every stage once (its evidence is gone after the call) and speaks
 * at the end. Causes are registered with the place that they stand for, symptoms
 * with votes of slow and of good flows for the ports that they used; when all
 * have spoken, judging_attribute() joins the two.
 */
#ifndef FABRIC_JUDGING_H
#define FABRIC_JUDGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/evidence.h"
#include "fabric/fabric.h"
#include "fabric/lookup.h"
#include "lib/finding.h"
#include "lib/run.h"

/* Stages past this many share their bit with one before. */
#define SEEN_STAGES 512u

/* In which stages something was seen. stages 0: nowhere. */
struct seen {
	uint64_t bits[SEEN_STAGES / 64]; /* by number of the stage */
	uint32_t stages;
	char first[64]; /* name of the first one */
	enum plan_layer layer;
	uint64_t t0_ns, t1_ns; /* from the start of the first to the end of the last */
};

void seen_add(struct seen *seen, const struct run_stage *stage);
void seen_merge(struct seen *seen, const struct seen *other);
bool seen_meets(const struct seen *seen, const struct seen *other); /* a stage in common */

/* What a finding names. port is the port of a NIC for CULPRIT_NIC. */
struct place {
	enum culprit_kind kind;
	uint32_t index;   /* link, port or node by kind */
	uint32_t leaving; /* CULPRIT_LINK: the direction that leaves this port; or PORT_NONE */
};

struct place place_link(uint32_t link);
struct place place_direction(const struct fabric *fabric, uint32_t port);
struct place place_port(const struct fabric *fabric, uint32_t port); /* a NIC, or a port */
struct place place_switch(uint32_t node);
void place_name(const struct fabric *fabric, const struct place *place, char *text);

/* Root causes first: the order of causes when several were found. */
enum cause_class {
	CLASS_SETTING = 1, /* inferred from what others did, so last */
	CLASS_BALANCE,
	CLASS_RATE,
	CLASS_LOSS,
	CLASS_ECN,
	CLASS_PAUSE,
	CLASS_MAP,
	CLASS_PFC,
	CLASS_CARRIER,
	CLASS_WIRING,
};

struct cause {
	size_t finding; /* index */
	enum cause_class class;
	struct place place;
	struct seen seen; /* stages 0: holds for all of them */
	bool spreads;     /* reaches flows that do not touch it: by pause */
};

/* Votes of flows for where they begin and end: all that is known where their ways are not. */
struct ends_votes {
	uint32_t bad_from, good_from, bad_to, good_to;
	uint32_t bad_inside; /* of the bad ones: begin and end at the same leaf */
};

/* Votes of slow or lossy flows, and of good ones, for the ports on their way. */
struct votes {
	uint32_t *bad, *good; /* by port, owned */
	uint32_t bad_flows;
	uint32_t bad_across, good_across; /* flows from one leaf to another */
	struct ends_votes *ends;          /* by NIC, owned */
};

void votes_begin(struct votes *votes, const struct fabric *fabric);
void votes_add(struct votes *votes, const struct evidence *evidence, size_t flow, bool bad);
/* A bad flow of which what comes back has suffered: the acknowledgements. Its ends vote as those
 * of a flow the other way. */
void votes_add_back(struct votes *votes, const struct evidence *evidence, size_t flow);
void votes_free(struct votes *votes); /* safe twice */

/* A failed symptom that still needs a culprit. */
struct complaint {
	size_t finding;
	struct seen seen;
	bool needs_cause;    /* without one nobody knows: unknown instead of fail */
	const char *setting; /* to blame where no component is; or NULL */
	struct votes votes;
};

struct judging {
	struct run *run;
	const struct fabric *fabric;
	const struct run_info *info;
	unsigned layers;
	bool coverage; /* a whole acceptance: what was never provoked is unknown */
	struct run_stage *stages;
	size_t stage_count;
	struct run_fact *facts;
	size_t fact_count;
	struct run_wire *wires; /* of captures read into the run; and what they showed */
	size_t wire_count;
	struct run_wire_finding *wire_findings;
	size_t wire_finding_count;
	struct lookup lookup;
	struct findings *findings;
	struct cause *causes;
	size_t cause_count, cause_room;
	struct complaint *complaints;
	size_t complaint_count, complaint_room;
};

/* One judge. begin() returns its state, which end() frees; end() runs once, also
 * when reading failed (speak is false then). One that looks at no stage has an end alone. */
struct judge {
	void *(*begin)(const struct judging *judging);
	void (*stage)(struct judging *judging, void *state, const struct evidence *evidence);
	void (*end)(struct judging *judging, void *state, bool speak);
};

extern const struct judge judge_carrier, judge_loss, judge_rate, judge_nic, judge_pfc,
	judge_ecn, judge_class, judge_ecmp, judge_plan, judge_pairs, judge_nonblocking,
	judge_zero, judge_lossless, judge_victim, judge_cnp, judge_fair, judge_order,
	judge_burst, judge_ring, judge_deadline, judge_route, judge_discard, judge_wire,
	judge_scope, judge_arrival, judge_payload, judge_corrupt, judge_spray, judge_xoff,
	judge_idle, judge_timeout;

/* Whether real NICs were driven: what their backend cannot see is not there. */
bool judging_is_live(const struct judging *judging);

/* Whether the run is asked for what only switches could tell. */
bool judging_asks_switches(const struct judging *judging);

/* Adds a finding of rank INFO that names nobody, its basis filled from seen.
 * Valid until the next add. */
struct finding *judging_say(struct judging *judging, const char *check, const char *layer,
	enum verdict verdict, const struct seen *seen);

/* Adds a failed cause at a place, weighed by class and then by amount. */
struct finding *judging_cause(struct judging *judging, const char *check, const char *layer,
	enum cause_class class, uint64_t amount, const struct place *place,
	const struct seen *seen);

/* Whether a cause of this class or a higher one stands at a node, at a port of it
 * or at a link that ends there. */
bool judging_blames(const struct judging *judging, uint32_t node, enum cause_class class);

/* The same for one link. */
bool judging_blames_link(const struct judging *judging, uint32_t link, enum cause_class class);

/* Marks the last cause added as one that reaches flows which do not touch it. */
void judging_spreads(struct judging *judging);

/* Makes the finding added last a failed symptom that waits for its culprit; the
 * votes are taken over. */
void judging_complain(struct judging *judging, struct votes *votes, const struct seen *seen);

/* The last complaint fails only if a cause explains it. */
void judging_needs_cause(struct judging *judging);

/* Without a cause the last complaint is of this setting; borrowed, a constant. */
void judging_else_setting(struct judging *judging, const char *setting);

/* The culprit of a finding by where its bad flows begin and end alone, as far as that goes: the
 * link of a NIC, or the leaves that they run between. Where these votes cannot tell the two
 * apart it is left open, unless last is set: then the link is named that another finding has
 * named, or else the leaves. */
void judging_locate(const struct judging *judging, const struct votes *votes,
	struct finding *finding, bool last);

/* Gives every complaint the culprit that explains most of it. */
void judging_attribute(struct judging *judging);

/* Text of a finding. */
__attribute__((format(printf, 2, 3))) void finding_text(
	struct finding *finding, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void finding_advice(
	struct finding *finding, const char *fmt, ...);
__attribute__((format(printf, 5, 6))) void finding_limit(struct finding *finding,
	double measured, double limit, const char *unit, const char *source, ...);

/* A stage counts for a pass only when it ran to its end. */
static inline bool stage_complete(const struct evidence *evidence)
{
	return evidence->stage.status == RUN_COMPLETE;
}

#endif
