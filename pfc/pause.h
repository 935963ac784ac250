/*
 * pause - what PFC (IEEE 802.1Q 36, opcode 0x0101) and 802.3x pause (opcode 1)
 * frames did to the port that received them.
 *
 * A frame pauses a priority for its quanta, from the time of the frame; the next
 * one for the same priority from the same source takes the place of what is left;
 * quanta 0 ends it. Only priorities whose enable bit is set are meant. How long a
 * quantum is depends on the rate of the port, which no capture holds: so the
 * paused time is kept for several rates.
 *
 * Sources are MAC addresses: pause frames go over one link. At most
 * PAUSE_SOURCES_MAX are told apart.
 */
#ifndef PFC_PAUSE_H
#define PFC_PAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAUSE_SOURCES_MAX 1024u
#define PAUSE_RATES 4u
#define PAUSE_PORT 8u /* in place of a priority: the whole port, by 802.3x */
#define PAUSE_CLASSES 9u

struct frame;

struct pause_class {
	uint64_t xoff, xon, quanta_sum;
	uint64_t last_ns;                 /* time of the last frame */
	uint32_t last_quanta;             /* of it */
	uint64_t first_ns;                /* of the first XOFF */
	uint64_t refreshed;               /* XOFFs after an XOFF, without XON between */
	uint64_t paused_ps[PAUSE_RATES];  /* until last_ns */
	uint64_t stretch_ps[PAUSE_RATES]; /* unbroken, until last_ns */
	uint64_t longest_ps[PAUSE_RATES];
};

struct pause_source {
	uint8_t mac[6];
	uint16_t file;
	uint64_t frames, without_class, cut, unknown_opcode;
	struct pause_class classes[PAUSE_CLASSES];
};

struct pause {
	uint32_t rate_gbps[PAUSE_RATES]; /* 25, 100, 400, and the port's; 0: none */
	uint64_t pfc, pause_802_3x, unknown_opcode, cut;
	struct pause_source *sources; /* owned; in the order of appearance */
	size_t count, room;
	uint64_t left_out; /* frames of sources that found no place */
};

/* port_gbps is one rate more; 0: none. */
void pause_init(struct pause *pause, uint32_t port_gbps);

/* Counts a frame of kind FRAME_MAC_CONTROL, of one of several files. */
void pause_frame(struct pause *pause, const struct frame *frame, uint16_t file, bool has_time,
	uint64_t time_ns);

/* Time paused at a rate (index into rate_gbps), the last frame to its full length. */
uint64_t pause_ps(const struct pause *pause, const struct pause_class *class, size_t rate);

/* The longest stretch without a moment in which it could send. */
uint64_t pause_longest_ps(
	const struct pause *pause, const struct pause_class *class, size_t rate);

void pause_free(struct pause *pause);

#endif
