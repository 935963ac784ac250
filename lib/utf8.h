/*
 * utf8 - text that came from outside: is it UTF-8, and how it is shown in a
 * message without doing harm to a terminal.
 */
#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#define UTF8_CLIP 48

/* The offset of the first byte that is not part of valid UTF-8; bytes if there
 * is none. */
size_t utf8_valid_until(const char *text, size_t bytes);

/* A control character, C0 or C1, other than none at all? */
bool utf8_has_control(const char *text);

/* text cut to fit into size bytes (8 or more), with "..." where it was cut; control
 * characters and broken bytes as '?'. */
void utf8_show(const char *text, char *shown, size_t size);
void utf8_clip(const char *text, char shown[UTF8_CLIP]);

#endif
