/*
 * opt_row - how a row of an option table is spelled, for the parser and for -h.
 */
#ifndef CMD_OPT_ROW_H
#define CMD_OPT_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/opt.h"

/* Of the name alone, without what its value is called. */
size_t opt_name_length(const struct opt *opt);

bool opt_is_argument(const struct opt *opt);

/* What stands before the name on the command line: "--", "-" or "". */
const char *opt_dashes(const struct opt *opt);

/* What the value is called in -h: "FILE", "quick|full"; "" where there is none. */
const char *opt_value_name(const struct opt *opt);

/* What is accepted, as it ends the sentence "expected ...". */
void opt_print_range(char *text, size_t size, const struct opt *opt);

#endif
