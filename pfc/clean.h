/*
 * clean - a pasted line as the tool printed it: what terminals, editors and mail put
 * round it is taken away.
 *
 * Colours and other escape sequences, a byte order mark, blanks that are no ASCII
 * blanks and blanks at the end, quotation marks of mail ("> "), and fences of Markdown.
 * A shell's prompt with a command is told apart from output: it is a title of its own.
 */
#ifndef PFC_CLEAN_H
#define PFC_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Cleans length bytes in place; returns how many are left, at most length. Not ended by a
 * NUL. */
size_t clean_line(char *line, size_t length);

/* Whether the cleaned line is a fence ("```", "~~~"), which no tool prints. */
bool clean_is_fence(const char *line);

struct prompt {
	const char
		*host; /* in the line, not ended by a NUL; of length 0: the prompt names none */
	size_t host_length;
	const char *command; /* the rest of the line; "" for a bare prompt */
};

/* "[root@hostA ~]# show_gids", "user@hostA:~$ ibstat", "root@hostA:~ # ip addr": a
 * prompt of the usual shells; or "$ ibstat", "# ip addr" with a tool that this program
 * reads. False when the line is none. */
bool clean_prompt(const char *line, struct prompt *prompt);

#endif
