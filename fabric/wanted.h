/*
 * wanted - what a fabric file asks of a host, as facts (WANTED), so that rules can hold a
 * host's own facts against it.
 *
 * Of the host as a whole: dscp, priority, cnp dscp, cnp priority, pfc, ecn (0 or 1), RoCE
 * MTU (bytes), timeout (exponent). Of each of its NICs by RDMA device: speed (Gb/s), cable
 * (metres), headroom (bytes), leaf (text). The extra of a fact is the key of the file.
 */
#ifndef FABRIC_WANTED_H
#define FABRIC_WANTED_H

#include "fabric/fabric.h"

struct facts;

/* For the machine that the file calls place. A NIC whose device the file does not name
 * has an empty subject, which stands for every device of the host. */
void wanted_add(struct facts *facts, const struct fabric *fabric, const char *place);

#endif
