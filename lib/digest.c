/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/digest.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

static const struct digest_info infos[DIGEST_METRICS] = {
	[DIGEST_LINK_LOSS] = { "link.loss", "link", "loss", DIGEST_COUNTS },
	[DIGEST_LINK_ERRORS] = { "link.errors", "link", "CRC errors", DIGEST_COUNTS },
	[DIGEST_LINK_RATE] = { "link.rate", "link", "rate", DIGEST_RATE },
	[DIGEST_NIC_SENT] = { "nic.sent", "NIC", "goodput sent", DIGEST_RATE },
	[DIGEST_NIC_RECEIVED] = { "nic.received", "NIC", "goodput received", DIGEST_RATE },
	[DIGEST_NIC_RETRIES] = { "nic.retries", "NIC", "retries", DIGEST_COUNTS },
	[DIGEST_NIC_PAUSE] = { "nic.pause", "NIC", "pausing", DIGEST_SHARE },
	[DIGEST_PAIR_GOODPUT] = { "pair.goodput", "pair", "goodput", DIGEST_RATE },
	[DIGEST_PAIR_RETRIES] = { "pair.retries", "pair", "retries", DIGEST_COUNTS },
	[DIGEST_STAGE_GOODPUT] = { "stage.goodput", "stage", "goodput", DIGEST_RATE },
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
	*digest = (struct digest)DIGEST_INIT;
}
