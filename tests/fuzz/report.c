/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a run file that weft report is given: one sentence, or findings and
 * both reports; never a crash, never a control character, never a long line. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fabric/file.h"
#include "fabric/judge.h"
#include "lib/diag.h"
#include "lib/run.h"
#include "reports/ink.h"
#include "reports/json.h"
#include "reports/text.h"

#define WIDTH 80u
#define NICS_MAX 4096u /* larger fabrics are slow, not different */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(char *text)
{
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		assert(ink_columns(line) <= WIDTH);
		for (const char *c = line; *c; c++)
			assert((unsigned char)*c >= ' ' && *c != '\x7f');
	}
}

static void draw(struct run *run, const struct findings *findings, bool json)
{
	struct report_options options = {
		.width = WIDTH, .verbose = true, .run_path = "x.run"
	};
	struct diag diag = { "" };
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int err;

	assert(out);
	err = json ? report_json(out, run, findings, &options, &diag)
		   : report_text(out, run, findings, &options, &diag);
	assert(!fclose(out));
	assert(!err || (diag.text[0] && !strchr(diag.text, '\n')));
	assert(strlen(text) == bytes);
	if (!json)
		check_text(text);
	free(text);
}

static void report(struct run *run)
{
	const struct run_info *info = run_info(run);
	struct findings findings = FINDINGS_INIT;
	struct fabric fabric = FABRIC_INIT;
	struct diag diag = { "" };

	if (fabric_parse(&fabric, "fabric", info->fabric_text, info->fabric_bytes,
		    info->plane[0] ? info->plane : NULL, &diag) == 0 &&
		fabric.nic_count <= NICS_MAX)
		judge_run(run, &fabric, JUDGE_ALL, &findings, &diag);
	draw(run, &findings, false);
	draw(run, &findings, true);
	findings_free(&findings);
	fabric_free(&fabric);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/weft-fuzz-XXXXXX", journal[sizeof(path) + 16];
	int fd = mkstemp(path);
	struct run *run = NULL;
	struct diag diag = { "" };

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
	if (run_open(&run, path, &diag) == 0)
		report(run);
	run_close(run);
	snprintf(journal, sizeof(journal), "%s-journal", path);
	unlink(journal);
	unlink(path);
	return 0;
}
