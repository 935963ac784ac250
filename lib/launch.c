/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/launch.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/diag.h"

#define END_NS NS_PER_S
#define NAP_NS (2 * NS_PER_MS)

extern char **environ;

/* The child's descriptors 0 to 2, and signals as a program expects them. */
static int spawn(struct launch *launch, const char *const *argv, int channel)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, channel, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, channel, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, launch->words, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	err = posix_spawnp(&launch->pid, argv[0], &files, &attr, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	if (err)
		launch->pid = 0;
	return -err;
}

int launch_start(
	struct launch *launch, const char *const *argv, const char *peer, struct diag *diag)
{
	int fds[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return diag_system(diag, -errno, "%s: no channel", peer);
	launch->words = memfd_create("words", MFD_CLOEXEC);
	err = launch->words < 0 ? -errno : spawn(launch, argv, fds[1]);
	close(fds[1]);
	control_adopt(&launch->control, fds[0], fds[0], peer);
	if (!err)
		return 0;
	launch_close(launch);
	return diag_system(diag, err, "%s: %s cannot be started", peer, argv[0]);
}

void launch_words(const struct launch *launch, char text[LAUNCH_WORDS])
{
	char tail[LAUNCH_WORDS];
	off_t end = launch->words < 0 ? 0 : lseek(launch->words, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(tail) ? end - (off_t)sizeof(tail) : 0;
	ssize_t got = end > 0 ? pread(launch->words, tail, sizeof(tail), from) : 0, begin;

	while (got > 0 && isspace((unsigned char)tail[got - 1]))
		got--;
	for (begin = got; begin > 0 && tail[begin - 1] != '\n';)
		begin--;
	text[0] = '\0';
	if (got <= begin)
		return;
	for (ssize_t i = begin; i < got; i++)
		text[i - begin] = (char)(isprint((unsigned char)tail[i]) ? tail[i] : ' ');
	text[got - begin - (got - begin == LAUNCH_WORDS)] = '\0';
}

void launch_hang_up(struct launch *launch)
{
	control_close(&launch->control);
}

static bool has_ended(const struct launch *launch)
{
	const struct timespec nap = { .tv_nsec = (long)NAP_NS };
	uint64_t deadline = clock_ns() + END_NS;

	do {
		if (waitpid(launch->pid, NULL, WNOHANG) != 0)
			return true;
		nanosleep(&nap, NULL);
	} while (clock_ns() < deadline);
	return false;
}

void launch_close(struct launch *launch)
{
	launch_hang_up(launch);
	if (launch->pid && !has_ended(launch)) {
		kill(-launch->pid, SIGKILL);
		waitpid(launch->pid, NULL, 0);
	}
	if (launch->words >= 0)
		close(launch->words);
	*launch = (struct launch)LAUNCH_INIT;
}
