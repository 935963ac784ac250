/*
 * discover - what the RoCE ports of a host are, as its agent finds them and tells them: the
 * material of a first fabric file.
 */
#ifndef FABRIC_DISCOVER_H
#define FABRIC_DISCOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/gid.h"
#include "lib/host.h"

#define DISCOVER_PORTS_MAX 64u
#define DISCOVER_TEXT 64

struct diag;
struct json;
struct nics; /* pfc/nics.h */

/* Texts are "" and numbers 0 where the host does not tell; numa -1: none. */
struct discover_port {
	char device[HOST_NAME], netdev[HOST_NAME], driver[HOST_NAME], pci[HOST_NAME];
	char firmware[DISCOVER_TEXT];
	char gid[GID_TEXT]; /* the one that weft would use */
	char why[256];      /* it cannot be used: down, no GID, no right; "" */
	char neighbour[DISCOVER_TEXT], neighbour_port[DISCOVER_TEXT]; /* by LLDP */
	uint32_t port, gid_index, mtu_bytes;
	uint64_t speed_bps;
	bool soft;
	int64_t numa;
};

/* The ports of this machine with an RDMA device; at most DISCOVER_PORTS_MAX. Returns how
 * many, or a negative errno when /sys cannot be read. LLDP neighbours where lldpcli(8) runs. */
int discover_ports(struct discover_port *ports, struct diag *diag);

/* Which of the NICs they are, each port of a device once, and no more of it than its names. */
int discover_choose(struct discover_port *ports, const struct nics *nics);

void discover_put(struct json *object, const struct discover_port *port);
int discover_get(const struct json *object, struct discover_port *port, struct diag *diag);

/* A neighbour in what "lldpcli -f keyvalue show neighbors" says of an interface; false when
 * it says nothing. */
bool discover_neighbour(const char *text, const char *netdev, char name[DISCOVER_TEXT],
	char port[DISCOVER_TEXT]);

#endif
