/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/chance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/rng.h"

double chance_zero_loss_bound(uint64_t packets)
{
	return packets < 3 ? 1.0 : 3.0 / (double)packets;
}

double chance_binomial_tail(uint32_t n, double p, uint32_t least)
{
	double term, sum = 0.0, odds = p / (1.0 - p);

	if (least == 0)
		return 1.0;
	if (least > n || p <= 0.0)
		return 0.0;
	if (p >= 1.0)
		return 1.0;
	term = exp(lgamma(n + 1.0) - lgamma(least + 1.0) - lgamma(n - least + 1.0) +
		   least * log(p) + (n - least) * log1p(-p));
	for (uint32_t k = least; k <= n; k++) {
		sum += term;
		term *= odds * (n - k) / (k + 1.0);
	}
	return sum < 1.0 ? sum : 1.0;
}

double chance_of_load(uint32_t n, uint32_t links, uint32_t flows)
{
	double bound;

	if (links < 2)
		return 1.0;
	bound = links * chance_binomial_tail(n, 1.0 / links, flows);
	return bound < 1.0 ? bound : 1.0;
}

double chance_of_empty(uint32_t n, uint32_t links)
{
	double bound;

	if (links < 2)
		return n ? 0.0 : 1.0;
	bound = links * pow(1.0 - 1.0 / links, n);
	return bound < 1.0 ? bound : 1.0;
}

static int ascending(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

struct chance_spread chance_spread(uint32_t n, uint32_t links)
{
	uint32_t *load, most[CHANCE_DRAWS];
	struct chance_spread spread = { 1.0, 1.0 };
	double sum = 0.0;
	struct rng rng;

	if (n == 0 || links < 2)
		return spread;
	load = zeroed(links, sizeof(*load));
	rng_init(&rng, rng_derive(n, links));
	for (uint32_t draw = 0; draw < CHANCE_DRAWS; draw++) {
		most[draw] = 0;
		memset(load, 0, links * sizeof(*load));
		for (uint32_t i = 0; i < n; i++) {
			uint32_t now = ++load[rng_below(&rng, links)];

			if (now > most[draw])
				most[draw] = now;
		}
		sum += most[draw];
	}
	free(load);
	qsort(most, CHANCE_DRAWS, sizeof(most[0]), ascending);
	spread.mean = sum / CHANCE_DRAWS * links / n;
	spread.p99 = (double)most[CHANCE_DRAWS * 99 / 100] * links / n;
	return spread;
}

double chance_jain(const uint64_t *values, size_t count)
{
	double sum = 0.0, squares = 0.0;

	for (size_t i = 0; i < count; i++) {
		sum += (double)values[i];
		squares += (double)values[i] * (double)values[i];
	}
	return squares > 0.0 ? sum * sum / ((double)count * squares) : 1.0;
}
