/*
 * culprit - who a finding blames, as words, and whether two blame the same.
 */
#ifndef REPORTS_CULPRIT_H
#define REPORTS_CULPRIT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/finding.h"

#define CULPRIT_TEXT (FINDING_NAME + 16)

/* "link leaf1:9-spine1:1", "NIC host3", "not the network", "not located"; "" for
 * nobody. */
void culprit_text(char *text, size_t size, const struct finding *finding);

/* A link is the same in either direction and as a whole; nobody and "not located"
 * are the same as nothing. */
bool culprit_same(const struct finding *a, const struct finding *b);

/* The finding under which finding i is told: the first failure that blames the
 * same, i itself where there is none before it. */
size_t culprit_leader(const struct findings *findings, size_t i);

#endif
