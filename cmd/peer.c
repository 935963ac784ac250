/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/peer_end.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "lib/diag.h"

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

int peer_run(struct peer_args *args)
{
	struct peer *peer = calloc(1, sizeof(*peer));
	struct diag diag;
	int err, status;

	if (!peer)
		return EXIT_UNKNOWN;
	peer->args = args;
	peer->control = (struct control)CONTROL_INIT;
	peer->view.args = args;
	peer->view.gen = &peer->gen;
	err = args->listen ? peer_listen(peer, &diag) : peer_connect(peer, &diag);
	if (err) {
		fprintf(stderr, "weft %s: %s\n", args->command, diag.text);
		peer_refuse(peer, err, &diag);
		status = err == -EHOSTUNREACH ? EXIT_FAIL : EXIT_UNKNOWN;
	} else {
		status = report(peer);
	}
	gen_close(&peer->gen);
	verbs_close(&peer->verbs);
	control_close(&peer->control);
	free(peer);
	return status;
}
