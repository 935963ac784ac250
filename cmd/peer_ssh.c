/* SPDX-License-Identifier: Apache-2.0 */
/* The listening end, started through the user's own ssh: its standard input and output are the
 * control channel, so that nothing listens anywhere. Both sides of that. */
#include "cmd/peer_end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/utf8.h"

#define LOCAL "local"
#define END_NS (2 * NS_PER_S) /* for ssh to end by itself and say why */
#define NO_PROGRAM 127        /* what a shell ends with that does not find one, */
#define NOT_EXECUTABLE 126    /* or may not run it, */
#define SSH_FAILED 255        /* and ssh when it has failed itself */

/* --- the end that starts it --- */

static bool is_local(const struct peer *peer)
{
	return strcmp(peer->args->ssh, LOCAL) == 0;
}

static struct json *ask_json(const struct peer_args *args, const struct gid_wish *wish)
{
	struct json *body = json_new_object();

	peer_put_program(body);
	json_put_text(body, "device", args->peer_device ? args->peer_device : "");
	json_put_u64(body, "port", args->port);
	json_put_u64(body, "gid_index", wish->by_index ? wish->index + 1 : 0);
	return body;
}

static int ask(struct peer *peer, struct verbs_ends *there, struct diag *diag)
{
	struct gid_wish wish = { 0 };
	struct json *body = NULL;
	char printed[LAUNCH_WORDS];
	bool answers;
	int err = peer_gid_index("--peer-gid", peer->args->peer_gid, &wish, diag);

	if (!err)
		err = peer_say(peer, PEER_ASK, ask_json(peer->args, &wish), diag);
	if (err)
		return err;
	answers = control_ready(&peer->control, peer->args->wait_ns);
	if (launch_prints(&peer->launch, printed))
		return diag_error(diag, -EPROTO,
			"%.64s prints \"%.80s\" before weft speaks: expected nothing on the "
			"standard output of ssh %.64s true (perhaps a line of ~/.bashrc there "
			"prints it)",
			peer->args->ssh, printed, peer->args->ssh);
	err = peer_hear(peer, PEER_ENDS, &body, answers ? PEER_TALK_NS : 0, diag);
	if (err)
		return err;
	peer->met = true;
	launch_pass_over(&peer->launch);
	err = peer_get_ends(json_get(body, "ends"), there, diag);
	json_free(body);
	return err;
}

static int launch(struct peer *peer, struct verbs_ends *there, struct diag *diag)
{
	const char *const words[] = { peer->args->command, "--listen", "-", NULL };
	const char *host = peer->args->ssh;
	int err = launch_weft(&peer->launch, is_local(peer) ? NULL : host, peer->args->weft,
		words, host, diag);

	if (err)
		return err;
	peer->control = peer->launch.control;
	err = ask(peer, there, diag);
	peer->launch.control = (struct control)CONTROL_INIT;
	return err;
}

static void choose(struct peer *peer)
{
	const struct peer_match *match = &peer->match;

	peer->use = &match->here;
	peer->use_rule = peer->args->gid                  ? GID_BY_INDEX
			 : match->rule == PEER_ONE_SUBNET ? GID_BY_SUBNET
			 : gid_is_ipv4(match->here.gid)   ? GID_FIRST_IPV4
							  : GID_FIRST_IPV6;
	if (!peer->args->device || !peer->args->peer_device)
		peer->view.match = match;
}

int peer_start(struct peer *peer, struct diag *diag)
{
	const struct peer_args *args = peer->args;
	struct verbs_choice choice = { .device = args->device, .port = (uint32_t)args->port };
	struct verbs_ends *ends = calloc(2, sizeof(*ends));
	int err = ends ? peer_gid_index("-x", args->gid, &choice.gid, diag)
		       : diag_error(diag, -ENOMEM, "no memory");

	if (!err)
		err = verbs_ends_find(&ends[0], &choice, diag);
	if (!err)
		err = launch(peer, &ends[1], diag);
	if (!err)
		err = peer_match(
			&peer->match, &ends[0], &ends[1], args->family == 1, args->ssh, diag);
	if (!err)
		choose(peer);
	free(ends);
	return err;
}

/* --- why it is not heard any more --- */

/* Its exit status, or 256 and the signal that ended it; -1: it still runs. It is left to be
 * waited for. */
static int exit_of(pid_t pid)
{
	const struct timespec nap = { .tv_nsec = 5 * (long)NS_PER_MS };
	uint64_t deadline = clock_ns() + END_NS;
	siginfo_t info = { 0 };

	while (!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) && !info.si_pid &&
		clock_ns() < deadline)
		nanosleep(&nap, NULL);
	if (!info.si_pid)
		return -1;
	return info.si_code == CLD_EXITED ? info.si_status : 256 + info.si_status;
}

static void explain_ssh(
	const struct peer *peer, int status, const char *words, struct diag *diag)
{
	const char *host = peer->args->ssh,
		   *weft = peer->args->weft ? peer->args->weft : "weft";

	if (status == SSH_FAILED && !peer->met)
		diag_error(diag, -EPIPE,
			"ssh to %.64s: %s: expected that ssh -o BatchMode=yes %.64s %.64s "
			"--version "
			"asks nothing and answers",
			host, words[0] ? words : "it failed without a word", host, weft);
	else if (status == SSH_FAILED)
		diag_error(diag, -EPIPE,
			"ssh to %.64s, or the weft there, ended in mid-run: %s", host,
			words[0] ? words : "it left no word");
	else if (status == NO_PROGRAM || status == NOT_EXECUTABLE)
		diag_error(diag, -EPIPE,
			"%.64s cannot run %.64s (%s): install the same weft there, or say "
			"where it "
			"is with --weft PATH",
			host, weft, words[0] ? words : "not found");
}

void peer_explain(struct peer *peer, int err, struct diag *diag)
{
	char words[LAUNCH_WORDS];
	const char *who = "";
	int status;

	if (!peer->launch.pid)
		return;
	if (err == -ETIMEDOUT && !peer->met)
		diag_error(diag, err,
			"%.64s has not answered within %g s: look whether ssh -o BatchMode=yes "
			"%.64s "
			"weft --version does, or wait longer with --wait",
			peer->args->ssh, (double)peer->args->wait_ns / (double)NS_PER_S,
			peer->args->ssh);
	if (err != -EPIPE && err != -ECANCELED)
		return;
	status = exit_of(peer->launch.pid);
	launch_words(&peer->launch, words);
	who = is_local(peer) ? "the other weft" : "ssh to ";
	if (status > 256)
		diag_error(diag, err, "%s%.64s was ended by signal %d", who,
			is_local(peer) ? "" : peer->args->ssh, status - 256);
	else if (!is_local(peer) &&
		 (status == SSH_FAILED || status == NO_PROGRAM || status == NOT_EXECUTABLE))
		explain_ssh(peer, status, words, diag);
	else
		diag_error(diag, err, "the weft at %.64s has gone: %s", peer->args->ssh,
			words[0] ? words : "it left no word");
}

/* --- the end that is started --- */

static int wish_of(const struct peer *peer, const struct json *asked, char device[VERBS_NAME],
	struct verbs_choice *choice, struct diag *diag)
{
	uint64_t port, index;
	int err = wire_text(asked, "device", device, VERBS_NAME, diag);

	if (!err)
		err = wire_number(asked, "port", 1, 255, &port, diag);
	if (!err)
		err = wire_number(asked, "gid_index", 0, 256, &index, diag);
	if (!err)
		err = peer_gid_index("-x", peer->args->gid, &choice->gid, diag);
	if (err)
		return err;
	choice->device = device[0] ? device : peer->args->device;
	choice->port = (uint32_t)port;
	if (index)
		choice->gid = (struct gid_wish){
			.by_index = true,
			.index = (uint32_t)index - 1,
		};
	return 0;
}

static int tell_ends(struct peer *peer, const struct verbs_choice *choice, struct diag *diag)
{
	struct verbs_ends *ends = calloc(1, sizeof(*ends));
	struct json *body;
	int err = ends ? verbs_ends_find(ends, choice, diag)
		       : diag_error(diag, -ENOMEM, "no memory");

	if (!err) {
		body = json_new_object();
		peer_put_ends(json_put_array(body, "ends"), ends);
		err = peer_say(peer, PEER_ENDS, body, diag);
	}
	free(ends);
	return err;
}

int peer_serve_stdio(struct peer *peer, struct diag *diag)
{
	struct verbs_choice choice = { .device = NULL };
	struct json *asked = NULL;
	char device[VERBS_NAME];
	int err;

	if (isatty(STDIN_FILENO))
		return diag_error(diag, -EINVAL,
			"--listen -: the standard input is a terminal: expected another weft "
			"there, "
			"which starts this one by --ssh");
	control_take_stdio(&peer->control, "the other end");
	err = peer_hear(peer, PEER_ASK, &asked, PEER_TALK_NS, diag);
	if (err)
		return err;
	err = peer_check_program(asked, diag);
	if (!err)
		err = wish_of(peer, asked, device, &choice, diag);
	if (!err)
		err = tell_ends(peer, &choice, diag);
	json_free(asked);
	return err;
}
