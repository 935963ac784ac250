/*
 * frame_plain - RoCE v2 straight over IPv4 and Ethernet, which by far most packets
 * are, found where it is needed. Behind frame.h, and for who reads every packet;
 * nobody else's.
 */
#ifndef PFC_FRAME_PLAIN_H
#define PFC_FRAME_PLAIN_H

#include "lib/bytes.h"
#include "pfc/frame.h"

static inline __attribute__((always_inline)) void frame_clear(struct frame *frame)
{
	frame->kind = FRAME_OTHER;
	frame->tag_count = 0;
	frame->ethernet = NULL;
	frame->fragment = frame->later_fragment = frame->unsupported = false;
	frame->src_port = 0;
}

/* What frame_decode() does with an Ethernet frame that is one; false, and the frame
 * stays clear, for all others. */
static inline __attribute__((always_inline)) bool frame_plain(
	struct frame *frame, const uint8_t *bytes, uint32_t captured_bytes)
{
	const uint8_t *ip = bytes + 14;
	uint32_t total, length;

	/* EtherType and version; protocol, and no fragment. */
	if (captured_bytes < 14 + 20 + 8 || be16_at(bytes + 12) != 0x0800 || ip[0] != 0x45 ||
		ip[9] != 17 || (be16_at(ip + 6) & 0x3fff) || be16_at(ip + 22) != ROCE_UDP_PORT)
		return false;
	total = be16_at(ip + 2);
	length = be16_at(ip + 24);
	if (total < 28 || length < 8 || length > total - 20)
		return false;
	frame->kind = FRAME_ROCE_V2;
	frame->ethernet = bytes;
	frame->network = ip;
	frame->version = 4;
	frame->traffic_class = ip[1];
	frame->src = ip + 12;
	frame->dst = ip + 16;
	frame->src_port = be16_at(ip + 20);
	frame->network_bytes = total;
	frame->transport_start = 28;
	frame->captured_bytes = captured_bytes - 14;
	frame->transport_bytes = length - 8;
	return true;
}

#endif
