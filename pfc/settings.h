/*
 * settings - what should be the same on all hosts, drawn from the facts of each: one fact
 * SETTING per host (or port of a host) and thing, so that rules can compare many hosts.
 */
#ifndef PFC_SETTINGS_H
#define PFC_SETTINGS_H

#include "pfc/facts.h"

/* Adds to out what the facts of one or several places say. out may be facts itself. */
void settings_add(struct facts *out, const struct facts *facts);

#endif
