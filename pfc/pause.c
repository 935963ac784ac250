/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/pause.h"

#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/frame.h"

#define OPCODE_PAUSE 0x0001u
#define OPCODE_PFC 0x0101u

/* Opcode, class-enable vector, eight quanta. */
#define PFC_BYTES 20u

void pause_init(struct pause *pause, uint32_t port_gbps)
{
	*pause = (struct pause){ .rate_gbps = { 25, 100, 400, port_gbps } };
}

/* The largest product is 65535 * 512 * 1000. */
static uint64_t quanta_ps(uint32_t quanta, uint32_t gbps)
{
	return (uint64_t)quanta * BITS_PER_QUANTUM * 1000 / gbps;
}

static struct pause_source *source_of(struct pause *pause, const uint8_t *mac, uint16_t file)
{
	struct pause_source *source;

	for (size_t i = 0; i < pause->count; i++)
		if (memcmp(pause->sources[i].mac, mac, 6) == 0 &&
			pause->sources[i].file == file)
			return &pause->sources[i];
	if (pause->count == PAUSE_SOURCES_MAX)
		return NULL;
	pause->sources =
		grow(pause->sources, pause->count, &pause->room, sizeof(*pause->sources));
	source = &pause->sources[pause->count++];
	memset(source, 0, sizeof(*source));
	memcpy(source->mac, mac, 6);
	source->file = file;
	return source;
}

/* How much of the last pause had passed by time_ns, and whether it still held. */
static void settle(const struct pause *pause, struct pause_class *class, uint64_t time_ns)
{
	uint64_t ran_ps, whole_ps;
	/* 2^63 ps are 106 days; a longer silence has outlived any pause. */
	uint64_t since_ns = time_ns > class->last_ns ? time_ns - class->last_ns : 0;
	uint64_t since_ps = since_ns > NS_PER_S ? NS_PER_S * PS_PER_NS : since_ns * PS_PER_NS;

	for (size_t i = 0; i < PAUSE_RATES; i++) {
		if (!pause->rate_gbps[i])
			continue;
		whole_ps = quanta_ps(class->last_quanta, pause->rate_gbps[i]);
		ran_ps = since_ps < whole_ps ? since_ps : whole_ps;
		class->paused_ps[i] += ran_ps;
		class->stretch_ps[i] += ran_ps;
		if (class->stretch_ps[i] > class->longest_ps[i])
			class->longest_ps[i] = class->stretch_ps[i];
		if (since_ps > whole_ps)
			class->stretch_ps[i] = 0;
	}
}

static void hold(struct pause *pause, struct pause_class *class, uint16_t quanta, bool has_time,
	uint64_t time_ns)
{
	if (!has_time)
		time_ns = class->last_ns;
	settle(pause, class, time_ns);
	if (quanta) {
		if (!class->xoff)
			class->first_ns = time_ns;
		class->refreshed += class->last_quanta > 0;
		class->xoff++;
	} else {
		class->xon++;
	}
	class->quanta_sum += quanta;
	class->last_quanta = quanta;
	class->last_ns = time_ns;
	if (!quanta)
		memset(class->stretch_ps, 0, sizeof(class->stretch_ps));
}

static void pfc(struct pause *pause, struct pause_source *source, const struct frame *frame,
	bool has_time, uint64_t time_ns)
{
	const uint8_t *at = frame->control;
	uint16_t enabled;

	pause->pfc++;
	if (frame->control_bytes < PFC_BYTES) {
		pause->cut++;
		if (source)
			source->cut++;
		return;
	}
	enabled = be16_at(at + 2) & 0xff;
	if (!source)
		return;
	source->without_class += enabled == 0;
	for (unsigned priority = 0; priority < 8; priority++)
		if (enabled >> priority & 1)
			hold(pause, &source->classes[priority], be16_at(at + 4 + 2 * priority),
				has_time, time_ns);
}

void pause_frame(struct pause *pause, const struct frame *frame, uint16_t file, bool has_time,
	uint64_t time_ns)
{
	static const uint8_t nobody[6];
	const uint8_t *mac = frame->ethernet ? frame->ethernet + 6 : nobody;
	struct pause_source *source = source_of(pause, mac, file);
	uint32_t opcode = frame->control_bytes >= 2 ? be16_at(frame->control) : 0;

	if (source)
		source->frames++;
	else
		pause->left_out++;
	if (opcode == OPCODE_PFC) {
		pfc(pause, source, frame, has_time, time_ns);
	} else if (opcode == OPCODE_PAUSE) {
		pause->pause_802_3x++;
		if (source && frame->control_bytes >= 4)
			hold(pause, &source->classes[PAUSE_PORT], be16_at(frame->control + 2),
				has_time, time_ns);
	} else {
		pause->unknown_opcode++;
		if (source)
			source->unknown_opcode++;
	}
}

uint64_t pause_ps(const struct pause *pause, const struct pause_class *class, size_t rate)
{
	if (!pause->rate_gbps[rate])
		return 0;
	return class->paused_ps[rate] + quanta_ps(class->last_quanta, pause->rate_gbps[rate]);
}

uint64_t pause_longest_ps(
	const struct pause *pause, const struct pause_class *class, size_t rate)
{
	uint64_t last;

	if (!pause->rate_gbps[rate])
		return 0;
	last = class->stretch_ps[rate] + quanta_ps(class->last_quanta, pause->rate_gbps[rate]);
	return last > class->longest_ps[rate] ? last : class->longest_ps[rate];
}

void pause_free(struct pause *pause)
{
	free(pause->sources);
	pause->sources = NULL;
	pause->count = pause->room = 0;
}
