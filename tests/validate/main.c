/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate - the simulator against closed forms and published equations.
 *
 *   validate [--quick]          prints docs/validation.md; --quick leaves out what lasts
 *   validate --compare PAGE     fails as well when PAGE is not what would be printed
 *
 * Exits with 1 when a row differs by more than is allowed, with 2 when it could not run.
 */
#include "tests/validate/validate.h"

#include <stdlib.h>
#include <string.h>

static const char *const head = "# The simulator, validated\n\n"
				"Made by `build/tests/validate > docs/validation.md`; not "
				"written by hand. Each row is the "
				"simulator\nagainst an equation: what that gives, what was "
				"simulated, the difference, and "
				"how much is allowed.\n`meson test --suite long` runs all of "
				"it and compares this page, the "
				"suite `unit` what takes a moment.\nWhat is modelled: "
				"[simulator.md](simulator.md).\n";

static void run_all(struct report *report)
{
	fputs(head, report->out);
	validate_links(report);
	validate_collectives(report);
	validate_trees(report);
	validate_lossless(report);
	validate_loss(report);
	validate_ecmp(report);
	validate_marking(report);
	validate_dcqcn(report);
	fprintf(report->out, "\n%u rows, %u beyond what is allowed.\n", report->rows,
		report->wrong);
}

static bool same(const char *page, const char *text, size_t bytes)
{
	FILE *file = fopen(page, "r");
	char *there = calloc(1, bytes + 2);
	size_t got;

	if (!file || !there) {
		perror(page);
		exit(2);
	}
	got = fread(there, 1, bytes + 1, file);
	fclose(file);
	got = got == bytes && memcmp(there, text, bytes) == 0;
	free(there);
	if (!got)
		fprintf(stderr, "%s is not what validate prints: make it again\n", page);
	return got;
}

int main(int argc, char **argv)
{
	struct report report = { .quick = argc == 2 && strcmp(argv[1], "--quick") == 0 };
	const char *page = argc == 3 && strcmp(argv[1], "--compare") == 0 ? argv[2] : NULL;
	size_t bytes = 0;
	char *text = NULL;
	bool right = true;

	if (argc > 1 && !report.quick && !page) {
		fprintf(stderr, "usage: validate [--quick | --compare PAGE]\n");
		return 2;
	}
	report.out = open_memstream(&text, &bytes);
	if (!report.out) {
		perror("validate");
		return 2;
	}
	run_all(&report);
	if (fclose(report.out)) {
		perror("validate");
		return 2;
	}
	if (page)
		right = same(page, text, bytes);
	else if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout)) {
		perror("validate");
		return 2;
	}
	free(text);
	return report.wrong || !right;
}
