/*
 * counters - the names stand in lib/counters.h, because reports/ reads them too
 * and knows no pfc/.
 */
#ifndef PFC_COUNTERS_H
#define PFC_COUNTERS_H

#include "lib/counters.h"

#endif
