/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule_command.h"

#include <stdio.h>
#include <string.h>

#include "pfc/scan.h"

bool command_option(const char *command, const char *name, char *value, size_t room)
{
	size_t length = strlen(name);

	for (const char *at = command; (at = strstr(at, name)); at += length) {
		const char *after = at + length;

		if ((at > command && at[-1] != ' ') ||
			(*after && *after != ' ' && *after != '='))
			continue;
		after += *after == '=' || *after == ' ';
		after += strspn(after, " ");
		snprintf(value, room, "%.*s", (int)strcspn(after, " "), after);
		return true;
	}
	return false;
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
