/*
 * sweep_folder - the folder that a sweep works in: its lock, the name of tonight's run,
 * and what a sweep that was killed has left there.
 *
 * Tonight's run is written as NAME.part and becomes NAME.run when it is whole, so that a
 * reader of the folder never meets half a run. The next sweep makes a run of what a
 * killed one had committed.
 */
#ifndef CMD_SWEEP_FOLDER_H
#define CMD_SWEEP_FOLDER_H

#include <stddef.h>

struct diag;

/* Makes the folder where there is none, and locks it until the program ends, however that
 * is. Returns 0; -EBUSY where another sweep works there, with its process in the sentence. */
int sweep_lock(const char *folder, struct diag *diag);

/* Each NAME.part of a NAME that sweep_name() gives becomes NAME.run; one that holds nothing
 * goes; one that is no run of ours stays, and stderr says so. So do digests that were half
 * written go. Then each run that a kill left without its digest, or whose digest is of an older
 * version, gets one. */
int sweep_recover(const char *folder, struct diag *diag);

/* NAME.part, written and closed, becomes NAME.run. */
int sweep_settle(const char *folder, const char *name, struct diag *diag);

/* The present time in UTC; where a run is named by that or a later one, as the clock was set
 * back, the second after the last. Returns 0, or the errno of reading the folder. */
int sweep_name(char *name, size_t size, const char *folder, struct diag *diag);

#endif
