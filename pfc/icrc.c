/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/icrc.h"

#include <assert.h>
#include <string.h>

#include "lib/bytes.h"
#include "pfc/crc32_tables.h"
#include "pfc/frame.h"
#include "pfc/roce.h"

/* LRH stand-in, the longest IPv4 header or IPv6 header, UDP, BTH. */
#define MASKED_MAX (8u + 60u + 8u + BTH_BYTES)

/* Eight bytes a step: four of them carry the remainder so far. */
static uint32_t update(uint32_t crc, const uint8_t *bytes, size_t size)
{
	for (; size >= 8; size -= 8, bytes += 8) {
		uint32_t low = crc ^ le32_at(bytes), high = le32_at(bytes + 4);

		crc = crc32_tables[7][low & 255] ^ crc32_tables[6][low >> 8 & 255] ^
		      crc32_tables[5][low >> 16 & 255] ^ crc32_tables[4][low >> 24] ^
		      crc32_tables[3][high & 255] ^ crc32_tables[2][high >> 8 & 255] ^
		      crc32_tables[1][high >> 16 & 255] ^ crc32_tables[0][high >> 24];
	}
	for (; size; size--, bytes++)
		crc = crc >> 8 ^ crc32_tables[0][(crc ^ *bytes) & 255];
	return crc;
}

uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, size_t size)
{
	return ~update(~crc, bytes, size);
}

static void mask_network(const struct frame *frame, uint8_t *network)
{
	if (frame->version == 4) {
		network[1] = 0xff;  /* type of service */
		network[8] = 0xff;  /* time to live */
		network[10] = 0xff; /* header checksum */
		network[11] = 0xff;
	} else {
		network[0] |= 0x0f; /* traffic class, flow label */
		network[1] = network[2] = network[3] = 0xff;
		network[7] = 0xff; /* hop limit */
	}
}

/* The first bytes with their masks, and the rest of the BTH; returns how many of the
 * packet they cover. */
static uint32_t masked_start(const struct frame *frame, uint32_t *crc)
{
	uint8_t masked[MASKED_MAX];
	uint32_t udp = frame->kind == FRAME_ROCE_V2 ? 8 : 0;
	uint32_t network = frame->transport_start - udp;
	uint32_t head = frame->version == 4 ? network : 40, at = 8 + head;

	memset(masked, 0xff, 8);
	memcpy(masked + 8, frame->network, head);
	mask_network(frame, masked + 8);
	if (head < network) { /* extension headers of IPv6 go in as they are */
		*crc = update(*crc, masked, at);
		*crc = update(*crc, frame->network + head, network - head);
		at = 0;
	}
	memcpy(masked + at, frame->network + network, udp + BTH_BYTES);
	if (udp)
		masked[at + 6] = masked[at + 7] = 0xff; /* checksum */
	masked[at + udp + 4] = 0xff;                    /* FECN, BECN, reserved */
	*crc = update(*crc, masked, at + udp + BTH_BYTES);
	return frame->transport_start + BTH_BYTES;
}

uint32_t icrc_of(const struct frame *frame)
{
	uint32_t end = frame->transport_start + frame->transport_bytes - ICRC_BYTES;
	uint32_t crc = 0xffffffff, at;

	assert(frame->transport_bytes >= BTH_BYTES + ICRC_BYTES &&
		end + ICRC_BYTES <= frame->captured_bytes);
	at = masked_start(frame, &crc);
	return ~update(crc, frame->network + at, end - at);
}

enum icrc icrc_check(const struct frame *frame)
{
	uint32_t end = frame->transport_start + frame->transport_bytes;

	if (frame->fragment || frame->transport_bytes < BTH_BYTES + ICRC_BYTES ||
		end > frame->captured_bytes)
		return ICRC_UNCHECKED;
	return icrc_of(frame) == le32_at(frame->network + end - ICRC_BYTES) ? ICRC_OK
									    : ICRC_BAD;
}
