/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/source.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/grow.h"

/* Read in steps of this many bytes. */
#define STEP_BYTES ((size_t)256 << 10)
#define LITTLE_BYTES ((size_t)16 << 10)
#define WINDOW_BYTES (SOURCE_NEED_MAX + STEP_BYTES)

int source_open(struct source *source, const char *path)
{
	int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*source = (struct source){ .fd = fd, .window = zeroed(1, WINDOW_BYTES) };
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return 0;
}

void source_memory(struct source *source, const uint8_t *bytes, size_t size)
{
	*source = (struct source){
		.fd = -1,
		.window = (uint8_t *)(uintptr_t)bytes, /* never written: eof is set */
		.end = size,
		.eof = true,
	};
}

/* Moves what is left to the front when it is little, so that step after step goes
 * to the same place in the cache, and when the next step would not fit. */
static void make_room(struct source *source)
{
	size_t left = source->end - source->start;

	if (left <= LITTLE_BYTES || source->end + STEP_BYTES > WINDOW_BYTES) {
		memmove(source->window, source->window + source->start, left);
		source->start = 0;
		source->end = left;
	}
}

const uint8_t *source_refill(struct source *source, size_t bytes)
{
	assert(bytes <= SOURCE_NEED_MAX);
	while (!source->eof && source->end - source->start < bytes) {
		ssize_t got;

		make_room(source);
		got = read(source->fd, source->window + source->end, STEP_BYTES);
		if (got > 0)
			source->end += (size_t)got;
		else if (got == 0)
			source->eof = true;
		else if (errno != EINTR) {
			source->error = -errno;
			source->eof = true;
		}
	}
	if (source->end - source->start < bytes)
		return NULL;
	return source->window + source->start;
}

bool source_skip(struct source *source, uint64_t bytes)
{
	while (bytes) {
		size_t step = bytes < STEP_BYTES ? (size_t)bytes : STEP_BYTES;

		if (!source_need(source, step))
			return false;
		source_take(source, step);
		bytes -= step;
	}
	return true;
}

void source_close(struct source *source)
{
	if (source->fd >= 0) {
		close(source->fd);
		free(source->window);
	}
	*source = (struct source)SOURCE_INIT;
}
