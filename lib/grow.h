/*
 * grow - room for one more in an array that doubles, and memory that is there.
 *
 * Running out of memory ends the program with one sentence and status 2: no
 * caller of small allocations has anything better to do. What a user's input
 * can make large is bounded by the reader of that input.
 */
#ifndef LIB_GROW_H
#define LIB_GROW_H

#include <stddef.h>

/* Returns items, moved if need be, with room for count + 1; *room follows. */
void *grow(void *items, size_t count, size_t *room, size_t item_bytes);

/* Zeroed memory for count items; NULL only when count is 0. */
void *zeroed(size_t count, size_t item_bytes);

/* The same, beginning at a cache line: for items of that size or a multiple. */
#define LINE_BYTES 64u
void *zeroed_lines(size_t count, size_t item_bytes);

/* Likewise, but whatever was there before: for what is written before it is read. */
void *unset_lines(size_t count, size_t item_bytes);

/* Says so on stderr and ends the program with status 2. */
_Noreturn void out_of_memory(void);

#endif
