/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/burst.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"

uint64_t burst_window_ns(unsigned scale)
{
	static const uint64_t lengths[BURST_SCALES] = { BURST_STEP_NS, 10 * BURST_STEP_NS,
		100 * BURST_STEP_NS };

	return lengths[scale];
}

uint32_t burst_port(struct bursts *bursts, const uint8_t *address, uint8_t family, uint16_t tap)
{
	struct burst_port *port;

	for (size_t i = 0; i < bursts->count; i++) {
		port = &bursts->ports[i];
		if (port->tap == tap && port->family == family &&
			memcmp(port->address, address, sizeof(port->address)) == 0)
			return (uint32_t)i;
	}
	if (bursts->count == BURST_PORTS_MAX) {
		bursts->left_out++;
		return UINT32_MAX;
	}
	bursts->ports =
		grow(bursts->ports, bursts->count, &bursts->room, sizeof(*bursts->ports));
	port = &bursts->ports[bursts->count];
	memset(port, 0, sizeof(*port));
	memcpy(port->address, address, sizeof(port->address));
	port->family = family;
	port->tap = tap;
	return (uint32_t)bursts->count++;
}

/* Bytes that a window must exceed to be a burst. The largest product is
 * 1.6 * 10^12 bit/s * 10^6 ns. */
static uint64_t limit_bytes(const struct bursts *bursts)
{
	uint64_t bits = bursts->rate_bps / 1000 * burst_window_ns(bursts->scale) / 1000000;

	return bits / 8 * (bursts->share_ppb / 1000) / 1000000;
}

static void judge_window(struct bursts *bursts, struct burst_port *port)
{
	uint64_t number = port->window[bursts->scale], bytes = port->bytes[bursts->scale];

	if (!bursts->rate_bps || bytes <= limit_bytes(bursts))
		return;
	if (port->bursts == 0 || number != port->run_end + 1) {
		port->bursts++;
		port->run_windows = 0;
	}
	port->run_end = number;
	port->run_windows++;
	port->burst_bytes += bytes;
	if (port->run_windows > port->longest)
		port->longest = port->run_windows;
}

static void end_window(struct bursts *bursts, struct burst_port *port, unsigned scale)
{
	if (port->bytes[scale] > port->peak_bytes[scale]) {
		port->peak_bytes[scale] = port->bytes[scale];
		port->peak_ns[scale] = port->window[scale] * burst_window_ns(scale);
		if (scale == bursts->scale) {
			memcpy(port->peak_flow, port->flow, sizeof(port->flow));
			memcpy(port->peak_flow_bytes, port->flow_bytes,
				sizeof(port->flow_bytes));
		}
	}
	if (scale == bursts->scale) {
		judge_window(bursts, port);
		memset(port->flow, 0, sizeof(port->flow));
		memset(port->flow_bytes, 0, sizeof(port->flow_bytes));
	}
	port->bytes[scale] = 0;
}

/* As the algorithm has it. */
void burst_other_flow(struct burst_port *port, uint32_t flow, uint32_t bytes)
{
	unsigned least = 0;

	for (unsigned i = 0; i < BURST_FLOWS; i++) {
		if (port->flow[i] == flow || port->flow[i] == 0) {
			port->flow[i] = flow;
			port->flow_bytes[i] += bytes;
			port->slot = i;
			return;
		}
		if (port->flow_bytes[i] < port->flow_bytes[least])
			least = i;
	}
	if (port->flow_bytes[least] > bytes) {
		port->flow_bytes[least] -= bytes;
	} else {
		port->flow[least] = flow;
		port->flow_bytes[least] = bytes - port->flow_bytes[least];
	}
}

/* The shortest window is over: its bytes are of the longer ones that it lies in. */
static void roll_up(struct burst_port *port)
{
	for (unsigned scale = 1; scale < BURST_SCALES; scale++)
		port->bytes[scale] += port->bytes[0];
}

void burst_move(struct bursts *bursts, struct burst_port *port, uint64_t time_ns)
{
	uint64_t number = time_ns / BURST_STEP_NS;
	uint64_t of[BURST_SCALES] = { number, number / 10, number / 100 };

	if (number > port->window[0]) {
		roll_up(port);
		for (unsigned scale = 0; scale < BURST_SCALES; scale++) {
			if (of[scale] == port->window[scale])
				continue;
			end_window(bursts, port, scale);
			port->window[scale] = of[scale];
		}
	}
	port->step_end_ns = (port->window[0] + 1) * BURST_STEP_NS;
}

void bursts_finish(struct bursts *bursts)
{
	for (size_t i = 0; i < bursts->count; i++) {
		roll_up(&bursts->ports[i]);
		for (unsigned scale = 0; scale < BURST_SCALES; scale++)
			end_window(bursts, &bursts->ports[i], scale);
	}
}

void bursts_free(struct bursts *bursts)
{
	free(bursts->ports);
	bursts->ports = NULL;
	bursts->count = bursts->room = 0;
}
