/*
 * finding - what a judge concludes from a run file: one check, one verdict, one
 * culprit, with the figure, the limit and where the limit comes from.
 *
 * A judge fills findings in any order; findings_sort() puts them in the order
 * in which a person wants them. Known to the judges (fabric/, pfc/) and to the
 * reports alike, so it lives here.
 */
#ifndef LIB_FINDING_H
#define LIB_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum verdict {
	VERDICT_PASS,
	VERDICT_WARN, /* works, with less than promised; does not fail a run */
	VERDICT_FAIL,
	VERDICT_UNKNOWN, /* not measured, or below its coverage floor: never a pass */
};

enum culprit_kind {
	CULPRIT_NONE,        /* a passing check names nobody */
	CULPRIT_LINK,        /* "leaf1:9-spine1:1"; one direction: "leaf1:9->spine1:1" */
	CULPRIT_PORT,        /* "leaf1:9" */
	CULPRIT_SWITCH,      /* "leaf1" */
	CULPRIT_NIC,         /* "host3" or "host3:2" */
	CULPRIT_HOST,        /* "host3" */
	CULPRIT_SETTING,     /* "policy.ecn.kmin" */
	CULPRIT_NOT_NETWORK, /* "not the network" */
	CULPRIT_UNLOCATED,   /* something is wrong and we cannot say where */
};

/* Where in the chain of cause a finding stands. A cause names a component by
 * its own counters or by exclusion; a symptom is what a cause does to others. */
enum finding_rank {
	RANK_CAUSE,
	RANK_SYMPTOM,
	RANK_INFO,
};

#define FINDING_NAME 64
#define FINDING_TEXT 320

struct finding {
	char check[48]; /* stable id, "link.loss", "nonblocking.bandwidth" */
	char layer
		[24]; /* "plan", "pairs", "nonblocking", "lossless", "burst", "ring", "class" */
	enum verdict verdict;
	enum finding_rank rank;
	enum culprit_kind culprit_kind;
	char culprit[FINDING_NAME];
	bool has_measured, has_limit;
	double measured, limit;
	char unit[16]; /* of both: "Gb/s", "packets", "ratio", "bytes", "us" */
	char limit_source
		[FINDING_TEXT];    /* "line rate less framing x 0.95 (limits.bandwidth)" */
	char basis[FINDING_TEXT];  /* measured, simulated or derived; stage and window */
	char text[FINDING_TEXT];   /* what was seen, one sentence */
	char advice[FINDING_TEXT]; /* what to do; "" for a pass */
	uint64_t weight;           /* larger first among equals: packets lost, bytes missing */
};

struct findings {
	struct finding *items; /* owned */
	size_t count, room;
};

#define FINDINGS_INIT                                                                          \
	{                                                                                      \
		NULL, 0, 0                                                                     \
	}

/* Adds a zeroed finding and returns it for filling; valid until the next add.
 * Aborts when memory runs out, as all small allocations of this program do. */
struct finding *findings_add(
	struct findings *findings, const char *check, const char *layer, enum verdict verdict);

/* Fails before unknowns before warnings before passes; causes before symptoms;
 * then by weight, then by check and culprit, so that the order is total. */
void findings_sort(struct findings *findings);

/* The verdict of the whole: FAIL if any failed, else UNKNOWN if any is unknown
 * or there is none at all, else WARN or PASS. */
enum verdict findings_verdict(const struct findings *findings);

void findings_free(struct findings *findings);

const char *verdict_name(enum verdict verdict);        /* "pass", "warn", ... */
const char *culprit_kind_name(enum culprit_kind kind); /* "link", "port", ... */

#endif
