/*
 * crc32c - the CRC of iSCSI (RFC 3720 appendix B.4; polynomial 0x1EDC6F41, reflected),
 * by the processor's instruction where it has one. Of payload; the ICRC of RoCE is
 * another polynomial.
 */
#ifndef LIB_CRC32C_H
#define LIB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Of the bytes alone: crc32c("123456789", 9) is 0xE3069283. */
uint32_t crc32c(const void *data, size_t bytes);

/* The same without the instruction; for the test that both agree. */
uint32_t crc32c_by_table(const void *data, size_t bytes);

#endif
