/*
 * bundle - the text that people paste, cut into sections.
 *
 * A line "== hostA: ethtool -S ens1f0, 10 s delta ==" is a title; what follows
 * up to the next one is its section. Text before the first title is a section
 * named after the file. A title tells the place (host, pod, switch; "" for the
 * job as a whole), what was printed there, and whether the figures are
 * differences already and over how long.
 *
 * A shell's prompt with a command is a title as well. Lines are cleaned (pfc/clean.h);
 * blank lines at both ends of a section, and an indent that all its lines have, are
 * left out.
 *
 * Bounds: BUNDLE_BYTES_MAX over all files, BUNDLE_LINE_MAX bytes a line, no NUL
 * byte. Beyond them bundle_add() refuses with one sentence.
 */
#ifndef PFC_BUNDLE_H
#define PFC_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"

#define BUNDLE_BYTES_MAX (16u << 20)
#define BUNDLE_LINE_MAX 65536u

struct diag;

struct line {
	const char *text; /* without its newline */
	uint32_t number;  /* in its file, from 1 */
};

struct section {
	const char *title; /* between the "==" */
	const char *place; /* "hostA", "switch"; "" when the title names none */
	const char *what;  /* the title without place: command, file or remark */
	const char *file;
	bool delta;          /* the figures are differences over the window */
	double window_s;     /* 0: the title does not tell */
	size_t first, count; /* lines */
};

struct bundle {
	struct arena arena; /* owned, all text */
	struct section *sections;
	size_t section_count, section_room;
	struct line *lines;
	size_t line_count, line_room;
	size_t bytes;
};

#define BUNDLE_INIT                                                                            \
	{                                                                                      \
		ARENA_INIT, NULL, 0, 0, NULL, 0, 0, 0                                          \
	}

/* Adds one file's text; name is for messages and for the section without a
 * title. -E2BIG beyond the bounds, -EILSEQ for a NUL byte. */
int bundle_add(struct bundle *bundle, const char *name, const char *text, size_t bytes,
	struct diag *diag);

/* What a title tells. place is the start of title or a word in it and is not
 * ended by a NUL: place_length bytes. what is the rest of title. */
struct title {
	const char *place;
	size_t place_length; /* 0: none */
	const char *what;
	bool delta;
	double window_s;
};

struct title bundle_title(const char *text);

void bundle_free(struct bundle *bundle); /* safe twice */

#endif
