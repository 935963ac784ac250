/*
 * plan - what `weft plan` shows, worked out once and printed as text or JSON.
 */
#ifndef CMD_PLAN_H
#define CMD_PLAN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fabric/fabric.h"
#include "fabric/load.h"
#include "fabric/routing.h"
#include "fabric/summary.h"
#include "lib/plan.h"

struct plan_view {
	const char *path; /* borrowed: as given */
	struct fabric fabric;
	struct routing routing;
	struct summary summary;
	struct plan plan;
	struct load_uplinks *uplinks; /* owned; of each stage */
	uint64_t *port_bytes;         /* owned; of each port, over all stages */
	uint64_t bytes, expected_ns;  /* over all stages */
	bool brief;                   /* leave out stages and loads; there are none then */
	bool links;                   /* list every link */
};

/* Returns 0, or a negative errno when the stream took less. */
int plan_print_text(FILE *out, const struct plan_view *view);
int plan_print_json(FILE *out, const struct plan_view *view);

/* "loss", ... as in the fabric file. */

#endif
