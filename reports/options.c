/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* https://no-color.org: set and not empty means no colour. */
static bool wants_colour(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

void report_options_for(struct report_options *options, FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	options->colour = false;
	options->width = REPORT_WIDTH;
	if (fd < 0 || !isatty(fd))
		return;
	options->colour = wants_colour();
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		options->width = size.ws_col;
}
