/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_address.h"

#include <stdio.h>

#include "pfc/frame.h"

uint32_t sim_address(const struct fabric *fabric, uint32_t nic)
{
	const struct port *port = &fabric->ports[fabric->nics[nic]];
	uint32_t host = fabric->nodes[port->node].number;

	return UINT32_C(10) << 24 | (port->number - 1) << 16 | (host & 0xffff);
}

static void put_number(uint8_t *at, uint32_t number, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		at[i] = (uint8_t)(number >> 8 * (bytes - 1 - i));
}

void sim_mac(const struct fabric *fabric, uint32_t port_index, uint8_t *mac)
{
	const struct port *port = &fabric->ports[port_index];

	mac[0] = 2; /* locally administered */
	mac[1] = port->nic == PORT_NONE;
	if (port->nic != PORT_NONE) {
		put_number(mac + 2, sim_address(fabric, port->nic), 4);
		return;
	}
	put_number(mac + 2, port->node - fabric->hosts, 2);
	put_number(mac + 4, port->number, 2);
}

void sim_mac_text(const struct fabric *fabric, uint32_t port, char *text)
{
	uint8_t mac[MAC_BYTES];

	sim_mac(fabric, port, mac);
	mac_text(mac, text);
}

void sim_address_text(const struct fabric *fabric, uint32_t nic, char *text)
{
	uint32_t address = sim_address(fabric, nic);

	snprintf(text, SIM_ADDRESS_BYTES, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
		address >> 8 & 255, address & 255);
}
