/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "fabric/sim_address.h"
#include "fabric/sim_parts.h"
#include "lib/counters.h"

static int put_fact(struct run *run, const char *place, const char *key, const char *value,
	struct diag *diag)
{
	struct run_fact fact = { .source = "simulated at the start of the run" };

	snprintf(fact.place, sizeof(fact.place), "%s", place);
	snprintf(fact.key, sizeof(fact.key), "%s", key);
	snprintf(fact.value, sizeof(fact.value), "%s", value);
	return run_put_fact(run, &fact, diag);
}

static bool down_at_start(const struct fabric *fabric, uint32_t link)
{
	for (uint32_t i = 0; i < fabric->fault_count; i++)
		if (fabric->faults[i].kind == FAULT_DOWN && fabric->faults[i].from_ns == 0 &&
			fault_cuts(fabric, &fabric->faults[i], link))
			return true;
	return false;
}

static int put_addresses(struct run *run, const struct fabric *fabric, uint32_t port,
	const char *place, struct diag *diag)
{
	uint32_t nic = fabric->ports[port].nic;
	char text[SIM_ADDRESS_BYTES];
	int err;

	sim_mac_text(fabric, port, text);
	err = put_fact(run, place, F_MAC, text, diag);
	if (err || nic == PORT_NONE)
		return err;
	sim_address_text(fabric, nic, text);
	return put_fact(run, place, F_ADDRESS, text, diag);
}

static int put_port(
	const struct fabric *fabric, uint32_t port, struct run *run, struct diag *diag)
{
	const struct port *from = &fabric->ports[port];
	char place[2 * NAME_BYTES], value[2 * NAME_BYTES];
	bool down = down_at_start(fabric, from->link);
	int err;

	if (from->nic == PORT_NONE)
		fabric_port_name(fabric, port, place);
	else
		fabric_nic_name(fabric, from->nic, place);
	err = put_addresses(run, fabric, port, place, diag);
	if (!err)
		err = put_fact(run, place, F_OPER_STATE, down ? "down" : "up", diag);
	if (err || down)
		return err;
	snprintf(value, sizeof(value), "%llu",
		(unsigned long long)fabric->links[from->link].speed_bps);
	err = put_fact(run, place, F_SPEED, value, diag);
	if (err)
		return err;
	fabric_port_name(fabric, from->peer, value);
	return put_fact(run, place, F_PEER, value, diag);
}

/* Routes that somebody has set by hand; all others follow from the cables. */
static int put_route(const struct fabric *fabric, const struct fault *fault, struct run *run,
	struct diag *diag)
{
	char key[2 * NAME_BYTES], value[2 * NAME_BYTES];

	snprintf(key, sizeof(key), F_ROUTE "%s",
		fabric->nodes[fabric_leaf_node(fabric, fault->towards)].name);
	fabric_port_name(fabric, fault->port, value);
	return put_fact(
		run, fabric->nodes[fabric->ports[fault->port].node].name, key, value, diag);
}

int sim_put_facts(const struct fabric *fabric, struct run *run, struct diag *diag)
{
	struct fabric wired;
	bool swapped = fault_rewire(fabric, &wired);
	int err = 0;

	if (swapped)
		fabric = &wired;
	for (uint32_t port = 0; port < fabric->port_count && !err; port++)
		if (fabric->ports[port].link != PORT_NONE)
			err = put_port(fabric, port, run, diag);
	for (uint32_t i = 0; i < fabric->fault_count && !err; i++)
		if (fabric->faults[i].kind == FAULT_ROUTE && fabric->faults[i].from_ns == 0)
			err = put_route(fabric, &fabric->faults[i], run, diag);
	if (swapped) {
		free(wired.ports);
		free(wired.links);
	}
	return err;
}
