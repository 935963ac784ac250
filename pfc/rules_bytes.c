/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/rule_command.h"

#define NO_NEED FACT_KEYS

/* What one reading says of a device; it may have two ports. */
static double read_together(const struct facts *facts, const struct fact *row)
{
	double sum = 0;

	FACTS_EACH (facts, FACT_BYTES, other)
		if (other->section == row->section && strcmp(other->place, row->place) == 0 &&
			strcmp(other->subject, row->subject) == 0)
			sum += other->number;
	return sum;
}

/* How many bytes a device moved while the job ran: as it is told, or between two readings.
 * -1: it is a total, a second row of the device, or of another place. */
static double moved(const struct facts *facts, const char *place, const struct fact *row)
{
	const struct fact *last;
	double bytes;

	if (strcmp(row->place, place) != 0 ||
		facts_find(facts, FACT_BYTES, place, row->subject, NULL) != row)
		return -1;
	if (row->more > 0)
		return read_together(facts, row);
	last = facts_find_last(facts, FACT_BYTES, place, row->subject, NULL);
	if (last->section == row->section)
		return -1;
	bytes = read_together(facts, last) - read_together(facts, row);
	return bytes < 0 ? -1 : bytes;
}

/* perftest sends through one device, whatever else the host has. */
static bool is_tested_alone(const struct facts *facts, const char *device)
{
	char asked[64];

	FACTS_EACH (facts, FACT_COMMAND, command)
		if (strncmp(command->subject, "ib_", 3) == 0 &&
			(!command_option(command->text, "-d", asked, sizeof(asked)) ||
				strcmp(asked, device) == 0))
			return true;
	return false;
}

static enum outcome imbalance_of(const struct rule *rule, const struct facts *facts,
	const char *place, struct explain *out)
{
	const struct fact *busiest = NULL;
	double sum = 0, most = 0;
	int devices = 0;
	char idle[512] = "none";
	size_t used = 0;

	FACTS_EACH (facts, FACT_BYTES, row) {
		double bytes = moved(facts, place, row);

		if (bytes < 0)
			continue;
		devices++;
		sum += bytes;
		if (!busiest || bytes > most) {
			busiest = row;
			most = bytes;
		}
	}
	if (devices < 2 || sum <= 0 || is_tested_alone(facts, busiest->subject))
		return RULE_UNKNOWN;
	if (most / sum < (devices == 2 ? 0.9 : 0.8))
		return RULE_CLEAR;
	FACTS_EACH (facts, FACT_BYTES, row) {
		double bytes = moved(facts, place, row);

		if (bytes >= 0 && bytes < most * 0.01 && used < sizeof(idle) - 64)
			used += (size_t)snprintf(idle + used, sizeof(idle) - used, "%s%s",
				used ? "," : "", row->subject);
	}
	explain_code(out, rule, rule->level, "%s carries %.1f %% of all bytes of %d NICs",
		busiest->subject, most / sum * 100, devices);
	explain_fact(out, "busiest", "%s", busiest->subject);
	explain_fact(out, "share", "%.3f", most / sum);
	explain_fact(out, "idle", "%s", idle);
	explain_advice(out,
		"All ranks use %s; check the map from rank to NIC (NCCL_IB_HCA, "
		"NVSHMEM_HCA_LIST, topology file, "
		"CUDA_VISIBLE_DEVICES) so that each GPU uses its nearest NIC, and run again.",
		busiest->subject);
	return RULE_FIRED;
}

static enum outcome imbalance(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const char *places[64];
	size_t count = facts_places(facts, FACT_BYTES, places, COUNT_OF(places));
	enum outcome all = RULE_UNKNOWN;

	for (size_t i = 0; i < count; i++) {
		enum outcome one = imbalance_of(rule, facts, places[i], out);

		if (one == RULE_FIRED)
			return one;
		all = one == RULE_CLEAR ? one : all;
	}
	return all;
}

const struct rule rules_bytes[] = {
	{ "NIC_IMBALANCE", VERDICT_FAIL, "rails", "one NIC carries nearly all bytes",
		"the other NICs were bought and do nothing",
		"Check the map from rank to NIC so that each GPU uses its nearest NIC.",
		"deepseek-ai/DeepEP#336", { FACT_BYTES, NO_NEED, NO_NEED }, imbalance },
	{ .code = NULL },
};
