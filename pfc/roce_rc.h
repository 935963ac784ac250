/*
 * roce_rc - the transport headers of reliable connections, which nearly all packets
 * are of, decoded where they are needed. Behind roce.h, and for who reads every
 * packet; nobody else's.
 */
#ifndef PFC_ROCE_RC_H
#define PFC_ROCE_RC_H

#include <stddef.h>

#include "lib/bytes.h"
#include "pfc/roce.h"

#define RETH_BYTES 16u
#define AETH_BYTES 4u

/* The lower five bits of an opcode, the same in every service. */
struct roce_operation {
	uint16_t what; /* 0: there is none */
	uint8_t reth, aeth;
	uint8_t extended; /* bytes of all extended headers, these two and others */
	const char *name;
};

extern const struct roce_operation roce_operations[32];

/* The base header, which is there. */
static inline __attribute__((always_inline)) void roce_bth(
	struct roce *roce, const uint8_t *bth)
{
	uint32_t destination = be32_at(bth + 4), sequence = be32_at(bth + 8);

	roce->pad_bytes = bth[1] >> 4 & 3;
	roce->becn = destination & 0x40000000;
	roce->qp = destination & 0xffffffu;
	roce->ack_request = sequence >> 31;
	roce->psn = sequence & PSN_MASK;
	roce->has_reth = roce->has_aeth = false;
	roce->dma_bytes = 0;
	roce->syndrome = 0;
}

static inline __attribute__((always_inline)) void roce_extended(struct roce *roce,
	const struct roce_operation *operation, const uint8_t *bth, uint32_t captured,
	uint32_t at)
{
	if (operation->reth && captured >= at + RETH_BYTES) {
		roce->has_reth = true;
		roce->address = be64_at(bth + at);
		roce->rkey = be32_at(bth + at + 8);
		roce->dma_bytes = be32_at(bth + at + 12);
	}
	at += operation->reth;
	if (operation->aeth && captured >= at + AETH_BYTES) {
		roce->has_aeth = true;
		roce->syndrome = bth[at];
		roce->msn = be24_at(bth + at + 1);
	}
}

static inline __attribute__((always_inline)) void roce_payload(
	struct roce *roce, const uint8_t *bth, uint32_t captured, uint32_t bytes)
{
	uint32_t around = roce->headers_bytes + roce->pad_bytes + ICRC_BYTES;

	roce->payload_bytes = bytes > around ? bytes - around : 0;
	roce->payload = NULL;
	roce->payload_captured = 0;
	if (captured > roce->headers_bytes && roce->payload_bytes) {
		roce->payload = bth + roce->headers_bytes;
		roce->payload_captured = captured - roce->headers_bytes;
		if (roce->payload_captured > roce->payload_bytes)
			roce->payload_captured = roce->payload_bytes;
	}
}

/* The base header of a known opcode of this service; NULL, and nothing is set, for others
 * and for a header that is cut. Extended headers and payload are next. */
static inline __attribute__((always_inline)) const struct roce_operation *roce_begin_rc(
	struct roce *roce, const uint8_t *bth, uint32_t captured)
{
	const struct roce_operation *operation;

	if (captured < BTH_BYTES || bth[0] > 31)
		return NULL;
	operation = &roce_operations[bth[0]];
	if (!operation->what)
		return NULL;
	roce->opcode = bth[0];
	roce_bth(roce, bth);
	roce->what = operation->what | OP_KNOWN | OP_RELIABLE;
	roce->headers_bytes = BTH_BYTES + operation->extended;
	return operation;
}

#endif
