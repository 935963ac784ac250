/*
 * explain_show - what weft explain prints.
 */
#ifndef CMD_EXPLAIN_SHOW_H
#define CMD_EXPLAIN_SHOW_H

#include <stdio.h>

#include "pfc/rule.h"

/* For people, 80 columns. all: the rules that could not judge, by name. */
void explain_print_text(FILE *out, const struct explain *explain, bool all);

/* One document; 0 or a negative errno of the stream. */
int explain_print_json(FILE *out, const struct explain *explain);

/* The same into an object that somebody else writes. */
struct json;
void explain_put_json(struct json *object, const struct explain *explain);

/* "PASS", "WARN", "FAIL", "UNKNOWN". */
const char *explain_level_name(enum verdict verdict);

/* The part of docs/checks.md that is written from the tables: alarms and rules. */
void explain_print_rules(FILE *out);

#endif
