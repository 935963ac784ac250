/*
 * frame - from the first captured byte to the RoCE transport header, or to the
 * MAC control frame: link layers, tags, tunnels, IP.
 *
 * Link layers (LINKTYPE_ numbers): 1 Ethernet, 0 and 108 loopback, 12, 14 and 101
 * raw IP, 228 and 229 raw IPv4 and IPv6, 113 and 276 Linux cooked.
 * Around the packet: 802.1Q, 802.1ad (also 0x9100), MPLS, VXLAN (UDP 4789, and
 * 8472 of Linux), Geneve (6081), GRE with ERSPAN I, II, III, Ethernet or IP in
 * it, IP in IP; IPv6 with extension headers.
 * RoCE v2 is UDP destination port 4791 whatever the source port is; RoCE v1 is
 * EtherType 0x8915 with a GRH. Sources: InfiniBand Architecture Specification
 * volume 1, annexes A16 and A17; RFC 7348, 8926, 2784; draft-foschiano-erspan.
 *
 * Nothing here allocates or keeps anything, and no byte behind the captured
 * length is read. Pointers point into the record.
 */
#ifndef PFC_FRAME_H
#define PFC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROCE_UDP_PORT 4791u
#define FRAME_TAGS_MAX 6u
#define MAC_TEXT_BYTES 18

enum frame_kind {
	FRAME_OTHER,
	FRAME_ROCE_V1,
	FRAME_ROCE_V2,
	FRAME_MAC_CONTROL,
};

enum tag_kind {
	TAG_NONE,
	TAG_DOT1Q,
	TAG_DOT1AD,
	TAG_MPLS,
	TAG_VXLAN,
	TAG_GENEVE,
	TAG_GRE,
	TAG_ERSPAN1,
	TAG_ERSPAN2,
	TAG_ERSPAN3,
	TAG_IP_IN_IP,
};

/* One tag or tunnel. All of it is numbers, so that two can be compared whole. */
struct tag {
	uint32_t kind;
	uint32_t id;   /* VLAN, label, VNI, ERSPAN session, GRE key */
	uint32_t more; /* priority of a VLAN tag, VLAN of an ERSPAN header */
};

struct frame {
	enum frame_kind kind;
	uint32_t tag_count;
	struct tag tags[FRAME_TAGS_MAX]; /* from the outside in; the rest not set */
	const uint8_t *ethernet;         /* the innermost, 14 bytes; NULL: none */

	/* RoCE. The network header is IPv4, IPv6 or GRH. */
	const uint8_t *network;
	const uint8_t *src, *dst; /* 4 or 16 bytes */
	uint8_t version;          /* 4 or 6; a GRH is 6 */
	uint8_t traffic_class;    /* DSCP and ECN */
	bool fragment;            /* the first of several */
	uint16_t src_port;
	uint32_t network_bytes;   /* length by its header, up to the ICRC */
	uint32_t transport_start; /* from network to the BTH */
	uint32_t captured_bytes;  /* from network to the end of the record */
	uint32_t transport_bytes; /* BTH to ICRC as the headers say */

	/* MAC control: what follows the EtherType. */
	const uint8_t *control;
	uint32_t control_bytes;

	bool later_fragment; /* an IP fragment that is not the first (other) */
	bool unsupported;    /* the link layer is none that we know (other) */
};

/* Fills frame from the captured bytes of a record. Never fails: what cannot be
 * decoded is FRAME_OTHER. */
void frame_decode(
	struct frame *frame, uint16_t link_type, const uint8_t *bytes, uint32_t captured_bytes);

/* "02:00:00:00:00:aa", of six bytes; text holds MAC_TEXT_BYTES. */
void mac_text(const uint8_t *mac, char *text);

/* "802.1Q vid 100 pcp 3", "vxlan vni 5001", "erspan2 id 1 vlan 100". */
void tag_text(const struct tag *tag, char *text, size_t size);

#endif
