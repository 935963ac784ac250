/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/digest.h"
#include "lib/grow.h"
#include "lib/json.h"

#define SCHEMA "weft-digest"

static const char *const rank_names[] = { "cause", "symptom", "info" };

/* --- writing --- */

/* All 64 bits; a number in JSON has not so many. */
static void put_draw(struct json *object, uint64_t draw)
{
	char text[17];

	if (!draw)
		return;
	snprintf(text, sizeof(text), "%016" PRIx64, draw);
	json_put_text(object, "draw", text);
}

static void put_loads(struct json *root, const struct digest *digest)
{
	struct json *array = json_put_array(root, "loads");

	for (size_t i = 0; i < digest->load_count; i++) {
		const struct digest_load *load = &digest->loads[i];
		struct json *object = json_add_object(array);

		json_put_text(object, "a", load->a);
		json_put_text(object, "b", load->b);
		for (enum plan_layer layer = 0; layer < LAYER_COUNT; layer++) {
			struct json *packets;

			if (!load->from_a[layer] && !load->from_b[layer])
				continue;
			packets = json_put_array(object, plan_layer_name(layer));
			json_add_u64(packets, load->from_a[layer]);
			json_add_u64(packets, load->from_b[layer]);
		}
	}
}

static void put_findings(struct json *root, const struct findings *findings)
{
	struct json *array = json_put_array(root, "findings");

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];
		struct json *object = json_add_object(array);

		json_put_text(object, "check", finding->check);
		json_put_text(object, "layer", finding->layer);
		json_put_text(object, "verdict", verdict_name(finding->verdict));
		json_put_text(object, "rank", rank_names[finding->rank]);
		json_put_text(object, "kind", culprit_kind_name(finding->culprit_kind));
		json_put_text(object, "culprit", finding->culprit);
		json_put_text(object, "text", finding->text);
	}
}

static void put_figures(struct json *root, const struct digest *digest)
{
	struct json *array = json_put_array(root, "figures");

	for (size_t i = 0; i < digest->figure_count; i++) {
		const struct digest_figure *figure = &digest->figures[i];
		struct json *object = json_add_object(array);

		json_put_text(object, "metric", digest_info(figure->metric)->name);
		json_put_text(object, "subject", figure->subject);
		if (digest_info(figure->metric)->kind == DIGEST_COUNTS) {
			json_put_u64(object, "events", figure->events);
			json_put_u64(object, "of", figure->of);
		} else {
			json_put_double(object, "value", figure->value);
		}
		put_draw(object, figure->draw);
	}
}

void digest_write(FILE *out, const struct digest *digest)
{
	struct json *root = json_new_object(), *array;

	json_put_text(root, "schema", SCHEMA);
	json_put_i64(
		root, "version", digest->has_loads ? DIGEST_VERSION : DIGEST_VERSION_LEAST);
	json_put_text(root, "program", digest->program);
	json_put_text(root, "backend", digest->backend);
	json_put_text(root, "profile", digest->profile);
	json_put_text(root, "plane", digest->plane);
	json_put_text(root, "fabric", digest->fabric);
	json_put_u64(root, "seed", digest->seed);
	json_put_bool(root, "ended", digest->ended);
	json_put_bool(root, "interrupted", digest->interrupted);
	json_put_text(root, "verdict", verdict_name(digest->verdict));
	array = json_put_array(root, "stages");
	for (size_t i = 0; i < digest->stage_count; i++) {
		struct json *object = json_add_object(array);

		json_put_text(object, "name", digest->stages[i].name);
		json_put_bool(object, "complete", digest->stages[i].complete);
		put_draw(object, digest->stages[i].draw);
	}
	put_findings(root, &digest->findings);
	put_figures(root, digest);
	if (digest->has_loads)
		put_loads(root, digest);
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
}

/* --- reading: each returns false for what digest_write() does not write --- */

static bool get_text(const struct json *object, const char *key, char *text, size_t size)
{
	const char *value = json_text(json_get(object, key));

	if (!value || strlen(value) >= size)
		return false;
	memcpy(text, value, strlen(value) + 1);
	return true;
}

static bool get_count(const struct json *object, const char *key, uint64_t *value)
{
	int64_t number;

	if (!json_int(json_get(object, key), &number) || number < 0)
		return false;
	*value = (uint64_t)number;
	return true;
}

/* 16 hexadecimal digits, or nothing. */
static bool get_draw(const struct json *object, uint64_t *draw)
{
	const char *text = json_text(json_get(object, "draw"));

	*draw = 0;
	if (!json_get(object, "draw"))
		return true;
	if (!text || strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
		return false;
	*draw = strtoull(text, NULL, 16);
	return *draw != 0;
}

static bool get_verdict(const struct json *object, enum verdict *verdict)
{
	const char *name = json_text(json_get(object, "verdict"));

	for (unsigned i = VERDICT_PASS; name && i <= VERDICT_UNKNOWN; i++) {
		if (strcmp(name, verdict_name((enum verdict)i)) == 0) {
			*verdict = (enum verdict)i;
			return true;
		}
	}
	return false;
}

static bool get_kind(const struct json *object, enum culprit_kind *kind)
{
	const char *name = json_text(json_get(object, "kind"));

	for (unsigned i = CULPRIT_NONE; name && i <= CULPRIT_UNLOCATED; i++) {
		if (strcmp(name, culprit_kind_name((enum culprit_kind)i)) == 0) {
			*kind = (enum culprit_kind)i;
			return true;
		}
	}
	return false;
}

static bool get_rank(const struct json *object, enum finding_rank *rank)
{
	const char *name = json_text(json_get(object, "rank"));

	for (unsigned i = RANK_CAUSE; name && i <= RANK_INFO; i++) {
		if (strcmp(name, rank_names[i]) == 0) {
			*rank = (enum finding_rank)i;
			return true;
		}
	}
	return false;
}

static bool get_finding(const struct json *object, struct findings *findings)
{
	struct finding read = { .check = "" }, *finding;

	if (!get_text(object, "check", read.check, sizeof(read.check)) ||
		!get_text(object, "layer", read.layer, sizeof(read.layer)) ||
		!get_verdict(object, &read.verdict) || !get_rank(object, &read.rank) ||
		!get_kind(object, &read.culprit_kind) ||
		!get_text(object, "culprit", read.culprit, sizeof(read.culprit)) ||
		!get_text(object, "text", read.text, sizeof(read.text)))
		return false;
	finding = findings_add(findings, read.check, read.layer, read.verdict);
	*finding = read;
	return true;
}

static bool get_metric(const struct json *object, enum digest_metric *metric)
{
	const char *name = json_text(json_get(object, "metric"));

	for (unsigned i = 0; name && i < DIGEST_METRICS; i++) {
		if (strcmp(name, digest_info((enum digest_metric)i)->name) == 0) {
			*metric = (enum digest_metric)i;
			return true;
		}
	}
	return false;
}

static bool get_figure(const struct json *object, struct digest *digest)
{
	struct digest_figure read = { .value = 0 };

	if (!get_metric(object, &read.metric) ||
		!get_text(object, "subject", read.subject, sizeof(read.subject)))
		return false;
	if (digest_info(read.metric)->kind == DIGEST_COUNTS) {
		if (!get_count(object, "events", &read.events) ||
			!get_count(object, "of", &read.of) || read.of == 0 ||
			read.events > read.of)
			return false;
		read.value = (double)read.events / (double)read.of;
	} else if (!json_number(json_get(object, "value"), &read.value) ||
		   !isfinite(read.value) || read.value < 0) {
		return false;
	}
	if (!get_draw(object, &read.draw))
		return false;
	*digest_add(digest, read.metric, read.subject) = read;
	return true;
}

static bool get_packets(const struct json *packets, uint64_t *from_a, uint64_t *from_b)
{
	int64_t a, b;

	if (!packets)
		return true;
	if (json_count(packets) != 2 || !json_int(json_at(packets, 0), &a) ||
		!json_int(json_at(packets, 1), &b) || a < 0 || b < 0)
		return false;
	*from_a = (uint64_t)a;
	*from_b = (uint64_t)b;
	return true;
}

static bool get_load(const struct json *object, struct digest *digest)
{
	char a[DIGEST_PORT], b[DIGEST_PORT];
	struct digest_load *load;

	if (!get_text(object, "a", a, sizeof(a)) || !get_text(object, "b", b, sizeof(b)))
		return false;
	load = digest_add_load(digest, a, b);
	for (enum plan_layer layer = 0; layer < LAYER_COUNT; layer++)
		if (!get_packets(json_get(object, plan_layer_name(layer)), &load->from_a[layer],
			    &load->from_b[layer]))
			return false;
	return true;
}

static bool get_loads(const struct json *root, struct digest *digest)
{
	const struct json *array = json_get(root, "loads");
	bool good = json_is_array(array);

	digest->has_loads = true;
	for (size_t i = 0; good && i < json_count(array); i++)
		good = get_load(json_at(array, i), digest);
	return good;
}

static bool get_stages(const struct json *root, struct digest *digest)
{
	const struct json *array = json_get(root, "stages");

	if (!json_is_array(array))
		return false;
	digest->stages = zeroed(json_count(array), sizeof(*digest->stages));
	for (size_t i = 0; i < json_count(array); i++) {
		struct digest_stage *stage = &digest->stages[digest->stage_count++];
		const struct json *object = json_at(array, i);

		if (!get_text(object, "name", stage->name, sizeof(stage->name)) ||
			!json_bool(json_get(object, "complete"), &stage->complete) ||
			!get_draw(object, &stage->draw))
			return false;
	}
	return true;
}

static bool get_head(const struct json *root, struct digest *digest)
{
	return get_text(root, "program", digest->program, sizeof(digest->program)) &&
	       get_text(root, "backend", digest->backend, sizeof(digest->backend)) &&
	       get_text(root, "profile", digest->profile, sizeof(digest->profile)) &&
	       get_text(root, "plane", digest->plane, sizeof(digest->plane)) &&
	       get_text(root, "fabric", digest->fabric, sizeof(digest->fabric)) &&
	       get_count(root, "seed", &digest->seed) &&
	       json_bool(json_get(root, "ended"), &digest->ended) &&
	       json_bool(json_get(root, "interrupted"), &digest->interrupted) &&
	       get_verdict(root, &digest->verdict);
}

static bool get_all(const struct json *root, int64_t version, struct digest *digest)
{
	const struct json *findings = json_get(root, "findings");
	const struct json *figures = json_get(root, "figures");
	bool good = get_head(root, digest) && get_stages(root, digest) &&
		    json_is_array(findings) && json_is_array(figures);

	for (size_t i = 0; good && i < json_count(findings); i++)
		good = get_finding(json_at(findings, i), &digest->findings);
	for (size_t i = 0; good && i < json_count(figures); i++)
		good = get_figure(json_at(figures, i), digest);
	if (good && version > DIGEST_VERSION_LEAST)
		good = get_loads(root, digest);
	if (good)
		digest_sort(digest);
	return good;
}

int digest_parse(struct digest *digest, const char *name, const char *text, size_t bytes,
	struct diag *diag)
{
	struct json *root = NULL;
	const char *schema;
	int64_t version = 0;
	struct diag why;
	int err = json_parse(&root, text, bytes, &why);

	*digest = (struct digest)DIGEST_INIT;
	if (err)
		return diag_error(
			diag, err, "%s is not a digest of a run: %.200s", name, why.text);
	schema = json_text(json_get(root, "schema"));
	if (!schema || strcmp(schema, SCHEMA) != 0 ||
		!json_int(json_get(root, "version"), &version))
		err = diag_error(diag, -EINVAL,
			"%s is not a digest of a run: its schema is not \"" SCHEMA "\"", name);
	else if (version < DIGEST_VERSION_LEAST || version > DIGEST_VERSION)
		err = diag_error(diag, -EPROTO,
			"%s is a digest of version %" PRId64
			", and this weft reads versions %d to %d: delete it where its run file "
			"is "
			"still there, or use the weft that made it",
			name, version, DIGEST_VERSION_LEAST, DIGEST_VERSION);
	else if (!get_all(root, version, digest))
		err = diag_error(diag, -EINVAL,
			"%s is a damaged digest: delete it, so that it is made again from its "
			"run file",
			name);
	json_free(root);
	if (err)
		digest_free(digest);
	return err;
}
