/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/wire/buffer.h"

#include <stdlib.h>
#include <string.h>

void buffer_free(struct buffer *buffer)
{
	free(buffer->bytes);
	*buffer = (struct buffer)BUFFER_INIT;
}

void put_bytes(struct buffer *out, const void *bytes, size_t count)
{
	if (out->count + count > out->room) {
		out->room = (out->count + count) * 2;
		out->bytes = realloc(out->bytes, out->room);
		if (!out->bytes)
			abort();
	}
	if (count)
		memcpy(out->bytes + out->count, bytes, count);
	out->count += count;
}

void put_zeros(struct buffer *out, size_t count)
{
	static const uint8_t zeros[64];

	put_bytes(out, zeros, count);
}

void put8(struct buffer *out, unsigned value)
{
	uint8_t byte = (uint8_t)value;

	put_bytes(out, &byte, 1);
}

void put16(struct buffer *out, unsigned value)
{
	put8(out, value >> 8);
	put8(out, value);
}

void put32(struct buffer *out, uint32_t value)
{
	put16(out, value >> 16);
	put16(out, value);
}

void file16(struct buffer *out, bool big, unsigned value)
{
	put16(out, big ? value : (value >> 8 & 0xff) | (value & 0xff) << 8);
}

void file32(struct buffer *out, bool big, uint32_t value)
{
	put32(out, big ? value : __builtin_bswap32(value));
}

void set16(struct buffer *out, size_t at, size_t value)
{
	out->bytes[at] = (uint8_t)(value >> 8);
	out->bytes[at + 1] = (uint8_t)value;
}
