/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a run file: rows or one sentence, never a crash and never a row
 * that breaks what run.h promises. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/finding.h"
#include "lib/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stage(struct run *run, uint32_t stage)
{
	struct plan_ring ring = { .ranks = 0 };
	struct run_flow *flows = NULL;
	struct run_path *paths = NULL;
	struct run_counter *counters = NULL;
	struct run_step *steps = NULL;
	struct run_sample *samples = NULL;
	struct diag diag;
	size_t count;

	if (run_get_flows(run, stage, &flows, &count, &diag) == 0)
		for (size_t i = 0; i < count; i++)
			assert(flows[i].stage == stage && flows[i].role <= FLOW_VICTIM);
	if (run_get_counters(run, stage, &counters, &count, &diag) == 0)
		for (size_t i = 0; i < count; i++)
			assert(memchr(counters[i].name, '\0', sizeof(counters[i].name)));
	if (run_get_ring(run, stage, &ring, &diag) == 0)
		assert(!ring.ranks == !ring.nics);
	run_get_paths(run, stage, &paths, &count, &diag);
	run_get_steps(run, stage, &steps, &count, &diag);
	run_get_samples(run, stage, &samples, &count, &diag);
	free(flows);
	free(paths);
	free(counters);
	free(steps);
	free(samples);
	free(ring.nics);
}

static void read_all(struct run *run)
{
	struct run_stage *stages = NULL;
	struct run_fact *facts = NULL;
	struct run_wire *wires = NULL;
	struct run_wire_finding *findings = NULL;
	struct diag diag;
	size_t count = 0;

	if (run_get_stages(run, &stages, &count, &diag) == 0)
		for (size_t i = 0; i < count; i++)
			read_stage(run, stages[i].id);
	free(stages);
	run_get_facts(run, &facts, &count, &diag);
	free(facts);
	run_get_wire(run, &wires, &count, &diag);
	free(wires);
	if (run_get_wire_findings(run, &findings, &count, &diag) == 0)
		for (size_t i = 0; i < count; i++)
			assert(findings[i].verdict <= VERDICT_UNKNOWN);
	free(findings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/weft-fuzz-XXXXXX", journal[sizeof(path) + 16];
	int fd = mkstemp(path);
	struct run *run = NULL;
	struct diag diag = { "" };

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (run_open(&run, path, &diag) == 0)
		read_all(run);
	else
		assert(!run && diag.text[0] && !strchr(diag.text, '\n'));
	run_close(run);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	unlink(journal);
	unlink(path);
	return 0;
}
