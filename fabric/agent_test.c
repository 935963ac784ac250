/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/agent_test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/agent_stage.h"

uint32_t agent_test_flip(uint32_t rank)
{
	const char *text = getenv("WEFT_TEST_FLIP");
	unsigned at_rank, step;

	if (!text || sscanf(text, "%u.%u", &at_rank, &step) != 2 || at_rank != rank)
		return 0;
	return step + 1;
}

void agent_test_spoil(struct gen *gen)
{
	const char *device = getenv("WEFT_TEST_SPOIL");

	if (device && strcmp(device, gen->verbs->device) == 0)
		gen->memory.base[gen_receive_offset(gen, 0)] ^= 1;
}

void agent_test_die(const struct agent_stage *stage, const char *moment)
{
	const char *text = getenv("WEFT_TEST_DIE");
	char here[VERBS_NAME + 64];

	for (uint32_t i = 0; text && i < stage->device_count; i++) {
		snprintf(here, sizeof(here), "%s.%u.%s", stage->devices[i].device,
			stage->number, moment);
		if (strcmp(text, here) == 0)
			raise(SIGKILL);
	}
}
