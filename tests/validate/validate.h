/*
 * validate - the simulator against closed forms and published equations.
 *
 * A section runs the simulator, compares each figure with what the equation gives
 * and adds a row: expected, simulated, difference, and how much of it is allowed.
 * Rows come out as tables in Markdown, in the order in which they were added.
 */
#ifndef TESTS_VALIDATE_H
#define TESTS_VALIDATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/fabric.h"
#include "fabric/routing.h"
#include "fabric/sim.h"

#define CLOSED_FORM 0.02 /* the bar for all that has one */

#define FIGURES_MAX 8u

struct drawn {
	char file[48];
	char *text;
};

struct report {
	FILE *out;
	bool quick; /* only what takes a moment, and no figures */
	uint32_t rows, wrong;
	struct drawn drawn[FIGURES_MAX];
	uint32_t drawn_count;
};

/* Begins a section and its table. what: the equation, and where it is from. */
void report_section(struct report *report, const char *title, const char *what);

/* One row; its difference may be allowed of expected. Prints to stderr when it is not. */
__attribute__((format(printf, 5, 6))) void report_row(struct report *report, double expected,
	double simulated, double allowed, const char *what, ...);

/* A stage of the simulator on a fabric given as YAML. Anything that does not work ends
 * the program with status 2. */
struct trial {
	struct fabric fabric;
	struct routing routing;
	struct plan_stage stage;
	struct sim_result result;
};

__attribute__((format(printf, 2, 3))) void trial_open(
	struct trial *trial, const char *yaml, ...);
struct plan_flow *trial_flow(struct trial *trial, uint32_t src, uint32_t dst, uint64_t bytes);
void trial_run(struct trial *trial, uint64_t seed);
void trial_close(struct trial *trial);

uint64_t trial_counter(const struct trial *trial, const char *place, const char *name);
double trial_end_ns(const struct trial *trial); /* of the last flow */

/* Payload bytes a ns that framing leaves of a line: 8 M / (M + 82) in Gb/s / 8. */
double payload_rate(const struct fabric *fabric);

/* One way from NIC to NIC under one leaf, for the last packet of a message. */
double leaf_latency_ns(const struct fabric *fabric);

void validate_links(struct report *report);
void validate_collectives(struct report *report);
void validate_trees(struct report *report);
void validate_lossless(struct report *report);
void validate_loss(struct report *report);
void validate_ecmp(struct report *report);
void validate_marking(struct report *report);
void validate_dcqcn(struct report *report);

#endif
