/*
 * number - figures as a person reads them: thousands grouped, sizes in KiB and
 * MiB, rates in Gb/s, times in the unit that leaves few digits. The inside has
 * one unit a quantity; this is where the others come from.
 *
 * All write at most size bytes with the end, and the same text on every machine
 * and in every locale.
 */
#ifndef REPORTS_NUMBER_H
#define REPORTS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

#define NUMBER_BYTES 48u /* holds any of them */

void number_count(char *text, size_t size, uint64_t value);     /* 1,234,567 */
void number_bytes(char *text, size_t size, uint64_t bytes);     /* 96 bytes, 1.5 MiB */
void number_time(char *text, size_t size, uint64_t ns);         /* 12.3 ms */
void number_rate(char *text, size_t size, uint64_t bps);        /* 97.1 Gb/s */
void number_gbps(char *text, size_t size, uint64_t bps);        /* 97.1, 0.0022 */
void number_probability(char *text, size_t size, double value); /* 2.4e-06 */

/* A finding's value with its unit: "97.1 Gb/s", "1,204 packets", "0.00099" for
 * a ratio, "1.5 MiB" for bytes; "no number" for what is not finite. */
void number_figure(char *text, size_t size, double value, const char *unit);

/* The same of a range, with one unit where it can be: "0.98 to 0.99 Gb/s". */
void number_range(char *text, size_t size, double least, double most, const char *unit);

#endif
