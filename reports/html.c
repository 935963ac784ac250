/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/html.h"

#include <stdlib.h>
#include <string.h>

#include "reports/assets.h"
#include "reports/culprit.h"
#include "reports/html_mark.h"
#include "reports/html_parts.h"
#include "reports/tables.h"
#include "reports/verdict.h"
#include "reports/words.h"

#define NAMED_MAX 6u   /* culprits in the headline */
#define LINKS_MAX 200u /* rows of the table of cables */
#define PAIRS_MAX 10u

static void put_asset(FILE *out, const struct asset *asset)
{
	fwrite(asset->bytes, 1, asset->count, out);
}

static const char *verdict_class(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
	case VERDICT_WARN:
		return "pass";
	case VERDICT_FAIL:
		return "fail";
	case VERDICT_UNKNOWN:
		break;
	}
	return "unknown";
}

static void head(const struct html *html, enum verdict verdict)
{
	FILE *out = html->out;

	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
		out);
	fprintf(out, "%s: ", words_verdict(verdict));
	mark_text(out, run_info(html->run)->fabric_name);
	fputs(words_simulated(html->run) ? " (simulated)" : "", out);
	fputs("</title>\n<script>document.documentElement.dataset.theme = "
	      "matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : "
	      "'light';</script>\n<style>\n",
		out);
	put_asset(out, &asset_style);
	fputs("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#failed\">To what "
	      "failed</a>\n",
		out);
}

/* "1 switch leaf3 switch.pfc-off", and the next: each leads to its finding. */
static void culprits(const struct html *html)
{
	char text[CULPRIT_TEXT];
	unsigned shown = 0, last = 0;

	for (size_t i = 0; i < html->findings->count; i++) {
		if (!html->numbers[i])
			continue;
		last = html->numbers[i];
		if (shown >= NAMED_MAX)
			continue;
		culprit_text(text, sizeof(text), &html->findings->items[i]);
		fprintf(html->out, "%s<a href=\"#f%u\"><span class=\"no\">%u</span> ",
			shown++ ? "" : "<p class=\"culprits\">", last, last);
		mark_text(html->out, text);
		fputc(' ', html->out);
		mark_element(html->out, "code", NULL, html->findings->items[i].check);
		fputs("</a>\n", html->out);
	}
	if (last > shown)
		fprintf(html->out, "<a href=\"#failed\">and %u more</a>\n", last - shown);
	if (shown)
		fputs("</p>\n", html->out);
}

static size_t count(const struct html *html, enum verdict verdict)
{
	size_t found = 0;

	for (size_t i = 0; i < html->findings->count; i++)
		found += html->findings->items[i].verdict == verdict;
	return found;
}

/* What keeps a run without a failure from being a pass. */
static void doubts(const struct html *html)
{
	size_t left = count(html, VERDICT_UNKNOWN);
	const char *last = "";
	unsigned shown = 0;

	if (!left || count(html, VERDICT_FAIL))
		return;
	fputs("<p class=\"doubts\"><a href=\"#unknown\">Not known:", html->out);
	for (size_t i = 0; i < html->findings->count && shown < NAMED_MAX; i++) {
		const struct finding *finding = &html->findings->items[i];

		if (finding->verdict != VERDICT_UNKNOWN)
			continue;
		left--;
		if (strcmp(finding->check, last) == 0)
			continue;
		last = finding->check;
		fputs(shown++ ? ", " : " ", html->out);
		mark_element(html->out, "code", NULL, last);
	}
	if (left)
		fprintf(html->out, " and %zu more", left);
	fputs("</a></p>\n", html->out);
}

static void parts(const struct html *html)
{
	fputs("<nav aria-label=\"Parts of this report\">\n<a href=\"#failed\">failed</a> ",
		html->out);
	if (count(html, VERDICT_UNKNOWN))
		fputs("<a href=\"#unknown\">unknown</a> ", html->out);
	if (count(html, VERDICT_WARN))
		fputs("<a href=\"#warned\">warnings</a> ", html->out);
	fputs("<a href=\"#fabric\">fabric</a> <a "
	      "href=\"#layers\">layers</a> <a href=\"#charts\">charts</a> <a "
	      "href=\"#bursts\">bursts</a> <a href=\"#pairs\">pairs</a> <a "
	      "href=\"#cables\">cables</a> <a "
	      "href=\"#hosts\">hosts</a> <a href=\"#missing\">not measured</a> <a "
	      "href=\"#passed\">passed</a> <a href=\"#stages\">stages</a>\n</nav>\n",
		html->out);
}

static void top(const struct html *html, enum verdict verdict)
{
	const char *cut = words_cut(html->run);
	char text[WORDS_TEXT];

	fprintf(html->out, "<header class=\"%s\">\n<p class=\"verdict\">%s</p>\n<div>\n",
		verdict_class(verdict), words_verdict(verdict));
	words_run(text, sizeof(text), html->run);
	mark_element(html->out, "h1", NULL, text);
	if (words_simulated(html->run))
		fputs("<p><strong class=\"sim\">SIMULATED</strong> Nothing here was measured "
		      "on "
		      "hardware.</p>\n",
			html->out);
	culprits(html);
	doubts(html);
	words_counts(text, sizeof(text), html->findings);
	mark_element(html->out, "p", NULL, text);
	if (cut)
		mark_element(html->out, "p", "cut", cut);
	fputs("</div>\n<button id=\"theme\" type=\"button\">Dark or light</button>\n"
	      "</header>\n",
		html->out);
	parts(html);
	fputs("<main>\n", html->out);
}

void html_chart(FILE *out, const char *id, const char *title, const char *help)
{
	if (!asset_charts.count)
		return;
	fprintf(out,
		"<figure class=\"chart\" id=\"c-%s\"><figcaption>%s "
		"<small>%s</small></figcaption>"
		"<div class=\"controls\"></div><div class=\"plot\" role=\"img\" "
		"aria-label=\"%s\"></div></figure>\n",
		id, title, help, title);
}

static void charts(FILE *out)
{
	fputs("<section id=\"charts\"><h2>Over the run</h2>\n", out);
	if (!asset_charts.count)
		fputs("<p class=\"cut\">This weft was built without the charts (npm was not "
		      "there, "
		      "or no registry could be reached): the figures are in the tables "
		      "below.</p>\n",
			out);
	html_chart(out, "rates", "Goodput of each stage",
		"slowest, median and fastest flow, Gb/s");
	html_chart(out, "counts", "Counters of each stage",
		"sums over all ports; the axis is logarithmic from 1 on");
	html_chart(out, "goodput", "Goodput in a stage",
		"Gb/s of payload; dashed: events, by number; drag the bar below, or shift and "
		"scroll, to zoom");
	html_chart(out, "queue", "Queues in a stage", "KiB waiting at a switch port");
	html_chart(out, "steps", "Step times of an all-reduce",
		"us from the post to the last byte; points stick out of the median of their "
		"edge "
		"+ max(limits.spike, 5 MAD)");
	html_chart(out, "incast-not-ect", "Onset under incast, Not-ECT",
		"PFC must act, ECN cannot");
	html_chart(out, "incast-ect", "Onset under incast, ECT", "ECN must act before PFC");
	html_chart(out, "burst", "Onset under microbursts", "what each size of burst provoked");
	fputs("</section>\n", out);
}

static void layers(const struct html *html)
{
	struct table table;

	fputs("<section id=\"layers\"><h2>Layers</h2>\n", html->out);
	tables_layers(&table, &html->figures, html->findings);
	mark_table(html->out, &table, "Layers of the acceptance");
	fputs("</section>\n", html->out);
}

static void sums(const struct html *html)
{
	struct table table;

	fputs("<section id=\"sums\"><h2>Lossless and all-reduce</h2>\n", html->out);
	tables_lossless(&table, &html->figures);
	mark_table(html->out, &table,
		"Lossless truth table: rates in Gb/s, sums over the repeats of a stage");
	tables_rings(&table, &html->figures);
	mark_table(html->out, &table, "All-reduces");
	fputs("</section>\n", html->out);
}

static void pairs(const struct html *html)
{
	struct table table;

	fputs("<section id=\"pairs\"><h2>Pairs</h2>\n", html->out);
	html_chart(html->out, "pairs", "Goodput from row to column",
		"the slowest flow of each pair that was tried, Gb/s; empty: not tried");
	tables_pairs(&table, &html->places, LAYER_PAIRS, PAIRS_MAX);
	mark_table(html->out, &table, "The slowest pairs, each alone");
	tables_pairs(&table, &html->places, LAYER_NONBLOCKING, PAIRS_MAX);
	mark_table(html->out, &table, "The slowest pairs of the permutations");
	fputs("</section>\n", html->out);
}

static void tables(const struct html *html)
{
	struct table table;

	fputs("<section id=\"cables\"><h2>Cables</h2>\n", html->out);
	tables_links(&table, &html->places, LINKS_MAX);
	if (!table.count)
		fputs("<p>On no cable was a packet lost, dropped or held by PFC.</p>\n",
			html->out);
	mark_table(html->out, &table,
		"Directions with loss, drops, errors or pause, the worst first");
	fputs("</section>\n<section id=\"hosts\"><h2>Hosts</h2>\n", html->out);
	tables_nics(&table, &html->places);
	mark_table(html->out, &table,
		"Every NIC; slowest out and in: Gb/s in the pairs layer, alone");
	fputs("</section>\n", html->out);
	html_missing(html);
	html_passes(html);
	fputs("<section id=\"stages\"><h2>Stages</h2>\n", html->out);
	tables_stages(&table, &html->figures);
	mark_table(html->out, &table, "Every stage of the plan");
	fputs("</section>\n</main>\n", html->out);
}

static void foot(const struct html *html, const struct report_options *options)
{
	char text[WORDS_TEXT];

	fputs("<footer>\n", html->out);
	words_foot(text, sizeof(text), html->run);
	mark_element(html->out, "p", NULL, text);
	if (options->run_path) {
		fputs("<p>Run file: ", html->out);
		mark_element(html->out, "code", NULL, options->run_path);
		fputs(" (<code>weft report</code> draws it again). Fabric file: ", html->out);
		mark_element(html->out, "code", NULL, run_info(html->run)->fabric_path);
		fputs("</p>\n", html->out);
	}
	fputs(asset_charts.count ? "<p>Charts: Apache ECharts, whose licence stands in this "
				   "file.</p>\n</footer>\n"
				 : "</footer>\n",
		html->out);
}

static int scripts(const struct html *html, struct diag *diag)
{
	struct json *root = json_new_object();
	int err;

	err = html_put_data(root, html, diag);
	if (!err) {
		fputs("<script type=\"application/json\" id=\"data\">", html->out);
		json_write_inline(html->out, root);
		fputs("</script>\n<script>\n", html->out);
		put_asset(html->out, &asset_charts);
		fputs("</script>\n<script>\n", html->out);
		put_asset(html->out, &asset_script);
		fputs("</script>\n</body>\n</html>\n", html->out);
	}
	json_free(root);
	return err;
}

static int page(struct html *html, enum verdict verdict, const struct report_options *options,
	struct diag *diag)
{
	bool failed = count(html, VERDICT_FAIL) > 0;

	head(html, verdict);
	top(html, verdict);
	fputs("<div class=\"front\">\n", html->out);
	fputs("<div>\n", html->out);
	html_failures(html);
	if (!failed)
		html_doubts(html);
	layers(html);
	fputs("</div>\n", html->out);
	html_fabric(html);
	fputs("</div>\n", html->out);
	if (failed)
		html_doubts(html);
	sums(html);
	charts(html->out);
	html_bursts(html);
	pairs(html);
	tables(html);
	foot(html, options);
	return scripts(html, diag);
}

int report_html(FILE *out, struct run *run, const struct findings *findings,
	const struct scene *scene, const struct report_options *options, struct diag *diag)
{
	struct html html = { .out = out,
		.run = run,
		.findings = findings,
		.scene = scene,
		.figures = FIGURES_INIT,
		.places = PLACES_INIT };
	int err;

	err = figures_read(&html.figures, run, diag);
	if (!err)
		err = places_read(&html.places, scene, run, diag);
	html.numbers = html_numbers(findings);
	if (!err)
		err = page(&html, report_verdict(run, findings), options, diag);
	free(html.numbers);
	places_free(&html.places);
	figures_free(&html.figures);
	return err;
}
