/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The classic file: 24 bytes, then records of a 16-byte header and the packet
 * (draft-ietf-opsawg-pcap). The variant with magic a1b2cd34 has 24-byte headers
 * whose first 16 bytes are the same.
 */
#include "lib/capture_file.h"

#include <errno.h>
#include <inttypes.h>

#include "lib/bytes.h"
#include "lib/diag.h"
#include "lib/units.h"

#define FILE_HEADER_BYTES 24u

static inline void set_record(const struct capture *capture, const uint8_t *header,
	uint32_t captured, struct capture_record *record)
{
	bool big = capture->big;

	*record = (struct capture_record){
		.time_ns = order32_at(header, big) * NS_PER_S +
			   (uint64_t)order32_at(header + 4, big) * capture->ns_per_tick,
		.has_time = true,
		.link_type = capture->info.interfaces[0].link_type,
		.wire_bytes = order32_at(header + 12, big),
		.captured_bytes = captured,
		.bytes = header + capture->record_header_bytes,
	};
}

static int next_record(
	struct capture *capture, struct capture_record *record, struct diag *diag)
{
	struct source *source = &capture->source;
	const uint8_t *header = source_need(source, capture->record_header_bytes);
	uint32_t captured;

	if (!header)
		return capture_end(capture, source_left(source) > 0, diag);
	captured = order32_at(header + 8, capture->big);
	if (captured > CAPTURE_RECORD_MAX)
		return capture_stop(capture, diag,
			"damaged at byte %" PRIu64 ": record %" PRIu64
			" says that it holds %" PRIu32 " bytes, expected at most %u",
			source->offset, capture->info.records + 1, captured,
			CAPTURE_RECORD_MAX);
	header = source_need(source, capture->record_header_bytes + captured);
	if (!header)
		return capture_end(capture, true, diag);
	set_record(capture, header, captured, record);
	source_take(source, capture->record_header_bytes + captured);
	capture->info.records++;
	return 1;
}

static size_t at_hand(struct capture *capture, struct capture_record *records, size_t most)
{
	const uint8_t *at = capture->source.window + capture->source.start;
	size_t left = source_left(&capture->source), taken = 0, count = 0;
	uint32_t header_bytes = capture->record_header_bytes;

	while (count < most && left - taken >= header_bytes) {
		uint32_t captured = order32_at(at + taken + 8, capture->big);

		/* The damaged and the cut one are next_record()'s. */
		if (captured > CAPTURE_RECORD_MAX || left - taken - header_bytes < captured)
			break;
		set_record(capture, at + taken, captured, &records[count++]);
		taken += header_bytes + captured;
	}
	source_take(&capture->source, taken);
	capture->info.records += count;
	return count;
}

static bool magic_known(struct capture *capture, uint32_t magic)
{
	capture->record_header_bytes = 16;
	capture->ns_per_tick = 1000;
	if (magic == 0xa1b23c4d)
		capture->ns_per_tick = 1;
	else if (magic == 0xa1b2cd34)
		capture->record_header_bytes = 24;
	else if (magic != 0xa1b2c3d4)
		return false;
	return true;
}

int pcap_begin(struct capture *capture, struct diag *diag)
{
	const uint8_t *header = source_need(&capture->source, 4);
	struct capture_interface *interface;

	if (!header)
		return -EBADMSG;
	if (magic_known(capture, be32_at(header)))
		capture->big = true;
	else if (!magic_known(capture, le32_at(header)))
		return -EBADMSG;
	header = source_need(&capture->source, FILE_HEADER_BYTES);
	if (!header)
		return capture_stop(capture, diag,
			"a pcap file of %zu bytes, cut inside its header of %u",
			source_left(&capture->source), FILE_HEADER_BYTES);
	capture_add_section(capture, capture->big);
	interface = capture_add_interface(capture);
	interface->snaplen = order32_at(header + 16, capture->big);
	/* The upper bits say how long a frame check sequence is. */
	interface->link_type = (uint16_t)(order32_at(header + 20, capture->big) & 0xffff);
	interface->clock.exponent = capture->ns_per_tick == 1 ? 9 : 6;
	capture->info.format = CAPTURE_PCAP;
	capture->next = next_record;
	capture->at_hand = at_hand;
	source_take(&capture->source, FILE_HEADER_BYTES);
	return 0;
}
