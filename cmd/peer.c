/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer_end.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/diag.h"

bool peer_is_stdio(const struct peer_args *args)
{
	return args->listen && strcmp(args->listen, "-") == 0;
}

static int report(struct peer *peer)
{
	const struct peer_view *view = &peer->view;
	FILE *verdicts = peer->args->json ? stderr : stdout;

	if (peer->args->json && peer_show_json(stdout, view))
		return EXIT_UNKNOWN;
	if (!peer->args->json)
		peer_show(stdout, view);
	return peer_verdict(verdicts, view);
}

void peer_report(struct peer *peer, bool last)
{
	if (peer_is_stdio(peer->args))
		return;
	if (peer->args->all)
		peer_all_add(&peer->all, &peer->view);
	if (last)
		peer->status =
			peer->args->all ? peer_all_end(&peer->all, &peer->view) : report(peer);
}

void peer_again(struct peer *peer)
{
	struct gen_side kept = { .port = 0 };

	gen_close(&peer->gen);
	memcpy(kept.bound, peer->view.here.bound, sizeof(kept.bound));
	kept.elsewhere = peer->view.here.elsewhere;
	peer->gen = (struct gen)GEN_INIT;
	peer->view.here = kept;
	peer->view.there = (struct gen_side){ .port = 0 };
}

int peer_run(struct peer_args *args)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	struct diag diag;
	int err, status;

	if (!peer)
		return EXIT_UNKNOWN;
	peer->args = args;
	peer->control = (struct control)CONTROL_INIT;
	peer->launch = (struct launch)LAUNCH_INIT;
	peer->view.args = args;
	peer->view.gen = &peer->gen;
	err = args->listen ? peer_listen(peer, &diag) : peer_connect(peer, &diag);
	if (err) {
		peer_explain(peer, err, &diag);
		fflush(stdout);
		fprintf(stderr, "weft %s: %s\n", args->command, diag.text);
		peer_refuse(peer, err, &diag);
	}
	status = !err ? peer->status : err == -EHOSTUNREACH ? EXIT_FAIL : EXIT_UNKNOWN;
	if (err && peer->all.count)
		status = peer_all_break(&peer->all, &peer->view, status, diag.text);
	gen_close(&peer->gen);
	verbs_close(&peer->verbs);
	control_close(&peer->control);
	launch_close(&peer->launch);
	peer_all_drop(&peer->all);
	free(peer);
	return status;
}
