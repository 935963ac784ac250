/*
 * quantity - figures with units as people write them in files: 100G, 16KiB,
 * 5us, 20m, 0.1 %. Exact: what is not a whole number of the inner unit, does not
 * fit, or is not a plain decimal number is refused, never rounded.
 */
#ifndef LIB_QUANTITY_H
#define LIB_QUANTITY_H

#include <stddef.h>
#include <stdint.h>

enum quantity {
	QUANTITY_COUNT,  /* 16 */
	QUANTITY_RATE,   /* bits per second: 100G, 25Gb/s, 12.5Gbps, 400GE, 40M, 1.6T */
	QUANTITY_BYTES,  /* 4096, 4096B, 16KiB, 1.5MiB, 1GiB; KB and MB are refused */
	QUANTITY_TIME,   /* ns: 5ns, 20us, 1.5ms, 2s; of bare numbers only 0 */
	QUANTITY_LENGTH, /* m: 20m, 2km */
	QUANTITY_SHARE,  /* parts per 10^9: 0.001, 1e-6, 0.1 %, 0.1% */
};

#define QUANTITY_TEXT 48

/* Returns 0, -EINVAL for what is not such a quantity, or -ERANGE when it does not
 * fit 64 bits or is finer than the unit holds. */
int quantity_parse(enum quantity kind, const char *text, uint64_t *value);

/* The shortest text that parses to value again. */
void quantity_print(enum quantity kind, uint64_t value, char text[QUANTITY_TEXT]);

/* What to write: "a speed such as 100G", ... */
const char *quantity_hint(enum quantity kind);

#endif
