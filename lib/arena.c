/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/arena.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

#define BLOCK_BYTES 65536u

struct arena_block {
	struct arena_block *before;
	size_t used, room;
	char data[];
};

static struct arena_block *room_for(struct arena *arena, size_t bytes)
{
	struct arena_block *block = arena->last;
	size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;

	if (block && block->room - block->used >= bytes)
		return block;
	block = zeroed(1, sizeof(*block) + room);
	block->before = arena->last;
	block->room = room;
	arena->last = block;
	return block;
}

char *arena_text(struct arena *arena, const char *text, size_t bytes)
{
	struct arena_block *block = room_for(arena, bytes + 1);
	char *copy = block->data + block->used;

	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	block->used += bytes + 1;
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->last) {
		struct arena_block *before = arena->last->before;

		free(arena->last);
		arena->last = before;
	}
}
