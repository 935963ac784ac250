/*
 * chance - how surprising an observation is: bounds from zero losses, uneven
 * loads under random ECMP, fairness. Floating point, because these are
 * probabilities; the same input gives the same result to the bit.
 */
#ifndef FABRIC_CHANCE_H
#define FABRIC_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* Upper bound (95 %) of a loss probability when none of n packets was lost:
 * 3/n ("rule of three"); 1 for n < 3. */
double chance_zero_loss_bound(uint64_t packets);

/* P(X >= least) for X ~ binomial(n, p). */
double chance_binomial_tail(uint32_t n, double p, uint32_t least);

/* n equal flows, each hashed to one of links: an upper bound of the probability
 * that some link carries flows or more (union bound over the links). */
double chance_of_load(uint32_t n, uint32_t links, uint32_t flows);

/* The same that at least one link stays empty. */
double chance_of_empty(uint32_t n, uint32_t links);

/* max/mean load of n equal flows hashed to links: its mean and its 99th
 * percentile, by drawing CHANCE_DRAWS times from a fixed seed. */
#define CHANCE_DRAWS 2000u

struct chance_spread {
	double mean, p99;
};

struct chance_spread chance_spread(uint32_t n, uint32_t links);

/* (sum x)^2 / (n sum x^2), Jain 1984; 1 when all are equal or all 0. */
double chance_jain(const uint64_t *values, size_t count);

#endif
