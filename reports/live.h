/*
 * live - what a watch shows: a screen that is drawn again and again, lines where there is
 * no terminal, JSON, OpenMetrics, and what it came to in the end.
 *
 * The view is filled by the caller, anew for each interval; nothing here judges. What a
 * driver does not tell is not known, which is drawn as "-" and never as 0.
 *
 * "Held" is the share of time in which the other end of the cable stopped this NIC by PFC,
 * "holds" that in which this NIC stopped the other end.
 */
#ifndef REPORTS_LIVE_H
#define REPORTS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/finding.h"
#include "reports/options.h"

#define LIVE_PRIORITIES 8

struct live_count {
	bool known, total_known;
	uint64_t grown; /* in the interval */
	uint64_t total; /* since the watch began */
};

struct live_rate {
	bool known;
	uint64_t bps, peak_bps; /* peak: of the fastest block of samples */
};

struct live_share {
	bool known;
	uint64_t ppb, peak_ppb;
};

enum live_what {
	LIVE_CE,
	LIVE_CNP_OUT, /* sent: as a receiver */
	LIVE_CNP_IN,  /* handled: as a sender */
	LIVE_RETRY,   /* NAKs for a gap, and time-outs */
	LIVE_DROP,
	LIVE_ERROR,
	LIVE_FLAP,
	LIVE_WHATS
};

struct live_prio {
	int priority;
	struct live_share held, holds;
	struct live_count drops;
};

struct live_named {       /* a counter that was asked for by name */
	const char *name; /* borrowed */
	struct live_count count;
	uint64_t largest; /* between two readings, in the interval */
	uint64_t age_ns;  /* a reading may be this old; 0: fresh */
};

struct live_nic {
	const char *name, *rdma, *driver; /* borrowed; "" */
	bool gone;
	struct live_rate tx, rx;
	struct live_count counts[LIVE_WHATS];
	struct live_prio prios[LIVE_PRIORITIES]; /* lossless ones */
	size_t prio_count;
	struct live_named *named; /* borrowed */
	size_t named_count;
	char note[120]; /* "driver statistics: denied" */
};

struct live_alarm {
	char nic[64];                                            /* "": of all */
	const char *check, *kind, *unit, *limit_source, *advice; /* borrowed */
	int priority;                                            /* -1: of the port */
	double measured, limit;                                  /* measured: the worst */
	char text[200];                                          /* of the first time */
	uint64_t first_ns, last_ns;                              /* since the watch began */
	uint64_t intervals;                                      /* how often it was raised */
	bool active; /* in the interval that is shown */
};

struct live_blind { /* what could not be found out */
	char nic[64];
	const char *kind, *why; /* borrowed */
};

struct live_view {
	uint64_t elapsed_ns, span_ns; /* since the beginning; of the interval */
	uint64_t read_ns;             /* the longest reading of a NIC in the interval */
	uint64_t samples, missed;     /* since the beginning; missed: no time for them */
	uint64_t cpu_ns; /* user and system time of this program; for the end only */
	uint64_t hz;
	struct live_nic *nics; /* borrowed, as all below */
	size_t nic_count;
	struct live_alarm *alarms; /* in the order of their first time */
	size_t alarm_count;
	char (*events)[200]; /* of the interval, a sentence each */
	size_t event_count;
	struct live_blind *blind; /* filled for the end only */
	size_t blind_count;
	enum verdict verdict; /* for the end only */
};

/* --- a terminal --- */

struct live_screen {
	FILE *out; /* borrowed; NULL: none */
	unsigned width, height;
};

/* Takes over the screen of a terminal; false when out is none that can. */
bool live_screen_begin(struct live_screen *screen, FILE *out);
/* The whole picture; the size is asked anew, so a resized terminal is followed. */
void live_screen_draw(struct live_screen *screen, const struct live_view *view);
/* Gives the screen back as it was; safe twice. */
void live_screen_end(struct live_screen *screen);

/* The picture by itself, at most height lines. */
void live_draw(FILE *out, const struct report_options *options, unsigned height,
	const struct live_view *view);

/* --- elsewhere --- */

/* A line for each NIC, and one for each event and each alarm that has begun. */
void live_lines(FILE *out, const struct live_view *view);
/* What it came to. */
void live_end(FILE *out, const struct report_options *options, const struct live_view *view);

/* One JSON object in one line: an interval, or the end. */
int live_json_interval(FILE *out, const struct live_view *view);
int live_json_end(FILE *out, const struct live_view *view);

/* OpenMetrics of this interval. */
void live_metrics(FILE *out, const struct live_view *view);

#endif
