/*
 * rule_port - what rules ask of one port: speed, PFC, buffers.
 */
#ifndef PFC_RULE_PORT_H
#define PFC_RULE_PORT_H

#include <stdbool.h>

#include "pfc/facts.h"

/* The speed of an interface, or of the RDMA device on it; 0: not known. */
double port_gbps(const struct facts *facts, const char *place, const char *netdev);

/* The value of a fact whose name is a number: of place, interface and key. False when it
 * was not collected. Of two readings the newest. */
bool port_value(const struct facts *facts, enum fact_key key, const char *place,
	const char *netdev, int name, double *value);

/* The only priority with PFC on an interface; -1 none, -2 several. *known: PFC was read. */
int port_lossless(
	const struct facts *facts, const char *place, const char *netdev, bool *known);

enum port_class {
	CLASS_UNTOLD, /* nothing says whether it has PFC */
	CLASS_LOSSY,
	CLASS_LOSSLESS,
};

/* Whether a priority of a port has PFC: by its setting; else by the setting of the place's
 * other ports, where these agree; else by what it counts: mlx5 publishes pause counters of
 * the priorities with PFC alone, and elsewhere frames sent prove it. A counter that is
 * merely absent proves nothing, for text may be cut. */
enum port_class port_class(
	const struct facts *facts, const char *place, const char *netdev, int priority);

#endif
