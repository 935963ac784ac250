/*
 * arena - text and small objects that live until all of them go.
 *
 * For a reader that keeps many short strings of one input: no string is freed
 * alone. Running out of memory ends the program (lib/grow.h); the reader bounds
 * what it keeps.
 */
#ifndef LIB_ARENA_H
#define LIB_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *last; /* owned */
};

#define ARENA_INIT                                                                             \
	{                                                                                      \
		NULL                                                                           \
	}

/* A copy of bytes bytes of text, with a NUL behind it. */
char *arena_text(struct arena *arena, const char *text, size_t bytes);

/* Everything that arena_text() gave becomes invalid. Safe twice. */
void arena_free(struct arena *arena);

#endif
