/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/stages.h"

#include <assert.h>

#include "fabric/stage_build.h"

const char *profile_name(enum profile profile)
{
	switch (profile) {
	case PROFILE_QUICK:
		return "quick";
	case PROFILE_FULL:
		return "full";
	}
	assert(false && "a profile");
	return "";
}

void plan_acceptance(
	struct plan *plan, const struct fabric *fabric, enum profile profile, uint64_t seed)
{
	struct stage_build build;

	stage_build_init(&build, plan, fabric, profile, seed);
	stages_pairs(&build);
	stages_nonblocking(&build);
	stages_lossless(&build);
	stages_burst(&build);
	stages_ring(&build);
	stage_build_free(&build);
}

uint64_t plan_start_ns(const struct plan *plan, size_t stage)
{
	uint64_t start_ns = 0;

	for (size_t i = 0; i < stage; i++)
		start_ns += plan->stages[i].deadline_ns;
	return start_ns;
}
