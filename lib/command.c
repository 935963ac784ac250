/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/grow.h"
#include "lib/units.h"

static void run_child(const char *const *argv, int out, int err)
{
	int none = open("/dev/null", O_RDONLY);

	setpgid(0, 0);
	dup2(none, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(err, "%s: %s\n", argv[0], strerror(errno));
	_Exit(127);
}

static int start(struct command *command, uint64_t limit_ns)
{
	int out[2], err[2];

	if (pipe2(out, O_CLOEXEC) < 0)
		return -errno;
	if (pipe2(err, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return -errno;
	}
	command->pid = fork();
	if (command->pid == 0)
		run_child(command->argv, out[1], err[1]);
	close(out[1]);
	close(err[1]);
	if (command->pid < 0) {
		close(out[0]);
		close(err[0]);
		return -errno;
	}
	command->out = out[0];
	command->words_fd = err[0];
	command->end_ns = clock_ns() + limit_ns;
	return 0;
}

/* False at the end of the stream, or when it says more than it may. */
static bool take_output(struct command *command)
{
	ssize_t got;

	if (command->size == COMMAND_OUTPUT_MAX) {
		command->err = -E2BIG;
		return false;
	}
	if (command->size + 65536 + 1 > command->room) {
		command->room = 2 * command->room + 2 * 65536;
		command->output = realloc(command->output, command->room);
		if (!command->output)
			out_of_memory();
	}
	got = read(command->out, command->output + command->size, 65536);
	if (got <= 0)
		return got < 0 && errno == EINTR;
	command->size += (size_t)got;
	if (command->size > COMMAND_OUTPUT_MAX)
		command->size = COMMAND_OUTPUT_MAX;
	return true;
}

/* Keeps the last line, and no control characters. */
static bool take_words(struct command *command)
{
	char text[512];
	ssize_t got = read(command->words_fd, text, sizeof(text));
	size_t used = strlen(command->words);

	if (got <= 0)
		return got < 0 && errno == EINTR;
	for (ssize_t i = 0; i < got; i++) {
		bool ends = text[i] == '\n' || text[i] == '\r';

		if (used > 0 && command->words[used - 1] == '\n' && !ends)
			used = 0;
		if (used < sizeof(command->words) - 2 && (ends || (text[i] & 0xe0)))
			command->words[used++] = ends ? '\n' : text[i];
		command->words[used] = '\0';
	}
	return true;
}

static void close_stream(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Its end, if it has come. */
static void reap(struct command *command, int options)
{
	int status;

	if (waitpid(command->pid, &status, options) != command->pid)
		return;
	command->pid = 0;
	while (command->words_fd >= 0 && take_words(command))
		;
	close_stream(&command->out);
	close_stream(&command->words_fd);
	command->words[strcspn(command->words, "\n")] = '\0';
	if (command->output)
		command->output[command->size] = '\0';
	if (!command->err && WIFEXITED(status))
		command->status = WEXITSTATUS(status);
	else if (!command->err)
		command->err = -EINTR;
}

/* One turn: what is there is taken; who is late or says too much is killed. */
static void serve(struct command *command, short out, short words)
{
	if (words && !take_words(command))
		close_stream(&command->words_fd);
	if (out && !take_output(command))
		close_stream(&command->out);
	if (!command->err && clock_ns() > command->end_ns)
		command->err = -ETIMEDOUT;
	if (command->err) {
		kill(-command->pid, SIGKILL);
		close_stream(&command->words_fd); /* its children may hold it open */
		reap(command, 0);
	} else if (command->out < 0) {
		reap(command, WNOHANG);
	}
}

/* How often it is looked whether one has ended that has closed its output before. */
#define TURN_MS 20

#define AT_ONCE_MAX 256u

void commands_run(struct command *commands, size_t count, size_t at_once, uint64_t limit_ns)
{
	struct command *running[AT_ONCE_MAX];
	struct pollfd polls[2 * AT_ONCE_MAX];
	size_t next = 0, live = 0;

	at_once = at_once < 1 ? 1 : at_once > AT_ONCE_MAX ? AT_ONCE_MAX : at_once;
	while (next < count || live > 0) {
		while (next < count && live < at_once) {
			struct command *command = &commands[next++];

			command->err = start(command, limit_ns);
			if (!command->err)
				running[live++] = command;
		}
		for (size_t i = 0; i < live; i++) {
			polls[2 * i] = (struct pollfd){ running[i]->out, POLLIN, 0 };
			polls[2 * i + 1] = (struct pollfd){ running[i]->words_fd, POLLIN, 0 };
		}
		poll(polls, 2 * live, TURN_MS);
		for (size_t i = 0; i < live; i++)
			serve(running[i], polls[2 * i].revents, polls[2 * i + 1].revents);
		for (size_t i = 0; i < live;)
			if (running[i]->pid)
				i++;
			else
				running[i] = running[--live];
	}
}

void command_free(struct command *command)
{
	free(command->output);
	command->output = NULL;
	command->size = command->room = 0;
}
