/*
 * bytes - numbers out of bytes that need not be aligned.
 */
#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t be16_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t be24_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
}

static inline uint32_t be32_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static inline uint64_t be64_at(const uint8_t *bytes)
{
	return (uint64_t)be32_at(bytes) << 32 | be32_at(bytes + 4);
}

static inline uint16_t le16_at(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

static inline uint32_t le32_at(const uint8_t *bytes)
{
	return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
	       bytes[0];
}

/* In the byte order that a file says it has. */
static inline uint16_t order16_at(const uint8_t *bytes, bool big)
{
	return big ? be16_at(bytes) : le16_at(bytes);
}

static inline uint32_t order32_at(const uint8_t *bytes, bool big)
{
	return big ? be32_at(bytes) : le32_at(bytes);
}

#endif
