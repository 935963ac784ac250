/*
 * rule_command - options of a command line that a bundle shows.
 */
#ifndef PFC_RULE_COMMAND_H
#define PFC_RULE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* "-S 3", "--sl=3", "-np 2": whether the option is there, and the word behind it
 * ("" when there is none). room > 0. */
bool command_option(const char *command, const char *name, char *value, size_t room);
bool command_has(const char *command, const char *name);
/* The number behind the option; fallback when the option or the number is missing. */
double command_number(const char *command, const char *name, double fallback);

struct facts;

/* Processes times threads times GPUs of a command that starts nccl-tests; 0 when there is
 * none. */
double command_ranks(const struct facts *facts);
/* On how many hosts a command starts its processes; 0 when it does not tell. */
double command_hosts(const struct facts *facts);

#endif
