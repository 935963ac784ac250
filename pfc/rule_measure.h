/*
 * rule_measure - what benchmarks are compared with: line rate and payload
 * ceiling, as far as the facts tell.
 */
#ifndef PFC_RULE_MEASURE_H
#define PFC_RULE_MEASURE_H

#include "pfc/facts.h"

/* The fastest port, Gb/s; 0 when none was collected. */
double measure_line_gbps(const struct facts *facts);
/* The RoCE MTU in use, bytes: as the benchmark printed it, else as the port
 * says; 0 when not known. */
double measure_mtu(const struct facts *facts);
/* line x MTU / (MTU + 82); 0 when one of both is not known. */
double measure_ceiling_gbps(const struct facts *facts);

#endif
