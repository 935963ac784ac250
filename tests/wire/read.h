/*
 * read - a capture in memory, read and judged as weft pcap does with one file.
 */
#ifndef TESTS_WIRE_READ_H
#define TESTS_WIRE_READ_H

#include <stddef.h>
#include <stdint.h>

#include "lib/capture.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "pfc/wire.h"

struct read {
	struct capture *capture; /* NULL: refused */
	struct wire wire;
	struct findings findings;
	int end;          /* 0: read to its end; a negative errno otherwise, */
	struct diag diag; /* and the sentence; empty at 0 */
};

/* Bytes are borrowed until read_free(). Nothing but findings to look at when the
 * capture is refused. */
void read_bytes(struct read *read, const uint8_t *bytes, size_t size,
	const struct wire_options *options);
void read_free(struct read *read);

#endif
