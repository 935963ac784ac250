/*
 * wire_weigh - findings that name the flows that weigh most in them. Of
 * pfc/wire_judge*.c alone.
 */
#ifndef PFC_WIRE_WEIGH_H
#define PFC_WIRE_WEIGH_H

#include <stdint.h>

#include "lib/finding.h"
#include "pfc/wire_judge.h"

#define WIRE_LAYER "wire"

/* What of a main flow counts; 0: it has none. */
typedef uint64_t wire_weigh(const struct wire *wire, const struct flow *flow);

uint64_t wire_total(const struct wire *wire, wire_weigh *weight_of);

/* "5 packets lost: QP 69 10.0.0.6 -> 10.0.0.4 (5)", of total things; the culprit is the
 * way of the heaviest flow. */
struct finding *wire_about_flows(const struct wire *wire, struct findings *findings,
	const char *check, enum verdict verdict, uint64_t total, const char *thing,
	const char *what, wire_weigh *weight_of);

/* The culprit is the other way, or the host that the heaviest flow comes from, which
 * is not the network. Some flow must weigh. */
void wire_blame_way_back(
	const struct wire *wire, struct finding *finding, wire_weigh *weight_of);
void wire_blame_answerer(
	const struct wire *wire, struct finding *finding, wire_weigh *weight_of);

/* Appends to a finding's text. */
__attribute__((format(printf, 2, 3))) void wire_append(char *text, const char *fmt, ...);

void wire_advise(struct finding *finding, const char *text);

#endif
