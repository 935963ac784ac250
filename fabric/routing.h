/*
 * routing - forwarding tables by shortest path, and ECMP by a seeded hash of
 * the 5-tuple.
 *
 * Every switch has, for each leaf as destination, the set of ports that lie on
 * a shortest path. A packet takes the one that the hash of its 5-tuple, mixed
 * with the switch's own seed, picks. A fabric where some NIC pair has no path is
 * found by routing_init().
 */
#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/fabric.h"

struct diag;

struct route_group {
	uint32_t first; /* into routing.members */
	uint32_t count;
};

struct routing {
	const struct fabric *fabric; /* borrowed */
	struct route_group *groups;  /* [switch * leaves + leaf]; switch: node - hosts */
	uint32_t *members;           /* ports, ascending in each group */
	uint32_t member_count;
	size_t member_room;
	uint8_t *distance; /* [switch * leaves + leaf], in links; 255: none */
	uint32_t *seeds;   /* hash seed of each switch */
};

#define ROUTING_INIT                                                                           \
	{                                                                                      \
		.fabric = NULL                                                                 \
	}

/* Returns 0, or -EHOSTUNREACH naming a pair of leaves that have NICs and no path. */
int routing_init(
	struct routing *routing, const struct fabric *fabric, uint64_t seed, struct diag *diag);
void routing_free(struct routing *routing); /* safe twice */

/* A copy of its own, for what follows. */
struct routing routing_copy(const struct routing *routing);

/* Makes port, which leads to another switch, the only way of its switch to a leaf. */
void routing_force(struct routing *routing, uint32_t port, uint32_t leaf);

/* Takes port out of all groups of its switch. */
void routing_take_out(struct routing *routing, uint32_t port);

/* What the hash is taken over: NICs stand for the addresses, QPs differ by the
 * UDP source port, as RoCE v2 NICs do it. */
static inline uint32_t route_entropy(uint32_t src_nic, uint32_t dst_nic, uint16_t sport)
{
	uint64_t key = (uint64_t)src_nic << 40 ^ (uint64_t)dst_nic << 16 ^ sport;

	key *= UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 29;
	key *= UINT64_C(0xbf58476d1ce4e5b9);
	return (uint32_t)(key >> 32);
}

/* Which of count members a switch with this seed picks for a flow. */
static inline uint32_t route_pick(uint32_t entropy, uint32_t seed, uint32_t count)
{
	uint32_t h = entropy ^ seed;

	h ^= h >> 16;
	h *= UINT32_C(0x7feb352d);
	h ^= h >> 15;
	h *= UINT32_C(0x846ca68b);
	h ^= h >> 16;
	return (uint32_t)((uint64_t)h * count >> 32);
}

/* UDP source port of the q-th QP of a flow: 0xc000..0xffff (RoCE v2 annex A17
 * leaves the choice to the sender; this range is what NICs and rxe use). */
uint16_t route_sport(uint64_t seed, uint32_t src_nic, uint32_t dst_nic, uint32_t qp);

/* The ports that a QP's packets leave, in order, source NIC first. Returns how
 * many (at most max), 0 when there is no path. */
uint32_t routing_path(const struct routing *routing, uint32_t src_nic, uint32_t dst_nic,
	uint16_t sport, uint32_t *ports, uint32_t max);

/* The same where some switches (by_pair, by number of the switch) do not hash the source
 * port; NULL: all do. */
uint32_t routing_path_hashed(const struct routing *routing, const bool *by_pair,
	uint32_t src_nic, uint32_t dst_nic, uint16_t sport, uint32_t *ports, uint32_t max);

#endif
