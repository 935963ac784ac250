/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/audit_prove.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "fabric/live.h"
#include "fabric/stages.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/proof.h"

#define WARM_BYTES 65536u
#define LEAST_NS (10 * NS_PER_S)
#define SLOWEST_BPS 100000000u /* a stage may take as long as this rate needs, and LEAST_NS */

_Static_assert(
	LEAST_NS + AUDIT_PROVE_BYTES_MAX * (8 * NS_PER_S / SLOWEST_BPS) <= AGENT_STAGE_NS_MAX,
	"an agent refuses what takes longer");

/* A stage with the pairs of another, each with so many bytes. */
static void add_stage(struct plan *plan, const struct plan_stage *like, uint64_t bytes)
{
	struct plan_stage *stage = plan_add(plan, LAYER_PAIRS);

	snprintf(stage->name, sizeof(stage->name), "proof-%zu", plan->count);
	stage->deadline_ns = LEAST_NS + bytes * (8 * NS_PER_S / SLOWEST_BPS);
	for (uint32_t i = 0; i < like->flow_count; i++) {
		struct plan_flow *flow = plan_stage_add(stage);

		*flow = like->flows[i];
		flow->bytes = bytes;
		flow->rate_bps = 0;
		flow->start_ns = 0;
	}
}

/* The last pairs of an acceptance lead from leaf to leaf where there are several. The first
 * stage of a run is sent twice: so it is a short one that counts for nothing. */
static int make_plan(
	struct plan *plan, const struct fabric *fabric, uint64_t bytes, struct diag *diag)
{
	struct plan whole = PLAN_INIT;

	plan_live(&whole, fabric, PROFILE_QUICK, 1);
	plan_keep(&whole, LAYER_PAIRS);
	if (whole.count > 0) {
		add_stage(plan, &whole.stages[whole.count - 1], WARM_BYTES);
		add_stage(plan, &whole.stages[whole.count - 1], bytes);
	}
	plan_free(&whole);
	return plan->count > 0 ? 0
			       : diag_error(diag, -EINVAL,
					 "--prove: the fabric file has no two NICs that "
					 "could send to one another");
}

/* Hosts may take longer to answer than agents wait in silence. */
struct keeping {
	struct agents *agents;
	atomic_bool stop;
};

static void *keep(void *arg)
{
	const struct timespec wait = { .tv_nsec = 100 * NS_PER_MS };
	struct keeping *keeping = arg;

	while (!atomic_load(&keeping->stop)) {
		agents_tick(keeping->agents);
		nanosleep(&wait, NULL);
	}
	return NULL;
}

static int ask_and_keep(struct doctor_hosts *hosts, struct live *live,
	const struct audit_proof *proof, struct diag *diag)
{
	struct keeping keeping = { .agents = &live->agents };
	pthread_t thread;
	int err = -pthread_create(&thread, NULL, keep, &keeping);

	if (err)
		return diag_system(diag, err, "cannot start a thread");
	err = doctor_ask(hosts, live->fabric, &proof->wish, diag);
	atomic_store(&keeping.stop, true);
	pthread_join(thread, NULL);
	return err;
}

/* Counters as they stand, of all hosts in one store. */
static int read_counters(struct facts *facts, struct live *live,
	const struct audit_proof *proof, struct diag *diag)
{
	struct doctor_hosts hosts = { NULL, 0 };
	int err = ask_and_keep(&hosts, live, proof, diag);

	for (size_t i = 0; !err && i < hosts.count; i++)
		facts_append(facts, &hosts.items[i].facts, NULL);
	doctor_hosts_free(&hosts);
	return err;
}

/* What crossed each NIC, from the flows that were delivered. */
static void add_sent(struct facts *facts, const struct facts *before, const struct facts *after,
	const struct fabric *fabric, const struct plan_stage *stage,
	const struct sim_result *result)
{
	for (uint32_t i = 0; i < fabric->binding_count; i++) {
		const struct binding *binding = &fabric->bindings[i];
		struct proof_sent sent = { .place = binding->host, .device = binding->device };

		for (size_t k = 0; k < result->flow_count; k++) {
			const struct plan_flow *flow = &stage->flows[result->flows[k].flow];

			if (flow->src == binding->nic)
				sent.sent_bytes += result->flows[k].bytes_delivered;
			if (flow->dst == binding->nic)
				sent.received_bytes += result->flows[k].bytes_delivered;
		}
		proof_add(facts, before, after, &sent);
	}
}

/* The traffic between two readings. */
static int measure(struct facts *facts, struct live *live, const struct audit_proof *proof,
	struct diag *diag)
{
	struct sim_result warm = { 0 }, result = { 0 };
	struct facts before, after;
	int err;

	facts_init(&before);
	facts_init(&after);
	err = live_stage(live, 0, &warm, diag);
	if (!err)
		err = read_counters(&before, live, proof, diag);
	if (!err)
		err = live_stage(live, 1, &result, diag);
	if (!err)
		err = read_counters(&after, live, proof, diag);
	if (!err)
		add_sent(facts, &before, &after, live->fabric, &live->plan->stages[1], &result);
	sim_result_free(&warm);
	sim_result_free(&result);
	facts_free(&before);
	facts_free(&after);
	return err;
}

int audit_prove(struct facts *facts, const struct fabric *fabric,
	const struct audit_proof *proof, struct diag *diag)
{
	struct agents_options options = proof->agents;
	struct plan plan = PLAN_INIT;
	struct live live = LIVE_INIT;
	int err = make_plan(&plan, fabric, proof->bytes, diag);

	options.program = "weft " WEFT_VERSION;
	live.fabric = fabric;
	live.plan = &plan;
	if (!err)
		err = agents_start(&live.agents, fabric, &options, diag);
	if (!err || err == -EHOSTDOWN) /* those that are there show what they can */
		err = measure(facts, &live, proof, diag);
	agents_close(&live.agents);
	plan_free(&plan);
	return err;
}
