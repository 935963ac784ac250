/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/make.h"

#include <assert.h>
#include <string.h>

#include "pfc/frame.h"
#include "pfc/icrc.h"
#include "pfc/roce.h"

#define ETHERNET_BYTES 14u
#define IPV4_BYTES 20u
#define UDP_BYTES 8u
#define CNP_RESERVED_BYTES 16u /* zeroes behind the BTH */
#define PKEY_DEFAULT 0xffffu
#define OPCODE_WRITE_FIRST 0x06u
#define OPCODE_WRITE_ONLY 0x0au

static uint8_t *put8(uint8_t *at, uint32_t value)
{
	*at = (uint8_t)value;
	return at + 1;
}

static uint8_t *put16(uint8_t *at, uint32_t value)
{
	return put8(put8(at, value >> 8), value);
}

static uint8_t *put24(uint8_t *at, uint32_t value)
{
	return put16(put8(at, value >> 16), value);
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
	return put16(put16(at, value >> 16), value);
}

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, size_t size)
{
	memcpy(at, bytes, size);
	return at + size;
}

/* The ones' complement sum of RFC 1071 over an IPv4 header whose own is 0. */
static uint16_t header_checksum(const uint8_t *header)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < IPV4_BYTES; i += 2)
		sum += (uint32_t)header[i] << 8 | header[i + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static uint8_t *put_ipv4(uint8_t *at, const struct make_roce *make, uint32_t bytes)
{
	uint8_t *start = at;

	at = put8(at, 0x45);
	at = put8(at, (uint32_t)make->dscp << 2 | make->ecn);
	at = put16(at, bytes);
	at = put16(at, make->ip_id);
	at = put16(at, 0x4000); /* don't fragment */
	at = put8(at, make->ttl);
	at = put8(at, 17); /* UDP */
	at = put16(at, 0);
	at = put32(at, make->src_address);
	at = put32(at, make->dst_address);
	put16(start + 10, header_checksum(start));
	return at;
}

/* The UDP checksum is 0, as RoCE NICs send it over IPv4. */
static uint8_t *put_udp(uint8_t *at, const struct make_roce *make, uint32_t bytes)
{
	at = put16(at, make->src_port);
	at = put16(at, ROCE_UDP_PORT);
	at = put16(at, bytes);
	return put16(at, 0);
}

static uint8_t *put_bth(uint8_t *at, const struct make_roce *make, uint32_t pad)
{
	at = put8(at, make->opcode);
	at = put8(at, pad << 4);
	at = put16(at, PKEY_DEFAULT);
	at = put8(at, make->opcode == ROCE_OPCODE_CNP ? 0x40 : 0); /* BECN */
	at = put24(at, make->qp);
	at = put8(at, make->ack_request ? 0x80 : 0);
	return put24(at, make->psn);
}

static uint32_t extended_bytes(uint8_t opcode)
{
	if (opcode == OPCODE_WRITE_FIRST || opcode == OPCODE_WRITE_ONLY)
		return 16;
	if (opcode == ROCE_OPCODE_ACK)
		return 4;
	return opcode == ROCE_OPCODE_CNP ? CNP_RESERVED_BYTES : 0;
}

static uint8_t *put_extended(uint8_t *at, const struct make_roce *make)
{
	if (make->opcode == ROCE_OPCODE_ACK)
		return put24(put8(at, make->syndrome), make->msn);
	if (make->opcode == ROCE_OPCODE_CNP) {
		memset(at, 0, CNP_RESERVED_BYTES);
		return at + CNP_RESERVED_BYTES;
	}
	if (extended_bytes(make->opcode) == 0)
		return at;
	at = put32(at, (uint32_t)(make->address >> 32));
	at = put32(at, (uint32_t)make->address);
	at = put32(at, make->rkey);
	return put32(at, make->dma_bytes);
}

static void put_icrc(uint8_t *out, uint32_t bytes, bool bad)
{
	struct frame frame;
	uint32_t icrc;

	frame_decode(&frame, 1, out, bytes);
	assert(frame.kind == FRAME_ROCE_V2);
	icrc = icrc_of(&frame);
	if (bad)
		icrc = ~icrc;
	for (unsigned i = 0; i < ICRC_BYTES; i++)
		out[bytes - ICRC_BYTES + i] = (uint8_t)(icrc >> 8 * i);
}

uint32_t make_roce(
	const struct make_roce *make, uint8_t *out, uint32_t room, uint32_t *wire_bytes)
{
	uint8_t headers[MAKE_HEADERS_MAX], *at = headers;
	uint32_t pad = -make->payload_bytes & 3;
	uint32_t transport = BTH_BYTES + extended_bytes(make->opcode) + make->payload_bytes +
			     pad + ICRC_BYTES;
	uint32_t bytes = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + transport;
	uint32_t written = bytes < room ? bytes : room, head;

	at = put_bytes(at, make->dst_mac, MAC_BYTES);
	at = put_bytes(at, make->src_mac, MAC_BYTES);
	at = put16(at, 0x0800);
	at = put_ipv4(at, make, IPV4_BYTES + UDP_BYTES + transport);
	at = put_udp(at, make, UDP_BYTES + transport);
	at = put_bth(at, make, pad);
	at = put_extended(at, make);
	head = (uint32_t)(at - headers);
	memcpy(out, headers, head < written ? head : written);
	for (uint32_t i = head; i < written; i++)
		out[i] = i < bytes - ICRC_BYTES - pad ? (uint8_t)(i - head) : 0;
	if (written == bytes)
		put_icrc(out, bytes, make->bad_icrc);
	*wire_bytes = bytes;
	return written;
}

void make_pfc(uint8_t *out, const uint8_t *src_mac, uint8_t mask, const uint16_t *quanta)
{
	static const uint8_t group[MAC_BYTES] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
	uint8_t *at = out;

	memset(out, 0, MAKE_PFC_BYTES);
	at = put_bytes(at, group, MAC_BYTES);
	at = put_bytes(at, src_mac, MAC_BYTES);
	at = put16(at, 0x8808);
	at = put16(at, 0x0101);
	at = put16(at, mask);
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		at = put16(at, quanta[prio]);
}
