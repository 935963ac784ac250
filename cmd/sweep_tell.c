/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/sweep_tell.h"

#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include "cmd/cmd.h"
#include "lib/json.h"
#include "lib/units.h"
#include "reports/change_show.h"
#include "reports/number.h"
#include "reports/verdict.h"

int night_status(const struct night *night)
{
	int status = report_exit_status(night->digest->verdict);

	if (status == EXIT_FAIL || history_status(night->history) == EXIT_FAIL)
		return EXIT_FAIL;
	/* Too short a history is nothing against tonight's run. */
	return night->run ? status : EXIT_UNKNOWN;
}

static const char *status_word(int status)
{
	return status == EXIT_PASS ? "PASS" : status == EXIT_FAIL ? "FAIL" : "UNKNOWN";
}

/* What got worse first; it is one line, so only the first is named. */
static void put_worse(FILE *out, const struct night *night)
{
	const struct history *history = night->history;
	char text[CLAIM_TEXT];

	if (!history->worse) {
		fprintf(out, "; %s over %zu run%s",
			history_status(history) == EXIT_UNKNOWN ? "too early for drift"
								: "no drift",
			history->run_count, history->run_count == 1 ? "" : "s");
		return;
	}
	claim_text(text, sizeof(text), &history->claims[0]);
	fprintf(out, "; %s", text);
	if (history->worse > 1)
		fprintf(out, " (and %zu more)", history->worse - 1);
}

void night_line(FILE *out, const struct night *night)
{
	const size_t *turns = night->history->turns.each;
	char bytes[NUMBER_BYTES], took[NUMBER_BYTES];

	number_bytes(bytes, sizeof(bytes), night->bytes);
	number_time(took, sizeof(took), night->took_ns);
	fprintf(out, "%s %s%s: %zu of %zu stages, %s in %s", status_word(night_status(night)),
		night->digest->fabric,
		strcmp(night->digest->backend, "sim") == 0 ? " (SIMULATION)" : "", night->run,
		night->stages, bytes, took);
	if (night->busy)
		fprintf(out, ", %" PRIu32 " of %" PRIu32 " hosts busy", night->busy,
			night->hosts);
	fprintf(out, "; findings: %zu new, %zu persisting, %zu fixed", turns[TURN_NEW],
		turns[TURN_PERSISTING], turns[TURN_FIXED]);
	put_worse(out, night);
	fprintf(out, "; %s/%s.run\n", night->folder, night->name);
}

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
	json_put_u64(root, "bytes", night->bytes);
	json_put_double(root, "seconds", (double)night->took_ns / (double)NS_PER_S);
	history_put(root, night->history);
	/* What the stream did not take shows in ferror(out). */
	json_write(out, root);
	json_free(root);
}

int night_hook(const struct night *night, const char *command)
{
	FILE *hook;
	int status;

	fflush(NULL); /* the child must not write what is ours */
	hook = popen(command, "we");
	if (!hook)
		return -1;
	night_json(hook, night);
	status = pclose(hook);
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
