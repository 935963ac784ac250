/*
 * icrc - the invariant CRC of a RoCE packet.
 *
 * CRC-32 of Ethernet over the packet from the network header on, with all that a
 * router may change set to ones, stored with its low byte first (InfiniBand
 * Architecture Specification volume 1, 7.8.1 and annex A17). It outlives
 * remarking and CE marking; so a bad one means changed bytes, or address
 * translation on the way.
 */
#ifndef PFC_ICRC_H
#define PFC_ICRC_H

#include <stddef.h>
#include <stdint.h>

struct frame;

enum icrc {
	ICRC_UNCHECKED, /* not captured whole, or a fragment */
	ICRC_OK,
	ICRC_BAD,
};

/* frame->kind is FRAME_ROCE_V1 or FRAME_ROCE_V2. */
enum icrc icrc_check(const struct frame *frame);

/* What the last four bytes should hold, read with the low byte first. The packet
 * must be whole. For those who make packets. */
uint32_t icrc_of(const struct frame *frame);

/* CRC-32 as in zlib: start with 0, go on with the last result. */
uint32_t crc32_of(uint32_t crc, const uint8_t *bytes, size_t size);

#endif
