/* SPDX-License-Identifier: Apache-2.0 */
/*
 * validate - the simulator against closed forms and published equations.
 *
 *   validate [--quick]        prints the page; --quick leaves out what lasts, and figures
 *   validate --write DIR      writes the page, validation.md, and its figures there
 *   validate --compare DIR    fails as well when those there are not what would be written
 *
 * Exits with 1 when a row differs by more than is allowed, with 2 when it could not run.
 */
#include "tests/validate/validate.h"

#include <stdlib.h>
#include <string.h>

static const char *const head =
	"# The simulator, validated\n\n"
	"Made by `build/tests/validate --write docs`, figures included; "
	"not written by hand. Each row is the "
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

static void give_up(const char *path)
{
	perror(path);
	exit(2);
}

static FILE *open_in(const char *dir, const char *name, const char *mode)
{
	char path[512];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, mode);
	if (!file)
		give_up(path);
	return file;
}

static void put_file(const char *dir, const char *name, const char *text)
{
	FILE *file = open_in(dir, name, "w");
	bool failed = fputs(text, file) < 0;

	if (fclose(file) || failed)
		give_up(name);
}

static bool same(const char *dir, const char *name, const char *text)
{
	FILE *file = open_in(dir, name, "r");
	size_t bytes = strlen(text), got;
	char *there = calloc(1, bytes + 2);
	bool equal;

	if (!there)
		give_up(name);
	got = fread(there, 1, bytes + 1, file);
	fclose(file);
	equal = got == bytes && memcmp(there, text, bytes) == 0;
	free(there);
	if (!equal)
		fprintf(stderr, "%s/%s is not what validate writes: make it again\n", dir,
			name);
	return equal;
}

/* Whether all files are there as they should be. */
static bool each_file(
	const struct report *report, const char *page, const char *dir, bool write)
{
	bool right = true;

	for (uint32_t i = 0; i <= report->drawn_count; i++) {
		bool last = i == report->drawn_count;
		const char *name = last ? "validation.md" : report->drawn[i].file;
		const char *text = last ? page : report->drawn[i].text;

		if (write)
			put_file(dir, name, text);
		else
			right &= same(dir, name, text);
	}
	return right;
}

int main(int argc, char **argv)
{
	struct report report = { .quick = argc == 2 && strcmp(argv[1], "--quick") == 0 };
	bool write = argc == 3 && strcmp(argv[1], "--write") == 0;
	bool compare = argc == 3 && strcmp(argv[1], "--compare") == 0;
	size_t bytes = 0;
	char *text = NULL;
	bool right = true;

	if (argc > 1 && !report.quick && !write && !compare) {
		fprintf(stderr, "usage: validate [--quick | --write DIR | --compare DIR]\n");
		return 2;
	}
	report.out = open_memstream(&text, &bytes);
	if (!report.out)
		give_up("validate");
	run_all(&report);
	if (fclose(report.out))
		give_up("validate");
	if (write || compare)
		right = each_file(&report, text, argv[2], write);
	else if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout))
		give_up("validate");
	for (uint32_t i = 0; i < report.drawn_count; i++)
		free(report.drawn[i].text);
	free(text);
	return report.wrong || !right;
}
