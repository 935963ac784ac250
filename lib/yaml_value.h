/*
 * yaml_value - one scalar of a YAML file by its row in the table, and which key
 * was meant by one that the table does not have. Arithmetic on text.
 */
#ifndef LIB_YAML_VALUE_H
#define LIB_YAML_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/yaml.h"

/* Returns 0 and the number (a text: 0), or -EINVAL with what was given and what
 * would do. */
int yaml_value_parse(const struct yaml_key *key, const char *text, uint64_t *number,
	char *sentence, size_t size);

/* "did you mean \"leaves\"", or the keys that the table has. */
void yaml_key_hint(const struct yaml_key *keys, const char *text, char *hint, size_t size);

#endif
