/*
 * source - bytes in order from a file, a pipe or memory, a window at a time.
 *
 * Files are read, not mapped: a file that somebody cuts while we read it ends
 * early instead of killing the program, and a pipe works the same way. The copy
 * out of the page cache lands in a window that stays in the second-level cache.
 */
#ifndef LIB_SOURCE_H
#define LIB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that source_need() can be asked for. */
#define SOURCE_NEED_MAX ((size_t)2 << 20)

struct source {
	int fd;          /* -1: memory */
	uint8_t *window; /* owned unless fd is -1 */
	size_t start, end;
	uint64_t offset; /* of window[start], from the beginning */
	bool eof;
	int error; /* negative errno of a failed read; the bytes end there */
};

#define SOURCE_INIT                                                                            \
	{                                                                                      \
		.fd = -1                                                                       \
	}

/* "-" is standard input. Returns 0 or a negative errno. */
int source_open(struct source *source, const char *path);

/* Bytes are borrowed. */
void source_memory(struct source *source, const uint8_t *bytes, size_t size);

/* The slow half of source_need(). */
const uint8_t *source_refill(struct source *source, size_t bytes);

/* The next bytes, without taking them; NULL when fewer are left. Valid until the
 * next call. bytes <= SOURCE_NEED_MAX. */
static inline const uint8_t *source_need(struct source *source, size_t bytes)
{
	if (source->end - source->start >= bytes)
		return source->window + source->start;
	return source_refill(source, bytes);
}

/* Takes bytes that source_need() has shown. */
static inline void source_take(struct source *source, size_t bytes)
{
	source->start += bytes;
	source->offset += bytes;
}

/* Takes any number of bytes; false when they end before. */
bool source_skip(struct source *source, uint64_t bytes);

/* How many bytes are there after source_need() has answered NULL. */
static inline size_t source_left(const struct source *source)
{
	return source->end - source->start;
}

void source_close(struct source *source); /* safe twice */

#endif
