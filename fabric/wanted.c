/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/wanted.h"

#include <string.h>

#include "pfc/facts.h"
#include "pfc/headroom.h"

static struct fact *add(struct facts *facts, const char *place, const char *device,
	const char *name, double number, const char *key)
{
	struct fact *fact = facts_add(facts, FACT_WANTED, place, device, name, NULL);

	fact->has_number = true;
	fact->number = number;
	fact->extra = facts_keep(facts, key);
	fact->source = "fabric file";
	fact->line = (uint32_t)facts->count;
	return fact;
}

static void add_policy(struct facts *facts, const struct fabric *fabric, const char *place)
{
	const struct policy *policy = &fabric->policy;

	add(facts, place, "", "dscp", policy->dscp, "policy.dscp");
	add(facts, place, "", "priority", policy->priority, "policy.priority");
	add(facts, place, "", "cnp dscp", policy->cnp_dscp, "policy.cnp_dscp");
	add(facts, place, "", "cnp priority", policy->cnp_priority, "policy.cnp_priority");
	add(facts, place, "", "pfc", policy->pfc, "policy.pfc");
	add(facts, place, "", "ecn", policy->ecn, "policy.ecn.off");
	add(facts, place, "", "timeout", policy->timeout_exp, "policy.timeout");
	add(facts, place, "", "RoCE MTU", fabric->mtu_bytes, "mtu");
}

static void add_nic(
	struct facts *facts, const struct fabric *fabric, const struct binding *binding)
{
	const struct port *port = &fabric->ports[fabric->nics[binding->nic]];
	const char *place = binding->host, *device = binding->device;
	const struct link *link;
	struct fact *fact;

	if (port->link == PORT_NONE)
		return;
	link = &fabric->links[port->link];
	add(facts, place, device, "speed", (double)link->speed_bps / 1e9, "speed");
	add(facts, place, device, "cable", link->length_m, "cable");
	add(facts, place, device, "headroom",
		(double)policy_headroom(&fabric->policy, link->speed_bps, link->length_m),
		"policy.headroom");
	fact = add(facts, place, device, "leaf", 0, "cables");
	fact->text = facts_keep(facts, fabric->nodes[fabric->ports[port->peer].node].name);
}

void wanted_add(struct facts *facts, const struct fabric *fabric, const char *place)
{
	add_policy(facts, fabric, place);
	for (uint32_t i = 0; i < fabric->binding_count; i++)
		if (strcmp(fabric->bindings[i].host, place) == 0)
			add_nic(facts, fabric, &fabric->bindings[i]);
}
