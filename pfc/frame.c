/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/frame.h"

#include <stdio.h>

#include "lib/bytes.h"
#include "pfc/frame_plain.h"

#define ETHERTYPE_IPV4 0x0800u
#define ETHERTYPE_DOT1Q 0x8100u
#define ETHERTYPE_BRIDGED 0x6558u
#define ETHERTYPE_IPV6 0x86ddu
#define ETHERTYPE_MAC_CONTROL 0x8808u
#define ETHERTYPE_MPLS 0x8847u
#define ETHERTYPE_ROCE_V1 0x8915u
#define ETHERTYPE_DOT1AD 0x88a8u
#define ETHERTYPE_ERSPAN2 0x88beu /* and I, which has no sequence number */
#define ETHERTYPE_ERSPAN3 0x22ebu
#define ETHERTYPE_OLD_QINQ 0x9100u

#define PROTOCOL_IPV4 4u
#define PROTOCOL_UDP 17u
#define PROTOCOL_IPV6 41u
#define PROTOCOL_GRE 47u

#define GRH_BYTES 40u
#define GRH_NEXT_IBA 0x1bu

/* Layers inside layers end here: a record cannot send us round for ever. */
#define LAYERS_MAX 24u

/* What comes next. Below LAYER_DONE it is an EtherType. */
enum { LAYER_DONE = 0x10000, LAYER_ETHERNET, LAYER_IP, LAYER_UDP, LAYER_GRE };

struct walk {
	const uint8_t *at;
	uint32_t left;
	uint32_t layer;
};

static void advance(struct walk *walk, uint32_t bytes, uint32_t layer)
{
	walk->at += bytes;
	walk->left -= bytes;
	walk->layer = layer;
}

static void add_tag(struct frame *frame, enum tag_kind kind, uint32_t id, uint32_t more)
{
	if (frame->tag_count < FRAME_TAGS_MAX)
		frame->tags[frame->tag_count++] = (struct tag){ kind, id, more };
}

static void ethernet(struct frame *frame, struct walk *walk)
{
	if (walk->left < 14) {
		walk->layer = LAYER_DONE;
		return;
	}
	frame->ethernet = walk->at;
	advance(walk, 14, be16_at(walk->at + 12));
}

static void vlan(struct frame *frame, struct walk *walk, enum tag_kind kind)
{
	uint16_t control;

	if (walk->left < 4) {
		walk->layer = LAYER_DONE;
		return;
	}
	control = be16_at(walk->at);
	add_tag(frame, kind, control & 0xfffu, control >> 13);
	advance(walk, 4, be16_at(walk->at + 2));
}

/* A label stack says nothing of what it carries: IP by its version, or Ethernet
 * behind a control word of zeros. */
static void mpls(struct frame *frame, struct walk *walk)
{
	uint32_t entry;

	walk->layer = LAYER_DONE;
	do {
		if (walk->left < 5)
			return;
		entry = be32_at(walk->at);
		add_tag(frame, TAG_MPLS, entry >> 12, 0);
		advance(walk, 4, LAYER_DONE);
	} while (!(entry & 0x100));
	if (walk->at[0] >> 4 == 4 || walk->at[0] >> 4 == 6)
		walk->layer = LAYER_IP;
	else if (walk->left >= 4 && be32_at(walk->at) == 0)
		advance(walk, 4, LAYER_ETHERNET);
}

static void roce_v1(struct frame *frame, struct walk *walk)
{
	const uint8_t *grh = walk->at;

	walk->layer = LAYER_DONE;
	/* As with UDP: what is cut before this can be told is not counted. */
	if (walk->left < 7 || grh[0] >> 4 != 6 || grh[6] != GRH_NEXT_IBA)
		return;
	frame->kind = FRAME_ROCE_V1;
	frame->network = grh;
	frame->version = 6;
	frame->traffic_class = (uint8_t)(grh[0] << 4 | grh[1] >> 4);
	frame->src = grh + 8;
	frame->dst = grh + 24;
	frame->transport_bytes = be16_at(grh + 4);
	frame->network_bytes = GRH_BYTES + frame->transport_bytes;
	frame->transport_start = GRH_BYTES;
	frame->captured_bytes = walk->left;
}

/* The fixed ERSPAN headers: 8 bytes in II, 12 in III and 8 more where its O bit
 * is set; in I there is none. */
static void erspan(struct frame *frame, struct walk *walk, enum tag_kind kind)
{
	uint32_t header = kind == TAG_ERSPAN1 ? 0 : kind == TAG_ERSPAN2 ? 8 : 12;

	if (walk->left < header) {
		walk->layer = LAYER_DONE;
		return;
	}
	if (kind == TAG_ERSPAN1)
		add_tag(frame, kind, 0, 0);
	else
		add_tag(frame, kind, be16_at(walk->at + 2) & 0x3ffu,
			be16_at(walk->at) & 0xfffu);
	if (kind == TAG_ERSPAN3 && (walk->at[11] & 1))
		header += 8;
	/* The P bits of III tell an Ethernet frame (0) from an IP packet (2). */
	if (walk->left < header)
		walk->layer = LAYER_DONE;
	else if (kind == TAG_ERSPAN3 && (walk->at[10] >> 2 & 0x1f) == 2)
		advance(walk, header, LAYER_IP);
	else
		advance(walk, header, LAYER_ETHERNET);
}

static void gre(struct frame *frame, struct walk *walk)
{
	uint32_t header = 4, protocol, key = 0;
	uint16_t flags;

	if (walk->left < 4) {
		walk->layer = LAYER_DONE;
		return;
	}
	flags = be16_at(walk->at);
	protocol = be16_at(walk->at + 2);
	if (flags & 0x8000) /* checksum */
		header += 4;
	if (flags & 0x2000) { /* key */
		if (walk->left >= header + 4)
			key = be32_at(walk->at + header);
		header += 4;
	}
	if (flags & 0x1000) /* sequence number */
		header += 4;
	if (walk->left < header || (flags & 7)) {
		walk->layer = LAYER_DONE;
		return;
	}
	advance(walk, header, protocol == ETHERTYPE_BRIDGED ? LAYER_ETHERNET : protocol);
	if (protocol == ETHERTYPE_ERSPAN3)
		erspan(frame, walk, TAG_ERSPAN3);
	else if (protocol == ETHERTYPE_ERSPAN2)
		erspan(frame, walk, flags & 0x1000 ? TAG_ERSPAN2 : TAG_ERSPAN1);
	else
		add_tag(frame, TAG_GRE, key, 0);
}

static void ip_payload(
	struct frame *frame, struct walk *walk, uint32_t header, uint8_t protocol)
{
	switch (protocol) {
	case PROTOCOL_UDP:
		advance(walk, header, LAYER_UDP);
		break;
	case PROTOCOL_GRE:
		advance(walk, header, LAYER_GRE);
		break;
	case PROTOCOL_IPV4:
	case PROTOCOL_IPV6:
		add_tag(frame, TAG_IP_IN_IP, 0, 0);
		advance(walk, header, LAYER_IP);
		break;
	default:
		walk->layer = LAYER_DONE;
	}
}

static void ipv4(struct frame *frame, struct walk *walk)
{
	const uint8_t *ip = walk->at;
	uint32_t header = (ip[0] & 15u) * 4;
	uint16_t fragment;

	walk->layer = LAYER_DONE;
	if (header < 20 || walk->left < header)
		return;
	fragment = be16_at(ip + 6);
	if (fragment & 0x1fff) {
		frame->later_fragment = ip[9] == PROTOCOL_UDP;
		return;
	}
	frame->network = ip;
	frame->version = 4;
	frame->traffic_class = ip[1];
	frame->src = ip + 12;
	frame->dst = ip + 16;
	frame->network_bytes = be16_at(ip + 2);
	frame->captured_bytes = walk->left;
	frame->fragment = fragment & 0x2000;
	ip_payload(frame, walk, header, ip[9]);
}

/* Walks hop-by-hop, routing, destination and fragment headers. Returns the bytes
 * up to the transport header, or 0 when it is not to be had. */
static uint32_t ipv6_extensions(struct frame *frame, const struct walk *walk, uint8_t *protocol)
{
	uint32_t header = 40;

	for (;;) {
		const uint8_t *at = walk->at + header;

		if (*protocol != 0 && *protocol != 43 && *protocol != 44 && *protocol != 60 &&
			*protocol != 51)
			return header;
		if (walk->left < header + 8)
			return 0;
		if (*protocol == 44 && (be16_at(at + 2) & 0xfff8)) {
			frame->later_fragment = true;
			return 0;
		}
		if (*protocol == 44 && (at[3] & 1))
			frame->fragment = true;
		header += *protocol == 44   ? 8
			  : *protocol == 51 ? (at[1] + 2u) * 4
					    : (at[1] + 1u) * 8;
		*protocol = at[0];
		if (walk->left < header)
			return 0;
	}
}

static void ipv6(struct frame *frame, struct walk *walk)
{
	const uint8_t *ip = walk->at;
	uint8_t protocol;
	uint32_t header;

	walk->layer = LAYER_DONE;
	if (walk->left < 40)
		return;
	frame->network = ip;
	frame->version = 6;
	frame->traffic_class = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
	frame->src = ip + 8;
	frame->dst = ip + 24;
	frame->network_bytes = 40u + be16_at(ip + 4);
	frame->captured_bytes = walk->left;
	frame->fragment = false;
	protocol = ip[6];
	header = ipv6_extensions(frame, walk, &protocol);
	if (header)
		ip_payload(frame, walk, header, protocol);
}

static void ip(struct frame *frame, struct walk *walk)
{
	uint8_t version = walk->left ? walk->at[0] >> 4 : 0;

	if (version == 4 && walk->left >= 20)
		ipv4(frame, walk);
	else if (version == 6)
		ipv6(frame, walk);
	else
		walk->layer = LAYER_DONE;
}

static void vxlan(struct frame *frame, struct walk *walk)
{
	if (walk->left < 16 || !(walk->at[8] & 0x08)) {
		walk->layer = LAYER_DONE;
		return;
	}
	add_tag(frame, TAG_VXLAN, be24_at(walk->at + 12), 0);
	advance(walk, 16, LAYER_ETHERNET);
}

static void geneve(struct frame *frame, struct walk *walk)
{
	uint32_t header, protocol;

	if (walk->left < 16 || walk->at[8] >> 6) {
		walk->layer = LAYER_DONE;
		return;
	}
	header = 16 + (walk->at[8] & 0x3fu) * 4;
	protocol = be16_at(walk->at + 10);
	add_tag(frame, TAG_GENEVE, be24_at(walk->at + 12), 0);
	if (walk->left < header)
		walk->layer = LAYER_DONE;
	else
		advance(walk, header,
			protocol == ETHERTYPE_BRIDGED ? LAYER_ETHERNET : protocol);
}

static void udp(struct frame *frame, struct walk *walk)
{
	uint32_t to_udp, in_packet, length;
	uint16_t port;

	if (walk->left < 4) {
		walk->layer = LAYER_DONE;
		return;
	}
	port = be16_at(walk->at + 2);
	if (port == 4789 || port == 8472) {
		vxlan(frame, walk);
		return;
	}
	if (port == 6081) {
		geneve(frame, walk);
		return;
	}
	walk->layer = LAYER_DONE;
	if (port != ROCE_UDP_PORT)
		return;
	frame->kind = FRAME_ROCE_V2;
	frame->src_port = be16_at(walk->at);
	to_udp = frame->captured_bytes - walk->left;
	in_packet = frame->network_bytes > to_udp ? frame->network_bytes - to_udp : 0;
	/* Cut before the length field: IP says the same. A fragment holds less
	 * than its UDP length, which then counts. */
	length = walk->left >= 6 ? be16_at(walk->at + 4) : in_packet;
	if (length > in_packet && !frame->fragment)
		length = in_packet;
	frame->transport_start = to_udp + 8;
	frame->transport_bytes = length > 8 ? length - 8 : 0;
}

static void loopback(struct walk *walk, bool network_order)
{
	uint32_t family;

	walk->layer = LAYER_DONE;
	if (walk->left < 4)
		return;
	/* Host order of whoever captured, so either; small numbers tell. */
	family = be32_at(walk->at);
	if (!network_order && family > 0xffff)
		family = le32_at(walk->at);
	if (family == 2 || family == 10 || family == 24 || family == 28 || family == 30)
		advance(walk, 4, LAYER_IP);
}

static void begin(struct frame *frame, struct walk *walk, uint16_t link_type)
{
	switch (link_type) {
	case 1:
		walk->layer = LAYER_ETHERNET;
		return;
	case 12:
	case 14:
	case 101:
	case 228:
	case 229:
		walk->layer = LAYER_IP;
		return;
	case 0:
	case 108:
		loopback(walk, link_type == 108);
		return;
	case 113:
		if (walk->left >= 16)
			advance(walk, 16, be16_at(walk->at + 14));
		return;
	case 276:
		if (walk->left >= 20)
			advance(walk, 20, be16_at(walk->at));
		return;
	default:
		frame->unsupported = true;
	}
}

static void step(struct frame *frame, struct walk *walk)
{
	switch (walk->layer) {
	case LAYER_ETHERNET:
		ethernet(frame, walk);
		break;
	case ETHERTYPE_DOT1Q:
		vlan(frame, walk, TAG_DOT1Q);
		break;
	case ETHERTYPE_DOT1AD:
	case ETHERTYPE_OLD_QINQ:
		vlan(frame, walk, TAG_DOT1AD);
		break;
	case ETHERTYPE_MPLS:
		mpls(frame, walk);
		break;
	case ETHERTYPE_IPV4:
	case ETHERTYPE_IPV6:
	case LAYER_IP:
		ip(frame, walk);
		break;
	case LAYER_UDP:
		udp(frame, walk);
		break;
	case LAYER_GRE:
		gre(frame, walk);
		break;
	case ETHERTYPE_ROCE_V1:
		roce_v1(frame, walk);
		break;
	case ETHERTYPE_MAC_CONTROL:
		frame->kind = FRAME_MAC_CONTROL;
		frame->control = walk->at;
		frame->control_bytes = walk->left;
		walk->layer = LAYER_DONE;
		break;
	default:
		walk->layer = LAYER_DONE;
	}
}

void frame_decode(
	struct frame *frame, uint16_t link_type, const uint8_t *bytes, uint32_t captured_bytes)
{
	struct walk walk = { bytes, captured_bytes, LAYER_DONE };

	frame_clear(frame);
	if (link_type == 1 && frame_plain(frame, bytes, captured_bytes))
		return;
	begin(frame, &walk, link_type);
	for (unsigned layers = 0; walk.layer != LAYER_DONE && layers < LAYERS_MAX; layers++)
		step(frame, &walk);
}

void mac_text(const uint8_t *mac, char *text)
{
	snprintf(text, MAC_TEXT_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		mac[3], mac[4], mac[5]);
}

void tag_text(const struct tag *tag, char *text, size_t size)
{
	switch ((enum tag_kind)tag->kind) {
	case TAG_DOT1Q:
		snprintf(text, size, "802.1Q vid %u pcp %u", tag->id, tag->more);
		return;
	case TAG_DOT1AD:
		snprintf(text, size, "802.1ad vid %u pcp %u", tag->id, tag->more);
		return;
	case TAG_MPLS:
		snprintf(text, size, "mpls label %u", tag->id);
		return;
	case TAG_VXLAN:
		snprintf(text, size, "vxlan vni %u", tag->id);
		return;
	case TAG_GENEVE:
		snprintf(text, size, "geneve vni %u", tag->id);
		return;
	case TAG_GRE:
		snprintf(text, size, tag->id ? "gre key %u" : "gre", tag->id);
		return;
	case TAG_ERSPAN1:
		snprintf(text, size, "erspan1");
		return;
	case TAG_ERSPAN2:
		snprintf(text, size, "erspan2 id %u vlan %u", tag->id, tag->more);
		return;
	case TAG_ERSPAN3:
		snprintf(text, size, "erspan3 id %u vlan %u", tag->id, tag->more);
		return;
	case TAG_IP_IN_IP:
		snprintf(text, size, "ip in ip");
		return;
	case TAG_NONE:
		break;
	}
	snprintf(text, size, "nothing");
}
