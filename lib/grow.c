/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void out_of_memory(void)
{
	static const char text[] = "weft: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)ignored;
	_exit(2);
}

void *grow(void *items, size_t count, size_t *room, size_t item_bytes)
{
	size_t wanted = *room ? *room * 2 : 16;
	void *moved;

	if (count < *room)
		return items;
	moved = reallocarray(items, wanted, item_bytes);
	if (!moved)
		out_of_memory();
	*room = wanted;
	return moved;
}

void *zeroed(size_t count, size_t item_bytes)
{
	void *items;

	if (count == 0)
		return NULL;
	items = calloc(count, item_bytes);
	if (!items)
		out_of_memory();
	return items;
}

void *unset_lines(size_t count, size_t item_bytes)
{
	size_t bytes = (count * item_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
	void *items;

	if (count == 0)
		return NULL;
	items = count > SIZE_MAX / 2 / item_bytes ? NULL : aligned_alloc(LINE_BYTES, bytes);
	if (!items)
		out_of_memory();
	return items;
}

void *zeroed_lines(size_t count, size_t item_bytes)
{
	void *items = unset_lines(count, item_bytes);

	return items ? memset(items, 0, count * item_bytes) : NULL;
}
