/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/culprit.h"

#include <stdio.h>
#include <string.h>

void culprit_text(char *text, size_t size, const struct finding *finding)
{
	const char *kind = culprit_kind_name(finding->culprit_kind);

	switch (finding->culprit_kind) {
	case CULPRIT_NONE:
		snprintf(text, size, "%s", finding->culprit);
		return;
	case CULPRIT_NOT_NETWORK:
		snprintf(text, size, "not the network");
		return;
	case CULPRIT_UNLOCATED:
		snprintf(text, size, "%s",
			finding->culprit[0] ? finding->culprit : "not located");
		return;
	case CULPRIT_NIC:
		kind = "NIC";
		break;
	case CULPRIT_LINK:
	case CULPRIT_PORT:
	case CULPRIT_SWITCH:
	case CULPRIT_HOST:
	case CULPRIT_SETTING:
		break;
	}
	snprintf(text, size, "%s %s", kind, finding->culprit);
}

/* The two ends of "leaf1:9-spine1:1" or "leaf1:9->spine1:1"; false if not two. */
static bool split(const char *link, char *a, char *b, size_t size)
{
	const char *dash = strchr(link, '-');

	if (!dash)
		return false;
	snprintf(a, size, "%.*s", (int)(dash - link), link);
	snprintf(b, size, "%s", dash + 1 + (dash[1] == '>'));
	return true;
}

static bool same_link(const char *left, const char *right)
{
	char a[FINDING_NAME], b[FINDING_NAME], c[FINDING_NAME], d[FINDING_NAME];

	if (!split(left, a, b, sizeof(a)) || !split(right, c, d, sizeof(c)))
		return false;
	return (strcmp(a, c) == 0 && strcmp(b, d) == 0) ||
	       (strcmp(a, d) == 0 && strcmp(b, c) == 0);
}

bool culprit_same(const struct finding *a, const struct finding *b)
{
	if (a->culprit_kind != b->culprit_kind || !a->culprit[0])
		return false;
	if (a->culprit_kind == CULPRIT_NONE || a->culprit_kind == CULPRIT_UNLOCATED)
		return false;
	if (strcmp(a->culprit, b->culprit) == 0)
		return true;
	return a->culprit_kind == CULPRIT_LINK && same_link(a->culprit, b->culprit);
}

size_t culprit_leader(const struct findings *findings, size_t i)
{
	for (size_t first = 0; first < i; first++)
		if (findings->items[first].verdict == VERDICT_FAIL &&
			culprit_same(&findings->items[first], &findings->items[i]))
			return first;
	return i;
}
