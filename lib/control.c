/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/control.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"

#define HEADER_BYTES 8u
#define RETRY_NS (100 * NS_PER_MS)
#define PROBE_S 5      /* of silence; then the kernel asks whether the peer is there */
#define GONE_MS 20000u /* it is not, when it has answered nothing for so long */

/* --- waiting --- */

static int left_ms(uint64_t deadline_ns)
{
	uint64_t now = clock_ns(), ms;

	if (now >= deadline_ns)
		return 0;
	ms = (deadline_ns - now) / NS_PER_MS + 1;
	return ms > 1000000 ? 1000000 : (int)ms;
}

/* 0, or -ETIMEDOUT. */
static int wait_for(int fd, short events, uint64_t deadline_ns)
{
	struct pollfd waited = { .fd = fd, .events = events };

	for (;;) {
		int ms = left_ms(deadline_ns);
		int got = poll(&waited, 1, ms);

		if (got > 0)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (ms == 0)
			return -ETIMEDOUT;
	}
}

bool control_ready(const struct control *control, uint64_t wait_ns)
{
	return wait_for(control->fd, POLLIN, clock_ns() + wait_ns) != -ETIMEDOUT;
}

bool control_hung_up(const struct control *control)
{
	struct pollfd waited = { .fd = control->fd, .events = POLLRDHUP };

	return poll(&waited, 1, 0) > 0;
}

/* The network of the control channel is not the one that is tested. */
static int of_channel(int err)
{
	return err == -EHOSTUNREACH ? -ENOTCONN : err;
}

/* --- addresses --- */

static void to_gid(const struct sockaddr_storage *from, uint8_t gid[GID_BYTES])
{
	memset(gid, 0, GID_BYTES);
	if (from->ss_family == AF_INET6) {
		memcpy(gid, &((const struct sockaddr_in6 *)from)->sin6_addr, GID_BYTES);
		return;
	}
	gid[10] = gid[11] = 0xff;
	memcpy(gid + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
}

static int resolve(const char *address, uint16_t port, int flags, struct addrinfo **found,
	struct diag *diag)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags };
	char service[8];
	int err;

	snprintf(service, sizeof(service), "%u", port);
	err = getaddrinfo(address, service, &hints, found);
	if (!err)
		return 0;
	return diag_error(diag, -EINVAL, "%.100s: %s: expected an address or a host name",
		address, gai_strerror(err));
}

/* A host that dies says nothing more. Who only waits to hear of it would never know. */
static void watch_peer(int fd)
{
	unsigned gone_ms = GONE_MS;
	int yes = 1, probe_s = PROBE_S;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &probe_s, sizeof(probe_s));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof(probe_s));
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &gone_ms, sizeof(gone_ms));
}

/* The socket is connected: takes it over. */
static void take(struct control *control, int fd)
{
	struct sockaddr_storage local = { 0 }, peer = { 0 };
	socklen_t local_bytes = sizeof(local), peer_bytes = sizeof(peer);
	uint8_t gid[GID_BYTES];
	int yes = 1;

	getsockname(fd, (struct sockaddr *)&local, &local_bytes);
	getpeername(fd, (struct sockaddr *)&peer, &peer_bytes);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
	watch_peer(fd);
	to_gid(&local, control->local);
	to_gid(&peer, gid);
	gid_print(gid, control->peer);
	control->fd = control->out = fd;
}

static void no_waiting(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void control_adopt(struct control *control, int in, int out, const char *peer)
{
	*control = (struct control){ .fd = in, .out = out };
	snprintf(control->peer, sizeof(control->peer), "%s", peer);
	no_waiting(in);
	no_waiting(out);
}

void control_take_stdio(struct control *control, const char *peer)
{
	int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);

	control_adopt(control, in, out, peer);
	dup2(nothing, STDIN_FILENO);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	close(nothing);
}

/* --- listening --- */

static int listen_on(const char *address, uint16_t port, int *listener, struct diag *diag)
{
	struct addrinfo *found;
	int err = resolve(address, port, AI_PASSIVE, &found, diag), fd, yes = 1;

	if (err)
		return err;
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) &&
		!bind(fd, found->ai_addr, found->ai_addrlen) && !listen(fd, 1)) {
		*listener = fd;
		freeaddrinfo(found);
		return 0;
	}
	err = -errno;
	freeaddrinfo(found);
	if (fd >= 0)
		close(fd);
	return diag_system(diag, err, "cannot listen on %.100s port %u", address, port);
}

/* One that has gone before it was taken is nobody. */
static int take_one(int listener, uint64_t deadline_ns, int *taken)
{
	for (;;) {
		int err = wait_for(listener, POLLIN, deadline_ns);

		if (err)
			return err;
		*taken = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (*taken >= 0)
			return 0;
		if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
			return -errno;
	}
}

int control_accept(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag)
{
	int listener = -1, fd = -1, err = listen_on(address, port, &listener, diag);

	if (err)
		return err;
	err = take_one(listener, clock_ns() + wait_ns, &fd);
	close(listener);
	if (err == -ETIMEDOUT)
		return diag_error(diag, err,
			"nobody came to %.100s port %u within %g s: start weft "
			"there with this address, or wait longer with --wait",
			address, port, (double)wait_ns / (double)NS_PER_S);
	if (err)
		return diag_system(diag, err, "listening on %.100s port %u", address, port);
	take(control, fd);
	return 0;
}

/* --- connecting --- */

static int connect_once(const struct addrinfo *to, uint64_t deadline_ns, int *connected)
{
	int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int err = 0;
	socklen_t bytes = sizeof(err);

	if (fd < 0)
		return -errno;
	if (connect(fd, to->ai_addr, to->ai_addrlen))
		err = errno;
	if (err == EINPROGRESS) {
		err = -wait_for(fd, POLLOUT, deadline_ns);
		if (!err)
			getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &bytes);
	}
	if (err)
		close(fd);
	else
		*connected = fd;
	return -err;
}

/* An address that leads nowhere takes only its share of the time from those after it. */
static uint64_t share_of(const struct addrinfo *to, uint64_t deadline_ns)
{
	uint64_t now = clock_ns(), left = 0;

	for (; to; to = to->ai_next)
		left++;
	return now < deadline_ns ? now + (deadline_ns - now) / left : deadline_ns;
}

static void pause_ms(uint64_t ns)
{
	struct timespec time = { .tv_nsec = (long)ns };

	nanosleep(&time, NULL);
}

int control_connect(struct control *control, const char *address, uint16_t port,
	uint64_t wait_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + wait_ns;
	struct addrinfo *found;
	int fd = -1, err = resolve(address, port, 0, &found, diag);

	if (err)
		return err;
	for (;;) {
		for (struct addrinfo *to = found; to; to = to->ai_next) {
			err = connect_once(to, share_of(to, deadline), &fd);
			if (!err)
				break;
		}
		if (!err || clock_ns() + RETRY_NS >= deadline)
			break;
		pause_ms(RETRY_NS);
	}
	freeaddrinfo(found);
	if (err)
		return of_channel(diag_system(diag, err,
			"no weft answers at %.100s port %u within %g s: start "
			"the same command with --listen there",
			address, port, (double)wait_ns / (double)NS_PER_S));
	take(control, fd);
	return 0;
}

/* --- frames --- */

static int write_all(
	struct control *control, const void *data, size_t bytes, uint64_t deadline_ns)
{
	const char *at = data;

	while (bytes) {
		ssize_t wrote = send(control->out, at, bytes, MSG_NOSIGNAL);
		int err;

		if (wrote < 0 && errno == ENOTSOCK)
			wrote = write(control->out, at, bytes);

		if (wrote > 0) {
			at += wrote;
			bytes -= (size_t)wrote;
			continue;
		}
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		err = wait_for(control->out, POLLOUT, deadline_ns);
		if (err)
			return err;
	}
	return 0;
}

/* -EPIPE at the end of the stream. */
static int read_all(struct control *control, void *data, size_t bytes, uint64_t deadline_ns)
{
	char *at = data;

	while (bytes) {
		ssize_t got = read(control->fd, at, bytes);
		int err;

		if (got > 0) {
			at += got;
			bytes -= (size_t)got;
			continue;
		}
		if (got == 0)
			return -EPIPE;
		if (errno != EAGAIN && errno != EINTR)
			return errno == ECONNRESET ? -EPIPE : -errno;
		err = wait_for(control->fd, POLLIN, deadline_ns);
		if (err)
			return err;
	}
	return 0;
}

static int lost(const struct control *control, int err, struct diag *diag)
{
	if (err == -EPIPE || err == -ECONNRESET)
		return diag_error(diag, -EPIPE,
			"the weft at %s has gone: its own last line says why", control->peer);
	if (err == -ETIMEDOUT)
		return diag_error(diag, err, "the weft at %s does not answer", control->peer);
	return of_channel(diag_system(diag, err, "talking to %s", control->peer));
}

int control_send(struct control *control, uint8_t kind, const struct json *body,
	uint64_t wait_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + wait_ns;
	uint8_t header[HEADER_BYTES] = { 'W', 'F', CONTROL_VERSION, kind };
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	uint32_t length;
	int err;

	if (!memory)
		return diag_system(diag, -errno, "a frame to %s", control->peer);
	err = json_write(memory, body);
	if (fclose(memory) && !err)
		err = -ENOMEM;
	if (!err && bytes > CONTROL_FRAME_MAX) {
		free(text);
		return diag_error(diag, -EMSGSIZE,
			"a frame to %s would have %zu bytes, the limit is %u: choose fewer "
			"flows or QPs",
			control->peer, bytes, CONTROL_FRAME_MAX);
	}
	length = htonl((uint32_t)bytes);
	memcpy(header + 4, &length, sizeof(length));
	if (!err)
		err = write_all(control, header, sizeof(header), deadline);
	if (!err)
		err = write_all(control, text, bytes, deadline);
	free(text);
	return err ? lost(control, err, diag) : 0;
}

static int check_header(const struct control *control, const uint8_t header[HEADER_BYTES],
	uint32_t *length, struct diag *diag)
{
	if (header[0] != 'W' || header[1] != 'F')
		return diag_error(
			diag, -EPROTO, "what answers at %s is no weft", control->peer);
	if (header[2] != CONTROL_VERSION)
		return diag_error(diag, -EPROTO,
			"the weft at %s speaks version %u of the control channel, this one %u: "
			"install the same weft on both hosts",
			control->peer, header[2], CONTROL_VERSION);
	memcpy(length, header + 4, sizeof(*length));
	*length = ntohl(*length);
	if (*length <= CONTROL_FRAME_MAX)
		return 0;
	return diag_error(diag, -EPROTO, "%s sent a frame of %u bytes, the limit is %u",
		control->peer, *length, CONTROL_FRAME_MAX);
}

int control_receive(struct control *control, uint8_t *kind, struct json **body,
	uint64_t wait_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + wait_ns;
	uint8_t header[HEADER_BYTES];
	struct diag inner;
	uint32_t length = 0;
	char *text;
	int err = read_all(control, header, sizeof(header), deadline);

	if (err)
		return lost(control, err, diag);
	err = check_header(control, header, &length, diag);
	if (err)
		return err;
	text = malloc((size_t)length + 1);
	if (!text)
		return diag_error(diag, -ENOMEM, "no memory for a frame of %u bytes", length);
	err = read_all(control, text, length, deadline);
	if (err)
		err = lost(control, err, diag);
	else if (json_parse(body, text, length, &inner))
		err = diag_error(diag, -EPROTO, "%s sent a frame that is no JSON: %.200s",
			control->peer, inner.text);
	free(text);
	*kind = header[3];
	return err;
}

void control_close(struct control *control)
{
	if (control->fd >= 0)
		close(control->fd);
	if (control->out >= 0 && control->out != control->fd)
		close(control->out);
	control->fd = control->out = -1;
}
