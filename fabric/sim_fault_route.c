/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults of cabling and forwarding: cables that were swapped, which routing has
 * long found, and tables that are not what routing would make of the cables.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_parts.h"
#include "lib/grow.h"

static void *copy_of(const void *items, size_t count, size_t item_bytes)
{
	void *copy = zeroed(count, item_bytes);

	if (count)
		memcpy(copy, items, count * item_bytes);
	return copy;
}

/* --- cables --- */

static void join(struct fabric *fabric, uint32_t link, uint32_t a, uint32_t b)
{
	fabric->links[link].b = b;
	fabric->ports[a].peer = b;
	fabric->ports[b].peer = a;
	fabric->ports[b].link = link;
}

static void swap(struct fabric *fabric, uint32_t one, uint32_t other)
{
	uint32_t one_b = fabric->links[one].b, other_b = fabric->links[other].b;

	join(fabric, one, fabric->links[one].a, other_b);
	join(fabric, other, fabric->links[other].a, one_b);
}

bool fault_rewire(const struct fabric *fabric, struct fabric *wired)
{
	bool any = false;

	for (uint32_t i = 0; i < fabric->fault_count; i++)
		any |= fabric->faults[i].kind == FAULT_SWAP;
	if (!any)
		return false;
	*wired = *fabric;
	wired->ports = copy_of(fabric->ports, fabric->port_count, sizeof(*fabric->ports));
	wired->links = copy_of(fabric->links, fabric->link_count, sizeof(*fabric->links));
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		if (fabric->faults[i].kind == FAULT_SWAP)
			swap(wired, fabric->faults[i].link, fabric->faults[i].other);
	return true;
}

static void seed_alike(struct routing *to, const struct routing *from)
{
	memcpy(to->seeds, from->seeds,
		(from->fabric->leaves + from->fabric->spines) * sizeof(*to->seeds));
}

/* Returns 0, or -EHOSTUNREACH with the sentence where the cables as they are
 * leave a leaf without a path. */
int fault_wire(struct sim *sim, struct diag *diag)
{
	int err;

	if (!fault_rewire(sim->config->fabric, &sim->wired))
		return 0;
	err = routing_init(&sim->wiring, &sim->wired, 0, diag);
	if (err) {
		free(sim->wired.ports);
		free(sim->wired.links);
		return err;
	}
	seed_alike(&sim->wiring, sim->config->routing);
	sim->fabric = &sim->wired;
	sim->routing = &sim->wiring;
	return 0;
}

/* --- tables --- */

static bool is_of_tables(enum fault_kind kind)
{
	return kind == FAULT_ROUTE || kind == FAULT_ROUTE_MISSING || kind == FAULT_SAME_HASH;
}

/* The tables that routing would have now, as the faults that hold leave them. */
void fault_tables(struct sim *sim)
{
	const struct fabric *fabric = sim->fabric;
	const struct routing *sound = sim->rerouted.fabric ? &sim->rerouted
				      : sim->wiring.fabric ? &sim->wiring
							   : sim->config->routing;
	struct routing tables;
	bool any = false;

	for (uint32_t i = 0; i < fabric->fault_count; i++)
		any |= is_of_tables(fabric->faults[i].kind) &&
		       fault_holds(&fabric->faults[i], clock_ns(sim, sim->now));
	routing_free(&sim->forced);
	sim->routing = sound;
	if (!any)
		return;
	tables = routing_copy(sound);
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		if (!fault_holds(fault, clock_ns(sim, sim->now)))
			continue;
		if (fault->kind == FAULT_ROUTE_MISSING)
			routing_take_out(&tables, fault->port);
		else if (fault->kind == FAULT_ROUTE)
			routing_force(&tables, fault->port, fault->towards);
		else if (fault->kind == FAULT_SAME_HASH)
			tables.seeds[fault->node - fabric->hosts] = tables.seeds[0];
	}
	sim->forced = tables;
	sim->routing = &sim->forced;
}
