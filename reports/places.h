/*
 * places - what each cable, NIC and pair of NICs did over the run, added up from
 * the counters and flows of all stages that ran.
 *
 * Rates and shares are of payload or frames over a stage's window; the highest or
 * the lowest of the stages is kept with its stage. Absent is not zero: a port that
 * told no counter is not counted.
 */
#ifndef REPORTS_PLACES_H
#define REPORTS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/run.h"
#include "reports/figures.h"
#include "reports/scene.h"

struct diag;

/* One end of a cable, and the direction that leaves it. */
struct place_port {
	bool counted;
	uint64_t sent;    /* packets */
	uint64_t missing; /* of those the other end did not receive, in complete stages */
	struct figure_count drops, xoff_sent, marked, crc_errors, carrier_changes;
	uint64_t held_us;
	double busiest; /* highest share of the speed, frames, over a window */
	double held;    /* highest share of a window that it was paused */
	uint32_t busiest_stage;
};

struct place_nic {
	uint32_t flows_out, flows_in, incomplete;
	uint64_t bytes_out, bytes_in;
	uint64_t out_bps, in_bps; /* of the slowest flow of the pairs layer; 0: none */
	uint64_t resent, timeouts, out_of_sequence, ce_packets, cnps_sent, cnps_handled;
	uint32_t qp_errors;
};

/* The slowest flow of a pair in a layer. */
struct place_pair {
	enum plan_layer layer;
	uint32_t src, dst; /* NICs of the scene */
	uint64_t bps;
};

enum place_first { FIRST_PAUSE, FIRST_MARK, FIRST_DROP, FIRST_COUNT };

/* When a stage's first XOFF was sent, its first packet marked, its first dropped, and
 * by which port. */
struct place_event {
	uint32_t stage;
	enum place_first what;
	uint64_t t_ns; /* on the run's clock */
	char place[RUN_NAME];
};

struct places {
	const struct scene *scene; /* borrowed */
	struct place_port *ports;  /* owned: of link i 2i at its a and 2i + 1 at its b */
	struct place_nic *nics;    /* owned, as in the scene */
	struct place_pair *pairs;  /* owned, by layer, source and destination */
	size_t pair_count, pair_room;
	struct place_event *events; /* owned, by stage */
	size_t event_count, event_room;
};

#define PLACES_INIT                                                                            \
	{                                                                                      \
		.scene = NULL                                                                  \
	}

/* Returns 0, or a negative errno of reading the run; then there is nothing to free. */
int places_read(
	struct places *places, const struct scene *scene, struct run *run, struct diag *diag);
/* Without counters: NICs and pairs only. */
int places_read_flows(
	struct places *places, const struct scene *scene, struct run *run, struct diag *diag);
void places_free(struct places *places); /* safe twice */

/* Of a cable, both directions. */
bool places_counted(const struct places *places, uint32_t link);
double places_busiest(const struct places *places, uint32_t link);
double places_held(const struct places *places, uint32_t link);
uint64_t places_missing(const struct places *places, uint32_t link);
uint64_t places_sent(const struct places *places, uint32_t link);

/* Names of the scene, sorted for looking up; the scene is borrowed. */
struct place_names; /* opaque */
struct place_names *place_names_new(const struct scene *scene);
void place_names_free(struct place_names *names); /* NULL is nothing */
/* The index of a NIC, or SCENE_NONE. */
uint32_t place_find_nic(const struct place_names *names, const char *name);
/* The port as an index into places.ports, or SCENE_NONE. */
uint32_t place_find_port(const struct place_names *names, const char *name);

#endif
