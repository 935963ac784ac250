/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/launch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/units.h"

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

void launch_self(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	path[length > 0 ? length : 0] = '\0';
	if (length <= 0)
		snprintf(path, PATH_MAX, "weft");
}

int launch_weft(struct launch *launch, const char *host, const char *weft,
	const char *const *words, const char *peer, struct diag *diag)
{
	static const char *const ssh[] = { "ssh", "-T", "-o", "BatchMode=yes", "-o",
		"ConnectTimeout=10", "-o", "ServerAliveInterval=3", "-o",
		"ServerAliveCountMax=2", "--" };
	const char *argv[COUNT_OF(ssh) + 2 + LAUNCH_WEFT_WORDS + 1];
	char self[PATH_MAX];
	size_t count = 0;

	/* By its own name, so that who looks at the host's processes knows it. */
	launch_self(self);
	for (size_t i = 0; host && i < COUNT_OF(ssh); i++)
		argv[count++] = ssh[i];
	if (host)
		argv[count++] = host;
	argv[count++] = weft ? weft : host ? "weft" : self;
	for (size_t i = 0; i < LAUNCH_WEFT_WORDS && words[i]; i++)
		argv[count++] = words[i];
	argv[count] = NULL;
	return launch_start(launch, argv, peer, diag);
}

static void copy_line(char text[LAUNCH_WORDS], const char *line, size_t bytes)
{
	bytes -= bytes == LAUNCH_WORDS;
	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)(isprint((unsigned char)line[i]) ? line[i] : ' ');
	text[bytes] = '\0';
}

void launch_words(const struct launch *launch, char text[LAUNCH_WORDS])
{
	char tail[LAUNCH_WORDS];
	off_t end = launch->words < 0 ? 0 : lseek(launch->words, 0, SEEK_END);
	off_t from =
		end - launch->words_at > LAUNCH_WORDS ? end - LAUNCH_WORDS : launch->words_at;
	ssize_t got = end > from ? pread(launch->words, tail, (size_t)(end - from), from) : 0;
	ssize_t begin;

	while (got > 0 && isspace((unsigned char)tail[got - 1]))
		got--;
	for (begin = got; begin > 0 && tail[begin - 1] != '\n';)
		begin--;
	copy_line(text, tail + (got > begin ? begin : 0),
		got > begin ? (size_t)(got - begin) : 0);
}

void launch_pass_over(struct launch *launch)
{
	off_t end = launch->words < 0 ? 0 : lseek(launch->words, 0, SEEK_END);

	launch->words_at = end > 0 ? end : 0;
}

bool launch_prints(const struct launch *launch, char text[LAUNCH_WORDS])
{
	char head[LAUNCH_WORDS];
	ssize_t got = recv(launch->control.fd, head, sizeof(head), MSG_PEEK | MSG_DONTWAIT);
	ssize_t begin = 0, end;

	if (got <= 0 || memcmp(head, "WF", got > 1 ? 2 : 1) == 0)
		return false;
	while (begin < got && isspace((unsigned char)head[begin]))
		begin++;
	for (end = begin; end < got && head[end] != '\n';)
		end++;
	copy_line(text, head + begin, (size_t)(end - begin));
	return true;
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
