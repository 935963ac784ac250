/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/doctor.h"
#include "cmd/explain_show.h"
#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "pfc/settings.h"
#include "reports/verdict.h"

/* FAIL, else UNKNOWN, else WARN, else PASS. */
static enum verdict worse(enum verdict a, enum verdict b)
{
	static const int badness[] = { [VERDICT_PASS] = 0,
		[VERDICT_WARN] = 1,
		[VERDICT_UNKNOWN] = 2,
		[VERDICT_FAIL] = 3 };

	return badness[a] >= badness[b] ? a : b;
}

/* Only what compares hosts: each by itself has been judged. */
static void keep_comparisons(struct explain *result)
{
	size_t kept = 0;

	for (size_t i = 0; i < result->code_count; i++)
		if (strcmp(result->codes[i].rule->family, "hosts") == 0 ||
			strcmp(result->codes[i].rule->code, "NEIGHBOUR_TWICE") == 0)
			result->codes[kept++] = result->codes[i];
	result->code_count = kept;
	result->verdict = VERDICT_PASS;
	for (size_t i = 0; i < kept; i++)
		result->verdict = worse(result->verdict, result->codes[i].level);
}

struct showing {
	enum verdict verdict;
	struct json *root; /* NULL: text */
	bool all;
};

static void show(struct showing *showing, const char *place, const struct facts *facts,
	const struct explain *result)
{
	showing->verdict = worse(showing->verdict, result->verdict);
	if (showing->root) {
		explain_put_json(json_put_object(showing->root, place), result);
		return;
	}
	printf("== %s: ", place);
	explain_print_text(stdout, result, showing->all);
	if (facts)
		doctor_print_missing(stdout, facts, showing->all);
	printf("\n");
}

static void judge_hosts(struct doctor_hosts *hosts, struct showing *showing)
{
	struct facts together;
	struct explain result = EXPLAIN_INIT;

	facts_init(&together);
	for (size_t i = 0; i < hosts->count; i++) {
		struct doctor_host *host = &hosts->items[i];
		struct explain one = EXPLAIN_INIT;

		if (!showing->root)
			doctor_print_ports(stdout, &host->facts);
		settings_add(&together, &host->facts);
		settings_add(&host->facts, &host->facts);
		explain_facts(&host->facts, &one);
		one.verdict = doctor_verdict(&one);
		show(showing, host->place, &host->facts, &one);
		explain_free(&one);
	}
	explain_facts(&together, &result);
	keep_comparisons(&result);
	show(showing, "all hosts together", NULL, &result);
	explain_free(&result);
	facts_free(&together);
}

int doctor_fabric(const char *path, const struct doctor_wish *wish, bool json, bool all)
{
	struct fabric fabric = FABRIC_INIT;
	struct doctor_hosts hosts = { NULL, 0 };
	struct showing showing = { VERDICT_PASS, NULL, all };
	struct json *document = NULL;
	struct diag diag;
	int err = fabric_load(&fabric, path, NULL, &diag), status;

	if (!err)
		err = doctor_ask(&hosts, &fabric, wish, &diag);
	if (err) {
		fprintf(stderr, "weft doctor: %s\n", diag.text);
		fabric_free(&fabric);
		doctor_hosts_free(&hosts);
		return EXIT_UNKNOWN;
	}
	if (json) {
		document = json_new_object();
		json_put_text(document, "schema", "weft-doctor");
		json_put_u64(document, "version", 1);
		json_put_text(document, "verdict", "");
		showing.root = json_put_object(document, "hosts");
	}
	judge_hosts(&hosts, &showing);
	if (json) {
		json_put_text(document, "verdict", explain_level_name(showing.verdict));
		err = json_write(stdout, document);
	} else {
		printf("%zu hosts: %s\n", hosts.count, explain_level_name(showing.verdict));
	}
	json_free(document);
	doctor_hosts_free(&hosts);
	fabric_free(&fabric);
	status = report_exit_status(showing.verdict);
	return err ? exit_untold(status) : status;
}
