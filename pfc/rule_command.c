/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule_command.h"

#include <stdio.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/facts.h"
#include "pfc/scan.h"

/* Where the value of an option begins; NULL when the option is not there. */
static const char *option_value(const char *command, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = command; (at = strstr(at, name)); at += length) {
		const char *after = at + length;

		if ((at > command && at[-1] != ' ') ||
			(*after && *after != ' ' && *after != '='))
			continue;
		after += *after == '=' || *after == ' ';
		return after + strspn(after, " ");
	}
	return NULL;
}

bool command_option(const char *command, const char *name, char *value, size_t room)
{
	const char *at = option_value(command, name);

	if (!at)
		return false;
	snprintf(value, room, "%.*s", (int)strcspn(at, " "), at);
	return true;
}

bool command_has(const char *command, const char *name)
{
	char value[8];

	return command_option(command, name, value, sizeof(value));
}

double command_number(const char *command, const char *name, double fallback)
{
	char value[64];
	double number;

	if (!command_option(command, name, value, sizeof(value)) ||
		!scan_number(value, &number, NULL))
		return fallback;
	return number;
}

double command_ranks(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_COMMAND, command) {
		double processes = command_number(command->text, "-np",
			command_number(command->text, "-n",
				command_number(command->text, "--ntasks", 0)));

		if (strcmp(command->subject, "mpirun") != 0 &&
			strcmp(command->subject, "mpiexec") != 0 &&
			strcmp(command->subject, "srun") != 0)
			continue;
		if (processes < 1 || !strstr(command->text, "_perf"))
			continue;
		return processes * command_number(strstr(command->text, "_perf"), "-g", 1) *
		       command_number(strstr(command->text, "_perf"), "-t", 1);
	}
	return 0;
}

/* How many hosts "-H hostA:8,hostB:8" names, or "-N 2" of srun. */
static double hosts_of(const struct fact *command)
{
	static const char *const options[] = { "-H", "--host", "-host" };
	const char *list = NULL;
	double hosts = 0;

	if (strcmp(command->subject, "srun") == 0)
		return command_number(
			command->text, "-N", command_number(command->text, "--nodes", 0));
	for (size_t i = 0; i < COUNT_OF(options) && !list; i++)
		list = option_value(command->text, options[i]);
	for (; list && *list && *list != ' '; list += *list == ',') {
		hosts++;
		list += strcspn(list, ", ");
	}
	return hosts;
}

double command_hosts(const struct facts *facts)
{
	FACTS_EACH (facts, FACT_COMMAND, command)
		if (hosts_of(command) > 0)
			return hosts_of(command);
	return 0;
}
