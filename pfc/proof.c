/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/proof.h"

#include <stdio.h>
#include <string.h>

#include "pfc/counter_table.h"
#include "pfc/rule_audit.h"

static const struct fact *total_of(const struct facts *facts, const char *place,
	const char *interface, enum meaning means, int priority)
{
	FACTS_EACH (facts, FACT_COUNTER, counter)
		if (counter->means == (short)means && counter->priority == (short)priority &&
			counter->more < 1 && strcmp(counter->place, place) == 0 &&
			strcmp(counter->subject, interface) == 0)
			return counter;
	return NULL;
}

static void add_direction(struct facts *facts, const struct facts *before,
	const struct facts *after, const struct fact *rail, enum meaning means, uint64_t bytes)
{
	const char *way = means == MEANS_PRIO_TX_BYTES ? "sent" : "received";

	for (int priority = 0; priority < 8; priority++) {
		const struct fact *from =
			total_of(before, rail->place, rail->name, means, priority);
		const struct fact *to =
			total_of(after, rail->place, rail->name, means, priority);
		struct fact *proof;
		char name[16];

		if (!from || !to || to->number < from->number)
			continue;
		snprintf(name, sizeof(name), "%d", priority);
		proof = facts_add(facts, FACT_PROOF, rail->place, rail->name, name, way);
		proof->has_number = true;
		proof->number = to->number - from->number;
		proof->more = (double)bytes;
		proof->source = facts_keep(facts, to->name);
	}
}

void proof_add(struct facts *facts, const struct facts *before, const struct facts *after,
	const struct proof_sent *sent)
{
	const struct fact *rail = facts_find(after, FACT_RAIL, sent->place, sent->device, NULL);
	struct fact *wanted = facts_add(
		facts, FACT_WANTED, sent->place, sent->device, AUDIT_WANTS_PROOF, NULL);

	wanted->has_number = true;
	wanted->number = (double)sent->sent_bytes;
	wanted->extra = facts_keep(facts, "--prove");
	if (!rail)
		return;
	add_direction(facts, before, after, rail, MEANS_PRIO_TX_BYTES, sent->sent_bytes);
	add_direction(facts, before, after, rail, MEANS_PRIO_RX_BYTES, sent->received_bytes);
}
