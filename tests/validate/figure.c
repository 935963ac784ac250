/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/figure.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define LEFT 64
#define TOP 44
#define WIDTH 520
#define HEIGHT 240
#define PER_LINE 8

static double across(const struct figure *figure, double x)
{
	double from = figure->x[0], to = figure->x[1];

	if (figure->log_x)
		return LEFT + WIDTH * log(x / from) / log(to / from);
	return LEFT + WIDTH * (x - from) / (to - from);
}

static double down(const struct figure *figure, double y)
{
	return TOP + HEIGHT * (1 - (y - figure->y[0]) / (figure->y[1] - figure->y[0]));
}

void figure_open(struct figure *figure)
{
	figure->out = open_memstream(&figure->text, &figure->bytes);
	if (!figure->out) {
		perror("validate");
		exit(2);
	}
	fprintf(figure->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 340\" "
		"font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n"
		"<title>%s</title>\n"
		"<style>\n"
		".p{fill:#fff}text{fill:#1f2328}.g{stroke:#d1d9e0}.f{stroke:#59636e}\n"
		".c0{color:#0969da}.c1{color:#bc4c00}.c2{color:#1a7f37}.c3{color:#8250df}\n"
		"@media(prefers-color-scheme:dark){.p{fill:#0d1117}text{fill:#f0f6fc}"
		".g{stroke:#3d444d}.f{stroke:#9198a1}\n"
		".c0{color:#4493f8}.c1{color:#db6d28}.c2{color:#3fb950}.c3{color:#ab7df8}}\n"
		"</style>\n<rect class=\"p\" width=\"680\" height=\"340\"/>\n"
		"<text x=\"%d\" y=\"24\" font-weight=\"bold\">%s</text>\n"
		"<text x=\"%d\" y=\"328\" text-anchor=\"middle\">%s</text>\n",
		figure->title, LEFT, figure->title, LEFT + WIDTH / 2, figure->x_label);
	for (int i = 0; i <= 4; i++) {
		double y = figure->y[0] + (figure->y[1] - figure->y[0]) * i / 4;

		fprintf(figure->out,
			"<path class=\"g\" d=\"M%d %.1fh%d\"/><text x=\"%d\" y=\"%.1f\" "
			"text-anchor=\"end\">%g</text>\n",
			LEFT, down(figure, y), WIDTH, LEFT - 8, down(figure, y) + 4, y);
	}
	for (double x = figure->x[0]; x <= figure->x[1] * 1.0001;
		x = figure->log_x ? x * figure->x_step : x + figure->x_step)
		fprintf(figure->out,
			"<path class=\"f\" d=\"M%.1f %dv5\"/><text x=\"%.1f\" y=\"%d\" "
			"text-anchor=\"middle\">%g</text>\n",
			across(figure, x), TOP + HEIGHT, across(figure, x), TOP + HEIGHT + 20,
			x);
	fprintf(figure->out, "<path class=\"f\" fill=\"none\" d=\"M%d %dv%dh%d\"/>\n", LEFT,
		TOP, HEIGHT, WIDTH);
}

void figure_dot(struct figure *figure, double x, double y)
{
	fprintf(figure->out,
		"<circle class=\"c%u\" fill=\"currentColor\" cx=\"%.1f\" cy=\"%.1f\" "
		"r=\"3.5\"/>\n",
		figure->colour, across(figure, x), down(figure, y));
}

/* The labels stand in a column at the right, by colour. */
void figure_line(struct figure *figure, const char *label, const double *x, const double *y,
	size_t count)
{
	fprintf(figure->out,
		"<path class=\"c%u\" stroke=\"currentColor\" stroke-width=\"1.5\" "
		"fill=\"none\" d=\"",
		figure->colour);
	for (size_t i = 0; i < count; i++)
		fprintf(figure->out, "%s%.1f %.1f%s", i ? "L" : "M", across(figure, x[i]),
			down(figure, y[i]), i % PER_LINE == PER_LINE - 1 ? "\n" : "");
	fprintf(figure->out,
		"\"/>\n<text class=\"c%u\" x=\"%d\" y=\"%.1f\" "
		"style=\"fill:currentColor\">%s</text>\n",
		figure->colour, LEFT + WIDTH + 8, TOP + 8.0 + 20 * figure->colour, label);
}

void figure_curve(struct figure *figure, const char *label,
	double (*of)(double x, double which), double which)
{
	double x[FIGURE_STEPS + 1], y[FIGURE_STEPS + 1];

	for (int i = 0; i <= FIGURE_STEPS; i++) {
		double part = (double)i / FIGURE_STEPS, from = figure->x[0], to = figure->x[1];

		x[i] = figure->log_x ? from * pow(to / from, part) : from + (to - from) * part;
		y[i] = of(x[i], which);
	}
	figure_line(figure, label, x, y, FIGURE_STEPS + 1);
}

void figure_close(struct report *report, struct figure *figure)
{
	struct drawn *drawn = &report->drawn[report->drawn_count++];

	assert(report->drawn_count <= FIGURES_MAX);
	fprintf(figure->out, "</svg>\n");
	if (fclose(figure->out)) {
		perror("validate");
		exit(2);
	}
	snprintf(drawn->file, sizeof(drawn->file), "validation-%s.svg", figure->name);
	drawn->text = figure->text;
	fprintf(report->out, "\n![%s](%s)\n", figure->title, drawn->file);
}
