/*
 * sim_address - the addresses that captures of a simulated fabric show, and that its
 * facts name:
 *
 *   NIC          10.RAIL-1.HOST/256.HOST%256, MAC 02:00 and these four bytes
 *   switch port  MAC 02:01, the switch from 0 (leaves first) and the port, two bytes each
 *
 * Host 65,536 has the low bytes 0.0.
 */
#ifndef FABRIC_SIM_ADDRESS_H
#define FABRIC_SIM_ADDRESS_H

#include <stdint.h>

#include "fabric/fabric.h"
#include "pfc/make.h"

#define SIM_ADDRESS_BYTES 24

uint32_t sim_address(const struct fabric *fabric, uint32_t nic);
void sim_mac(const struct fabric *fabric, uint32_t port, uint8_t *mac); /* MAC_BYTES */

/* As text of at most SIM_ADDRESS_BYTES. */
void sim_mac_text(const struct fabric *fabric, uint32_t port, char *text);
void sim_address_text(const struct fabric *fabric, uint32_t nic, char *text);

#endif
