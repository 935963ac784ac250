/*
 * sweep_tell - what a sweep says when it is done: one line, or JSON, and the same JSON to
 * the user's own command.
 */
#ifndef CMD_SWEEP_TELL_H
#define CMD_SWEEP_TELL_H

#include <stdint.h>
#include <stdio.h>

#include "lib/digest.h"
#include "reports/history.h"

struct night {
	const char *folder, *name;     /* of the run; name "": none was made */
	const struct digest *digest;   /* of tonight's run */
	const struct history *history; /* tonight's run is its last */
	size_t stages;                 /* of the whole acceptance, on the hosts that are free */
	size_t run;                    /* ran to their end tonight */
	size_t no_room;                /* left out for the budget of traffic */
	size_t late;                   /* left out for the budget of time, or cut short */
	size_t never;                  /* of stages: in no run that is known */
	uint32_t hosts, busy, unknown; /* unknown ones count as busy, too */
	const char *why;               /* nothing is known of the first of these */
	size_t damaged;                /* runs of the folder that are left out */
	const char *damaged_why;       /* of the first of these */
	uint64_t bytes, took_ns; /* payload planned for the stages that ran; whole sweep */
};

/* 1: tonight's run fails, or something got worse; 2: the run is unknown or not whole, or of
 * some hosts it is not known whether they are free, or runs of before cannot be read; 0. */
int night_status(const struct night *night);

void night_line(FILE *out, const struct night *night);
void night_json(FILE *out, const struct night *night);

/* The same for a textfile collector. */
void night_metrics(FILE *out, const struct night *night);

#endif
