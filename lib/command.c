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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/grow.h"
#include "lib/units.h"

struct ends {
	int in, out[2], err[2];
};

static void close_stream(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_ends(struct ends *ends)
{
	close_stream(&ends->in);
	for (size_t i = 0; i < 2; i++) {
		close_stream(&ends->out[i]);
		close_stream(&ends->err[i]);
	}
}

/* A file in memory: who does not read it holds nobody up. */
static int open_input(const char *input, size_t bytes)
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < bytes) {
		ssize_t wrote = write(fd, input + done, bytes - done);

		if (wrote < 0)
			close_stream(&fd);
		else
			done += (size_t)wrote;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Returns 0 or a negative errno; ends are then for close_ends(). */
static int open_ends(struct ends *ends, const struct command *command)
{
	*ends = (struct ends){ -1, { -1, -1 }, { -1, -1 } };
	ends->in = command->input ? open_input(command->input, command->input_bytes)
				  : open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (ends->in < 0)
		return -errno;
	if (command->through)
		return 0;
	return pipe2(ends->out, O_CLOEXEC) || pipe2(ends->err, O_CLOEXEC) ? -errno : 0;
}

static void run_child(const struct command *command, const struct ends *ends)
{
	setpgid(0, 0);
	dup2(ends->in, STDIN_FILENO);
	dup2(command->through ? STDERR_FILENO : ends->out[1], STDOUT_FILENO);
	if (!command->through)
		dup2(ends->err[1], STDERR_FILENO);
	execvp(command->argv[0], (char *const *)(uintptr_t)command->argv);
	dprintf(STDERR_FILENO, "%s: %s\n", command->argv[0], strerror(errno));
	_Exit(127);
}

static int start(struct command *command, uint64_t limit_ns)
{
	struct ends ends;
	int err = open_ends(&ends, command);

	if (!err) {
		command->pid = fork();
		if (command->pid == 0)
			run_child(command, &ends);
		if (command->pid < 0)
			err = -errno;
	}
	command->out = command->words_fd = -1;
	if (!err) {
		/* Here, too: it may be killed before it has done so itself. */
		setpgid(command->pid, command->pid);
		command->out = ends.out[0];
		command->words_fd = ends.err[0];
		command->end_ns = clock_ns() + limit_ns;
		ends.out[0] = ends.err[0] = -1;
	}
	close_ends(&ends);
	return err;
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
