/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/wire/build.h"

#include <string.h>

static uint32_t crc_bits(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	for (unsigned bit = 0; bit < 8; bit++)
		crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	return crc;
}

/* network: offset of the IP or GRH header; transport: of the BTH. */
static void put_icrc(struct buffer *out, size_t network, size_t transport, bool udp, bool bad)
{
	uint32_t crc = 0xffffffff;
	bool v4 = out->bytes[network] >> 4 == 4;

	for (unsigned i = 0; i < 8; i++)
		crc = crc_bits(crc, 0xff);
	for (size_t i = network; i < out->count; i++) {
		uint8_t byte = out->bytes[i];
		size_t in = i - network;

		if (v4 && (in == 1 || in == 8 || in == 10 || in == 11))
			byte = 0xff;
		if (!v4 && in == 0)
			byte |= 0x0f;
		if (!v4 && ((in >= 1 && in <= 3) || in == 7))
			byte = 0xff;
		if (udp && (i == transport - 2 || i == transport - 1))
			byte = 0xff;
		if (i == transport + 4)
			byte = 0xff;
		crc = crc_bits(crc, byte);
	}
	crc = ~crc ^ (bad ? 1u : 0u);
	file32(out, false, crc);
}

static void put_ipv4(struct buffer *out, unsigned class, unsigned protocol, const uint8_t *src,
	const uint8_t *dst, unsigned options)
{
	put8(out, 0x45 + options);
	put8(out, class);
	put16(out, 0); /* length: later */
	put32(out, 0x00004000);
	put8(out, 64);
	put8(out, protocol);
	put16(out, 0x1234);
	put_bytes(out, src, 4);
	put_bytes(out, dst, 4);
	for (unsigned i = 0; i < options; i++)
		put32(out, 0x01010101);
}

static void put_ipv6(struct buffer *out, unsigned class, unsigned next, const uint8_t *src,
	const uint8_t *dst)
{
	put32(out, 0x60000000u | class << 20 | 0x12345);
	put16(out, 0);
	put8(out, next);
	put8(out, 63);
	put_bytes(out, src, 16);
	put_bytes(out, dst, 16);
}

static void end_ip(struct buffer *out, size_t network)
{
	bool v4 = out->bytes[network] >> 4 == 4;

	if (v4)
		set16(out, network + 2, out->count - network);
	else
		set16(out, network + 4, out->count - network - 40);
}

static void ends(unsigned from, uint8_t src[16], uint8_t dst[16], bool v6)
{
	static const uint8_t v6_prefix[16] = { 0x20, 0x01, 0x0d, 0xb8 };
	static const uint8_t v4_prefix[16] = { 10, 0, 0 };

	memcpy(src, v6 ? v6_prefix : v4_prefix, 16);
	memcpy(dst, src, 16);
	src[v6 ? 15 : 3] = (uint8_t)(from ? 4 : 6);
	dst[v6 ? 15 : 3] = (uint8_t)(from ? 6 : 4);
}

static void put_transport(struct buffer *out, const struct made_packet *packet)
{
	unsigned op = packet->opcode & 31, pad = (4 - packet->payload_bytes % 4) % 4;
	bool cnp = packet->opcode == 0x81;

	put8(out, packet->opcode);
	put8(out, pad << 4);
	put16(out, 0xffff);
	put8(out, cnp ? 0x40 : 0);
	put8(out, packet->qp >> 16);
	put16(out, packet->qp);
	put32(out, packet->psn | (packet->ack_request ? 0x80000000u : 0));
	if (cnp) {
		put_zeros(out, 16);
		return;
	}
	if (packet->opcode >> 5 == 3)
		put_zeros(out, 8);
	if (op == 0x06 || op == 0x0a || op == 0x0b || op == 0x0c) {
		put_zeros(out, 12);
		put32(out, packet->dma_bytes);
	}
	if (op == 0x0d || (op >= 0x0f && op <= 0x12))
		put32(out, (uint32_t)packet->syndrome << 24 | packet->msn);
	if (op == 0x12)
		put_zeros(out, 8);
	if (op == 0x13 || op == 0x14)
		put_zeros(out, 28);
	if (op == 0x03 || op == 0x05 || op == 0x09 || op == 0x0b)
		put32(out, 7);
	for (uint32_t i = 0; i < packet->payload_bytes + pad; i++)
		put8(out, i * 7 + packet->psn);
}

/* The packet from its IP header, or GRH, to its ICRC. */
static void put_packet(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	bool v6 = around == AROUND_IPV6 || around == AROUND_IPV6_EXTENSIONS;
	bool v1 = around == AROUND_ROCE_V1;
	uint8_t src[16], dst[16];
	size_t network = out->count, transport;

	ends(packet->from, src, dst, v6 || v1);
	if (v1)
		put_ipv6(out, packet->traffic_class, 0x1b, src, dst);
	else if (around == AROUND_IPV6_EXTENSIONS)
		put_ipv6(out, packet->traffic_class, 0, src, dst);
	else if (v6)
		put_ipv6(out, packet->traffic_class, 17, src, dst);
	else
		put_ipv4(out, packet->traffic_class, 17, src, dst,
			around == AROUND_IPV4_OPTIONS ? 2 : 0);
	if (around == AROUND_IPV6_EXTENSIONS) {
		put32(out, 0x3c010000 | 0x0104); /* hop by hop, 16 bytes, to destination */
		put_zeros(out, 12);
		put32(out, 0x11000104); /* destination, 8 bytes, to UDP */
		put_zeros(out, 4);
	}
	if (!v1) {
		put16(out, packet->src_port);
		put16(out, 4791);
		put32(out, 0);
	}
	transport = out->count;
	put_transport(out, packet);
	if (!v1)
		set16(out, transport - 4, out->count + 4 - (transport - 8));
	/* The length covers the ICRC that comes now. */
	put_zeros(out, 4);
	end_ip(out, network);
	out->count -= 4;
	put_icrc(out, network, transport, !v1, packet->bad_icrc);
}

static void put_ethernet(struct buffer *out, unsigned from, unsigned type)
{
	for (unsigned i = 0; i < 2; i++) {
		put32(out, 0x02000000);
		put8(out, 0);
		put8(out, (from ^ i) + 0x10);
	}
	put16(out, type);
}

static unsigned inner_type(enum made_around around)
{
	return around == AROUND_IPV6 || around == AROUND_IPV6_EXTENSIONS ? 0x86dd
	       : around == AROUND_ROCE_V1                                ? 0x8915
									 : 0x0800;
}

static void put_inner(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	put_ethernet(out, packet->from, inner_type(around));
	put_packet(out, packet, around);
}

/* An outer IP header with what follows it; returns where it began. */
static size_t begin_outer(struct buffer *out, unsigned protocol, bool v6)
{
	static const uint8_t src[16] = { 172, 16, 0, 1 }, dst[16] = { 172, 16, 0, 2 };
	size_t network;

	put_ethernet(out, 0, v6 ? 0x86dd : 0x0800);
	network = out->count;
	if (v6)
		put_ipv6(out, 0, protocol, src, dst);
	else
		put_ipv4(out, 0, protocol, src, dst, 0);
	return network;
}

static void put_udp_tunnel(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	bool v6 = around == AROUND_VXLAN_IPV6;
	size_t network = begin_outer(out, 17, v6), udp = out->count;

	put16(out, 50000);
	put16(out, around == AROUND_GENEVE ? 6081 : 4789);
	put32(out, 0);
	if (around == AROUND_GENEVE) {
		put32(out, 0x01006558); /* one word of options */
		put32(out, 77u << 8);
		put32(out, 0x01028000);
	} else {
		put32(out, 0x08000000);
		put32(out, 5001u << 8);
	}
	put_inner(out, packet, around);
	set16(out, udp + 4, out->count - udp);
	end_ip(out, network);
}

static void put_gre(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	size_t network = begin_outer(out, 47, false);

	switch ((int)around) {
	case AROUND_GRE:
		put32(out, 0x20000800); /* a key */
		put32(out, 9);
		put_packet(out, packet, around);
		end_ip(out, network);
		return;
	case AROUND_ERSPAN1:
		put32(out, 0x000088be);
		break;
	case AROUND_ERSPAN2:
	case AROUND_ERSPAN2_VLAN:
		put32(out, 0x100088be);
		put32(out, 1);
		put16(out, 0x1000 | 100);
		put16(out, 33);
		put32(out, 5);
		break;
	default:
		put32(out, 0x100022eb);
		put32(out, 1);
		put16(out, 0x2000 | 100);
		put16(out, 33);
		put32(out, 12345);
		put16(out, 0);
		put16(out, around == AROUND_ERSPAN3_LONG ? 1 : 0);
		if (around == AROUND_ERSPAN3_LONG)
			put_zeros(out, 8);
	}
	if (around == AROUND_ERSPAN2_VLAN) {
		put_ethernet(out, packet->from, 0x8100);
		put16(out, 3u << 13 | 42);
		put16(out, 0x0800);
		put_packet(out, packet, around);
	} else {
		put_inner(out, packet, around);
	}
	end_ip(out, network);
}

static uint16_t put_other_link(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	switch ((int)around) {
	case AROUND_SLL:
		put32(out, 0x00000001);
		put_zeros(out, 10);
		put16(out, 0x0800);
		put_packet(out, packet, around);
		return 113;
	case AROUND_SLL2:
		put16(out, 0x0800);
		put_zeros(out, 18);
		put_packet(out, packet, around);
		return 276;
	case AROUND_NULL:
		file32(out, false, 2);
		put_packet(out, packet, around);
		return 0;
	case AROUND_NULL_BIG:
		put32(out, 2);
		put_packet(out, packet, around);
		return 0;
	case AROUND_LOOP:
		put32(out, 2);
		put_packet(out, packet, around);
		return 108;
	default:
		put_packet(out, packet, around);
		return 101;
	}
}

static void put_tagged(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	if (around == AROUND_QINQ) {
		put_ethernet(out, packet->from, 0x88a8);
		put16(out, 3u << 13 | 200);
		put16(out, 0x8100);
	} else {
		put_ethernet(out, packet->from, 0x8100);
	}
	put16(out, 3u << 13 | 100);
	put16(out, 0x0800);
	put_packet(out, packet, around);
}

uint16_t made_frame(
	struct buffer *out, const struct made_packet *packet, enum made_around around)
{
	size_t network;

	switch (around) {
	case AROUND_VLAN:
	case AROUND_QINQ:
		put_tagged(out, packet, around);
		return 1;
	case AROUND_VXLAN:
	case AROUND_VXLAN_IPV6:
	case AROUND_GENEVE:
		put_udp_tunnel(out, packet, around);
		return 1;
	case AROUND_GRE:
	case AROUND_ERSPAN1:
	case AROUND_ERSPAN2:
	case AROUND_ERSPAN3:
	case AROUND_ERSPAN3_LONG:
	case AROUND_ERSPAN2_VLAN:
		put_gre(out, packet, around);
		return 1;
	case AROUND_IP_IN_IP:
		network = begin_outer(out, 4, false);
		put_packet(out, packet, around);
		end_ip(out, network);
		return 1;
	case AROUND_MPLS:
		put_ethernet(out, packet->from, 0x8847);
		put32(out, 16u << 12 | 0x0ff);
		put32(out, 17u << 12 | 0x1ff);
		put_packet(out, packet, around);
		return 1;
	case AROUND_SLL:
	case AROUND_SLL2:
	case AROUND_RAW:
	case AROUND_NULL:
	case AROUND_NULL_BIG:
	case AROUND_LOOP:
		return put_other_link(out, packet, around);
	case AROUND_ETHERNET:
	case AROUND_IPV6:
	case AROUND_IPV6_EXTENSIONS:
	case AROUND_IPV4_OPTIONS:
	case AROUND_ROCE_V1:
	case AROUND_TRAILER:
	case AROUND_COUNT:
		break;
	}
	put_inner(out, packet, around);
	if (around == AROUND_TRAILER)
		put_zeros(out, 29);
	return 1;
}

const char *made_tag(enum made_around around, unsigned index)
{
	static const char *const tags[AROUND_COUNT][2] = {
		[AROUND_VLAN] = { "802.1Q vid 100 pcp 3" },
		[AROUND_QINQ] = { "802.1Q vid 100 pcp 3", "802.1ad vid 200 pcp 3" },
		[AROUND_VXLAN] = { "vxlan vni 5001" },
		[AROUND_VXLAN_IPV6] = { "vxlan vni 5001" },
		[AROUND_GENEVE] = { "geneve vni 77" },
		[AROUND_GRE] = { "gre key 9" },
		[AROUND_ERSPAN1] = { "erspan1" },
		[AROUND_ERSPAN2] = { "erspan2 id 33 vlan 100" },
		[AROUND_ERSPAN3] = { "erspan3 id 33 vlan 100" },
		[AROUND_ERSPAN3_LONG] = { "erspan3 id 33 vlan 100" },
		[AROUND_ERSPAN2_VLAN] = { "802.1Q vid 42 pcp 3", "erspan2 id 33 vlan 100" },
		[AROUND_IP_IN_IP] = { "ip in ip" },
		[AROUND_MPLS] = { "mpls label 16", "mpls label 17" },
	};

	return index < 2 ? tags[around][index] : NULL;
}
