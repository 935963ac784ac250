/*
 * opt_value - numbers with units as they are written on a command line.
 */
#ifndef CMD_OPT_VALUE_H
#define CMD_OPT_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/opt.h"

/* Reads text as OPT_COUNT, OPT_BYTES, OPT_NS, OPT_RATE or OPT_SEED. Returns 0,
 * -EINVAL (no number, no such unit, finer than one) or -ERANGE (over 64 bits). */
int opt_value_parse(enum opt_kind kind, const char *text, uint64_t *value);

/* The value as it could be given: "64KiB", "2500us", "100G". */
void opt_value_print(enum opt_kind kind, uint64_t value, char *text, size_t size);

#endif
