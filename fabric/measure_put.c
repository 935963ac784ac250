/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/measure_parts.h"
#include "lib/grow.h"
#include "lib/units.h"

static void put_counts(struct digest *digest, enum digest_metric metric, const char *subject,
	uint64_t events, uint64_t of, uint64_t draw)
{
	struct digest_figure *figure;

	if (!of)
		return;
	figure = digest_add(digest, metric, subject);
	figure->draw = draw;
	figure->events = events < of ? events : of;
	figure->of = of;
	figure->value = (double)figure->events / (double)of;
}

static void put_value(struct digest *digest, enum digest_metric metric, const char *subject,
	double value, uint64_t draw)
{
	struct digest_figure *figure = digest_add(digest, metric, subject);

	figure->value = value;
	figure->draw = draw;
}

static double served_bps(const struct at_port *at)
{
	return at->busy_ns ? (double)at->bytes * 8 * (double)NS_PER_S / (double)at->busy_ns : 0;
}

static void put_link(const struct measure *measure, uint32_t link)
{
	const struct at_port *a = &measure->ports[measure->fabric->links[link].a];
	const struct at_port *b = &measure->ports[measure->fabric->links[link].b];
	double slow = served_bps(a), other = served_bps(b);
	char name[2 * NAME_BYTES];

	fabric_link_name(measure->fabric, link, name);
	put_counts(measure->digest, DIGEST_LINK_LOSS, name, a->lost + b->lost,
		a->sent + b->sent, 0);
	if (a->has_crc || b->has_crc)
		put_counts(measure->digest, DIGEST_LINK_ERRORS, name, a->crc + b->crc,
			a->received + b->received, 0);
	if (slow <= 0 || (other > 0 && other < slow))
		slow = other;
	if (slow > 0)
		put_value(measure->digest, DIGEST_LINK_RATE, name, slow, 0);
}

static void put_load(const struct measure *measure, uint32_t link)
{
	const struct link *ends = &measure->fabric->links[link];
	const uint64_t *from_a = measure->ports[ends->a].load;
	const uint64_t *from_b = measure->ports[ends->b].load;
	char a[2 * NAME_BYTES], b[2 * NAME_BYTES];
	struct digest_load *load;
	uint64_t all = 0;

	for (enum plan_layer layer = 0; layer < LAYER_COUNT; layer++)
		all += from_a[layer] + from_b[layer];
	if (!all)
		return;
	fabric_port_name(measure->fabric, ends->a, a);
	fabric_port_name(measure->fabric, ends->b, b);
	load = digest_add_load(measure->digest, a, b);
	memcpy(load->from_a, from_a, sizeof(load->from_a));
	memcpy(load->from_b, from_b, sizeof(load->from_b));
}

static int by_rate(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static void put_nic(const struct measure *measure, uint32_t nic)
{
	const struct at_port *at = &measure->ports[measure->fabric->nics[nic]];
	char name[2 * NAME_BYTES];

	fabric_nic_name(measure->fabric, nic, name);
	put_counts(measure->digest, DIGEST_NIC_RETRIES, name, at->retries, at->data, at->draw);
	if (at->has_pause && at->window_ns)
		put_value(measure->digest, DIGEST_NIC_PAUSE, name,
			(double)at->pause_us * (double)NS_PER_US / (double)at->window_ns,
			at->draw);
}

/* The rounds of one pair: pairs[first..end-1]. */
static void put_pair(const struct measure *measure, size_t first, size_t end)
{
	char src[2 * NAME_BYTES], dst[2 * NAME_BYTES], name[DIGEST_SUBJECT];
	uint64_t sent = 0, retries = 0, draw = 0;
	double sum = 0;
	size_t rated = 0;

	for (size_t i = first; i < end; i++) {
		sent += measure->pairs[i].sent;
		retries += measure->pairs[i].retries;
		draw += measure->pairs[i].draw;
		sum += measure->pairs[i].goodput_bps;
		rated += measure->pairs[i].goodput_bps > 0;
	}
	fabric_nic_name(measure->fabric, measure->pairs[first].src, src);
	fabric_nic_name(measure->fabric, measure->pairs[first].dst, dst);
	snprintf(name, sizeof(name), "%.32s->%.32s", src, dst);
	put_counts(measure->digest, DIGEST_PAIR_RETRIES, name, retries, sent, draw);
	if (rated)
		put_value(
			measure->digest, DIGEST_PAIR_GOODPUT, name, sum / (double)rated, draw);
}

static int by_src(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return (a->dst > b->dst) - (a->dst < b->dst);
}

static int by_dst(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	if (a->dst != b->dst)
		return a->dst < b->dst ? -1 : 1;
	return (a->src > b->src) - (a->src < b->src);
}

/* Of one NIC, the median over its pairs in one direction: pairs[first..end-1]. */
static void put_goodput(const struct measure *measure, size_t first, size_t end, bool sends)
{
	const struct pair *pair = &measure->pairs[first];
	double *rates = zeroed(end - first, sizeof(*rates));
	char name[2 * NAME_BYTES];
	uint64_t draw = 0;
	size_t count = 0;

	for (size_t i = first; i < end; i++) {
		draw += measure->pairs[i].draw;
		if (measure->pairs[i].goodput_bps > 0)
			rates[count++] = measure->pairs[i].goodput_bps;
	}
	if (count) {
		qsort(rates, count, sizeof(*rates), by_rate);
		fabric_nic_name(measure->fabric, sends ? pair->src : pair->dst, name);
		put_value(measure->digest, sends ? DIGEST_NIC_SENT : DIGEST_NIC_RECEIVED, name,
			(rates[(count - 1) / 2] + rates[count / 2]) / 2, draw);
	}
	free(rates);
}

static void put_goodputs(const struct measure *measure, bool sends)
{
	const struct pair *pairs = measure->pairs;
	size_t end;

	qsort(measure->pairs, measure->pair_count, sizeof(*pairs), sends ? by_src : by_dst);
	for (size_t first = 0; first < measure->pair_count; first = end) {
		end = first + 1;
		while (end < measure->pair_count &&
			(sends ? pairs[end].src == pairs[first].src
			       : pairs[end].dst == pairs[first].dst))
			end++;
		put_goodput(measure, first, end, sends);
	}
}

static void put_pairs(const struct measure *measure)
{
	const struct pair *pairs = measure->pairs;
	size_t end;

	qsort(measure->pairs, measure->pair_count, sizeof(*pairs), by_src);
	for (size_t first = 0; first < measure->pair_count; first = end) {
		end = first + 1;
		while (end < measure->pair_count && by_src(&pairs[first], &pairs[end]) == 0)
			end++;
		put_pair(measure, first, end);
	}
}

void measure_put(const struct measure *measure)
{
	measure->digest->has_loads = true;
	for (uint32_t link = 0; link < measure->fabric->link_count; link++) {
		put_link(measure, link);
		put_load(measure, link);
	}
	for (uint32_t nic = 0; nic < measure->fabric->nic_count; nic++)
		put_nic(measure, nic);
	if (measure->pair_count) {
		put_goodputs(measure, true);
		put_goodputs(measure, false);
		put_pairs(measure);
	}
	digest_sort(measure->digest);
}
