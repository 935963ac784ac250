/*
 * agent_bench - one agent in a thread of the test, and the test as its coordinator.
 */
#ifndef TESTS_AGENT_BENCH_H
#define TESTS_AGENT_BENCH_H

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "fabric/agents.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"

#define SOON_NS (5 * NS_PER_S)

struct bench {
	struct control here, there;
	pthread_t thread;
	struct diag diag;
	int err;
};

static inline void *bench_serve(void *arg)
{
	struct bench *bench = arg;

	bench->err = agent_serve(&bench->there, "weft test", &bench->diag);
	control_close(&bench->there);
	return NULL;
}

/* The next word of the agent; body is the caller's. */
static inline void hear(struct bench *bench, uint8_t kind, struct json **body)
{
	struct diag diag;
	uint8_t is;

	assert_int_equal(control_receive(&bench->here, &is, body, SOON_NS, &diag), 0);
	assert_int_equal(is, kind);
}

static inline void say(struct bench *bench, uint8_t kind, const char *text)
{
	struct json *body;
	struct diag diag;

	assert_int_equal(json_parse(&body, text, strlen(text), &diag), 0);
	assert_int_equal(control_send(&bench->here, kind, body, SOON_NS, &diag), 0);
	json_free(body);
}

/* Until the agent has said which program it is. */
static inline void begin(struct bench *bench)
{
	struct json *hello;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	control_adopt(&bench->here, fds[0], fds[0], "agent");
	control_adopt(&bench->there, fds[1], fds[1], "test");
	assert_int_equal(pthread_create(&bench->thread, NULL, bench_serve, bench), 0);
	hear(bench, AGENT_HELLO, &hello);
	assert_string_equal(json_text(json_get(hello, "program")), "weft test");
	json_free(hello);
}

#endif
