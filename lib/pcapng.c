/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcapng (draft-ietf-opsawg-pcapng): blocks of type, length, body, length. Byte
 * order and interface numbers start again with every section.
 */
#include "lib/capture_file.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/diag.h"
#include "lib/units.h"

#define BLOCK_SECTION 0x0a0d0d0au
#define BLOCK_INTERFACE 1u
#define BLOCK_OLD_PACKET 2u
#define BLOCK_SIMPLE_PACKET 3u
#define BLOCK_STATISTICS 5u
#define BLOCK_ENHANCED_PACKET 6u

#define BYTE_ORDER_MAGIC 0x1a2b3c4du

/* Type, length, and the length again at the end. */
#define FRAME_BYTES 12u
/* A packet block: the record, its fixed part and generous options. */
#define BLOCK_MAX (CAPTURE_RECORD_MAX + (512u << 10))

#define OPTION_IF_TSRESOL 9u
#define OPTION_IF_TSOFFSET 14u
#define OPTION_ISB_IFDROP 5u
#define OPTION_ISB_OSDROP 7u
#define OPTION_EPB_DROPCOUNT 4u

struct block {
	uint32_t type;
	uint32_t body_bytes;
	const uint8_t *body;
};

/* Finds an option of at least bytes; NULL if there is none before the end. */
static const uint8_t *find_option(
	const uint8_t *at, size_t left, bool big, uint16_t code, uint16_t bytes)
{
	while (left >= 4) {
		uint16_t found = order16_at(at, big);
		uint16_t length = order16_at(at + 2, big);
		size_t padded = 4u + ((length + 3u) & ~3u);

		if (found == 0 || length + 4u > left)
			return NULL;
		if (found == code && length >= bytes)
			return at + 4;
		if (padded > left)
			return NULL;
		at += padded;
		left -= padded;
	}
	return NULL;
}

static uint64_t order64_at(const uint8_t *at, bool big)
{
	uint64_t first = order32_at(at, big), second = order32_at(at + 4, big);

	return big ? first << 32 | second : second << 32 | first;
}

static int begin_interface(
	struct capture *capture, const struct block *block, struct diag *diag)
{
	struct capture_interface *interface;
	const uint8_t *option;
	bool big = capture->big;

	if (block->body_bytes < 8)
		return capture_stop(capture, diag,
			"damaged before byte %" PRIu64
			": an interface block of %u bytes, expected 20 or more",
			capture->source.offset, block->body_bytes + FRAME_BYTES);
	interface = capture_add_interface(capture);
	if (!interface)
		return capture_stop(capture, diag, "more than %u interfaces in one file",
			CAPTURE_INTERFACES_MAX);
	interface->link_type = order16_at(block->body, big);
	interface->snaplen = order32_at(block->body + 4, big);
	interface->clock.exponent = 6;
	option = find_option(block->body + 8, block->body_bytes - 8, big, OPTION_IF_TSRESOL, 1);
	if (option) {
		interface->clock.binary = option[0] >> 7;
		interface->clock.exponent = option[0] & 0x7f;
	}
	option =
		find_option(block->body + 8, block->body_bytes - 8, big, OPTION_IF_TSOFFSET, 8);
	if (option)
		interface->offset_s = (int64_t)order64_at(option, big);
	return 0;
}

static const struct capture_interface *interface_of(struct capture *capture, uint32_t number)
{
	uint32_t count = capture->info.interface_count - capture->first_interface;

	return number < count ? &capture->info.interfaces[capture->first_interface + number]
			      : NULL;
}

static int damaged_packet(struct capture *capture, struct diag *diag)
{
	return capture_stop(capture, diag,
		"damaged before byte %" PRIu64 ": the block of record %" PRIu64
		" is shorter than what it says it holds, or names an interface that its "
		"section lacks",
		capture->source.offset, capture->info.records + 1);
}

static void count_drops(struct capture *capture, uint32_t number, uint64_t drops)
{
	capture->info.dropped_counted = true;
	capture->info.dropped += drops;
	capture->info.interfaces[capture->first_interface + number].dropped += drops;
}

/* The enhanced block, and the old one whose first word is two halves. */
static int timed_packet(struct capture *capture, const struct block *block,
	struct capture_record *record, struct diag *diag)
{
	const uint8_t *body = block->body, *option;
	const struct capture_interface *interface;
	bool big = capture->big, old = block->type == BLOCK_OLD_PACKET;
	uint32_t captured, number, padded;

	if (block->body_bytes < 20)
		return damaged_packet(capture, diag);
	number = old ? order16_at(body, big) : order32_at(body, big);
	interface = interface_of(capture, number);
	captured = order32_at(body + 12, big);
	if (!interface || captured > block->body_bytes - 20)
		return damaged_packet(capture, diag);
	*record = (struct capture_record){
		.time_ns = capture_clock_ns(interface,
			(uint64_t)order32_at(body + 4, big) << 32 | order32_at(body + 8, big)),
		.has_time = true,
		.link_type = interface->link_type,
		.interface = capture->first_interface + number,
		.wire_bytes = order32_at(body + 16, big),
		.captured_bytes = captured,
		.bytes = body + 20,
	};
	padded = (captured + 3) & ~3u;
	if (old && order16_at(body + 2, big) != 0xffff)
		count_drops(capture, number, order16_at(body + 2, big));
	if (!old && block->body_bytes - 20 > padded) {
		option = find_option(body + 20 + padded, block->body_bytes - 20 - padded, big,
			OPTION_EPB_DROPCOUNT, 8);
		if (option)
			count_drops(capture, number, order64_at(option, big));
	}
	return 1;
}

/* No time and no captured length: that is the least of packet, snap length of the
 * section's first interface, and block. */
static int simple_packet(struct capture *capture, const struct block *block,
	struct capture_record *record, struct diag *diag)
{
	const struct capture_interface *interface = interface_of(capture, 0);
	uint32_t wire, captured;

	if (!interface || block->body_bytes < 4)
		return damaged_packet(capture, diag);
	wire = order32_at(block->body, capture->big);
	captured = wire;
	if (interface->snaplen && captured > interface->snaplen)
		captured = interface->snaplen;
	if (captured > block->body_bytes - 4)
		return damaged_packet(capture, diag);
	*record = (struct capture_record){
		.link_type = interface->link_type,
		.interface = capture->first_interface,
		.wire_bytes = wire,
		.captured_bytes = captured,
		.bytes = block->body + 4,
	};
	capture->info.records_without_time++;
	return 1;
}

/* Totals so far: a later block of the same interface takes the place of the one
 * before. */
static void statistics(struct capture *capture, const struct block *block)
{
	struct capture_interface *interface;
	const uint8_t *option;
	uint16_t codes[] = { OPTION_ISB_IFDROP, OPTION_ISB_OSDROP };
	uint64_t drops = 0;
	bool found = false;
	uint32_t number;

	if (block->body_bytes < 12)
		return;
	number = order32_at(block->body, capture->big);
	if (!interface_of(capture, number))
		return;
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		option = find_option(
			block->body + 12, block->body_bytes - 12, capture->big, codes[i], 8);
		if (option) {
			drops += order64_at(option, capture->big);
			found = true;
		}
	}
	if (!found)
		return;
	interface = &capture->info.interfaces[capture->first_interface + number];
	count_drops(capture, number, drops - interface->reported);
	interface->reported = drops;
}

/* Reads the section header that the source stands at. */
static int begin_section(struct capture *capture, struct diag *diag)
{
	const uint8_t *at = source_need(&capture->source, 12);
	uint32_t length;
	bool big;

	if (!at)
		return capture_end(capture, true, diag);
	big = be32_at(at + 8) == BYTE_ORDER_MAGIC;
	length = order32_at(at + 4, big);
	if ((!big && le32_at(at + 8) != BYTE_ORDER_MAGIC) || length < 28 || length % 4 ||
		length > BLOCK_MAX)
		return capture_stop(capture, diag,
			"damaged at byte %" PRIu64
			": a section header without byte-order magic or with a length of "
			"%" PRIu32,
			capture->source.offset, length);
	if (!source_skip(&capture->source, length))
		return capture_end(capture, true, diag);
	if (!capture_add_section(capture, big))
		return capture_stop(capture, diag, "more than %u sections in one file",
			CAPTURE_INTERFACES_MAX);
	capture->big = big;
	capture->first_interface = capture->info.interface_count;
	return 0;
}

static bool holds_packet(uint32_t type)
{
	return type == BLOCK_ENHANCED_PACKET || type == BLOCK_SIMPLE_PACKET ||
	       type == BLOCK_OLD_PACKET;
}

/* Takes the next block. Returns 1 with its body, 2 when it was skipped or was a
 * section, 0 at the end, or a negative errno. */
static int next_block(struct capture *capture, struct block *block, struct diag *diag)
{
	struct source *source = &capture->source;
	const uint8_t *at = source_need(source, 8);
	uint32_t length;
	int err;

	if (!at)
		return capture_end(capture, source_left(source) > 0, diag);
	if (be32_at(at) == BLOCK_SECTION) {
		/* A cut section header has ended the file: capture_end() gives 0. */
		uint32_t before = capture->info.sections;

		err = begin_section(capture, diag);
		return err || capture->info.sections == before ? err : 2;
	}
	block->type = order32_at(at, capture->big);
	length = order32_at(at + 4, capture->big);
	if (length < FRAME_BYTES || length % 4 ||
		(length > BLOCK_MAX && holds_packet(block->type)))
		return capture_stop(capture, diag,
			"damaged at byte %" PRIu64 ": a block of type 0x%08" PRIx32
			" with a length of %" PRIu32,
			source->offset, block->type, length);
	if (!holds_packet(block->type) && block->type != BLOCK_INTERFACE &&
		block->type != BLOCK_STATISTICS)
		return source_skip(source, length) ? 2 : capture_end(capture, true, diag);
	if (length > BLOCK_MAX)
		return capture_stop(capture, diag,
			"damaged at byte %" PRIu64 ": a block of %" PRIu32 " bytes",
			source->offset, length);
	at = source_need(source, length);
	if (!at)
		return capture_end(capture, true, diag);
	if (order32_at(at + length - 4, capture->big) != length)
		return capture_stop(capture, diag,
			"damaged at byte %" PRIu64 ": a block's two lengths differ, %" PRIu32
			" and %" PRIu32,
			source->offset, length, order32_at(at + length - 4, capture->big));
	block->body = at + 8;
	block->body_bytes = length - FRAME_BYTES;
	source_take(source, length);
	return 1;
}

static int next_record(
	struct capture *capture, struct capture_record *record, struct diag *diag)
{
	struct block block = { .type = 0 };
	int got;

	for (;;) {
		got = next_block(capture, &block, diag);
		if (got <= 0)
			return got;
		if (got == 2)
			continue;
		if (block.type == BLOCK_SIMPLE_PACKET)
			got = simple_packet(capture, &block, record, diag);
		else if (holds_packet(block.type))
			got = timed_packet(capture, &block, record, diag);
		else if (block.type == BLOCK_INTERFACE)
			got = begin_interface(capture, &block, diag);
		else
			statistics(capture, &block);
		if (got < 0)
			return got;
		if (holds_packet(block.type)) {
			capture->info.records++;
			return 1;
		}
	}
}

/* Enhanced blocks that are as they should be; all else is next_record()'s. */
static size_t at_hand(struct capture *capture, struct capture_record *records, size_t most)
{
	struct source *source = &capture->source;
	struct block block = { .type = BLOCK_ENHANCED_PACKET };
	bool big = capture->big;
	size_t count = 0;

	while (count < most && source_left(source) >= FRAME_BYTES + 20) {
		const uint8_t *at = source->window + source->start;
		uint32_t length = order32_at(at + 4, big);

		if (order32_at(at, big) != BLOCK_ENHANCED_PACKET || length % 4 ||
			length < FRAME_BYTES + 20 || length > BLOCK_MAX ||
			length > source_left(source) ||
			order32_at(at + length - 4, big) != length ||
			!interface_of(capture, order32_at(at + 8, big)) ||
			order32_at(at + 20, big) > length - FRAME_BYTES - 20)
			break;
		block.body = at + 8;
		block.body_bytes = length - FRAME_BYTES;
		(void)timed_packet(capture, &block, &records[count++], NULL);
		source_take(source, length);
	}
	capture->info.records += count;
	return count;
}

int pcapng_begin(struct capture *capture, struct diag *diag)
{
	const uint8_t *at = source_need(&capture->source, 4);
	int err;

	if (!at || be32_at(at) != BLOCK_SECTION)
		return -EBADMSG;
	capture->info.format = CAPTURE_PCAPNG;
	capture->next = next_record;
	capture->at_hand = at_hand;
	if (!source_need(&capture->source, 12))
		return capture_stop(capture, diag,
			"a pcapng file of %zu bytes, cut inside its section header of 28",
			source_left(&capture->source));
	err = begin_section(capture, diag);
	if (err)
		return err;
	if (capture->info.sections == 0)
		return capture_stop(
			capture, diag, "a pcapng file that is cut inside its section header");
	return 0;
}
