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

/* By the name of the locale: the first of these that is set decides, as in C libraries. */
static enum report_plots wants_plots(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *locale = getenv(names[i]);

		if (locale && *locale)
			return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8")
				       ? REPORT_PLOTS_UTF8
				       : REPORT_PLOTS_ASCII;
	}
	return REPORT_PLOTS_ASCII;
}

void report_options_for(struct report_options *options, FILE *out)
{
	struct winsize size;
	int fd = fileno(out);

	options->colour = false;
	options->width = REPORT_WIDTH;
	options->plots = REPORT_PLOTS_NONE;
	if (fd < 0 || !isatty(fd))
		return;
	options->colour = wants_colour();
	options->plots = wants_plots();
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col)
		options->width = size.ws_col;
}
