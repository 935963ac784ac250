/*
 * wire - fields of a frame from another weft, each with its range: what does not fit is
 * refused with -EPROTO and a sentence.
 */
#ifndef FABRIC_WIRE_H
#define FABRIC_WIRE_H

#include <stddef.h>
#include <stdint.h>

struct diag;
struct json;

/* A whole number of least..most; *value is left alone on failure. */
int wire_number(const struct json *object, const char *key, uint64_t least, uint64_t most,
	uint64_t *value, struct diag *diag);

/* A text of less than size bytes, without control characters. */
int wire_text(
	const struct json *object, const char *key, char *text, size_t size, struct diag *diag);

#endif
