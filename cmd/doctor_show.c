/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor.h"

static const struct fact *of(
	const struct facts *facts, enum fact_key key, const char *place, const char *subject)
{
	return facts_find(facts, key, place, subject, NULL);
}

/* "3" or "3,4"; "none"; "?" when PFC was not read. */
static void print_pfc(FILE *out, const struct facts *facts, const struct fact *rail)
{
	char list[24] = "";
	bool known = false;

	FACTS_EACH (facts, FACT_PFC, pfc) {
		size_t used = strlen(list);

		if (strcmp(pfc->place, rail->place) != 0 ||
			strcmp(pfc->subject, rail->name) != 0)
			continue;
		known = true;
		if (pfc->number > 0 && used + 3 < sizeof(list))
			snprintf(list + used, sizeof(list) - used, "%s%s", used ? "," : "",
				pfc->name);
	}
	fprintf(out, " %-6s", !known ? "?" : *list ? list : "none");
}

static void print_number(FILE *out, int width, const struct fact *fact)
{
	if (fact)
		fprintf(out, " %*.0f", width, fact->number);
	else
		fprintf(out, " %*s", width, "?");
}

static void print_text(FILE *out, int width, const struct fact *fact)
{
	fprintf(out, " %-*s", width, fact ? fact->text : "?");
}

void doctor_print_ports(FILE *out, const struct facts *facts)
{
	if (!facts_first(facts, FACT_RAIL))
		return;
	fprintf(out, "%-12s %-10s %-14s %-8s %5s %5s %-6s %-5s %s\n", "host", "device",
		"interface", "state", "Gb/s", "MTU", "PFC", "trust", "firmware");
	FACTS_EACH (facts, FACT_RAIL, rail) {
		const struct fact *speed = of(facts, FACT_LINK_SPEED, rail->place, rail->name);

		fprintf(out, "%-12s %-10s %-14s", rail->place, rail->subject,
			*rail->name ? rail->name : "?");
		print_text(out, 8, of(facts, FACT_PORT_STATE, rail->place, rail->subject));
		print_number(out, 5,
			speed ? speed : of(facts, FACT_RATE, rail->place, rail->subject));
		print_number(out, 5, of(facts, FACT_ACTIVE_MTU, rail->place, rail->subject));
		print_pfc(out, facts, rail);
		print_text(out, 5, of(facts, FACT_TRUST, rail->place, rail->name));
		print_text(out, 0, of(facts, FACT_FIRMWARE, rail->place, rail->subject));
		fprintf(out, "\n");
	}
	fprintf(out, "\n");
}

static bool is_first_of_kind(const struct facts *facts, const struct fact *it)
{
	FACTS_EACH (facts, FACT_READING, other) {
		if (other == it)
			return true;
		if (strcmp(other->text, it->text) == 0 && strcmp(other->name, it->name) == 0)
			return false;
	}
	return true;
}

static int count_of_kind(const struct facts *facts, const struct fact *it)
{
	int count = 0;

	FACTS_EACH (facts, FACT_READING, other)
		count += strcmp(other->text, it->text) == 0 &&
			 strcmp(other->name, it->name) == 0;
	return count;
}

/* What is only absent is named on request: most of it is another vendor's. */
void doctor_print_missing(FILE *out, const struct facts *facts, bool all)
{
	int absent = 0;
	bool any = false;

	FACTS_EACH (facts, FACT_READING, it) {
		bool is_absent = strcmp(it->text, "absent") == 0;
		int count = count_of_kind(facts, it);

		absent += is_absent;
		if ((is_absent && !all) || !is_first_of_kind(facts, it))
			continue;
		if (!any)
			fprintf(out, "\nnot read\n");
		any = true;
		fprintf(out, "  %-24s %s%s%s%s (%s)\n", it->text, it->place,
			*it->subject ? " " : "", it->subject, *it->name ? ": " : "",
			it->source);
		fprintf(out, "  %-24s %s", "", it->name);
		if (count > 1)
			fprintf(out, ", %d times", count);
		fprintf(out, "\n");
	}
	if (absent > 0 && !all)
		fprintf(out, "\nabsent on this kind of host: %d; --all names them\n", absent);
}

enum verdict doctor_verdict(const struct explain *explain)
{
	if (explain->verdict == VERDICT_FAIL)
		return VERDICT_FAIL;
	for (size_t i = 0; i < explain->unknown_count; i++)
		if (rule_is_core(explain->unknown[i]))
			return VERDICT_UNKNOWN;
	return explain->verdict;
}
