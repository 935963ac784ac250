/*
 * watch - what the files of weft watch share: the NICs that are watched, what has been
 * found so far, and the steps from one reading to the next.
 *
 * A reading comes from a NIC (pfc/sampler.h) or from a run file that a watch wrote; both
 * then go the same way: watch_taken() for each NIC, watch_block() and watch_interval() as
 * time goes by. now_ns is CLOCK_MONOTONIC, or the clock of the recording.
 */
#ifndef CMD_WATCH_H
#define CMD_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/opt.h"
#include "lib/netlink.h"
#include "pfc/alarm.h"
#include "pfc/sampler.h"
#include "reports/live.h"

#define WATCH_NICS 64u
#define WATCH_COUNTERS 64u
#define WATCH_EVENTS 32u

struct run;

struct watch_args {
	uint64_t hz, interval_ns, for_ns, count;
	const char *prio, *counters, *alarms, *record, *textfile, *root;
	bool both_ends, json;
	struct opt_list nics;
};

struct watch_peaks {
	uint64_t tx_bps, rx_bps;
	uint64_t held_ppb[GAUGE_PRIORITIES], holds_ppb[GAUGE_PRIORITIES];
};

struct watch_nic {
	struct sampler sampler;
	struct alarm_state state;
	struct watch_peaks peaks;
	uint8_t lossless; /* in effect: given, told by dcbnl, or all that have PFC counters */
	uint8_t told_lossless;
	bool lossless_known, told_any;
	uint64_t looked_ns; /* for it, while it is gone */
	uint64_t gone_ns;
	bool was_gone, fell; /* ever in the watch */
	size_t fallen;       /* counters that went down in this reading */
	char first_fallen[160];
	char note[120];
	struct live_named named[WATCH_COUNTERS];
	uint64_t *recorded; /* owned; the last recorded value of each counter of the gauge */
	size_t recorded_count;
	uint64_t recorded_lossless; /* as in its row, and 1; 0: not yet */
};

struct watch {
	const struct watch_args *args; /* borrowed */
	struct netlink netlink;
	struct watch_nic *nics; /* owned */
	size_t nic_count;
	uint8_t prio_mask; /* given by --prio; 0: asked */
	unsigned kinds;    /* bit N: enum alarm_kind N is judged */
	char wanted_text[1024];
	const char *wanted[WATCH_COUNTERS];
	size_t wanted_count;

	uint64_t began_ns, block_ns, interval_ns; /* when each began */
	uint64_t samples, missed, intervals, longest_ns;
	struct live_alarm *alarms; /* owned */
	size_t alarm_count, alarm_room;
	char events[WATCH_EVENTS][200];
	size_t event_count;
	struct live_nic *view_nics; /* owned; of the last interval */
	struct live_blind *blind;   /* owned */
	size_t blind_count, blind_room;

	struct run *run; /* --record */
	int status;      /* of the command */
	bool cut_off;    /* a recording that did not come to its end */
};

/* --- watch_opts.c --- */

/* What the options say; and the NICs that they name, opened. */
int watch_parse(struct watch *watch, struct diag *diag);
int watch_open(struct watch *watch, const struct host *host, struct diag *diag);

/* --- watch_run.c --- */

/* Reads, judges and shows until the end, and sets status. An errno is of the outputs. */
int watch_run(struct watch *watch, struct diag *diag);

/* --- watch_step.c --- */

/* From a reading to what is known: called after the sampler, or the recording, has filled
 * the gauge of nic. */
void watch_taken(struct watch *watch, struct watch_nic *nic);
void watch_gone(struct watch *watch, struct watch_nic *nic, uint64_t now_ns);
void watch_back(struct watch *watch, struct watch_nic *nic, uint64_t now_ns);
/* Which priorities are lossless, from what the sampler was told. */
void watch_lossless(struct watch *watch, struct watch_nic *nic);
/* Judges and closes the block; the interval. After watch_interval() the view can be taken;
 * watch_next() then empties the interval. */
void watch_block(struct watch *watch, uint64_t now_ns);
void watch_interval(struct watch *watch, uint64_t now_ns);
void watch_next(struct watch *watch, uint64_t now_ns);
/* Closes and frees all of it, and itself. */
void watch_close(struct watch *watch);
__attribute__((format(printf, 2, 3))) void watch_event(
	struct watch *watch, const char *fmt, ...);

/* --- watch_view.c --- */

struct live_view watch_view(struct watch *watch, uint64_t now_ns);
/* The same with what could not be found out, and the verdict. */
struct live_view watch_view_end(struct watch *watch, uint64_t now_ns);

#endif
