/* SPDX-License-Identifier: Apache-2.0 */
/* Writers that are killed, that meet, or whose disk is full; files that were damaged. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/unit/run_bed.h"

/* Runs act in a child and kills it there and then, as kill -9 does. */
static void killed_after(void (*act)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		act();
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void commit_five_put_more(void)
{
	struct run *run = made("a.run");
	struct diag diag;

	put_counters(run, 0, 5);
	ok(run_commit(run, &diag), &diag);
	put_counters(run, 1, 20000);
}

static void what_was_committed_outlives_kill_9(void **state)
{
	struct run *run;
	bool interrupted;

	(void)state;
	killed_after(commit_five_put_more);
	assert_int_equal(chmod("a.run", 0444), 0);
	run = opened("a.run");
	assert_false(run_ended(run, &interrupted));
	assert_int_equal(counters(run, 0), 5);
	assert_int_equal(counters(run, 1), 0);
	run_close(run);
	chmod("a.run", 0644);
	run_close(made("a.run")); /* and a new run takes its place */
	run = opened("a.run");
	assert_int_equal(counters(run, 0), 0);
	run_close(run);
}

/* The file, alone, as a copy that somebody takes between two commits. */
static void a_copy_of_the_file_alone_is_whole(void **state)
{
	struct run *run;

	(void)state;
	killed_after(commit_five_put_more);
	assert_int_equal(system("cp a.run copy.run"), 0);
	run = opened("copy.run");
	assert_int_equal(counters(run, 0), 5);
	run_close(run);
}

static void what_is_put_and_closed_is_kept_without_commit(void **state)
{
	struct run *run = made("a.run");
	bool interrupted;

	(void)state;
	put_counters(run, 0, 5);
	run_close(run);
	run = opened("a.run");
	assert_false(run_ended(run, &interrupted));
	assert_int_equal(counters(run, 0), 5);
	run_close(run);
}

/*
 * A writer killed in the middle of a commit, made by hand: the first page as it
 * was is in a journal that says so, and the file holds a page that is half new.
 */
static void make_hot_journal(void)
{
	static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	unsigned char header[512] = { 0 }, page[4 + 4096 + 4] = { 0 };
	uint32_t sum = 0;
	int fd = open("a.run", O_RDWR), journal = open("a.run-journal", O_RDWR | O_CREAT, 0644);
	struct stat st;

	assert_true(fd >= 0 && journal >= 0 && fstat(fd, &st) == 0);
	memcpy(header, magic, sizeof(magic));
	header[11] = 1;                                       /* one page */
	header[18] = (unsigned char)(st.st_size / 4096 >> 8); /* pages there were */
	header[19] = (unsigned char)(st.st_size / 4096);
	header[22] = 2;    /* sector of 512 bytes */
	header[26] = 0x10; /* page of 4096 bytes */
	page[3] = 1;
	assert_int_equal(pread(fd, page + 4, 4096, 0), 4096);
	for (int i = 4096 - 200; i > 0; i -= 200)
		sum += page[4 + i];
	for (int i = 0; i < 4; i++)
		page[4 + 4096 + i] = (unsigned char)(sum >> (24 - 8 * i));
	assert_int_equal(write(journal, header, sizeof(header)), sizeof(header));
	assert_int_equal(write(journal, page, sizeof(page)), sizeof(page));
	assert_int_equal(pwrite(fd, "half written", 12, 600), 12);
	close(fd);
	close(journal);
}

static void a_commit_that_was_cut_off_is_taken_back(void **state)
{
	struct run *run = made("a.run");
	struct diag diag;

	(void)state;
	put_counters(run, 0, 5);
	ok(run_finish(run, false, &diag), &diag);
	run_close(run);
	make_hot_journal();
	run = opened("a.run");
	assert_int_equal(counters(run, 0), 5);
	run_close(run);
	assert_int_equal(access("a.run-journal", F_OK), -1);
}

static void a_second_writer_and_a_reader_are_told_to_wait(void **state)
{
	struct run *run = made("a.run"), *second = NULL;
	struct diag diag;

	(void)state;
	put_counters(run, 0, 5);
	assert_int_equal(run_create(&second, "a.run", &info, &diag), -EBUSY);
	assert_string_equal(diag.text,
		"a.run is being written by another weft: wait until that "
		"one has ended, or name another run file");
	assert_int_equal(run_open(&second, "a.run", &diag), -EBUSY);
	assert_string_equal(diag.text,
		"a.run is being written by another weft: wait until that one has ended");
	assert_null(second);
	put_counters(run, 0, 5);
	ok(run_commit(run, &diag), &diag);
	/* Nor did looking drop the lock. */
	assert_int_equal(run_create(&second, "a.run", &info, &diag), -EBUSY);
	run_close(run);
	run = opened("a.run");
	assert_int_equal(counters(run, 0), 10);
	second = opened("a.run");
	run_close(second);
	run_close(run);
}

static void two_processes_never_write_the_same_file(void **state)
{
	struct run *run = made("a.run"), *second = NULL;
	struct diag diag;
	pid_t child;
	int status;

	(void)state;
	put_counters(run, 0, 5);
	child = fork();
	if (child == 0)
		_exit(run_create(&second, "a.run", &info, &diag) == -EBUSY ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	run_close(run);
	run = opened("a.run");
	assert_int_equal(counters(run, 0), 5);
	run_close(run);
}

/* A file that may not grow stands for the full disk: the write fails at the same
 * place, and the error is another. */
static void what_was_committed_outlives_a_full_disk(void **state)
{
	struct rlimit before, limit;
	struct run *run = made("a.run");
	struct run_counter row = { .stage = 1, .place = "leaf1:1", .name = "x" };
	struct diag diag = { "" }, again = { "" };
	int err = 0;

	(void)state;
	put_counters(run, 0, 5);
	ok(run_commit(run, &diag), &diag);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){ 200000, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 100 && !err; i++) {
		for (int k = 0; k < 1000 && !err; k++)
			err = run_put_counters(run, &row, 1, &diag);
		if (!err)
			err = run_commit(run, &diag);
	}
	assert_int_equal(err, -EFBIG);
	assert_string_equal(diag.text, "a.run cannot grow: File too large; it holds what was "
				       "written before; make room and run again");
	assert_int_equal(run_put_counters(run, &row, 1, &again), -EFBIG);
	assert_string_equal(again.text, diag.text);
	assert_int_equal(run_finish(run, false, &again), -EFBIG);
	run_close(run);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
	run = opened("a.run");
	assert_int_equal(counters(run, 0), 5);
	assert_true(counters(run, 1) % 1000 == 0);
	run_close(run);
}

/* Every cut and every flipped byte of a run file, in steps that hit every page:
 * a sentence, or rows. */
static void a_damaged_file_is_read_or_refused(void **state)
{
	struct run *run = made("a.run");
	struct diag diag;
	size_t bytes;
	char *text;

	(void)state;
	put_ring_plan(run);
	put_counters(run, 0, 200);
	run_close(run);
	text = contents("a.run", &bytes);
	for (size_t at = 0; at < bytes; at += 997) {
		FILE *file = fopen("b.run", "wb");
		bool cut = at % 2;

		text[at] = (char)(text[at] ^ 0x55);
		assert_int_equal(fwrite(text, cut ? at : bytes, 1, file), cut && !at ? 0 : 1);
		text[at] = (char)(text[at] ^ 0x55);
		fclose(file);
		run = NULL;
		diag.text[0] = '\0';
		if (run_open(&run, "b.run", &diag)) {
			assert_true(diag.text[0] && !run);
		} else {
			struct run_counter *rows = NULL;
			size_t count;

			assert_false(cut);
			if (run_get_counters(run, 0, &rows, &count, &diag) == 0)
				free(rows);
		}
		run_close(run);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_committed_outlives_kill_9),
		TEST(a_copy_of_the_file_alone_is_whole),
		TEST(what_is_put_and_closed_is_kept_without_commit),
		TEST(a_commit_that_was_cut_off_is_taken_back),
		TEST(a_second_writer_and_a_reader_are_told_to_wait),
		TEST(two_processes_never_write_the_same_file),
		TEST(what_was_committed_outlives_a_full_disk),
		TEST(a_damaged_file_is_read_or_refused),
	};

	return cmocka_run_group_tests_name("run_cut", tests, NULL, NULL);
}
