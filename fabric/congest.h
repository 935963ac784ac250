/*
 * congest - which queues of a fabric can build up at all, and which links carry
 * anything: what a coverage check may ask for.
 *
 * A port congests when what may be sent to it in one go, by the links that lead
 * to it and by the NICs behind them, is more than it can send on. In a fabric of
 * two leaves joined by one cable a spine, say, no spine can ever queue by itself.
 *
 * Arithmetic on the fabric only; nothing here fails.
 */
#ifndef FABRIC_CONGEST_H
#define FABRIC_CONGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

/* Whether a link lies on a way between two NICs: that of a NIC always, one
 * between switches when at least two leaves have NICs. */
bool congest_link_used(const struct fabric *fabric, uint32_t link);

/* Whether some queue of the switch can build up by itself, so that it must mark. */
bool congest_can_queue(const struct fabric *fabric, uint32_t node);

/* Whether a neighbour can have a reason to pause the switch: it is joined to
 * another switch by a used link, and somewhere in the fabric a queue can build up. */
bool congest_can_be_paused(const struct fabric *fabric, uint32_t node);

#endif
