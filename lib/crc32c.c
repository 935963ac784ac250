/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/crc32c.h"

#include <string.h>

#define POLYNOMIAL_REFLECTED 0x82F63B78u

static uint32_t byte_step(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (int bit = 0; bit < 8; bit++)
		crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL_REFLECTED : 0);
	return crc;
}

uint32_t crc32c_by_table(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint32_t table[256], crc = UINT32_MAX;

	for (unsigned i = 0; i < 256; i++)
		table[i] = byte_step(0, (uint8_t)i);
	for (; bytes; bytes--)
		crc = crc >> 8 ^ table[(crc ^ *at++) & 0xff];
	return ~crc;
}

#if defined(__x86_64__)

__attribute__((target("sse4.2"))) static uint32_t by_instruction(const void *data, size_t bytes)
{
	const uint8_t *at = data;
	uint64_t crc = UINT32_MAX, word;

	for (; bytes >= sizeof(word); bytes -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		crc = __builtin_ia32_crc32di(crc, word);
	}
	for (; bytes; bytes--)
		crc = __builtin_ia32_crc32qi((uint32_t)crc, *at++);
	return ~(uint32_t)crc;
}

uint32_t crc32c(const void *data, size_t bytes)
{
	if (__builtin_cpu_supports("sse4.2"))
		return by_instruction(data, bytes);
	return crc32c_by_table(data, bytes);
}

#else

uint32_t crc32c(const void *data, size_t bytes)
{
	return crc32c_by_table(data, bytes);
}

#endif
