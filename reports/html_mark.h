/*
 * html_mark - text, attributes and tables as HTML. Names come from the fabric file
 * and may hold anything: what goes through here cannot become markup.
 */
#ifndef REPORTS_HTML_MARK_H
#define REPORTS_HTML_MARK_H

#include <stdio.h>

#include "reports/table.h"

/* Text for between tags and inside of double quotes: printable characters, with
 * & < > " ' escaped. Cut after 2 KiB. */
void mark_text(FILE *out, const char *text);

/* <tag class="style">text</tag>; style NULL: no class. tag and style are ours. */
void mark_element(FILE *out, const char *tag, const char *style, const char *text);

/* The rows as a table with a caption, if there are any, and frees them. The wide ones
 * scroll in a region of their own, which the keyboard can reach. */
void mark_table(FILE *out, struct table *table, const char *caption);

#endif
