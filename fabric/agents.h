/*
 * agents - the coordinator's side of fabric/agent.h: an agent on every host of the fabric
 * file, started here or through ssh, its devices, its clock, and stages that run on all.
 *
 * An agent that dies, hangs or says nonsense is given up: it is closed, agents_host.why
 * says why, and the others go on. Every wait is bounded.
 */
#ifndef FABRIC_AGENTS_H
#define FABRIC_AGENTS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/agent.h"
#include "fabric/fabric.h"
#include "lib/launch.h"

struct diag;
struct json;

/* local: all agents are processes of this host; ssh: all through ssh; by host: local where
 * the file says "host: local". */
enum agents_launcher { AGENTS_BY_HOST, AGENTS_LOCAL, AGENTS_SSH };

struct agents_options {
	enum agents_launcher launcher;
	const char *weft; /* how weft is called on the hosts; NULL: "weft", here this program */
	uint64_t start_ns;                 /* how long a host may take to answer; 0: 30 s */
	const char *program;               /* its version: agents of another are refused */
	const volatile sig_atomic_t *stop; /* may be NULL; ends every wait */
};

struct agents_host {
	uint32_t node;           /* of the fabric */
	uint32_t first_nic;      /* its NICs follow one another */
	uint32_t nics;           /* devices */
	char name[CONTROL_PEER]; /* "host3 (node03)" */
	struct launch launch;
	bool alive;
	char why[256]; /* it is not; "" */
	struct gen_side devices[AGENT_DEVICES_MAX];
	int64_t offset_ns; /* its clock less ours */
	uint64_t error_ns; /* of that: half the shortest round trip */
};

struct agents {
	const struct fabric *fabric; /* borrowed */
	struct agents_options options;
	struct agents_host *hosts; /* owned; by node */
	uint32_t count;
	uint64_t tick_ns, clock_id;
};

#define AGENTS_INIT                                                                            \
	{                                                                                      \
		.hosts = NULL                                                                  \
	}

/* -EINVAL: the file does not say which machine a host is. */
int agents_bound(const struct fabric *fabric, struct diag *diag);

/* Starts them, at most AGENTS_AT_A_TIME together, and opens their devices. As
 * agents_bound(); -EHOSTDOWN: one or more are not there, each with
 * its why; diag tells of the first. */
#define AGENTS_AT_A_TIME 32u
int agents_start(struct agents *agents, const struct fabric *fabric,
	const struct agents_options *options, struct diag *diag);

/* Starts one agent on a machine. Errors are launch_weft()'s. */
int agents_launch(struct launch *launch, enum agents_launcher launcher, const char *machine,
	const char *weft, const char *peer, struct diag *diag);

/* Gives up the hosts with a device whose address is not of the family that most have: IPv4 and
 * IPv6 are not joined. */
void agents_families(struct agents *agents);

/* Raises the limit of open files to what so many agents take, as far as it may. */
void agents_room(uint32_t hosts);

/* A frame to such an agent, and the next one from it. Errors are those of lib/control.h; where
 * the agent is gone, its last words on stderr are the sentence, and where something else was
 * printed, that is told. */
int agents_send(struct launch *launch, enum agent_frame kind, const struct json *body,
	struct diag *diag);
int agents_receive(struct launch *launch, uint8_t *kind, struct json **body, uint64_t wait_ns,
	struct diag *diag);

/* Of the frame HELLO: -EPROTO where another version runs there. What was said on stderr until
 * then, such as the banner of an ssh server, is no reason for anything later. */
int agents_hello(
	struct launch *launch, const struct json *body, const char *program, struct diag *diag);

/* Measures the offset of every clock anew. */
void agents_clocks(struct agents *agents);

/* Shows the agents that we are there, two seconds or more after it was shown last: for whoever
 * does other work between stages, longer than AGENT_SILENCE_NS. */
void agents_tick(struct agents *agents);

/* A frame to a host, which takes the body over. A host that does not take it is given up. */
void agents_say(struct agents_host *host, enum agent_frame kind, struct json *body);

/* The next frame of a host, which must be of this kind: true, and *body is the caller's.
 * Else false: a host that refuses stays alive, and refusal holds its sentence; one that
 * does anything else is given up. Meanwhile all others are kept from thinking us dead. */
bool agents_hear(struct agents *agents, struct agents_host *host, enum agent_frame kind,
	struct json **body, uint64_t deadline_ns, char refusal[256]);

struct agents_host *agents_of_nic(const struct agents *agents, uint32_t nic);

void agents_give_up(struct agents_host *host, const char *why);

/* Ends them all; nothing is left running. Safe on AGENTS_INIT, safe twice. */
void agents_close(struct agents *agents);

#endif
