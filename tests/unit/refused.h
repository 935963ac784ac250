/*
 * refused - files that must be refused, each with its whole sentence.
 *
 * A row is a file and what is said of it; the file's name in messages is "f".
 */
#ifndef UNIT_REFUSED_H
#define UNIT_REFUSED_H

#include <stddef.h>

/* A fabric that lacks nothing: a row adds what is wrong with it from line 5 on. */
#define SOUND "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n"

struct refused {
	const char *name;
	const char *text;
	size_t bytes;
	const char *sentence; /* after "f:" */
};

#define REFUSED(what, file, said)                                                              \
	{                                                                                      \
		what, file, sizeof(file) - 1, said                                             \
	}

/* Tests every row. Returns how many failed. */
int test_refusals(const char *name, const struct refused *rows, size_t count);

#endif
