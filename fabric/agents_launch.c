/* SPDX-License-Identifier: Apache-2.0 */
/* An agent on one machine: how it is started, and why it does not answer. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "fabric/agents.h"
#include "fabric/wire.h"
#include "lib/clock.h"
#include "lib/diag.h"

#define DESCRIPTORS_ELSE 64u /* the run file, outputs, what is standard */

int agents_launch(struct launch *launch, enum agents_launcher launcher, const char *machine,
	const char *weft, const char *peer, struct diag *diag)
{
	static const char *const words[] = { "agent", NULL };
	bool local = launcher == AGENTS_BY_HOST ? strcmp(machine, "local") == 0
						: launcher == AGENTS_LOCAL;

	return launch_weft(launch, local ? NULL : machine, weft, words, peer, diag);
}

/* A host takes two descriptors; the limit that shells give is 1024. Where it cannot be raised, the
 * hosts beyond it say so. */
void agents_room(uint32_t hosts)
{
	const rlim_t needed = (rlim_t)hosts * 2 + DESCRIPTORS_ELSE;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= needed)
		return;
	limit.rlim_cur = limit.rlim_max < needed ? limit.rlim_max : needed;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static bool is_ipv6(const struct gen_side *device)
{
	return strchr(device->address, ':') != NULL;
}

void agents_families(struct agents *agents)
{
	uint32_t count[2] = { 0 };
	bool ipv6;

	for (uint32_t i = 0; i < agents->count; i++)
		for (uint32_t k = 0; agents->hosts[i].alive && k < agents->hosts[i].nics; k++)
			count[is_ipv6(&agents->hosts[i].devices[k])]++;
	ipv6 = count[1] > count[0];
	for (uint32_t i = 0; count[!ipv6] && i < agents->count; i++) {
		struct agents_host *host = &agents->hosts[i];

		for (uint32_t k = 0; host->alive && k < host->nics; k++) {
			char why[256];

			if (is_ipv6(&host->devices[k]) == ipv6)
				continue;
			snprintf(why, sizeof(why),
				"%.60s has no IPv%c address, only %.60s, and most others have "
				"one: expected the same family on all, as a QP joins two of "
				"one",
				host->devices[k].device, ipv6 ? '6' : '4',
				host->devices[k].address);
			agents_give_up(host, why);
		}
	}
}

/* Its own last words say more than that it is gone. */
static int gone(const struct launch *launch, struct diag *diag)
{
	char words[LAUNCH_WORDS];

	launch_words(launch, words);
	if (!words[0])
		return diag_error(diag, -EPIPE,
			"its agent is gone and said nothing: it was killed, or its host or "
			"the way to it is down");
	return diag_error(diag, -EPIPE, "%.200s%s", words,
		strstr(words, "not found") ? ": install weft there, or say where it is with "
					     "--weft PATH"
					   : "");
}

int agents_send(struct launch *launch, enum agent_frame kind, const struct json *body,
	struct diag *diag)
{
	int err = control_send(&launch->control, (uint8_t)kind, body, AGENT_TALK_NS, diag);

	return err == -EPIPE ? gone(launch, diag) : err;
}

int agents_receive(struct launch *launch, uint8_t *kind, struct json **body, uint64_t wait_ns,
	struct diag *diag)
{
	uint64_t deadline_ns = clock_ns() + wait_ns, now_ns;
	char printed[LAUNCH_WORDS];
	int err;

	(void)control_ready(&launch->control, wait_ns);
	if (launch_prints(launch, printed))
		return diag_error(diag, -EPROTO,
			"\"%.80s\" was printed where its agent should answer: expected "
			"nothing on the standard output of ssh HOST true (a line of ~/.bashrc "
			"there prints it)",
			printed);
	now_ns = clock_ns();
	err = control_receive(&launch->control, kind, body,
		now_ns < deadline_ns ? deadline_ns - now_ns : 0, diag);
	return err == -EPIPE ? gone(launch, diag) : err;
}

int agents_hello(
	struct launch *launch, const struct json *body, const char *program, struct diag *diag)
{
	char theirs[64];
	int err = wire_text(body, "program", theirs, sizeof(theirs), diag);

	launch_pass_over(launch);
	if (err || strcmp(theirs, program) == 0)
		return err;
	return diag_error(
		diag, -EPROTO, "%s runs there, and %s here: install the same", theirs, program);
}
