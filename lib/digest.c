/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/digest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

static const struct digest_info infos[DIGEST_METRICS] = {
	[DIGEST_LINK_LOSS] = { "link.loss", "link", "loss", DIGEST_COUNTS, false },
	[DIGEST_LINK_ERRORS] = { "link.errors", "link", "CRC errors", DIGEST_COUNTS, false },
	[DIGEST_LINK_RATE] = { "link.rate", "link", "rate", DIGEST_RATE, false },
	[DIGEST_NIC_SENT] = { "nic.sent", "NIC", "goodput sent", DIGEST_RATE, true },
	[DIGEST_NIC_RECEIVED] = { "nic.received", "NIC", "goodput received", DIGEST_RATE,
		true },
	[DIGEST_NIC_RETRIES] = { "nic.retries", "NIC", "retries", DIGEST_COUNTS, true },
	[DIGEST_NIC_PAUSE] = { "nic.pause", "NIC", "pausing", DIGEST_SHARE, true },
	[DIGEST_PAIR_GOODPUT] = { "pair.goodput", "pair", "goodput", DIGEST_RATE, true },
	[DIGEST_PAIR_RETRIES] = { "pair.retries", "pair", "retries", DIGEST_COUNTS, true },
	[DIGEST_STAGE_GOODPUT] = { "stage.goodput", "stage", "goodput", DIGEST_RATE, true },
};

const struct digest_info *digest_info(enum digest_metric metric)
{
	assert(metric < DIGEST_METRICS);
	return &infos[metric];
}

struct digest_figure *digest_add(
	struct digest *digest, enum digest_metric metric, const char *subject)
{
	struct digest_figure *figure;

	digest->figures = grow(digest->figures, digest->figure_count, &digest->figure_room,
		sizeof(*digest->figures));
	figure = &digest->figures[digest->figure_count++];
	*figure = (struct digest_figure){ .metric = metric };
	snprintf(figure->subject, sizeof(figure->subject), "%s", subject);
	return figure;
}

int digest_order(const struct digest_figure *a, const struct digest_figure *b)
{
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return strcmp(a->subject, b->subject);
}

struct digest_load *digest_add_load(struct digest *digest, const char *a, const char *b)
{
	struct digest_load *load;

	digest->loads = grow(
		digest->loads, digest->load_count, &digest->load_room, sizeof(*digest->loads));
	load = &digest->loads[digest->load_count++];
	*load = (struct digest_load){ .a = "" };
	snprintf(load->a, sizeof(load->a), "%s", a);
	snprintf(load->b, sizeof(load->b), "%s", b);
	return load;
}

bool digest_is_whole(const struct digest *digest)
{
	if (!digest->ended || digest->interrupted)
		return false;
	for (size_t i = 0; i < digest->stage_count; i++)
		if (digest->stages[i].complete)
			return true;
	return false;
}

bool digest_comparable(const struct digest *digest, const struct digest_figure *figure,
	const struct digest *other, const struct digest_figure *theirs)
{
	if (!digest_info(figure->metric)->drawn)
		return true;
	if (figure->draw && theirs->draw)
		return figure->draw == theirs->draw;
	return digest->seed == other->seed && strcmp(digest->profile, other->profile) == 0;
}

static int by_order(const void *left, const void *right)
{
	return digest_order(left, right);
}

void digest_sort(struct digest *digest)
{
	if (digest->figure_count)
		qsort(digest->figures, digest->figure_count, sizeof(*digest->figures),
			by_order);
}

const struct digest_figure *digest_find(
	const struct digest *digest, enum digest_metric metric, const char *subject)
{
	struct digest_figure key = { .metric = metric };

	snprintf(key.subject, sizeof(key.subject), "%s", subject);
	if (!digest->figure_count)
		return NULL;
	return bsearch(&key, digest->figures, digest->figure_count, sizeof(key), by_order);
}

void digest_free(struct digest *digest)
{
	free(digest->stages);
	findings_free(&digest->findings);
	free(digest->figures);
	free(digest->loads);
	*digest = (struct digest)DIGEST_INIT;
}
