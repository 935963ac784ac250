/*
 * psn_run - the fills of holes that came last, one after the other: whether they were
 * sent again or only late may be understood later, for all of them at once. Between psn.c
 * and its events; nobody else's.
 */
#ifndef PFC_PSN_RUN_H
#define PFC_PSN_RUN_H

#include "pfc/psn.h"

/* A PSN that comes a second time and had been acknowledged before had arrived: only
 * the tap missed it. */
bool psn_run_lost_by_tap(const struct psn_context *context, uint32_t psn);

/* Counts PSNs for who lost them. */
void psn_run_count_loser(struct psn_books *books, bool tap, uint32_t by);

/* Puts a fill into the run of fills, or begins a new one with it. */
void psn_run_add(struct psn_books *books, const struct psn_context *context, uint32_t psn,
	uint32_t gap, uint32_t event);

/* The fills of the run were sent again after all, for this cause; or, with
 * RESEND_NOT, they had only been late, and were counted for was. */
void psn_run_change(struct psn_books *books, const struct psn_context *context,
	enum resend_cause cause, enum resend_cause was);

/* Whether psn is of the last run of fills, and these were only late; with
 * follows 1 also the one that follows on them, which had overtaken them. */
bool psn_run_was_late(const struct psn_books *books, const struct events *events, uint32_t psn,
	uint32_t follows);

/* What its fills are will not change any more. */
void psn_run_end(struct psn_books *books, const struct psn_context *context);

#endif
