/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/live.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define HEIGHT 24u
#define HEIGHT_MIN 4u

/* xterm's alternate screen, cursor and line wrapping off; and back. */
#define BEGIN "\033[?1049h\033[?25l\033[?7l"
#define END "\033[?7h\033[?25h\033[?1049l"
#define HOME "\033[H"
#define REST_OF_LINE "\033[K"
#define REST_OF_SCREEN "\033[J"

bool live_screen_begin(struct live_screen *screen, FILE *out)
{
	const char *term = getenv("TERM");
	int fd = fileno(out);

	screen->out = NULL;
	if (fd < 0 || !isatty(fd) || !term || !*term || strcmp(term, "dumb") == 0)
		return false;
	screen->out = out;
	fputs(BEGIN, out);
	fflush(out);
	return true;
}

void live_screen_end(struct live_screen *screen)
{
	if (!screen->out)
		return;
	fputs(END, screen->out);
	fflush(screen->out);
	screen->out = NULL;
}

/* Line by line, so that what stood there before goes without a flicker; never more lines
 * than the screen has. */
static void put_picture(const struct live_screen *screen, char *text)
{
	unsigned lines = 0;
	char *line;

	fputs(HOME, screen->out);
	while (lines < screen->height && (line = strsep(&text, "\n"))) {
		fprintf(screen->out, "%s%s" REST_OF_LINE, lines ? "\r\n" : "", line);
		lines++;
	}
	fputs(REST_OF_SCREEN, screen->out);
	fflush(screen->out);
}

void live_screen_draw(struct live_screen *screen, const struct live_view *view)
{
	struct report_options options = { 0 };
	struct winsize size;
	char *text = NULL;
	size_t bytes;
	FILE *picture;

	if (!screen->out)
		return;
	report_options_for(&options, screen->out);
	screen->width = options.width;
	screen->height = HEIGHT;
	if (ioctl(fileno(screen->out), TIOCGWINSZ, &size) == 0 && size.ws_row)
		screen->height = size.ws_row < HEIGHT_MIN ? HEIGHT_MIN : size.ws_row;
	picture = open_memstream(&text, &bytes);
	if (!picture)
		return;
	live_draw(picture, &options, screen->height, view);
	if (fclose(picture) == 0)
		put_picture(screen, text);
	free(text);
}
