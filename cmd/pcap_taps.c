/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are of one place, and which of several. */
#include <string.h>
#include <sys/stat.h>

#include "cmd/pcap.h"

/* Packets that are looked at to tell, and records among which they are looked for. */
#define PACKETS_TELL 256u
#define RECORDS_LOOKED_AT 16384u

/* Whether most of the file's first packets were captured at the tap before. A pipe
 * cannot be read twice, and is taken for what comes next. */
static bool was_seen(const struct pcap_report *report, const char *name, uint16_t tap)
{
	struct capture *capture = NULL;
	struct capture_record record;
	uint32_t count[WIRE_SEEN_KINDS] = { 0 };
	struct stat stat_of;
	struct diag diag;

	if (stat(name, &stat_of) || !S_ISREG(stat_of.st_mode) ||
		capture_open(&capture, name, &diag))
		return false;
	for (uint32_t i = 0; i < RECORDS_LOOKED_AT; i++) {
		if (count[WIRE_SEEN_BEFORE] + count[WIRE_SEEN_NOT] >= PACKETS_TELL ||
			capture_next(capture, &record, &diag) != 1)
			break;
		count[wire_seen(&report->wire, &record, tap)]++;
	}
	capture_close(capture);
	return count[WIRE_SEEN_BEFORE] > count[WIRE_SEEN_NOT];
}

uint16_t pcap_tap_for(struct pcap_report *report, const struct pcap_file *file)
{
	bool busy[WIRE_FILES_MAX] = { false };

	if (report->one_tap && report->taps)
		return 0;
	for (uint16_t i = 0; i < report->file_count; i++)
		if (report->files[i].has_record && report->files[i].tap != TAP_NONE)
			busy[report->files[i].tap] = true;
	for (uint16_t tap = 0; tap < report->taps; tap++)
		if (!busy[tap] && !was_seen(report, file->name, tap))
			return tap;
	report->tap_names[report->taps] = file->name;
	return report->taps++;
}
