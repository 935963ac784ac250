/*
 * capture_write - a pcap file with nanosecond time stamps, as capture.h and other
 * tools read it (draft-ietf-opsawg-pcap, magic a1b23c4d), in the byte order of
 * this machine.
 *
 * A failed write is remembered and told by capture_finish(): what was written until
 * then stays in the file.
 */
#ifndef LIB_CAPTURE_WRITE_H
#define LIB_CAPTURE_WRITE_H

#include <stdint.h>

struct capture_writer;
struct diag;

/* Makes the file; one that exists is replaced only if it is empty or such a file
 * itself. Returns 0, -EEXIST for another file, or a negative errno, with the sentence. */
int capture_create(struct capture_writer **writer, const char *path, uint16_t link_type,
	uint32_t snaplen, struct diag *diag);

/* time_ns: since 1970, below 2^32 s. captured_bytes are there of wire_bytes. */
void capture_write(struct capture_writer *writer, uint64_t time_ns, const uint8_t *bytes,
	uint32_t captured_bytes, uint32_t wire_bytes);

/* Writes what is left and closes; writer is gone after it. Returns 0, or the negative
 * errno of the first write that failed, with the sentence. */
int capture_finish(struct capture_writer *writer, struct diag *diag);

#endif
