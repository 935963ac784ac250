/*
 * units - inside, one unit a quantity: ns, bytes, bits per second, and PFC
 * quanta as they are on the wire. Fractions are parts per 10^9 (_ppb). Other
 * units exist only in parsed and printed text. Sizes count in 1024 and say KiB;
 * rates count in 1000 and say Gb/s; "MB" is never written.
 */
#ifndef LIB_UNITS_H
#define LIB_UNITS_H

#include <stdint.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)
#define PS_PER_NS UINT64_C(1000)
#define PS_PER_S (PS_PER_NS * NS_PER_S)
#define PPB UINT64_C(1000000000) /* the whole, in parts per billion */
#define GBPS UINT64_C(1000000000)
#define KIB UINT64_C(1024)
#define MIB (UINT64_C(1024) * KIB)
#define GIB (UINT64_C(1024) * MIB)

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* A PFC quantum is the time of 512 bits on the port (IEEE 802.3 annex 31B,
 * 802.1Q 11.2). */
#define BITS_PER_QUANTUM 512u

/* What a RoCE v2 packet over untagged IPv4 adds to its payload on the wire:
 * 8 preamble + 12 gap + 14 Ethernet + 4 FCS + 20 IP + 8 UDP + 12 BTH + 4 ICRC. */
#define ROCE_WIRE_OVERHEAD_BYTES 82u
/* The same without preamble and gap: what it occupies in a buffer. */
#define ROCE_FRAME_OVERHEAD_BYTES 62u

/* How long a pause of this many quanta holds a link of this speed. The largest
 * product is 65535 * 512 * 10^9, well inside 64 bits. */
static inline uint64_t pause_ns(uint16_t quanta, uint64_t speed_bps)
{
	return (uint64_t)quanta * BITS_PER_QUANTUM * NS_PER_S / speed_bps;
}

/* The payload rate that a port of this line rate can carry in packets of
 * mtu_bytes of payload. The largest product is 16384 * 1.6*10^12. */
static inline uint64_t payload_ceiling_bps(uint64_t line_bps, uint32_t mtu_bytes)
{
	return line_bps * mtu_bytes / (mtu_bytes + ROCE_WIRE_OVERHEAD_BYTES);
}

#endif
