/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/capture_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define MAGIC_NS UINT32_C(0xa1b23c4d)
#define BUFFER_BYTES ((size_t)1 << 20)

struct capture_writer {
	FILE *file; /* owned */
	char *path; /* owned */
	int err;    /* of the first write that failed, negative */
};

/* Whether what stands at fd may be replaced: nothing, or a file of ours. Anything
 * that is not a regular file is written to as it is. */
static bool replaceable(int fd)
{
	struct stat stat;
	uint32_t magic;

	if (fstat(fd, &stat) || !S_ISREG(stat.st_mode) || stat.st_size == 0)
		return true;
	return read(fd, &magic, sizeof(magic)) == (ssize_t)sizeof(magic) && magic == MAGIC_NS;
}

static int begin_file(const char *path, FILE **file, struct diag *diag)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		return diag_system(diag, -errno, "%s cannot be written", path);
	if (!replaceable(fd)) {
		close(fd);
		return diag_error(diag, -EEXIST,
			"%s is there and is no capture of weft's: it stays as it is; move it "
			"away, or name another run file",
			path);
	}
	(void)!ftruncate(fd, 0); /* what is no regular file has no length */
	lseek(fd, 0, SEEK_SET);
	*file = fdopen(fd, "w");
	if (!*file)
		out_of_memory();
	setvbuf(*file, NULL, _IOFBF, BUFFER_BYTES);
	return 0;
}

static void put(struct capture_writer *writer, const void *bytes, size_t size)
{
	if (!writer->err && fwrite(bytes, 1, size, writer->file) != size)
		writer->err = errno ? -errno : -EIO;
}

int capture_create(struct capture_writer **writer, const char *path, uint16_t link_type,
	uint32_t snaplen, struct diag *diag)
{
	const struct {
		uint32_t magic;
		uint16_t major, minor;
		uint32_t reserved[2], snaplen, link_type;
	} header = { MAGIC_NS, 2, 4, { 0, 0 }, snaplen, link_type };
	FILE *file = NULL;
	int err = begin_file(path, &file, diag);

	if (err)
		return err;
	*writer = zeroed(1, sizeof(**writer));
	(*writer)->file = file;
	(*writer)->path = strdup(path);
	if (!(*writer)->path)
		out_of_memory();
	put(*writer, &header, sizeof(header));
	return 0;
}

void capture_write(struct capture_writer *writer, uint64_t time_ns, const uint8_t *bytes,
	uint32_t captured_bytes, uint32_t wire_bytes)
{
	const uint32_t header[4] = { (uint32_t)(time_ns / NS_PER_S),
		(uint32_t)(time_ns % NS_PER_S), captured_bytes, wire_bytes };

	put(writer, header, sizeof(header));
	put(writer, bytes, captured_bytes);
}

int capture_finish(struct capture_writer *writer, struct diag *diag)
{
	int err;

	errno = 0;
	if (fclose(writer->file) && !writer->err)
		writer->err = errno ? -errno : -EIO;
	err = writer->err;
	if (err)
		diag_system(diag, err, "%s could not be written in full", writer->path);
	free(writer->path);
	free(writer);
	return err;
}
