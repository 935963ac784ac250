/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/units.h"
#include "tests/unit/run_bed.h"

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void prepare_nothing(void)
{
}

static void prepare_folder(void)
{
	assert_int_equal(mkdir("a.run", 0755), 0);
}

static void prepare_text(void)
{
	write_text("a.run", "leaves: 2\nspines: 2\n");
}

static void prepare_empty(void)
{
	write_text("a.run", "");
}

static void prepare_fifo(void)
{
	assert_int_equal(mkfifo("a.run", 0644), 0);
}

static void prepare_loop(void)
{
	assert_int_equal(symlink("a.run", "a.run"), 0);
}

static void patch(long at, const char *bytes, size_t count)
{
	int fd;

	run_close(made("a.run"));
	fd = open("a.run", O_RDWR);
	assert_int_equal(pwrite(fd, bytes, count, at), count);
	close(fd);
}

static void prepare_version_2(void)
{
	patch(60, "\0\0\0\2", 4);
}

static void prepare_other_database(void)
{
	patch(68, "\0\0\0\1", 4);
}

static void prepare_cut(void)
{
	run_close(made("a.run"));
	assert_int_equal(truncate("a.run", 9000), 0);
}

static void prepare_zeroed_page(void)
{
	char nothing[4096] = { 0 };

	patch(4096, nothing, sizeof(nothing));
}

#define FOR_READING 1
#define FOR_WRITING 2

static const struct refusal {
	const char *name;
	void (*prepare)(void);
	int way, err;
	const char *want;
} refusals[] = {
	{ "reading nothing", prepare_nothing, FOR_READING, -ENOENT,
		"a.run does not exist: name a run file" },
	{ "reading a folder", prepare_folder, FOR_READING, -EISDIR,
		"a.run is a folder: name the run file in it, such as a.run/fabric.run" },
	{ "reading a text", prepare_text, FOR_READING, -EINVAL,
		"a.run is not a run file: name one that weft accept has written" },
	{ "reading an empty file", prepare_empty, FOR_READING, -EINVAL,
		"a.run is empty: nothing was recorded in it; run again" },
	{ "reading a fifo", prepare_fifo, FOR_READING, -EINVAL,
		"a.run is not a regular file: a run file is kept on a disk" },
	{ "reading a link to itself", prepare_loop, FOR_READING, -ELOOP,
		"a.run: Too many levels of symbolic links" },
	{ "reading another version", prepare_version_2, FOR_READING, -EPROTO,
		"a.run is a run file of version 2, and this weft reads version 1: use the weft "
		"that wrote it, or run again with this one" },
	{ "reading another program's database", prepare_other_database, FOR_READING, -EINVAL,
		"a.run is not a run file: name one that weft accept has written" },
	{ "reading a cut file", prepare_cut, FOR_READING, -EINVAL,
		"a.run is damaged or cut short (database disk image is malformed): it cannot "
		"be "
		"trusted; run again" },
	{ "reading a file with a hole", prepare_zeroed_page, FOR_READING, -EINVAL,
		"a.run is damaged (pages): it cannot be trusted; run again" },
	{ "writing over a folder", prepare_folder, FOR_WRITING, -EISDIR,
		"a.run is a folder: name the run file in it, such as a.run/fabric.run" },
	{ "writing over a text", prepare_text, FOR_WRITING, -EINVAL,
		"a.run exists and is not a run file, so it is left alone: name another file" },
	{ "writing over another program's database", prepare_other_database, FOR_WRITING,
		-EINVAL,
		"a.run exists and is not a run file, so it is left alone: name another file" },
	{ "writing over another version", prepare_version_2, FOR_WRITING, -EPROTO,
		"a.run is a run file of version 2, and this weft reads version 1: name another "
		"file, or remove this one" },
	{ "writing to a fifo", prepare_fifo, FOR_WRITING, -EINVAL,
		"a.run is not a regular file: a run file is kept on a disk" },
	{ "writing over an empty file", prepare_empty, FOR_WRITING, 0, "" },
	{ "writing over a cut run file", prepare_cut, FOR_WRITING, 0, "" },
	{ "writing over a damaged run file", prepare_zeroed_page, FOR_WRITING, 0, "" },
};

static void refuses_with_one_sentence(void **state)
{
	const struct refusal *c = *state;
	struct run *run = NULL;
	struct diag diag = { "" };
	int err;

	enter_folder(state);
	c->prepare();
	if (c->way == FOR_READING)
		err = run_open(&run, "a.run", &diag);
	else
		err = run_create(&run, "a.run", &info, &diag);
	assert_string_equal(diag.text, c->want);
	assert_int_equal(err, c->err);
	assert_int_equal(!run, err < 0);
	run_close(run);
	if (c->way == FOR_WRITING && !err)
		run_close(opened("a.run"));
	leave_folder(state);
}

static void what_is_refused_is_left_alone(void **state)
{
	struct run *run = NULL;
	struct diag diag;
	size_t bytes;
	char *text;

	(void)state;
	prepare_text();
	assert_int_equal(run_create(&run, "a.run", &info, &diag), -EINVAL);
	text = contents("a.run", &bytes);
	assert_int_equal(bytes, 20);
	assert_memory_equal(text, "leaves: 2\nspines: 2\n", 20);
	free(text);
	assert_int_equal(access("a.run-journal", F_OK), -1);
}

/* Root may write anywhere, so a child becomes nobody. */
static int create_as_nobody(const char *path, const char *want)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct run *run = NULL;
		struct diag diag = { "" };

		if (getuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(3);
		if (run_create(&run, path, &info, &diag) != -EACCES)
			_exit(1);
		if (strcmp(diag.text, want) != 0) {
			print_message("%s\n", diag.text);
			_exit(2);
		}
		_exit(0);
	}
	return waitpid(child, &status, 0) == child ? status : -1;
}

static void a_read_only_folder_is_named(void **state)
{
	(void)state;
	run_close(made("old.run"));
	assert_int_equal(chmod("old.run", 0666), 0);
	assert_int_equal(chmod(".", 0555), 0);
	assert_int_equal(
		create_as_nobody("a.run",
			"a.run cannot be written: Permission denied; name a run file in a "
			"folder that you may write to"),
		0);
	/* The file alone is not enough: its journal stands beside it. */
	assert_int_equal(
		create_as_nobody("old.run",
			"old.run cannot be written: Permission denied; name a run file in "
			"a folder that you may write to"),
		0);
	assert_int_equal(chmod(".", 0755), 0);
	assert_int_equal(chmod("old.run", 0444), 0);
	assert_int_equal(
		create_as_nobody("old.run",
			"old.run cannot be written: Permission denied; name a run file in "
			"a folder that you may write to"),
		0);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
	struct run *run = NULL;
	struct diag diag;

	(void)state;
	assert_int_equal(run_create(&run, "no/a.run", &info, &diag), -ENOENT);
	assert_string_equal(diag.text,
		"no/a.run cannot be made: its folder does not exist; make that first");
}

static void a_link_leads_to_the_run_file(void **state)
{
	(void)state;
	assert_int_equal(symlink("real.run", "link.run"), 0);
	run_close(made("link.run"));
	run_close(opened("real.run"));
	run_close(made("link.run"));
	run_close(opened("link.run"));
}

int main(void)
{
	struct CMUnitTest tests[64] = {
		TEST(what_is_refused_is_left_alone),
		TEST(a_read_only_folder_is_named),
		TEST(a_folder_that_is_not_there_is_named),
		TEST(a_link_leads_to_the_run_file),
	};
	size_t count = 0;

	while (tests[count].name)
		count++;
	for (size_t i = 0; i < COUNT_OF(refusals); i++)
		tests[count++] = (struct CMUnitTest){
			.name = refusals[i].name,
			.test_func = refuses_with_one_sentence,
			.initial_state = (void *)(uintptr_t)&refusals[i],
		};
	return _cmocka_run_group_tests("run_refused", tests, count, NULL, NULL);
}
