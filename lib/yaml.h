/*
 * yaml - a YAML document into C structs by a table of its keys.
 *
 * libyaml reads the document once against the table, for the line of each value
 * and for a sentence about all that the table does not allow; libcyaml then
 * builds the structs. Taken is the part of YAML in which a file can mean one
 * thing only: one document, maps, lists of maps, and scalars. Anchors, aliases,
 * tags, duplicate keys and unknown keys are refused.
 *
 * The struct of a map holds a struct yaml_value per scalar, a pointer per map
 * (always there, all zero when not given), and for a list a pointer and an
 * unsigned count. The struct of a list's item begins with a uint32_t: its line.
 */
#ifndef LIB_YAML_H
#define LIB_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/quantity.h"

#define YAML_VALUES_MAX 400000u /* scalars, maps and lists in one document */

struct diag;

struct yaml_value {
	char *text;      /* NULL: not given */
	uint64_t number; /* what text says; a choice: its place in the list, from 0 */
	uint32_t line;   /* from 1; 0: not given */
};

enum yaml_kind {
	YAML_END = 0,
	YAML_QUANTITY,
	YAML_BOOL,   /* yes no, on off, true false: 1 or 0 */
	YAML_CHOICE, /* one of choices, "a|b|c" */
	YAML_TEXT,   /* min..max bytes of printable UTF-8 */
	YAML_MAP,
	YAML_LIST, /* of at most max maps */
};

struct yaml_key {
	enum yaml_kind kind;
	const char *name;
	size_t offset; /* of the value, map pointer or list pointer */
	enum quantity quantity;
	uint64_t min, max;
	const char *choices;
	const struct yaml_key *keys; /* of the map, or of the list's maps */
	size_t bytes;                /* size of that map's struct */
	size_t count_offset;         /* of the list's count */
};

/* Reads bytes of text, which need not end in NUL; name stands for the file in
 * messages. On success *doc is a struct of doc_bytes, to be given to yaml_doc_free().
 * Returns 0, or -EINVAL with "name:line: what was given: what would do". */
int yaml_doc_load(const struct yaml_key *keys, size_t doc_bytes, const char *name,
	const char *text, size_t bytes, void **doc, struct diag *diag);

void yaml_doc_free(
	const struct yaml_key *keys, size_t doc_bytes, void *doc); /* NULL is nothing */

#endif
