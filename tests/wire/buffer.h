/*
 * buffer - bytes that grow, and numbers put behind them: of packets with the high byte
 * first, of files in the order of the file.
 */
#ifndef TESTS_WIRE_BUFFER_H
#define TESTS_WIRE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *bytes; /* owned */
	size_t count, room;
};

#define BUFFER_INIT                                                                            \
	{                                                                                      \
		NULL, 0, 0                                                                     \
	}

void buffer_free(struct buffer *buffer);

void put_bytes(struct buffer *out, const void *bytes, size_t count);
void put_zeros(struct buffer *out, size_t count); /* at most 64 */
void put8(struct buffer *out, unsigned value);
void put16(struct buffer *out, unsigned value);
void put32(struct buffer *out, uint32_t value);

/* In the byte order of a file. */
void file16(struct buffer *out, bool big, unsigned value);
void file32(struct buffer *out, bool big, uint32_t value);

/* Writes over what is there. */
void set16(struct buffer *out, size_t at, size_t value);

#endif
