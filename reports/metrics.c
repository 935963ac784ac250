/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/metrics.h"

#include <string.h>

#include "reports/ink.h"

#define VALUE_BYTES 512

static void put_family(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void metrics_family(FILE *out, const char *name, const char *help)
{
	put_family(out, name, "gauge", help);
}

void metrics_counter(FILE *out, const char *name, const char *help)
{
	put_family(out, name, "counter", help);
}

void metrics_label(FILE *out, const char *before, const char *name, const char *value)
{
	char safe[VALUE_BYTES];
	const char *rest = safe;

	ink_safe(safe, sizeof(safe), value);
	fprintf(out, "%s%s=\"", before, name);
	while (*rest) {
		size_t plain = strcspn(rest, "\\\"");

		fwrite(rest, 1, plain, out);
		rest += plain;
		if (*rest)
			fprintf(out, "\\%c", *rest++);
	}
	fputc('"', out);
}
