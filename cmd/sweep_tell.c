/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_tell.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/json.h"
#include "lib/units.h"
#include "lib/utf8.h"
#include "reports/change_show.h"
#include "reports/culprit.h"
#include "reports/number.h"
#include "reports/verdict.h"

int night_status(const struct night *night)
{
	int status = report_exit_status(night->digest->verdict);

	if (status == EXIT_FAIL || history_status(night->history) == EXIT_FAIL)
		return EXIT_FAIL;
	if (!night->run || !digest_is_whole(night->digest) || night->unknown ||
		night->damaged || night->history->turns.each[TURN_UNSEEN])
		return EXIT_UNKNOWN;
	/* Too short a history is nothing against tonight's run. */
	return status;
}

static const char *status_word(int status)
{
	return status == EXIT_PASS ? "PASS" : status == EXIT_FAIL ? "FAIL" : "UNKNOWN";
}

/* --- the line --- */

#define SHOWN_NAME 44u   /* of a fabric and a culprit; "..." where it is cut */
#define SHOWN_WHY 100u   /* of what is wrong with a host */
#define SHOWN_FOLDER 64u /* of which the end matters */

/* The finding of tonight that weighs most of those with this verdict; NULL: none. */
static const struct finding *first_of(const struct digest *digest, enum verdict verdict)
{
	for (size_t i = 0; i < digest->findings.count; i++)
		if (digest->findings.items[i].verdict == verdict)
			return &digest->findings.items[i];
	return NULL;
}

/* The first failure that nobody has looked at; NULL: none. */
static const struct turned *first_unseen(const struct turns *turns)
{
	for (size_t i = 0; i < turns->count; i++)
		if (turns->items[i].turn == TURN_UNSEEN)
			return &turns->items[i];
	return NULL;
}

static void put_finding(FILE *out, const struct finding *finding)
{
	char culprit[CULPRIT_TEXT], shown[SHOWN_NAME];

	culprit_text(culprit, sizeof(culprit), finding);
	utf8_show(culprit, shown, sizeof(shown));
	fprintf(out, "%s%s%s", finding->check, shown[0] ? " at " : "", shown);
}

static void put_more(FILE *out, size_t count)
{
	if (count > 1)
		fprintf(out, " (and %zu more)", count - 1);
}

/* Why tonight is no pass, as far as findings tell: one line, so only the first is named. */
static void put_reason(FILE *out, const struct night *night)
{
	const struct turns *turns = &night->history->turns;
	const struct finding *failed = first_of(night->digest, VERDICT_FAIL);
	const struct finding *unknown = first_of(night->digest, VERDICT_UNKNOWN);
	const struct turned *unseen = first_unseen(turns);

	if (night->digest->interrupted)
		fputs("interrupted; ", out);
	else if (!night->digest->ended)
		fputs("cut off; ", out);
	if (failed) {
		put_finding(out, failed);
		put_more(out, turns->each[TURN_NEW] + turns->each[TURN_PERSISTING]);
		fputs("; ", out);
	} else if (unseen) {
		put_finding(out, unseen->finding);
		fprintf(out, " failed before, and now %s", unseen->why);
		put_more(out, turns->each[TURN_UNSEEN]);
		fputs("; ", out);
	} else if (unknown && !night->digest->interrupted) {
		put_finding(out, unknown);
		fputs(" is unknown; ", out);
	} else if (night_status(night) == EXIT_UNKNOWN && (night->unknown || night->damaged)) {
		char why[SHOWN_WHY];

		utf8_show(night->unknown ? night->why : night->damaged_why, why, sizeof(why));
		fprintf(out, "%s; ", why);
	}
}

/* What got worse first. */
static void put_worse(FILE *out, const struct night *night)
{
	const struct history *history = night->history;
	const char *s = history->whole == 1 ? "" : "s";
	char text[CLAIM_TEXT];

	if (history->worse) {
		claim_text(text, sizeof(text), &history->claims[0]);
		fprintf(out, "; %s", text);
		put_more(out, history->worse);
	} else if (!history->whole) {
		fputs("; no whole run yet to see drift from", out);
	} else if (!(history->tested + history->steady)) {
		fprintf(out, "; too early for drift: %zu whole run%s", history->whole, s);
	} else {
		fprintf(out, "; no drift over %zu whole run%s", history->whole, s);
	}
}

static void put_hosts(FILE *out, const struct night *night)
{
	uint32_t busy = night->busy - night->unknown;

	if (busy)
		fprintf(out, ", %" PRIu32 " of %" PRIu32 " hosts busy", busy, night->hosts);
	if (night->unknown)
		fprintf(out, ", %" PRIu32 " of %" PRIu32 " hosts not known to be free",
			night->unknown, night->hosts);
}

static void put_damaged(FILE *out, const struct night *night)
{
	if (night->damaged)
		fprintf(out, "; %zu damaged run%s of before left out", night->damaged,
			night->damaged == 1 ? "" : "s");
}

static void put_turns(FILE *out, const size_t *turns)
{
	fprintf(out, "; findings: %zu new, %zu persisting, %zu fixed", turns[TURN_NEW],
		turns[TURN_PERSISTING], turns[TURN_FIXED]);
	if (turns[TURN_UNSEEN])
		fprintf(out, ", %zu unseen", turns[TURN_UNSEEN]);
}

/* The end of a long path, from a name on. */
static void put_place(FILE *out, const struct night *night)
{
	const char *folder = night->folder, *cut = NULL;
	size_t length = strlen(folder);

	if (length >= SHOWN_FOLDER)
		cut = strchr(folder + length - SHOWN_FOLDER + 1, '/');
	fprintf(out, "; %s%s/%s.run\n", cut ? "..." : "", cut ? cut : folder, night->name);
}

void night_line(FILE *out, const struct night *night)
{
	char bytes[NUMBER_BYTES], took[NUMBER_BYTES], fabric[SHOWN_NAME];

	number_bytes(bytes, sizeof(bytes), night->bytes);
	number_time(took, sizeof(took), night->took_ns);
	utf8_show(night->digest->fabric, fabric, sizeof(fabric));
	fprintf(out, "%s %s%s: ", status_word(night_status(night)), fabric,
		strcmp(night->digest->backend, "sim") == 0 ? " (SIMULATION)" : "");
	put_reason(out, night);
	fprintf(out, "%zu of %zu stages, %s in %s", night->run, night->stages, bytes, took);
	put_hosts(out, night);
	put_turns(out, night->history->turns.each);
	put_damaged(out, night);
	put_worse(out, night);
	put_place(out, night);
}

/* --- JSON --- */

void night_json(FILE *out, const struct night *night)
{
	struct json *root = json_new_object();

	json_put_text(root, "schema", "weft-sweep");
	json_put_i64(root, "version", 1);
	change_put_head(root, night_status(night), night->digest);
	json_put_text(root, "history", night->folder);
	json_put_text(root, "run", night->name);
	json_put_text(root, "run_verdict", verdict_name(night->digest->verdict));
	json_put_bool(root, "whole", night->digest->ended && !night->digest->interrupted);
	json_put_u64(root, "stages", night->stages);
	json_put_u64(root, "stages_run", night->run);
	json_put_u64(root, "stages_no_room", night->no_room);
	json_put_u64(root, "stages_late", night->late);
	json_put_u64(root, "stages_never_run", night->never);
	json_put_u64(root, "hosts", night->hosts);
	json_put_u64(root, "hosts_busy", night->busy);
	json_put_u64(root, "hosts_unknown", night->unknown);
	if (night->unknown)
		json_put_text(root, "hosts_unknown_why", night->why);
	json_put_u64(root, "runs_damaged", night->damaged);
	if (night->damaged)
		json_put_text(root, "runs_damaged_why", night->damaged_why);
	json_put_u64(root, "bytes", night->bytes);
	json_put_double(root, "seconds", (double)night->took_ns / (double)NS_PER_S);
	history_put(root, night->history);
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
}
