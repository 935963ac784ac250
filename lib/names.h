/*
 * names - strings by number: the first is 0, the next new one 1, and so on. A
 * run file writes "leaf1:9" and "rx_prio3_pause" once, and their numbers in
 * each of the thousands of rows that speak of them.
 */
#ifndef LIB_NAMES_H
#define LIB_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE UINT32_MAX

struct names {
	char **texts; /* owned; by number */
	size_t count, room;
	uint32_t *slots; /* owned; hash table of numbers, NAMES_NONE where free */
	size_t slot_count;
};

#define NAMES_INIT                                                                             \
	{                                                                                      \
		NULL, 0, 0, NULL, 0                                                            \
	}

/* The number of the text; *is_new says whether it was given out just now. */
uint32_t names_put(struct names *names, const char *text, bool *is_new);

/* The number of the text, or NAMES_NONE. */
uint32_t names_find(const struct names *names, const char *text);

/* The text of a number, valid until names_free(); NULL when there is none. */
const char *names_text(const struct names *names, uint64_t number);

void names_free(struct names *names); /* safe on NAMES_INIT, safe twice */

#endif
