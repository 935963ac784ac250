/*
 * sweep_hook - what is run when a sweep has ended: the user's command.
 *
 * sh runs it with the JSON of the night on its standard input. What it prints, on either
 * stream, goes to stderr, so that the stdout of weft is the sweep's alone. With all that it
 * started in its process group it is killed when its time is up.
 */
#ifndef CMD_SWEEP_HOOK_H
#define CMD_SWEEP_HOOK_H

#include <stdint.h>

struct night;

/* A hook that fails is told of on stderr with one sentence, and changes nothing. */
void sweep_hook(const struct night *night, const char *command, uint64_t limit_ns);

#endif
