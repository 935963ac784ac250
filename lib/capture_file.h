/*
 * capture_file - what capture.c, capture_clock.c, pcapfile.c and pcapng.c share; nobody else's.
 */
#ifndef LIB_CAPTURE_FILE_H
#define LIB_CAPTURE_FILE_H

#include "lib/capture.h"
#include "lib/source.h"

/* As capture_next(). */
typedef int capture_reader(
	struct capture *capture, struct capture_record *record, struct diag *diag);

/* As capture_at_hand(). */
typedef size_t capture_skimmer(
	struct capture *capture, struct capture_record *records, size_t most);

struct capture {
	struct source source;
	struct capture_info info;
	size_t section_room, interface_room;
	capture_reader *next;
	capture_skimmer *at_hand; /* NULL: it has none */
	bool big;                 /* of the section being read */

	uint32_t record_header_bytes; /* pcap: 16 or 24 */
	uint32_t ns_per_tick;         /* pcap: 1 or 1000 */

	uint32_t first_interface; /* pcapng: index of the section's interface 0 */

	struct pcap *live;
	int stopped; /* the negative errno that ended it */
	char stopped_text[200];
};

/* Adds an interface, or a section; NULL, or false, when there are too many. */
struct capture_interface *capture_add_interface(struct capture *capture);
bool capture_add_section(struct capture *capture, bool big);

/* Remembers why the reading ends here, for this call and the later ones. */
__attribute__((format(printf, 3, 4))) int capture_stop(
	struct capture *capture, struct diag *diag, const char *fmt, ...);

/* The end of the bytes: cut inside something, or a read that failed. */
int capture_end(struct capture *capture, bool cut, struct diag *diag);

/* Ticks since 1970 to ns. What does not fit in 64 bits ends at the largest number. */
uint64_t capture_clock_ns(const struct capture_interface *interface, uint64_t ticks);

/* Reads the file's first bytes; returns 0, or -EBADMSG when it is another format
 * and nothing was taken. */
int pcap_begin(struct capture *capture, struct diag *diag);
int pcapng_begin(struct capture *capture, struct diag *diag);

#endif
