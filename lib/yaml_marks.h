/*
 * yaml_marks - the first reading of a YAML text, by libyaml: where each value of
 * the table stands, what it says, and a sentence about what may not be there.
 *
 * The marks are in document order and follow the table: a map is MARK_MAP, its
 * values, MARK_END; a list is MARK_LIST, for each item MARK_ITEM, its values and
 * MARK_END, then MARK_END. The top map has no MARK_MAP.
 */
#ifndef LIB_YAML_MARKS_H
#define LIB_YAML_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/yaml.h"

enum yaml_mark_kind { MARK_VALUE, MARK_MAP, MARK_LIST, MARK_ITEM, MARK_END };

struct yaml_mark {
	enum yaml_mark_kind kind;
	uint32_t line;
	const struct yaml_key *key; /* borrowed from the table */
	uint64_t number;
};

/* Returns 0 and the marks, which the caller frees, or -EINVAL. */
int yaml_marks_read(const struct yaml_key *keys, const char *name, const char *text,
	size_t bytes, struct yaml_mark **marks, size_t *count, struct diag *diag);

#endif
