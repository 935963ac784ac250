/*
 * make - frames as a RoCE v2 NIC and a switch port send them: Ethernet, IPv4, UDP,
 * the transport headers that the opcode demands, ICRC; and PFC frames.
 *
 * The other way round of frame.h and roce.h. The payload is made up (each byte is
 * its place in the packet, modulo 256). Pure functions; sources as there, and IEEE
 * 802.1Q 36 for PFC.
 */
#ifndef PFC_MAKE_H
#define PFC_MAKE_H

#include <stdbool.h>
#include <stdint.h>

#include "pfc/policy.h"

#define MAC_BYTES 6u
/* Ethernet, IPv4, UDP, BTH and the longest of our extended headers. */
#define MAKE_HEADERS_MAX (14u + 20u + 8u + 12u + 16u)
/* Padded to what a port must send at least, without the frame check sequence. */
#define MAKE_PFC_BYTES 60u

struct make_roce {
	uint8_t src_mac[MAC_BYTES], dst_mac[MAC_BYTES];
	uint32_t src_address, dst_address; /* IPv4: 0x0a000001 is 10.0.0.1 */
	uint16_t ip_id, src_port;
	uint8_t dscp, ecn, ttl;

	/* RC WRITE First, Middle, Last, Only; ACK; CNP. */
	uint8_t opcode;
	bool ack_request;
	uint32_t qp, psn; /* below 2^24 */

	uint64_t address; /* RETH, of First and Only */
	uint32_t rkey, dma_bytes;
	uint8_t syndrome; /* AETH, of ACK */
	uint32_t msn;

	bool bad_icrc;          /* write it wrong */
	uint32_t payload_bytes; /* padded to 4; CNP and ACK: 0 */
};

/*
 * Writes the frame, cut to room bytes, and returns how many were written; *wire_bytes
 * is what it is long (without the frame check sequence). The ICRC is worked out only
 * where all of the frame has room.
 */
uint32_t make_roce(
	const struct make_roce *make, uint8_t *out, uint32_t room, uint32_t *wire_bytes);

/* Writes MAKE_PFC_BYTES: a frame of this source that speaks of the priorities in
 * mask, with quanta[priority] for each. */
void make_pfc(uint8_t *out, const uint8_t *src_mac, uint8_t mask, const uint16_t *quanta);

#endif
