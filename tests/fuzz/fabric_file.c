/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a fabric file: a fabric that hangs together, or one sentence. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "fabric/file.h"
#include "fabric/routing.h"
#include "fabric/summary.h"
#include "lib/diag.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_links(const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->link_count; i++) {
		const struct link *link = &fabric->links[i];
		char name[2 * NAME_BYTES];

		assert(fabric->ports[link->a].peer == link->b);
		assert(fabric->ports[link->b].peer == link->a);
		assert(fabric->ports[link->a].link == i && fabric->ports[link->b].link == i);
		assert(link->speed_bps > 0);
		fabric_link_name(fabric, i, name);
		assert(fabric_find_link(fabric, name) == i);
	}
}

static void check_places(const struct fabric *fabric)
{
	for (uint32_t i = 0; i < fabric->fault_count; i++) {
		const struct fault *fault = &fabric->faults[i];

		assert(fault->node != PORT_NONE || fault->port != PORT_NONE ||
			fault->link != PORT_NONE);
		assert(fault->node == PORT_NONE || fault->node < fabric->node_count);
		assert(fault->port == PORT_NONE || fault->port < fabric->port_count);
		assert(fault->link == PORT_NONE || fault->link < fabric->link_count);
		assert(fault->from_ns < fault->to_ns);
	}
	for (uint32_t i = 0; i < fabric->binding_count; i++)
		assert(fabric->bindings[i].nic < fabric->nic_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct routing routing = ROUTING_INIT;
	struct fabric fabric;
	struct diag diag = { "" };
	struct summary summary;

	if (fabric_parse(&fabric, "fuzz", (const char *)data, size, NULL, &diag)) {
		assert(strncmp(diag.text, "fuzz:", 5) == 0);
		assert(!strchr(diag.text, '\n'));
		assert(!fabric.nodes && !fabric.links && !fabric.text);
		return 0;
	}
	check_links(&fabric);
	check_places(&fabric);
	/* A large one is checked for its own sake, not for every path. */
	if (fabric.leaves <= 64 && !routing_init(&routing, &fabric, 1, &diag)) {
		summary_make(&summary, &fabric, &routing);
		summary_free(&summary);
	}
	routing_free(&routing);
	fabric_free(&fabric);
	return 0;
}
