/*
 * watch_record - how a watch stands in a run file, to be written and to be judged again.
 *
 * The backend is "watch", and there is one stage. A reading of a NIC is rows of samples at
 * the NIC's name, in this order: a row for each counter whose value is another than in the
 * row before; a row "before:SOURCE" for each source that was read, whose time is the one
 * after the reading and whose value the one before it; and a row "reading", its number.
 * "lossless" says when the lossless priorities have changed (bit N: priority N; bit 8: they
 * are known), "gone" and "back" when the NIC was. At the place "watch" there are "block" and
 * "interval", when one has ended. Facts tell each NIC's driver and the options.
 */
#ifndef CMD_WATCH_RECORD_H
#define CMD_WATCH_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "pfc/gauge.h"

#define RECORD_BACKEND "watch"
#define RECORD_STAGE 0u
#define RECORD_KNOWN 0x100u

/* Places and metrics. */
#define RECORD_WATCH "watch"
#define RECORD_READING "reading"
#define RECORD_LOSSLESS "lossless"
#define RECORD_GONE "gone"
#define RECORD_BACK "back"
#define RECORD_BLOCK "block"
#define RECORD_INTERVAL "interval"

/* Keys of facts at RECORD_WATCH. */
#define RECORD_KINDS "kinds"
#define RECORD_HZ "hz"
#define RECORD_BOTH_ENDS "both ends"
#define RECORD_CHOSEN "chosen counters"

struct diag;
struct run;
struct watch;
struct watch_nic;

int watch_record_begin(struct watch *watch, struct diag *diag);
/* One reading of a NIC. */
int watch_record_nic(
	struct watch *watch, struct watch_nic *nic, uint64_t now_ns, struct diag *diag);
/* A row of its own. */
int watch_record_mark(struct watch *watch, const char *place, const char *metric,
	uint64_t now_ns, uint64_t value, struct diag *diag);
int watch_record_commit(struct watch *watch, struct diag *diag);
int watch_record_end(struct watch *watch, uint64_t now_ns, struct diag *diag);

/* Of a row "before:SOURCE"; GAUGE_SOURCES when it is none. */
enum gauge_source watch_record_source(const char *metric);

/* Judges a recorded watch again, and prints what it came to; *status is that of the
 * command. Returns 0 or a negative errno. */
int watch_replay(struct run *run, bool json, int *status, struct diag *diag);

#endif
