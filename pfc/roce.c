/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/roce.h"

#include "lib/units.h"
#include "pfc/roce_rc.h"

enum service { RC = 0, UC = 1, RD = 2, UD = 3, XRC = 5 };

const struct roce_operation roce_operations[32] = {
	[0x00] = { OP_REQUEST | OP_SEND | OP_FIRST, 0, 0, 0, "SEND First" },
	[0x01] = { OP_REQUEST | OP_SEND | OP_MIDDLE, 0, 0, 0, "SEND Middle" },
	[0x02] = { OP_REQUEST | OP_SEND | OP_LAST, 0, 0, 0, "SEND Last" },
	[0x03] = { OP_REQUEST | OP_SEND | OP_LAST, 0, 0, 4, "SEND Last with Immediate" },
	[0x04] = { OP_REQUEST | OP_SEND | OP_ONLY, 0, 0, 0, "SEND Only" },
	[0x05] = { OP_REQUEST | OP_SEND | OP_ONLY, 0, 0, 4, "SEND Only with Immediate" },
	[0x06] = { OP_REQUEST | OP_WRITE | OP_FIRST, 16, 0, 16, "WRITE First" },
	[0x07] = { OP_REQUEST | OP_WRITE | OP_MIDDLE, 0, 0, 0, "WRITE Middle" },
	[0x08] = { OP_REQUEST | OP_WRITE | OP_LAST, 0, 0, 0, "WRITE Last" },
	[0x09] = { OP_REQUEST | OP_WRITE | OP_LAST, 0, 0, 4, "WRITE Last with Immediate" },
	[0x0a] = { OP_REQUEST | OP_WRITE | OP_ONLY, 16, 0, 16, "WRITE Only" },
	[0x0b] = { OP_REQUEST | OP_WRITE | OP_ONLY, 16, 0, 20, "WRITE Only with Immediate" },
	[0x0c] = { OP_REQUEST | OP_READ | OP_ONLY, 16, 0, 16, "READ Request" },
	[0x0d] = { OP_READ_RESPONSE | OP_FIRST, 0, 4, 4, "READ Response First" },
	[0x0e] = { OP_READ_RESPONSE | OP_MIDDLE, 0, 0, 0, "READ Response Middle" },
	[0x0f] = { OP_READ_RESPONSE | OP_LAST, 0, 4, 4, "READ Response Last" },
	[0x10] = { OP_READ_RESPONSE | OP_ONLY, 0, 4, 4, "READ Response Only" },
	[0x11] = { OP_ACK, 0, 4, 4, "Acknowledge" },
	[0x12] = { OP_ATOMIC_ACK, 0, 4, 12, "Atomic Acknowledge" },
	[0x13] = { OP_REQUEST | OP_ATOMIC | OP_ONLY, 0, 0, 28, "Compare and Swap" },
	[0x14] = { OP_REQUEST | OP_ATOMIC | OP_ONLY, 0, 0, 28, "Fetch and Add" },
	[0x16] = { OP_REQUEST | OP_SEND | OP_LAST, 0, 0, 4, "SEND Last with Invalidate" },
	[0x17] = { OP_REQUEST | OP_SEND | OP_ONLY, 0, 0, 4, "SEND Only with Invalidate" },
};

/* What the service puts before the extended headers of the operation; false for
 * pairs that do not exist. */
static bool in_service(
	enum service service, unsigned operation, uint32_t *before, uint16_t *what)
{
	bool request = roce_operations[operation].what & OP_REQUEST;

	*before = 0;
	*what = roce_operations[operation].what | OP_KNOWN;
	switch (service) {
	case RC:
		*what |= OP_RELIABLE;
		return roce_operations[operation].what != 0;
	case UC:
		return operation <= 0x0b;
	case RD: /* RDETH, and DETH on requests */
		*before = request ? 12 : 4;
		*what |= OP_RELIABLE;
		return roce_operations[operation].what != 0 && operation <= 0x14;
	case UD: /* DETH */
		*before = 8;
		*what |= OP_DATAGRAM;
		return operation == 0x04 || operation == 0x05;
	case XRC: /* XRCETH on requests */
		*before = request ? 4 : 0;
		*what |= OP_RELIABLE;
		return roce_operations[operation].what != 0;
	}
	return false;
}

bool roce_decode(struct roce *roce, const uint8_t *bth, uint32_t captured_bytes, uint32_t bytes)
{
	const struct roce_operation *operation;
	uint32_t before = 0;

	operation = roce_begin_rc(roce, bth, captured_bytes);
	if (operation) {
		roce_extended(roce, operation, bth, captured_bytes, BTH_BYTES);
		roce_payload(roce, bth, captured_bytes, bytes);
		return true;
	}
	if (captured_bytes > 0)
		roce->opcode = bth[0];
	if (captured_bytes < BTH_BYTES)
		return false;
	operation = &roce_operations[roce->opcode & 31];
	roce_bth(roce, bth);
	roce->headers_bytes = BTH_BYTES;
	if (roce->opcode == ROCE_OPCODE_CNP) {
		roce->what = OP_CNP | OP_KNOWN;
	} else if (in_service(roce->opcode >> 5, roce->opcode & 31, &before, &roce->what)) {
		roce->headers_bytes += before + operation->extended;
		roce_extended(roce, operation, bth, captured_bytes, BTH_BYTES + before);
	} else {
		roce->what = 0;
	}
	/* The 16 reserved bytes of a CNP are no payload. */
	roce_payload(roce, bth, captured_bytes, roce->what & OP_CNP ? 0 : bytes);
	return true;
}

enum nak_reason nak_reason(uint8_t syndrome)
{
	return (syndrome & 31) < NAK_REASONS ? (enum nak_reason)(syndrome & 31) : NAK_REASONS;
}

const char *nak_reason_name(enum nak_reason reason)
{
	switch (reason) {
	case NAK_PSN_SEQUENCE:
		return "psn_sequence";
	case NAK_INVALID_REQUEST:
		return "invalid_request";
	case NAK_REMOTE_ACCESS:
		return "remote_access";
	case NAK_REMOTE_OPERATION:
		return "remote_operation";
	case NAK_INVALID_RD_REQUEST:
		return "invalid_rd_request";
	case NAK_REASONS:
		break;
	}
	return "reserved";
}

uint64_t rnr_timer_ns(uint8_t code)
{
	/* In units of 10 us, as table 45 of chapter 9 has them. */
	static const uint16_t units[] = { 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128,
		192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384,
		24576, 32768, 49152 };

	code &= 31;
	return (code ? units[code] : 65536u) * 10 * NS_PER_US;
}

const char *roce_opcode_name(uint8_t opcode)
{
	uint32_t before;
	uint16_t what;

	if (opcode == ROCE_OPCODE_CNP)
		return "CNP";
	if (!in_service(opcode >> 5, opcode & 31, &before, &what))
		return "reserved";
	return roce_operations[opcode & 31].name;
}
