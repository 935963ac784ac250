/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/html_mark.h"
#include "reports/html_parts.h"
#include "reports/number.h"

#define WIDTH 1000.0
#define SPINES_Y 46.0
#define LEAVES_Y 220.0
#define HOSTS_Y 350.0
#define BOX_HEIGHT 28.0
#define BOX_TALL 60.0   /* of a switch whose name stands upright */
#define NAME_LYING 44.0 /* of a box, at least, with a name in it */
#define NAME_UPRIGHT 11.0
#define SQUARE 15.0     /* a host in a row of its own */
#define LABEL_ROOM 16.0 /* for a host's name, which is written aslant */
#define LINED_HOSTS 96u /* so many hosts stand in one row with their cables drawn */
#define WIDE_LINKS 600u /* so many cables get a wider, unseen line to point at */

struct spot {
	double x, y;
};

struct drawing {
	const struct html *html;
	struct spot *nodes;              /* owned; the middle of each */
	uint32_t counts[3];              /* of a tier */
	bool *node_blamed, *link_blamed; /* owned */
	double square, height;           /* of a host; of the whole */
	bool lined;
};

/* --- where things stand --- */

static void place_row(struct drawing *drawing, enum scene_tier tier, double y)
{
	const struct scene *scene = drawing->html->scene;
	uint32_t k = 0;

	for (uint32_t i = 0; i < scene->node_count; i++)
		if (scene->nodes[i].tier == tier)
			drawing->nodes[i] =
				(struct spot){ (k++ + 0.5) * WIDTH / drawing->counts[tier], y };
}

/* How many hosts hang on the leaf that has most. */
static uint32_t most_hosts(const struct scene *scene, uint32_t *of_leaf)
{
	uint32_t most = 1;

	for (uint32_t i = 0; i < scene->node_count; i++) {
		uint32_t leaf = scene->nodes[i].leaf;

		if (scene->nodes[i].tier == SCENE_HOST && leaf != SCENE_NONE &&
			++of_leaf[leaf] > most)
			most = of_leaf[leaf];
	}
	return most;
}

/* Too many for a row: a block of squares under each leaf. */
static void place_blocks(struct drawing *drawing)
{
	const struct scene *scene = drawing->html->scene;
	uint32_t *of_leaf = zeroed(scene->node_count, sizeof(*of_leaf));
	uint32_t most = most_hosts(scene, of_leaf), columns = 1;
	double room = WIDTH / drawing->counts[SCENE_LEAF] - 6, step;

	while (columns < most && columns * columns * 3 < most)
		columns++;
	step = room / columns < 16 ? room / columns : 16;
	drawing->square = step * 0.8;
	memset(of_leaf, 0, scene->node_count * sizeof(*of_leaf));
	for (uint32_t i = 0; i < scene->node_count; i++) {
		uint32_t leaf = scene->nodes[i].leaf, k;

		if (scene->nodes[i].tier != SCENE_HOST || leaf == SCENE_NONE)
			continue;
		k = of_leaf[leaf]++;
		drawing->nodes[i].x =
			drawing->nodes[leaf].x + (k % columns - (columns - 1) / 2.0) * step;
		drawing->nodes[i].y = LEAVES_Y + 44 + k / columns * step;
	}
	drawing->height = LEAVES_Y + 60 + (most + columns - 1) / columns * step;
	free(of_leaf);
}

static void place_all(struct drawing *drawing)
{
	const struct scene *scene = drawing->html->scene;

	drawing->nodes = zeroed(scene->node_count, sizeof(*drawing->nodes));
	for (uint32_t i = 0; i < scene->node_count; i++)
		drawing->counts[scene->nodes[i].tier]++;
	place_row(drawing, SCENE_SPINE, SPINES_Y);
	place_row(drawing, SCENE_LEAF, LEAVES_Y);
	drawing->lined = drawing->counts[SCENE_HOST] <= LINED_HOSTS;
	drawing->square = SQUARE;
	drawing->height = HOSTS_Y + 62;
	if (drawing->lined)
		place_row(drawing, SCENE_HOST, HOSTS_Y);
	else
		place_blocks(drawing);
}

/* --- how a cable looks --- */

static unsigned step_of(double value, const double *steps, unsigned count)
{
	unsigned step = 0;

	while (step < count && value >= steps[step])
		step++;
	return step;
}

/* u: utilisation, 0 unused; l: loss, 0 none; p: time held by pause, 0 none; "x" where
 * no counter told. */
static void link_classes(FILE *out, const struct places *places, uint32_t link)
{
	static const double used[] = { 1e-9, 0.25, 0.5, 0.75, 0.9 };
	static const double lost[] = { 1e-12, 1e-5, 1e-3 };
	static const double held[] = { 1e-9, 0.01, 0.1 };
	uint64_t sent = places_sent(places, link);
	double loss = sent ? (double)places_missing(places, link) / (double)sent : 0;

	if (!places_counted(places, link)) {
		fputs("ux lx px", out);
		return;
	}
	fprintf(out, "u%u l%u p%u", step_of(places_busiest(places, link), used, COUNT_OF(used)),
		step_of(loss, lost, COUNT_OF(lost)),
		step_of(places_held(places, link), held, COUNT_OF(held)));
}

static void link_title(FILE *out, const struct html *html, uint32_t link)
{
	const struct scene_link *from = &html->scene->links[link];
	char speed[NUMBER_BYTES], sent[NUMBER_BYTES], missing[NUMBER_BYTES], text[320];

	number_rate(speed, sizeof(speed), from->speed_bps);
	number_count(sent, sizeof(sent), places_sent(&html->places, link));
	number_count(missing, sizeof(missing), places_missing(&html->places, link));
	if (!places_counted(&html->places, link))
		snprintf(text, sizeof(text), "%s to %s, %s: no counters", from->a_port,
			from->b_port, speed);
	else
		snprintf(text, sizeof(text),
			"%s to %s, %s: busiest window %.0f %%, %s of %s packets missing, "
			"paused "
			"up to %.1f %% of a window",
			from->a_port, from->b_port, speed,
			100 * places_busiest(&html->places, link), missing, sent,
			100 * places_held(&html->places, link));
	mark_element(out, "title", NULL, text);
}

/* The how-manieth of the cables between the same two nodes; they stand together. */
static uint32_t parallel(const struct scene *scene, uint32_t link)
{
	uint32_t first = link;

	while (first && scene->links[first - 1].a == scene->links[link].a &&
		scene->links[first - 1].b == scene->links[link].b)
		first--;
	return link - first;
}

static void line(
	FILE *out, const struct spot *a, const struct spot *b, double shift, const char *style)
{
	fprintf(out, "<line%s x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", style,
		a->x + shift, a->y, b->x + shift, b->y);
}

static void draw_link(const struct drawing *drawing, uint32_t link)
{
	bool blamed = drawing->link_blamed[link];
	const struct scene *scene = drawing->html->scene;
	const struct scene_link *from = &scene->links[link];
	const struct spot *a = &drawing->nodes[from->a], *b = &drawing->nodes[from->b];
	FILE *out = drawing->html->out;
	double shift = 4.0 * parallel(scene, link);

	if (!drawing->lined && scene->nodes[from->a].tier == SCENE_HOST && !blamed)
		return;
	fputs(blamed ? "<g class=\"blamed " : "<g class=\"", out);
	link_classes(out, &drawing->html->places, link);
	fputs("\">", out);
	link_title(out, drawing->html, link);
	line(out, a, b, shift, "");
	if (scene->link_count <= WIDE_LINKS)
		line(out, a, b, shift, " class=\"wide\"");
	fputs("</g>\n", out);
}

/* --- nodes --- */

/* The worst of a host's cables lends it its looks. */
static uint32_t worst_link(const struct html *html, uint32_t node)
{
	const struct scene *scene = html->scene;
	uint32_t worst = SCENE_NONE;

	for (uint32_t i = 0; i < scene->nic_count; i++) {
		uint32_t link = scene->nics[i].link;

		if (scene->nics[i].node != node || link == SCENE_NONE)
			continue;
		if (worst == SCENE_NONE || places_missing(&html->places, link) >
						   places_missing(&html->places, worst))
			worst = link;
	}
	return worst;
}

static void draw_host(const struct drawing *drawing, uint32_t node)
{
	const struct html *html = drawing->html;
	const struct spot *at = &drawing->nodes[node];
	uint32_t link = worst_link(html, node);
	double square = drawing->square, room = WIDTH / drawing->counts[SCENE_HOST];
	FILE *out = html->out;

	fprintf(out, "<g class=\"host%s ", drawing->node_blamed[node] ? " blamed" : "");
	if (link == SCENE_NONE)
		fputs("ux lx px", out);
	else
		link_classes(out, &html->places, link);
	fputs("\">", out);
	if (link == SCENE_NONE)
		mark_element(out, "title", NULL, html->scene->nodes[node].name);
	else
		link_title(out, html, link);
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>",
		at->x - square / 2, at->y - square / 2, square, square);
	if (drawing->lined && room >= LABEL_ROOM) {
		fprintf(out, "<text transform=\"translate(%.1f %.1f) rotate(-50)\">", at->x + 5,
			at->y + 16);
		mark_text(out, html->scene->nodes[node].name);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static void draw_switch(const struct drawing *drawing, uint32_t node)
{
	const struct scene_node *from = &drawing->html->scene->nodes[node];
	const struct spot *at = &drawing->nodes[node];
	double room = WIDTH / drawing->counts[from->tier];
	double width = room < 84 ? room - 4 : 80;
	bool upright = width < NAME_LYING && width >= NAME_UPRIGHT;
	double height = upright ? BOX_TALL : BOX_HEIGHT;
	FILE *out = drawing->html->out;

	fprintf(out, "<g class=\"switch%s\">", drawing->node_blamed[node] ? " blamed" : "");
	mark_element(out, "title", NULL, from->name);
	fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" rx=\"5\"/>",
		at->x - width / 2, at->y - height / 2, width, height);
	if (width >= NAME_UPRIGHT) {
		fprintf(out, "<text transform=\"translate(%.1f %.1f) rotate(%d)\">",
			upright ? at->x + 4 : at->x, upright ? at->y : at->y + 5,
			upright ? -90 : 0);
		mark_text(out, from->name);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

/* --- whom the findings blame --- */

static void find_blamed(struct drawing *drawing)
{
	const struct html *html = drawing->html;
	const struct scene *scene = html->scene;

	drawing->node_blamed = zeroed(scene->node_count, sizeof(bool));
	drawing->link_blamed = zeroed(scene->link_count, sizeof(bool));
	for (size_t i = 0; i < html->findings->count; i++) {
		struct scene_spot spot = scene_spot(scene, &html->findings->items[i]);

		if (!html->numbers[i])
			continue;
		if (spot.node != SCENE_NONE)
			drawing->node_blamed[spot.node] = true;
		if (spot.link != SCENE_NONE)
			drawing->link_blamed[spot.link] = true;
	}
}

/* Where the number of a cause goes: on its cable, nearer to the leaf, or at the corner
 * of its box. */
static bool badge_at(
	const struct drawing *drawing, const struct scene_spot *spot, struct spot *at)
{
	const struct scene *scene = drawing->html->scene;

	if (spot->node != SCENE_NONE) {
		*at = drawing->nodes[spot->node];
		at->x += scene->nodes[spot->node].tier == SCENE_HOST ? 0 : 46;
		at->y -= 18;
		return true;
	}
	if (spot->link != SCENE_NONE) {
		const struct spot *a = &drawing->nodes[scene->links[spot->link].a];
		const struct spot *b = &drawing->nodes[scene->links[spot->link].b];

		*at = (struct spot){ a->x + 0.4 * (b->x - a->x), a->y + 0.4 * (b->y - a->y) };
		return true;
	}
	return false;
}

static void draw_badge(const struct drawing *drawing, size_t i)
{
	const struct html *html = drawing->html;
	const struct finding *finding = &html->findings->items[i];
	unsigned number = html->numbers[i];
	struct scene_spot spot = scene_spot(html->scene, finding);
	struct spot at;

	if (!number || !badge_at(drawing, &spot, &at))
		return;
	fprintf(html->out, "<a href=\"#f%u\" class=\"badge\" aria-label=\"finding %u: ", number,
		number);
	mark_text(html->out, finding->culprit);
	fprintf(html->out,
		"\"><circle cx=\"%.1f\" cy=\"%.1f\" r=\"12\"/><text x=\"%.1f\" "
		"y=\"%.1f\">%u</text>",
		at.x, at.y, at.x, at.y + 5, number);
	fputs("</a>\n", html->out);
}

static void draw(const struct drawing *drawing)
{
	const struct html *html = drawing->html;
	const struct scene *scene = html->scene;

	for (int blamed = 0; blamed < 2; blamed++)
		for (uint32_t i = 0; i < scene->link_count; i++)
			if (drawing->link_blamed[i] == (blamed == 1))
				draw_link(drawing, i);
	for (uint32_t i = 0; i < scene->node_count; i++) {
		if (scene->nodes[i].tier == SCENE_HOST)
			draw_host(drawing, i);
		else
			draw_switch(drawing, i);
	}
	for (size_t i = 0; i < html->findings->count; i++)
		draw_badge(drawing, i);
}

/* What the cables show at first: what is wrong, if anything is. */
static const char *first_view(const struct html *html)
{
	for (uint32_t i = 0; i < html->scene->link_count; i++)
		if (places_missing(&html->places, i))
			return "l";
	return "u";
}

static void choice(FILE *out, const char *view, const char *first, const char *label)
{
	fprintf(out, "<label><input type=\"radio\" name=\"view\" value=\"%s\"%s> %s</label>\n",
		view, strcmp(view, first) == 0 ? " checked" : "", label);
}

void html_fabric(const struct html *html)
{
	struct drawing drawing = { .html = html };
	const char *first = first_view(html);
	FILE *out = html->out;

	if (!html->scene->node_count)
		return;
	place_all(&drawing);
	find_blamed(&drawing);
	fputs("<section id=\"fabric\"><h2>The fabric</h2>\n", out);
	fputs("<fieldset class=\"views\"><legend>Cables show</legend>\n", out);
	choice(out, "u", first, "utilisation");
	choice(out, "l", first, "loss");
	choice(out, "p", first, "pause");
	fputs("</fieldset>\n", out);
	fprintf(out,
		"<svg id=\"drawing\" data-view=\"%s\" viewBox=\"-18 0 %.0f %.0f\" "
		"role=\"group\" "
		"aria-label=\"Spines, leaves and hosts in rows, with their cables; culprits "
		"are numbered as the findings are\">\n",
		first, WIDTH + 18, drawing.height);
	draw(&drawing);
	fputs("</svg>\n", out);
	fputs("<p class=\"key u\"><b class=\"u0\"></b>unused <b class=\"u1\"></b>below 25 % "
	      "<b class=\"u2\"></b>25 <b class=\"u3\"></b>50 <b class=\"u4\"></b>75 <b "
	      "class=\"u5\"></b>90 % of the speed or more, in its busiest window</p>\n"
	      "<p class=\"key l\"><b class=\"l0\"></b>none lost <b class=\"l1\"></b>below 1e-5 "
	      "<b class=\"l2\"></b>below 1e-3 <b class=\"l3\"></b>1e-3 or more of the packets "
	      "sent did not reach the other end</p>\n"
	      "<p class=\"key p\"><b class=\"p0\"></b>never <b class=\"p1\"></b>below 1 % <b "
	      "class=\"p2\"></b>below 10 % <b class=\"p3\"></b>10 % of a window or more held "
	      "by PFC</p>\n</section>\n",
		out);
	free(drawing.nodes);
	free(drawing.node_blamed);
	free(drawing.link_blamed);
}
