/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/run.h"
#include "lib/units.h"

/* Each test works in a folder of its own, and leaves nothing there. */
static char folder[64];

static int enter_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/weft-run-XXXXXX");
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
	char command[160];

	(void)state;
	snprintf(command, sizeof(command), "chmod u+w '%s'; rm -rf '%s'", folder, folder);
	return chdir("/") || system(command);
}

static const struct run_info info = {
	.backend = "sim",
	.program = "weft 0.1.0",
	.profile = "quick",
	.plane = "parameter",
	.fabric_name = "pair",
	.fabric_path = "examples/pair.yaml",
	.seed = UINT64_MAX,
	.fabric_text = "leaves: 2\n",
	.fabric_bytes = 10,
};

static void ok(int err, const struct diag *diag)
{
	if (err)
		print_message("%s\n", diag->text);
	assert_int_equal(err, 0);
}

static struct run *made(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_create(&run, path, &info, &diag), &diag);
	return run;
}

static struct run *opened(const char *path)
{
	struct run *run = NULL;
	struct diag diag;

	ok(run_open(&run, path, &diag), &diag);
	return run;
}

static void put_counters(struct run *run, uint32_t stage, uint32_t count)
{
	struct run_counter row = { .stage = stage, .first = UINT64_C(1) << 63, .last = 7 };
	struct diag diag;

	for (uint32_t i = 0; i < count; i++) {
		snprintf(row.place, sizeof(row.place), "leaf%u:%u", i / 64 + 1, i % 64 + 1);
		snprintf(row.name, sizeof(row.name), "rx_prio%u_pause", i % 8);
		row.last = i;
		ok(run_put_counters(run, &row, 1, &diag), &diag);
	}
}

static size_t counters(struct run *run, uint32_t stage)
{
	struct run_counter *rows = NULL;
	struct diag diag;
	size_t count = 0;

	ok(run_get_counters(run, stage, &rows, &count, &diag), &diag);
	free(rows);
	return count;
}

static void what_is_put_is_read_again(void **state)
{
	struct run_counter *rows = NULL;
	const struct run_info *back;
	struct diag diag;
	bool interrupted;
	struct run *run;
	size_t count;

	(void)state;
	run = made("a.run");
	put_counters(run, 0, 100);
	put_counters(run, 1, 3);
	put_counters(run, 0, 1);
	ok(run_finish(run, false, &diag), &diag);
	run_close(run);

	run = opened("a.run");
	assert_true(run_ended(run, &interrupted));
	assert_false(interrupted);
	back = run_info(run);
	assert_string_equal(back->backend, "sim");
	assert_string_equal(back->fabric_text, "leaves: 2\n");
	assert_int_equal(back->fabric_bytes, 10);
	assert_true(back->seed == UINT64_MAX);
	ok(run_get_counters(run, 0, &rows, &count, &diag), &diag);
	assert_int_equal(count, 101);
	assert_string_equal(rows[65].place, "leaf2:2");
	assert_string_equal(rows[65].name, "rx_prio1_pause");
	assert_true(rows[65].first == UINT64_C(1) << 63);
	assert_int_equal(rows[65].last, 65);
	assert_int_equal(rows[100].last, 0);
	free(rows);
	assert_int_equal(counters(run, 1), 3);
	assert_int_equal(counters(run, 2), 0);
	run_close(run);
}

static void every_kind_of_row_comes_back_as_it_was(void **state)
{
	static const struct run_stage stage = { .id = 7,
		.name = "incast-8-leaf2-ect",
		.layer = LAYER_LOSSLESS,
		.variant = 8,
		.repeat = 1,
		.subject = UINT64_MAX,
		.t0_ns = 5,
		.t1_ns = 6,
		.expected_ns = 3,
		.deadline_ns = UINT64_MAX,
		.status = RUN_PARTIAL,
		.reason = "interrupted",
		.note = "8 hosts" };
	static const struct run_flow flow = { .stage = 7,
		.flow = 2,
		.src = "host1:2",
		.dst = "host9:2",
		.role = FLOW_VICTIM,
		.not_ect = true,
		.qps = 16,
		.bytes_planned = 1,
		.bytes_posted = 2,
		.bytes_delivered = 3,
		.packets_sent = 4,
		.packets_resent = 5,
		.packets_received = 6,
		.timeouts = 7,
		.naks = 8,
		.out_of_sequence = 9,
		.ce_packets = 10,
		.cnps_sent = 11,
		.cnps_handled = 12,
		.start_ns = 13,
		.end_ns = 14,
		.complete = true,
		.qp_error = true };
	static const struct run_path path = { .stage = 7,
		.flow = 2,
		.qp = 3,
		.sport = 65535,
		.ports = "host1:2>leaf2:9>spine1:2>leaf1:1" };
	static const struct run_step step = { .stage = 7,
		.iteration = 1,
		.rank = 2,
		.step = 3,
		.ready_ns = 4,
		.posted_ns = 5,
		.completed_ns = 6,
		.arrived_ns = 7 };
	static const struct run_sample sample = { .stage = 7,
		.place = "leaf2:1",
		.metric = "queue_bytes",
		.t_ns = 100,
		.value = UINT64_MAX };
	static const struct run_fact fact = { "leaf2:1", "lldp_peer", "host1", "simulator" };
	struct run_stage *stages;
	struct run_flow *flows;
	struct run_path *paths;
	struct run_step *steps;
	struct run_sample *samples;
	struct run_fact *facts;
	struct diag diag;
	struct run *run = made("a.run");
	size_t count[6];

	(void)state;
	ok(run_put_stage(run, &stage, &diag), &diag);
	ok(run_put_flows(run, &flow, 1, &diag), &diag);
	ok(run_put_paths(run, &path, 1, &diag), &diag);
	ok(run_put_steps(run, &step, 1, &diag), &diag);
	ok(run_put_samples(run, &sample, 1, &diag), &diag);
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_finish(run, true, &diag), &diag);
	run_close(run);
	run = opened("a.run");
	ok(run_get_stages(run, &stages, &count[0], &diag), &diag);
	ok(run_get_flows(run, 7, &flows, &count[1], &diag), &diag);
	ok(run_get_paths(run, 7, &paths, &count[2], &diag), &diag);
	ok(run_get_steps(run, 7, &steps, &count[3], &diag), &diag);
	ok(run_get_samples(run, 7, &samples, &count[4], &diag), &diag);
	ok(run_get_facts(run, &facts, &count[5], &diag), &diag);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(count[i], 1);
	assert_int_equal(count[5], 2);
	assert_memory_equal(stages, &stage, sizeof(stage));
	assert_memory_equal(flows, &flow, sizeof(flow));
	assert_memory_equal(paths, &path, sizeof(path));
	assert_memory_equal(steps, &step, sizeof(step));
	assert_memory_equal(samples, &sample, sizeof(sample));
	assert_memory_equal(&facts[1], &fact, sizeof(fact));
	free(stages);
	free(flows);
	free(paths);
	free(steps);
	free(samples);
	free(facts);
	run_close(run);
}

static void a_stage_put_again_is_replaced(void **state)
{
	struct run_stage stage = { .id = 1, .name = "b", .status = RUN_PARTIAL }, *rows;
	struct run *run = made("a.run");
	struct diag diag;
	size_t count;

	(void)state;
	ok(run_put_stage(run, &stage, &diag), &diag);
	stage.status = RUN_COMPLETE;
	ok(run_put_stage(run, &stage, &diag), &diag);
	stage.id = 0;
	ok(run_put_stage(run, &stage, &diag), &diag);
	ok(run_get_stages(run, &rows, &count, &diag), &diag);
	assert_int_equal(count, 2);
	assert_int_equal(rows[0].id, 0);
	assert_int_equal(rows[1].status, RUN_COMPLETE);
	free(rows);
	run_close(run);
}

static const char *const nic_names[] = { "host1", "host2", "host3" };

static void put_ring_plan(struct run *run)
{
	uint32_t nics[] = { 2, 0, 1 };
	struct plan plan = PLAN_INIT;
	struct plan_stage *stage = plan_add(&plan, LAYER_PAIRS);
	struct plan_flow *flow = plan_stage_add(stage);
	struct diag diag;

	flow->src = 2;
	flow->dst = 1;
	stage = plan_add(&plan, LAYER_RING);
	stage->ring = (struct plan_ring){ nics, 3, 4, 1000, 2, 5, 0 };
	ok(run_put_plan(run, &plan, nic_names, &diag), &diag);
	stage->ring.nics = NULL; /* ours */
	plan_free(&plan);
}

static void a_ring_keeps_its_ranks(void **state)
{
	struct plan_ring ring = { .ranks = 9 };
	struct run *run = made("a.run");
	struct diag diag;

	(void)state;
	put_ring_plan(run);
	run_close(run);
	run = opened("a.run");
	ok(run_get_ring(run, 1, &ring, &diag), &diag);
	assert_int_equal(ring.ranks, 3);
	assert_int_equal(ring.qps, 4);
	assert_int_equal(ring.bytes, 1000);
	assert_int_equal(ring.elem_bytes, 2);
	assert_int_equal(ring.iterations, 5);
	assert_int_equal(ring.nics[0], 2);
	assert_int_equal(ring.nics[2], 1);
	free(ring.nics);
	ok(run_get_ring(run, 0, &ring, &diag), &diag);
	assert_int_equal(ring.ranks, 0);
	assert_null(ring.nics);
	run_close(run);
}

static void texts_of_full_length_are_cut_and_never_overrun(void **state)
{
	struct run_fact fact, *rows;
	struct run *run = made("a.run");
	struct diag diag;
	size_t count;

	(void)state;
	memset(&fact, 'x', sizeof(fact));
	ok(run_put_fact(run, &fact, &diag), &diag);
	ok(run_get_facts(run, &rows, &count, &diag), &diag);
	assert_int_equal(strlen(rows->place), sizeof(rows->place) - 1);
	assert_int_equal(strlen(rows->value), sizeof(rows->value) - 1);
	free(rows);
	run_close(run);
}

static char *contents(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(1 << 20);

	assert_true(file && text);
	*bytes = fread(text, 1, 1 << 20, file);
	fclose(file);
	return text;
}

static void the_same_calls_make_the_same_file(void **state)
{
	size_t bytes[2];
	char *text[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct run *run = made("a.run");
		struct diag diag;

		put_ring_plan(run);
		put_counters(run, 0, 500);
		ok(run_finish(run, false, &diag), &diag);
		run_close(run);
		text[i] = contents("a.run", &bytes[i]);
	}
	assert_int_equal(bytes[0], bytes[1]);
	/* But for the count of changes since the file was made, at 24 and 92, and the
	 * number of the schema, at 40. */
	for (int i = 0; i < 2; i++) {
		memset(text[i] + 24, 0, 4);
		memset(text[i] + 40, 0, 4);
		memset(text[i] + 92, 0, 4);
	}
	assert_memory_equal(text[0], text[1], bytes[0]);
	free(text[0]);
	free(text[1]);
}

/* --- cut off --- */

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

/* --- refusals --- */

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

#define TEST(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	struct CMUnitTest tests[64] = {
		TEST(what_is_put_is_read_again),
		TEST(every_kind_of_row_comes_back_as_it_was),
		TEST(a_stage_put_again_is_replaced),
		TEST(a_ring_keeps_its_ranks),
		TEST(texts_of_full_length_are_cut_and_never_overrun),
		TEST(the_same_calls_make_the_same_file),
		TEST(what_was_committed_outlives_kill_9),
		TEST(a_copy_of_the_file_alone_is_whole),
		TEST(what_is_put_and_closed_is_kept_without_commit),
		TEST(a_commit_that_was_cut_off_is_taken_back),
		TEST(what_is_refused_is_left_alone),
		TEST(a_second_writer_and_a_reader_are_told_to_wait),
		TEST(two_processes_never_write_the_same_file),
		TEST(a_read_only_folder_is_named),
		TEST(a_folder_that_is_not_there_is_named),
		TEST(a_link_leads_to_the_run_file),
		TEST(what_was_committed_outlives_a_full_disk),
		TEST(a_damaged_file_is_read_or_refused),
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
	return _cmocka_run_group_tests("run", tests, count, NULL, NULL);
}
