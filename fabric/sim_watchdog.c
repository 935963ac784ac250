/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The PFC watchdog of a switch port: a queue that has been held without a break for the
 * detection time is dropped, and all that comes for it, until no pause has held it for
 * the restoration time. In forward mode, a fault, it is sent on instead, whatever the
 * peer says, until no pause has been heard for the restoration time.
 */
#include "fabric/sim_parts.h"

/* Also where the watchdog was switched off meanwhile: what it has begun it ends. */
void watchdog_look(struct sim *sim, uint32_t port, uint64_t when)
{
	const struct sim_port *at = &sim->ports[port];
	bool acts = at->storm || (sim->troubles && sim->troubles[port].forwarding);

	if ((at->watchdog_ps || acts) && at->nic == NONE &&
		!wheel_pending(&sim->wheel, port_event(sim, port, PORT_WATCHDOG)))
		wheel_at(&sim->wheel, port_event(sim, port, PORT_WATCHDOG), when);
}

bool watchdog_forwards(const struct sim *sim, uint32_t port, unsigned prio)
{
	return sim->troubles && sim->troubles[port].forwarding >> prio & 1;
}

/* A pause that is heard in forward mode. */
void watchdog_put_off(struct sim *sim, uint32_t port, unsigned prio)
{
	lane_of(sim, port, prio)->calm_at =
		sim->now + sim->ports[port].pause_ps + sim->ports[port].restore_ps;
}

static void drop_queue(struct sim *sim, uint32_t port_index, unsigned prio)
{
	sim->ports[port_index].storm |= (uint8_t)(1u << prio);
	while (sim->ports[port_index].ready >> prio & 1) {
		sim->ports[port_index].watchdog_drops++;
		packet_ended(sim, port_index, prio);
		sim->totals.dropped_watchdog++;
		packet_free(sim, port_pop(sim, port_index, prio));
	}
}

static void send_on(struct sim *sim, uint32_t port, unsigned prio)
{
	port_release(sim, port, prio);
	sim->troubles[port].forwarding |= (uint8_t)(1u << prio);
	watchdog_put_off(sim, port, prio);
	port_kick(sim, port);
}

/* A queue that it has acted on. Returns when to look again; NEVER: it is served, or
 * held, and the end of that will ask. */
static uint64_t restore(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_port *port = &sim->ports[port_index];
	uint64_t calm_at = lane_of(sim, port_index, prio)->calm_at;

	if (port->held >> prio & 1)
		return NEVER;
	if (calm_at > sim->now)
		return calm_at;
	port->storm &= (uint8_t) ~(1u << prio);
	if (sim->troubles)
		sim->troubles[port_index].forwarding &= (uint8_t) ~(1u << prio);
	return NEVER;
}

static uint64_t look_at(struct sim *sim, uint32_t port_index, unsigned prio)
{
	struct sim_port *port = &sim->ports[port_index];
	uint64_t since = lane_of(sim, port_index, prio)->held_since;

	if (port->storm >> prio & 1 || watchdog_forwards(sim, port_index, prio))
		return restore(sim, port_index, prio);
	if (!(port->held >> prio & 1) || !port->watchdog_ps)
		return NEVER;
	if (since + port->watchdog_ps > sim->now)
		return since + port->watchdog_ps;
	if (!sim->troubles || !sim->troubles[port_index].forwards) {
		drop_queue(sim, port_index, prio);
		return NEVER;
	}
	send_on(sim, port_index, prio);
	return lane_of(sim, port_index, prio)->calm_at;
}

void port_watchdog_event(struct sim *sim, uint32_t port)
{
	uint64_t next = NEVER;

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		uint64_t when = look_at(sim, port, prio);

		if (when < next)
			next = when;
	}
	if (next != NEVER)
		watchdog_look(sim, port, next > sim->now ? next : sim->now + 1);
}
