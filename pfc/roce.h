/*
 * roce - the InfiniBand transport headers of a RoCE packet: base (BTH) and
 * extended ones.
 *
 * Pure functions on bytes with their length. Source: InfiniBand Architecture
 * Specification volume 1, chapter 9 (and annex A14 for XRC).
 */
#ifndef PFC_ROCE_H
#define PFC_ROCE_H

#include <stdbool.h>
#include <stdint.h>

#define BTH_BYTES 12u
#define ICRC_BYTES 4u
#define ROCE_OPCODE_CNP 0x81u
#define ROCE_OPCODE_ACK 0x11u /* of class RC; XRC's is 0xb1 */

#define PSN_MASK 0xffffffu
#define PSN_HALF 0x800000u

/* How far psn is ahead of base, modulo 2^24; PSN_HALF or more is behind. */
static inline uint32_t psn_ahead(uint32_t psn, uint32_t base)
{
	return (psn - base) & PSN_MASK;
}

static inline bool psn_behind(uint32_t psn, uint32_t base)
{
	return psn_ahead(psn, base) >= PSN_HALF;
}

/* What an opcode is; several may hold. */
enum {
	OP_REQUEST = 1 << 0,       /* SEND, WRITE, READ, atomic */
	OP_READ = 1 << 1,          /* READ request */
	OP_READ_RESPONSE = 1 << 2, /* any of the four */
	OP_ACK = 1 << 3,           /* carries nothing but an AETH */
	OP_ATOMIC_ACK = 1 << 4,
	OP_FIRST = 1 << 5, /* a message of several packets begins, */
	OP_MIDDLE = 1 << 6,
	OP_LAST = 1 << 7,      /* and ends */
	OP_ONLY = 1 << 8,      /* a message of one packet */
	OP_CNP = 1 << 9,       /* congestion notification */
	OP_DATAGRAM = 1 << 10, /* UD: PSNs are not those of a connection */
	OP_RELIABLE = 1 << 11, /* RC or XRC: the other side acknowledges */
	OP_SEND = 1 << 12,
	OP_WRITE = 1 << 13,
	OP_ATOMIC = 1 << 14,
	OP_KNOWN = 1 << 15,
};

struct roce {
	uint8_t opcode;
	uint8_t pad_bytes;
	bool becn, ack_request;
	uint16_t what; /* OP_ bits */
	uint32_t qp;   /* destination */
	uint32_t psn;
	uint32_t headers_bytes; /* BTH and extended, as the opcode demands */
	uint32_t payload_bytes; /* by the headers, be it captured or not */

	bool has_aeth; /* was captured */
	uint8_t syndrome;
	uint32_t msn;
	bool has_reth; /* was captured */
	uint64_t address;
	uint32_t rkey;
	uint32_t dma_bytes;     /* RETH length */
	const uint8_t *payload; /* NULL when none of it was captured */
	uint32_t payload_captured;
};

enum aeth_kind {
	AETH_ACK,
	AETH_RNR_NAK,
	AETH_NAK,
	AETH_RESERVED,
};

enum nak_reason {
	NAK_PSN_SEQUENCE,
	NAK_INVALID_REQUEST,
	NAK_REMOTE_ACCESS,
	NAK_REMOTE_OPERATION,
	NAK_INVALID_RD_REQUEST,
	NAK_REASONS,
};

/* Decodes a transport header of which captured_bytes are there and which, by the
 * network header, is bytes long up to and with the ICRC. Returns false when fewer
 * than 12 are there; then only opcode is set, if captured_bytes > 0. */
bool roce_decode(
	struct roce *roce, const uint8_t *bth, uint32_t captured_bytes, uint32_t bytes);

static inline enum aeth_kind aeth_kind(uint8_t syndrome)
{
	switch (syndrome >> 5) {
	case 0:
		return AETH_ACK;
	case 1:
		return AETH_RNR_NAK;
	case 3:
		return AETH_NAK;
	default:
		return AETH_RESERVED;
	}
}

/* The low five bits of a NAK; NAK_REASONS for reserved ones. */
enum nak_reason nak_reason(uint8_t syndrome);
const char *nak_reason_name(enum nak_reason reason); /* "psn_sequence" */

/* What an RNR NAK asks the sender to wait, by its timer code (0..31). */
uint64_t rnr_timer_ns(uint8_t code);

/* "SEND First", "RDMA READ Request", "CNP"; "reserved" for unknown ones. */
const char *roce_opcode_name(uint8_t opcode);

#endif
