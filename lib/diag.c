/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int diag_error(struct diag *diag, int err, const char *fmt, ...)
{
	va_list args;

	assert(err < 0);
	va_start(args, fmt);
	vsnprintf(diag->text, sizeof(diag->text), fmt, args);
	va_end(args);
	return err;
}

int diag_system(struct diag *diag, int err, const char *fmt, ...)
{
	va_list args;
	size_t used;

	assert(err < 0);
	va_start(args, fmt);
	vsnprintf(diag->text, sizeof(diag->text), fmt, args);
	va_end(args);
	used = strlen(diag->text);
	snprintf(diag->text + used, sizeof(diag->text) - used, ": %s", strerror(-err));
	return err;
}
