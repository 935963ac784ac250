/*
 * leafnics - the NICs of a fabric by the leaf that they hang on: what traffic
 * inside a leaf and across leaves is made from. NICs without a cable are left
 * out.
 */
#ifndef FABRIC_LEAFNICS_H
#define FABRIC_LEAFNICS_H

#include <stdint.h>

#include "fabric/fabric.h"

struct leafnics {
	uint32_t *nics;  /* NIC indices, by leaf, ascending in each; owned */
	uint32_t *first; /* [leaves + 1]: leaf l has nics[first[l]] .. nics[first[l + 1] - 1] */
	uint32_t *leaf;  /* [fabric->nic_count]: leaf of a NIC, or PORT_NONE */
	uint32_t leaves;
	uint32_t count;   /* NICs with a cable */
	uint32_t largest; /* most NICs on one leaf */
	uint32_t used;    /* leaves with a NIC */
};

#define LEAFNICS_INIT                                                                          \
	{                                                                                      \
		.nics = NULL                                                                   \
	}

void leafnics_init(struct leafnics *by_leaf, const struct fabric *fabric);
void leafnics_free(struct leafnics *by_leaf); /* safe on LEAFNICS_INIT, safe twice */

static inline uint32_t leafnics_size(const struct leafnics *by_leaf, uint32_t leaf)
{
	return by_leaf->first[leaf + 1] - by_leaf->first[leaf];
}

/* The index-th NIC of leaf; index is taken modulo the size, which is not 0. */
static inline uint32_t leafnics_at(
	const struct leafnics *by_leaf, uint32_t leaf, uint32_t index)
{
	return by_leaf->nics[by_leaf->first[leaf] + index % leafnics_size(by_leaf, leaf)];
}

#endif
