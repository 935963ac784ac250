/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/junit.h"

#include <inttypes.h>
#include <string.h>

#include "reports/culprit.h"
#include "reports/html_mark.h"
#include "reports/words.h"

static size_t count_of(const struct findings *findings, enum verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < findings->count; i++)
		count += findings->items[i].verdict == verdict;
	return count;
}

static void attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	mark_text(out, value);
	fputc('"', out);
}

static void property(FILE *out, const char *name, const char *value)
{
	fputs("      <property", out);
	attribute(out, "name", name);
	attribute(out, "value", value);
	fputs("/>\n", out);
}

static void properties(FILE *out, const struct run *run)
{
	const struct run_info *info = run_info(run);
	char seed[24];

	snprintf(seed, sizeof(seed), "%" PRIu64, info->seed);
	fputs("    <properties>\n", out);
	property(out, "backend", info->backend);
	property(out, "simulation", words_simulated(run) ? "true" : "false");
	property(out, "program", info->program);
	property(out, "fabric_file", info->fabric_path);
	property(out, "plane", info->plane);
	property(out, "profile", info->profile);
	property(out, "seed", seed);
	fputs("    </properties>\n", out);
}

static void line(FILE *out, const char *text)
{
	if (!text[0])
		return;
	mark_text(out, text);
	fputc('\n', out);
}

/* Figure, what it rests on, and what to do. */
static void details(FILE *out, const struct run *run, const struct finding *finding)
{
	char figure[WORDS_TEXT];

	words_figure(figure, sizeof(figure), finding);
	line(out, finding->text);
	line(out, figure);
	line(out, finding->basis[0] ? finding->basis : words_source(run));
	line(out, finding->advice);
}

/* The how-manieth finding of this check, layer and culprit: names of cases differ. */
static size_t ordinal(const struct findings *findings, size_t i)
{
	const struct finding *finding = &findings->items[i];
	size_t count = 1;

	for (size_t j = 0; j < i; j++)
		count += strcmp(findings->items[j].check, finding->check) == 0 &&
			 strcmp(findings->items[j].layer, finding->layer) == 0 &&
			 strcmp(findings->items[j].culprit, finding->culprit) == 0;
	return count;
}

static void testcase(FILE *out, const struct findings *findings, size_t i)
{
	const struct finding *finding = &findings->items[i];
	char culprit[CULPRIT_TEXT], name[CULPRIT_TEXT + 80], class[40];
	size_t nth = ordinal(findings, i);

	culprit_text(culprit, sizeof(culprit), finding);
	snprintf(name, sizeof(name), "%s%s%s", finding->check, culprit[0] ? ": " : "", culprit);
	if (nth > 1)
		snprintf(name + strlen(name), sizeof(name) - strlen(name), " #%zu", nth);
	snprintf(class, sizeof(class), "weft.%s", finding->layer);
	fputs("    <testcase", out);
	attribute(out, "classname", class);
	attribute(out, "name", name);
	fputs(">\n", out);
}

static void outcome(FILE *out, const struct run *run, const struct finding *finding)
{
	switch (finding->verdict) {
	case VERDICT_FAIL:
		fputs("      <failure", out);
		attribute(out, "type", finding->rank == RANK_CAUSE ? "cause" : "symptom");
		attribute(out, "message", finding->text);
		fputs(">", out);
		details(out, run, finding);
		fputs("</failure>\n", out);
		return;
	case VERDICT_UNKNOWN:
		fputs("      <skipped", out);
		attribute(out, "message", finding->text);
		fputs("/>\n", out);
		return;
	case VERDICT_WARN:
	case VERDICT_PASS:
		break;
	}
	fprintf(out, "      <system-out>%s",
		finding->verdict == VERDICT_WARN ? "warning\n" : "");
	details(out, run, finding);
	fputs("</system-out>\n", out);
}

static void totals(FILE *out, const struct findings *findings, bool cut)
{
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
		findings->count + cut, count_of(findings, VERDICT_FAIL),
		count_of(findings, VERDICT_UNKNOWN) + cut);
}

void report_junit(FILE *out, const struct run *run, const struct findings *findings)
{
	const char *cut = words_cut(run);

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"weft\"", out);
	totals(out, findings, cut);
	fputs("  <testsuite", out);
	attribute(out, "name", run_info(run)->fabric_name);
	totals(out, findings, cut);
	properties(out, run);
	for (size_t i = 0; i < findings->count; i++) {
		testcase(out, findings, i);
		outcome(out, run, &findings->items[i]);
		fputs("    </testcase>\n", out);
	}
	if (cut) {
		fputs("    <testcase classname=\"weft.run\" name=\"run.whole\">\n"
		      "      <skipped",
			out);
		attribute(out, "message", cut);
		fputs("/>\n    </testcase>\n", out);
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
}
