/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/plan.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"

struct plan_stage *plan_add(struct plan *plan, enum plan_layer layer)
{
	struct plan_stage *stage;

	plan->stages = grow(plan->stages, plan->count, &plan->room, sizeof(*plan->stages));
	stage = &plan->stages[plan->count++];
	memset(stage, 0, sizeof(*stage));
	stage->layer = layer;
	return stage;
}

struct plan_flow *plan_stage_add(struct plan_stage *stage)
{
	size_t room = stage->flow_room;
	struct plan_flow *flow;

	stage->flows = grow(stage->flows, stage->flow_count, &room, sizeof(*stage->flows));
	stage->flow_room = (uint32_t)room;
	flow = &stage->flows[stage->flow_count++];
	memset(flow, 0, sizeof(*flow));
	return flow;
}

static void free_stage(struct plan_stage *stage)
{
	free(stage->flows);
	free(stage->ring.nics);
}

void plan_keep(struct plan *plan, enum plan_layer layer)
{
	size_t kept = 0;

	for (size_t i = 0; i < plan->count; i++) {
		if (plan->stages[i].layer == layer)
			plan->stages[kept++] = plan->stages[i];
		else
			free_stage(&plan->stages[i]);
	}
	plan->count = kept;
	snprintf(plan->profile, sizeof(plan->profile), "hand");
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		free_stage(&plan->stages[i]);
	free(plan->stages);
	plan->stages = NULL;
	plan->count = plan->room = 0;
}

bool plan_is_whole(const char *profile)
{
	return strcmp(profile, "hand") != 0 && strcmp(profile, "sweep") != 0;
}

const char *plan_layer_name(enum plan_layer layer)
{
	switch (layer) {
	case LAYER_PLAN:
		return "plan";
	case LAYER_PAIRS:
		return "pairs";
	case LAYER_NONBLOCKING:
		return "nonblocking";
	case LAYER_LOSSLESS:
		return "lossless";
	case LAYER_BURST:
		return "burst";
	case LAYER_RING:
		return "ring";
	case LAYER_CLASS:
		return "class";
	case LAYER_COUNT:
		break;
	}
	assert(false && "a layer");
	return "";
}
