/*
 * build - RoCE packets and capture files, byte by byte, for tests. It shares no code
 * with the decoder: the ICRC here goes bit by bit.
 */
#ifndef TESTS_WIRE_BUILD_H
#define TESTS_WIRE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/wire/buffer.h"

/* A packet of one end (0 or 1) to the other. */
struct made_packet {
	uint64_t time_ns;
	uint8_t from;
	uint8_t opcode, traffic_class;
	uint8_t syndrome; /* where there is an AETH */
	uint16_t src_port;
	uint32_t qp, psn, msn;
	uint32_t dma_bytes;     /* where there is a RETH */
	uint32_t payload_bytes; /* padded to 4 */
	bool bad_icrc, ack_request;
};

enum made_around {
	AROUND_ETHERNET,
	AROUND_VLAN,
	AROUND_QINQ,
	AROUND_IPV6,
	AROUND_IPV6_EXTENSIONS,
	AROUND_IPV4_OPTIONS,
	AROUND_VXLAN,
	AROUND_VXLAN_IPV6, /* outside */
	AROUND_GENEVE,
	AROUND_GRE,
	AROUND_ERSPAN1,
	AROUND_ERSPAN2,
	AROUND_ERSPAN3,
	AROUND_ERSPAN3_LONG, /* with the platform header */
	AROUND_ERSPAN2_VLAN, /* a tag inside */
	AROUND_IP_IN_IP,
	AROUND_MPLS,
	AROUND_ROCE_V1,
	AROUND_SLL,
	AROUND_SLL2,
	AROUND_RAW,
	AROUND_NULL,     /* loopback, family in little endian */
	AROUND_NULL_BIG, /* and in big */
	AROUND_LOOP,
	AROUND_TRAILER, /* bytes behind the packet */
	AROUND_COUNT,
};

/* Appends the frame; returns the link type that it has. */
uint16_t made_frame(
	struct buffer *out, const struct made_packet *packet, enum made_around around);

/* "vxlan vni 5001" and so on, as reports sort them; NULL: none. */
const char *made_tag(enum made_around around, unsigned index);

enum made_file {
	FILE_PCAP,
	FILE_PCAP_BIG,
	FILE_PCAP_NS,
	FILE_PCAP_NS_BIG,
	FILE_PCAP_LONG, /* 24-byte record headers */
	FILE_NG,
	FILE_NG_BIG,
	FILE_NG_NS,
	FILE_NG_BINARY,   /* ticks of 2^-30 s */
	FILE_NG_OFFSET,   /* if_tsoffset */
	FILE_NG_OLD,      /* the obsolete packet block */
	FILE_NG_CLUTTER,  /* unknown blocks, options everywhere */
	FILE_NG_SECTIONS, /* a new section, of the other byte order, half-way */
	FILE_COUNT,
};

/* Writes packets as a file. snaplen 0: no limit. */
void made_capture(struct buffer *out, enum made_file file, enum made_around around,
	const struct made_packet *packets, size_t count, uint32_t snaplen);

/* The same, from simple packet blocks: no times. */
void made_simple(struct buffer *out, enum made_around around, const struct made_packet *packets,
	size_t count, uint32_t snaplen);

/* How exact the times of a file are: the largest error in ns. */
uint64_t made_error_ns(enum made_file file);

#endif
