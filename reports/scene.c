/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scene_free(struct scene *scene)
{
	free(scene->nodes);
	free(scene->links);
	free(scene->nics);
	free(scene->faults);
	*scene = (struct scene)SCENE_INIT;
}

static uint32_t node_named(const struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->node_count; i++)
		if (strcmp(scene->nodes[i].name, name) == 0)
			return i;
	return SCENE_NONE;
}

static uint32_t link_at(const struct scene *scene, const char *port)
{
	for (uint32_t i = 0; i < scene->link_count; i++)
		if (strcmp(scene->links[i].a_port, port) == 0 ||
			strcmp(scene->links[i].b_port, port) == 0)
			return i;
	return SCENE_NONE;
}

/* "leaf1:9" stands for leaf1 when there is no node of the whole name. */
static uint32_t node_of(const struct scene *scene, const char *place)
{
	uint32_t node = node_named(scene, place);
	char name[FINDING_NAME];
	char *colon;

	if (node != SCENE_NONE)
		return node;
	snprintf(name, sizeof(name), "%s", place);
	colon = strrchr(name, ':');
	if (!colon)
		return SCENE_NONE;
	*colon = '\0';
	return node_named(scene, name);
}

/* Up to the dash of "leaf1:9-spine1:1": one end is enough to know the cable. */
static uint32_t link_named(const struct scene *scene, const char *link)
{
	char end[FINDING_NAME];

	snprintf(end, sizeof(end), "%.*s", (int)strcspn(link, "-"), link);
	return link_at(scene, end);
}

struct scene_spot scene_spot(const struct scene *scene, const struct finding *finding)
{
	struct scene_spot spot = { SCENE_NONE, SCENE_NONE };

	switch (finding->culprit_kind) {
	case CULPRIT_LINK:
		spot.link = link_named(scene, finding->culprit);
		break;
	case CULPRIT_PORT:
	case CULPRIT_NIC:
		spot.link = link_at(scene, finding->culprit);
		spot.node = node_of(scene, finding->culprit);
		break;
	case CULPRIT_SWITCH:
	case CULPRIT_HOST:
		spot.node = node_of(scene, finding->culprit);
		break;
	case CULPRIT_NONE:
	case CULPRIT_SETTING:
	case CULPRIT_NOT_NETWORK:
	case CULPRIT_UNLOCATED:
		break;
	}
	return spot;
}
