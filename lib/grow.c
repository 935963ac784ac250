/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/grow.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* From here on memory is asked for in pages of this size, which a processor finds its way
 * in sooner. */
#define HUGE_BYTES ((size_t)2 << 20)

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
	size_t align = count * item_bytes < HUGE_BYTES ? LINE_BYTES : HUGE_BYTES;
	size_t bytes = (count * item_bytes + align - 1) / align * align;
	void *items;

	if (count == 0)
		return NULL;
	items = count > SIZE_MAX / 2 / item_bytes ? NULL : aligned_alloc(align, bytes);
	if (!items)
		out_of_memory();
	if (align == HUGE_BYTES)
		madvise(items, bytes, MADV_HUGEPAGE); /* advice: without it, slower */
	return items;
}

void *zeroed_lines(size_t count, size_t item_bytes)
{
	void *items = unset_lines(count, item_bytes);

	return items ? memset(items, 0, count * item_bytes) : NULL;
}
