/*
 * facts_json - facts as a JSON document, and back: what weft doctor --facts prints on
 * one host and --from judges on another.
 *
 *   { "schema": "weft-facts", "version": 1, "facts": [
 *     { "key": "PFC", "place": "host1", "subject": "ens1f0", "name": "3", "number": 1,
 *       "source": "dcbnl" }, ... ] }
 *
 * key is one of pfc/fact_keys.h; the other fields are there where the fact has them:
 * place, subject, name, text, extra, number, more, window_s, source. A document of another
 * schema or a later version is refused; a key that this program does not know is left out
 * and counted, because a later program may have written it.
 */
#ifndef PFC_FACTS_JSON_H
#define PFC_FACTS_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "pfc/facts.h"

struct diag;

#define FACTS_JSON_VERSION 1
#define FACTS_JSON_BYTES_MAX ((size_t)64 << 20)

/* Returns 0, or a negative errno when the stream took less. */
int facts_write(FILE *out, const struct facts *facts);

/* Adds the facts of a document. place, if not NULL, is the host's name instead of the
 * one in the document. *unknown is how many were left out. Returns 0, or -EINVAL with what
 * is wrong. */
int facts_read(struct facts *facts, const char *text, size_t bytes, const char *place,
	size_t *unknown, struct diag *diag);

#endif
