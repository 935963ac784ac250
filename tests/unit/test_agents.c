/* SPDX-License-Identifier: Apache-2.0 */
/* Agents on socket pairs and as processes that are none: what is said, and who is given up. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "tests/unit/agent_bench.h"

/* --- one agent, in a thread --- */

/* How the agent has ended. */
static int end(struct bench *bench)
{
	control_close(&bench->here);
	assert_int_equal(pthread_join(bench->thread, NULL), 0);
	return bench->err;
}

static void an_agent_ends_with_its_input(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench);
	assert_int_equal(end(&bench), 0);
}

static void it_tells_its_clock_by_number(void **state)
{
	uint64_t before = clock_ns(), id, now;
	struct bench bench;
	struct json *body;
	struct diag diag;

	(void)state;
	begin(&bench);
	say(&bench, AGENT_CLOCK, "{\"id\": 7}");
	hear(&bench, AGENT_CLOCK, &body);
	assert_int_equal(wire_number(body, "id", 7, 7, &id, &diag), 0);
	assert_int_equal(wire_number(body, "now_ns", before, clock_ns(), &now, &diag), 0);
	json_free(body);
	assert_int_equal(end(&bench), 0);
}

static void a_device_that_is_not_there_is_refused_and_it_lives_on(void **state)
{
	struct bench bench;
	struct json *body;

	(void)state;
	begin(&bench);
	say(&bench, AGENT_OPEN, "{\"devices\": [\"nosuch0\"]}");
	hear(&bench, AGENT_REFUSE, &body);
	assert_non_null(strstr(json_text(json_get(body, "why")), "RDMA device"));
	json_free(body);
	say(&bench, AGENT_STOP, "{}");
	hear(&bench, AGENT_RESULT, &body);
	json_free(body);
	assert_int_equal(end(&bench), 0);
}

static void what_makes_no_sense_ends_it(void **state)
{
	static const struct {
		uint8_t kind;
		const char *body, *why;
	} wrong[] = {
		{ 99, "{}", "out of turn" },
		{ AGENT_START, "{}", "out of turn" },
		{ AGENT_CONNECT, "{\"ends\": []}", "out of turn" },
		{ AGENT_RESULT, "{}", "out of turn" },
		{ AGENT_CLOCK, "{}", "\"id\"" },
		{ AGENT_OPEN, "{}", "list of devices" },
		{ AGENT_OPEN, "{\"devices\": [3]}", "good name" },
		{ AGENT_PREPARE, "{\"ends\": 5}", "list of ends" },
		{ AGENT_PREPARE, "{\"ends\": [{}]}", "\"device\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(wrong); i++) {
		struct bench bench;

		begin(&bench);
		say(&bench, wrong[i].kind, wrong[i].body);
		assert_int_equal(pthread_join(bench.thread, NULL), 0);
		assert_int_equal(bench.err, -EPROTO);
		assert_non_null(strstr(bench.diag.text, wrong[i].why));
		control_close(&bench.here);
	}
}

static void a_frame_too_large_ends_it(void **state)
{
	static const uint8_t large[] = { 'W', 'F', 1, AGENT_OPEN, 0x7f, 0, 0, 0 };
	struct bench bench;

	(void)state;
	begin(&bench);
	assert_int_equal(write(bench.here.fd, large, sizeof(large)), sizeof(large));
	assert_int_equal(pthread_join(bench.thread, NULL), 0);
	assert_int_equal(bench.err, -EPROTO);
	control_close(&bench.here);
}

/* --- the coordinator, and programs that are no agents --- */

static const char two_hosts[] = "leaves: 2\nspines: 1\nhosts_per_leaf: 1\nspeed: 100G\nhosts:\n"
				"- {place: host1, host: local, nic: nosuch1}\n"
				"- {place: host2, host: node02, nic: nosuch2}\n";

static void load(struct fabric *fabric, const char *text)
{
	char path[] = "/tmp/test-agents-XXXXXX";
	int fd = mkstemp(path);
	struct diag diag;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	*fabric = (struct fabric)FABRIC_INIT;
	assert_int_equal(fabric_load(fabric, path, NULL, &diag), 0);
	unlink(path);
}

/* Starts two agents that are this script; why of the first is left in why. */
static int start_script(const char *script, char why[256])
{
	struct agents_options options = {
		.launcher = AGENTS_LOCAL,
		.program = "weft test",
		.start_ns = NS_PER_S / 2,
	};
	struct agents agents = AGENTS_INIT;
	char path[] = "/tmp/test-agents-XXXXXX";
	int fd = mkstemp(path), err;
	struct fabric fabric;
	struct diag diag;

	load(&fabric, two_hosts);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, script, strlen(script)), (ssize_t)strlen(script));
	fchmod(fd, script[0] == '#' ? 0700 : 0600);
	close(fd);
	options.weft = path;
	err = agents_start(&agents, &fabric, &options, &diag);
	assert_int_equal(agents.count, 2);
	snprintf(why, 256, "%s", agents.hosts[0].why);
	agents_close(&agents);
	agents_close(&agents);
	fabric_free(&fabric);
	unlink(path);
	return err;
}

static void a_host_that_does_not_come_has_one_line(void **state)
{
	char why[256];

	(void)state;
	assert_int_equal(
		start_script("#!/bin/sh\necho banner >&2\necho 'ssh: no route' >&2\nexit 255\n",
			why),
		-EHOSTDOWN);
	assert_string_equal(why, "ssh: no route");
	assert_int_equal(
		start_script("#!/bin/sh\necho hello, world\nsleep 60\n", why), -EHOSTDOWN);
	assert_non_null(strstr(why, "\"hello, world\" was printed where its agent"));
	assert_int_equal(
		start_script("#!/bin/sh\necho 'sh: weft: not found' >&2\nexit 127\n", why),
		-EHOSTDOWN);
	assert_string_equal(why,
		"sh: weft: not found: install weft there, or say where it is with --weft PATH");
	assert_int_equal(start_script("#!/bin/sh\nexec sleep 60\n", why), -EHOSTDOWN);
	assert_non_null(strstr(why, "does not answer"));
	assert_int_equal(start_script("no program\n", why), -EHOSTDOWN);
	/* Under valgrind a child that cannot be started cannot tell, and has just gone. */
	assert_true(strstr(why, "cannot be started") || strstr(why, "gone"));
}

static void what_is_started_is_gone_in_a_second(void **state)
{
	struct launch launch = LAUNCH_INIT;
	const char *const argv[] = { "sh", "-c", "trap '' TERM HUP; sleep 60 & wait", NULL };
	uint64_t begin_ns = clock_ns();
	struct diag diag;
	pid_t pid;

	(void)state;
	assert_int_equal(launch_start(&launch, argv, "stubborn", &diag), 0);
	pid = launch.pid;
	launch_close(&launch);
	launch_close(&launch);
	assert_true(clock_ns() - begin_ns < 5 * NS_PER_S);
	assert_int_equal(kill(pid, 0), -1);
}

static void addresses_of_two_families_are_told_of_at_the_start(void **state)
{
	static const char *const addresses[] = { "10.1.1.1", "fd00:1::2", "10.1.1.3" };
	struct agents_host hosts[3];
	struct agents agents = { .hosts = hosts, .count = 3 };

	(void)state;
	memset(hosts, 0, sizeof(hosts));
	for (uint32_t i = 0; i < 3; i++) {
		hosts[i].alive = true;
		hosts[i].nics = 1;
		hosts[i].launch = (struct launch)LAUNCH_INIT;
		snprintf(hosts[i].devices[0].device, VERBS_NAME, "mlx5_%u", i);
		snprintf(hosts[i].devices[0].address, GID_TEXT, "%s", addresses[i]);
	}
	agents_families(&agents);
	assert_true(hosts[0].alive && hosts[2].alive);
	assert_false(hosts[1].alive);
	assert_non_null(strstr(hosts[1].why, "mlx5_1 has no IPv4 address, only fd00:1::2"));
	agents_families(&agents);
	assert_true(hosts[0].alive && hosts[2].alive);
}

static void a_file_without_machines_is_told_of(void **state)
{
	struct agents_options options = { .program = "weft test" };
	struct agents agents = AGENTS_INIT;
	struct fabric fabric;
	struct diag diag;

	(void)state;
	load(&fabric, "leaves: 1\nspines: 1\nhosts_per_leaf: 2\nspeed: 100G\n");
	assert_int_equal(agents_start(&agents, &fabric, &options, &diag), -EINVAL);
	assert_non_null(strstr(diag.text, "which machine host1 is"));
	agents_close(&agents);
	fabric_free(&fabric);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_agent_ends_with_its_input),
		cmocka_unit_test(it_tells_its_clock_by_number),
		cmocka_unit_test(a_device_that_is_not_there_is_refused_and_it_lives_on),
		cmocka_unit_test(what_makes_no_sense_ends_it),
		cmocka_unit_test(a_frame_too_large_ends_it),
		cmocka_unit_test(a_host_that_does_not_come_has_one_line),
		cmocka_unit_test(what_is_started_is_gone_in_a_second),
		cmocka_unit_test(addresses_of_two_families_are_told_of_at_the_start),
		cmocka_unit_test(a_file_without_machines_is_told_of),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests_name("agents", tests, NULL, NULL);
}
