/*
 * digest - what a history keeps of one run: what was run, its findings, the stages that
 * ran to their end, what each link carried in them, and a figure for each link, NIC, pair
 * and stage.
 *
 * Two things make runs comparable. The load says where a run has looked: a failure is
 * fixed only where its culprit carried traffic again. The draw, a hash of who sent how much
 * to whom, says whether two figures mean the same.
 *
 * Derived from the run file (fabric/measure.h) and written as JSON beside it, so that
 * many runs are compared without reading many run files. A digest may be deleted for
 * as long as its run file is there. Layout: docs/history.md.
 */
#ifndef LIB_DIGEST_H
#define LIB_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/finding.h"
#include "lib/plan.h"

struct diag;

#define DIGEST_VERSION 2
#define DIGEST_VERSION_LEAST 1 /* without loads and draws */
#define DIGEST_SUBJECT 72
#define DIGEST_PORT 64
#define DIGEST_BYTES_MAX (UINT64_C(1) << 28) /* of a file that is read */

enum digest_metric {
	DIGEST_LINK_LOSS,     /* packets that did not arrive, of those sent; both directions */
	DIGEST_LINK_ERRORS,   /* CRC errors, of packets received at either end */
	DIGEST_LINK_RATE,     /* bits per second that the slower direction serves */
	DIGEST_NIC_SENT,      /* goodput to its partners in the pairs layer, median, bits/s */
	DIGEST_NIC_RECEIVED,  /* the same from them */
	DIGEST_NIC_RETRIES,   /* NAKs and time-outs, of data packets sent; all stages */
	DIGEST_NIC_PAUSE,     /* share of the windows for which it held its switch */
	DIGEST_PAIR_GOODPUT,  /* mean over the rounds of the pairs layer, bits/s */
	DIGEST_PAIR_RETRIES,  /* NAKs and time-outs in them, of data packets sent */
	DIGEST_STAGE_GOODPUT, /* all that a stage delivered over the time it took, bits/s */
	DIGEST_METRICS,
};

enum digest_kind {
	DIGEST_COUNTS, /* events of trials; value is their ratio, and less is better */
	DIGEST_RATE,   /* bits per second, and more is better */
	DIGEST_SHARE,  /* 0..1, and less is better */
};

struct digest_info {
	const char *name;    /* "link.loss" */
	const char *subject; /* "link" */
	const char *what;    /* "loss" */
	enum digest_kind kind;
	bool drawn; /* depends on who sends to whom, and not on its subject alone */
};

const struct digest_info *digest_info(enum digest_metric metric);

struct digest_figure {
	enum digest_metric metric;
	char subject[DIGEST_SUBJECT]; /* a link, a NIC, "host1->host5", or a stage */
	double value;                 /* in the unit of the metric */
	uint64_t events, of;          /* DIGEST_COUNTS; of > 0 */
	uint64_t draw;                /* of what was sent for it; 0: not known, or not drawn */
};

struct digest_stage {
	char name[64];
	bool complete; /* ran to its end, or to its deadline */
	uint64_t draw; /* of its flows; 0: not known */
};

/* What left the two ends of a link in the complete stages of each layer, in packets. */
struct digest_load {
	char a[DIGEST_PORT], b[DIGEST_PORT]; /* names of the ports */
	uint64_t from_a[LAYER_COUNT], from_b[LAYER_COUNT];
};

struct digest {
	char program[32], backend[16], profile[16], plane[32], fabric[64];
	uint64_t seed;
	bool ended, interrupted;
	enum verdict verdict;        /* of the whole run */
	struct digest_stage *stages; /* owned; as in the run file */
	size_t stage_count;
	struct findings findings;      /* owned; check, layer, verdict, rank, culprit, text */
	struct digest_figure *figures; /* owned; by metric, then by subject */
	size_t figure_count, figure_room;
	bool has_loads;            /* false: a digest of version 1 */
	struct digest_load *loads; /* owned; links that carried anything */
	size_t load_count, load_room;
};

#define DIGEST_INIT                                                                            \
	{                                                                                      \
		.stages = NULL                                                                 \
	}

/* Adds a zeroed figure; valid until the next. */
struct digest_figure *digest_add(
	struct digest *digest, enum digest_metric metric, const char *subject);

/* Adds a link that has carried nothing yet; valid until the next. */
struct digest_load *digest_add_load(struct digest *digest, const char *a, const char *b);

/* Whether some stage ran to its end, and nothing cut the run short. */
bool digest_is_whole(const struct digest *digest);

/* Whether two figures of one metric and subject mean the same: of what is drawn only where
 * the same was sent for both, which is known of equal draws, and of runs of one seed and
 * profile where a draw is not known. */
bool digest_comparable(const struct digest *digest, const struct digest_figure *figure,
	const struct digest *other, const struct digest_figure *theirs);

/* Puts the figures in their order; to be called when all have been added. */
void digest_sort(struct digest *digest);

/* By metric, then by subject: <0, 0, >0. */
int digest_order(const struct digest_figure *a, const struct digest_figure *b);

/* NULL: not measured. */
const struct digest_figure *digest_find(
	const struct digest *digest, enum digest_metric metric, const char *subject);

void digest_free(struct digest *digest); /* safe on DIGEST_INIT, safe twice */

/* Writes JSON. What the stream did not take shows in ferror(out). */
void digest_write(FILE *out, const struct digest *digest);

/* Reads what digest_write() wrote, and version 1. Returns 0; -EPROTO for another version; -EINVAL for
 * anything else; the sentence names the file as `name`. *digest is then DIGEST_INIT. */
int digest_parse(struct digest *digest, const char *name, const char *text, size_t bytes,
	struct diag *diag);

#endif
