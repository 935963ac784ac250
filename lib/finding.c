/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/finding.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

struct finding *findings_add(
	struct findings *findings, const char *check, const char *layer, enum verdict verdict)
{
	struct finding *finding;

	findings->items = grow(
		findings->items, findings->count, &findings->room, sizeof(*findings->items));
	finding = &findings->items[findings->count++];
	memset(finding, 0, sizeof(*finding));
	snprintf(finding->check, sizeof(finding->check), "%s", check);
	snprintf(finding->layer, sizeof(finding->layer), "%s", layer);
	finding->verdict = verdict;
	return finding;
}

static int severity(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_FAIL:
		return 0;
	case VERDICT_UNKNOWN:
		return 1;
	case VERDICT_WARN:
		return 2;
	case VERDICT_PASS:
		break;
	}
	return 3;
}

static int compare(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	int order = severity(a->verdict) - severity(b->verdict);

	if (!order)
		order = (int)a->rank - (int)b->rank;
	if (!order)
		order = (a->weight < b->weight) - (a->weight > b->weight);
	if (!order)
		order = strcmp(a->check, b->check);
	if (!order)
		order = strcmp(a->culprit, b->culprit);
	return order ? order : strcmp(a->text, b->text);
}

void findings_sort(struct findings *findings)
{
	if (findings->count)
		qsort(findings->items, findings->count, sizeof(*findings->items), compare);
}

enum verdict findings_verdict(const struct findings *findings)
{
	enum verdict worst = findings->count ? VERDICT_PASS : VERDICT_UNKNOWN;

	for (size_t i = 0; i < findings->count; i++)
		if (severity(findings->items[i].verdict) < severity(worst))
			worst = findings->items[i].verdict;
	return worst;
}

void findings_free(struct findings *findings)
{
	free(findings->items);
	findings->items = NULL;
	findings->count = findings->room = 0;
}

const char *verdict_name(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return "pass";
	case VERDICT_WARN:
		return "warn";
	case VERDICT_FAIL:
		return "fail";
	case VERDICT_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *culprit_kind_name(enum culprit_kind kind)
{
	switch (kind) {
	case CULPRIT_NONE:
		return "none";
	case CULPRIT_LINK:
		return "link";
	case CULPRIT_PORT:
		return "port";
	case CULPRIT_SWITCH:
		return "switch";
	case CULPRIT_NIC:
		return "nic";
	case CULPRIT_HOST:
		return "host";
	case CULPRIT_SETTING:
		return "setting";
	case CULPRIT_NOT_NETWORK:
		return "not the network";
	case CULPRIT_UNLOCATED:
		break;
	}
	return "unlocated";
}
