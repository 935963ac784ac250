/* SPDX-License-Identifier: Apache-2.0 */

/*
 * scope: what a backend on real NICs did not see. With proof: switches, the default of the
 * fabric file, that is unknown, and the run does not pass. With proof: hosts it was not asked
 * for, and a warning says what the verdict does not speak of; but what the policy
 * promises, losslessness by PFC and marking, is still unknown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/judge.h"
#include "fabric/judging.h"
#include "lib/grow.h"

struct scope {
	bool pause, marks, drops, bytes, ways; /* told by some switch, in some stage */
};

static void *begin(const struct judging *judging)
{
	(void)judging;
	return zeroed(1, sizeof(struct scope));
}

static bool told(const struct evidence *evidence, uint32_t port, enum metric metric)
{
	return evidence_at(evidence, port, metric) != EVIDENCE_ABSENT;
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	const struct fabric *fabric = judging->fabric;
	struct scope *scope = state;

	scope->ways |= evidence->path_count > 0;
	for (uint32_t port = 0; port < fabric->port_count; port++) {
		if (fabric->ports[port].nic != PORT_NONE)
			continue;
		scope->pause |= told(evidence, port, M_TX_PAUSE);
		scope->marks |= told(evidence, port, M_MARKED);
		scope->drops |= told(evidence, port, M_DROP_BUFFER);
		scope->bytes |= told(evidence, port, M_TX_BYTES);
	}
}

static void add(char *text, size_t bytes, bool seen, const char *what)
{
	size_t used = strlen(text);

	if (!seen)
		snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", what);
}

static void tell_promise(struct judging *judging, const char *check, const char *what)
{
	struct finding *finding =
		judging_say(judging, check, "lossless", VERDICT_UNKNOWN, NULL);

	finding_text(finding,
		"the policy promises %s, and no switch told whether it acts: nothing here "
		"proves "
		"it",
		what);
	finding_advice(finding,
		"read the counters of the switches, or rehearse the policy on the simulator "
		"(--backend sim); a policy without it is written %s",
		strcmp(check, "scope.pfc") == 0 ? "pfc: no" : "ecn: {off: yes}");
}

static void tell_unseen(struct judging *judging, const char *missing)
{
	bool asked = !judging->fabric->proof_hosts;
	struct finding *finding = judging_say(judging, "scope.not-measured", "plan",
		asked ? VERDICT_UNKNOWN : VERDICT_WARN, NULL);

	finding_text(
		finding, "the verdict is of what hosts can measure; not measured: %s", missing);
	finding_advice(finding, "%s",
		asked ? "where the counters of the switches are not to be had, proof: hosts in "
			"the fabric file asks for no more than hosts can measure"
		      : "proof: hosts in the fabric file asks for no more; compare the "
			"counters "
			"of the switches by hand");
}

static void end(struct judging *judging, void *state, bool speak)
{
	const struct policy *policy = &judging->fabric->policy;
	const struct scope *scope = state;
	char missing[240] = "";

	add(missing, sizeof(missing), scope->pause, "pause at switches");
	add(missing, sizeof(missing), scope->marks, "ECN marks and queues");
	add(missing, sizeof(missing), scope->drops, "drops and their causes");
	add(missing, sizeof(missing), scope->bytes, "loss and load of each link");
	add(missing, sizeof(missing), false, "cabling");
	add(missing, sizeof(missing), scope->ways, "ways of QPs and the balance of ECMP");
	if (speak && judging_is_live(judging) && judging->layers == JUDGE_ALL && missing[0]) {
		tell_unseen(judging, missing);
		if (policy->pfc && !scope->pause)
			tell_promise(judging, "scope.pfc", "a class that PFC keeps lossless");
		if (policy->ecn && !scope->marks)
			tell_promise(judging, "scope.ecn", "ECN marks");
	}
	free(state);
}

const struct judge judge_scope = { begin, stage, end };
