/*
 * headroom - how many bytes a lossless queue must still take after it has told
 * its peer to stop: what is on the cable both ways, what the peer sends until it
 * obeys, and one largest frame being sent at each end.
 *
 * Arithmetic only. Speeds in bits per second up to 1.6 Tb/s, lengths in metres up
 * to 10,000; bytes are rounded down.
 */
#ifndef PFC_HEADROOM_H
#define PFC_HEADROOM_H

#include <stdint.h>

#include "pfc/policy.h"

#define HEADROOM_NS_PER_M 5u
#define HEADROOM_FRAME_BYTES 9216u /* the largest frame that a class may carry */

/* How long a peer may take to obey, in quanta: 80 at 25G, 394 at 100G, 453 at
 * 200G, 905 at 400G (secondary sources of the IEEE 802.3 figures). A speed between
 * two of these takes the faster one's; above 400G the time stays that of 400G. */
uint32_t headroom_quanta(uint64_t speed_bps);

/* rate / 8 x 2 x length x 5 ns/m + quanta x 64 + 2 x 9216. The chip's rounding to
 * cells comes on top. */
uint64_t headroom_bytes(uint64_t speed_bps, uint32_t length_m);

/* The same for a peer whose reaction time is known:
 * rate / 8 x (2 x length x 5 ns/m + reaction) + 2 x frame + 64. */
uint64_t headroom_reaction_bytes(
	uint64_t speed_bps, uint32_t length_m, uint64_t reaction_ns, uint32_t frame_bytes);

/* What the policy sets aside for a port at this end of a link: its own figure, or
 * the formula where it gives none. */
uint64_t policy_headroom(const struct policy *policy, uint64_t speed_bps, uint32_t length_m);

#endif
