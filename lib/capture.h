/*
 * capture - packet records out of pcap and pcapng files, or off an interface.
 *
 * Files are read here and not by libpcap: libpcap hides what a report must say
 * (sections, the snap length and clock of every interface, byte order, records
 * without a time, a last record that was cut, counted drops), reads no file whose
 * interfaces differ in link type, and stops at the first damage without saying
 * where. Live capture and its filters are libpcap's; pcap.h is included in
 * capture.c alone.
 *
 * Formats: pcap (magic a1b2c3d4, a1b23c4d for ns, a1b2cd34 with longer record
 * headers; either byte order) and pcapng (draft-ietf-opsawg-pcapng: section,
 * interface, enhanced, simple and the old packet block, interface statistics; all
 * others are skipped by their length).
 */
#ifndef LIB_CAPTURE_H
#define LIB_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;
struct diag;

/* A record may hold this much; a longer one is damage. */
#define CAPTURE_RECORD_MAX (1u << 20)
/* What a file may hold of these; more is damage. */
#define CAPTURE_INTERFACES_MAX 65536u

enum capture_format {
	CAPTURE_PCAP,
	CAPTURE_PCAPNG,
	CAPTURE_LIVE,
};

struct capture_record {
	uint64_t time_ns; /* since 1970; 0 without a time */
	bool has_time;
	uint16_t link_type;  /* LINKTYPE_ number */
	uint32_t interface;  /* index over all sections of the file */
	uint32_t wire_bytes; /* original length */
	uint32_t captured_bytes;
	const uint8_t *bytes; /* valid until the next call */
};

/* A clock's ticks: 10^-exponent s, or 2^-exponent s when binary. */
struct capture_clock {
	uint8_t exponent;
	bool binary;
};

struct capture_interface {
	uint16_t link_type;
	struct capture_clock clock;
	uint32_t snaplen;  /* 0: no limit */
	int64_t offset_s;  /* added to every time stamp */
	uint64_t dropped;  /* packets that the capturer says it lost here */
	uint64_t reported; /* of these, by the last statistics block */
};

struct capture_info {
	enum capture_format format;
	uint32_t sections;
	bool *section_big;                    /* byte order, one a section */
	struct capture_interface *interfaces; /* in the order of the file */
	uint32_t interface_count;
	bool cut_last_record; /* the file ends inside a record or block */
	uint64_t records;
	uint64_t records_without_time;
	uint64_t dropped;     /* by all interfaces and records */
	bool dropped_counted; /* the file (or the kernel) says so, be it 0 */
};

/* "-" is standard input. Returns 0, -EBADMSG with the reason when this is no
 * capture that we read, or another negative errno. */
int capture_open(struct capture **capture, const char *path, struct diag *diag);

/* The same from memory, which is borrowed. */
int capture_open_memory(
	struct capture **capture, const uint8_t *bytes, size_t size, struct diag *diag);

/* Starts capturing with a filter in the language of pcap-filter(7). */
int capture_open_live(struct capture **capture, const char *interface, const char *filter,
	uint32_t snaplen, struct diag *diag);

/* Returns 1 and a record; 0 at the end of the file, be it cut; -EAGAIN when a live
 * capture has nothing for now; another negative errno when the bytes from here
 * on mean nothing (the sentence says where), and again at every call after. */
int capture_next(struct capture *capture, struct capture_record *record, struct diag *diag);

/* Fills at most so many records that follow and are in memory already; 0 where there are
 * none, or it is not known without capture_next(). They are valid until the next call of
 * either. */
size_t capture_at_hand(struct capture *capture, struct capture_record *records, size_t most);

/* Belongs to the capture and grows with it. */
const struct capture_info *capture_info(const struct capture *capture);

void capture_close(struct capture *capture); /* NULL is nothing */

/* "s", "ms", "us", "ns", "ps", else "10^-5 s" or "2^-20 s". */
void capture_clock_name(struct capture_clock clock, char *text, size_t size);

#endif
