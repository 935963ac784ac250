/* SPDX-License-Identifier: Apache-2.0 */
/* Packets as files: pcap and pcapng in their variants. */
#include "tests/wire/build.h"

static bool file_big(enum made_file file)
{
	return file == FILE_PCAP_BIG || file == FILE_PCAP_NS_BIG || file == FILE_NG_BIG;
}

uint64_t made_error_ns(enum made_file file)
{
	return file == FILE_PCAP_NS || file == FILE_PCAP_NS_BIG || file == FILE_NG_NS ? 0
	       : file == FILE_NG_BINARY                                               ? 1
										      : 999;
}

static void put_pcap(struct buffer *out, enum made_file file, enum made_around around,
	const struct made_packet *packets, size_t count, uint32_t snaplen)
{
	bool big = file_big(file), ns = file == FILE_PCAP_NS || file == FILE_PCAP_NS_BIG;
	struct buffer frame = BUFFER_INIT;
	size_t header = out->count;

	file32(out, big, ns ? 0xa1b23c4d : file == FILE_PCAP_LONG ? 0xa1b2cd34 : 0xa1b2c3d4);
	file32(out, big, big ? 0x00020004 : 0x00040002);
	put_zeros(out, 8);
	file32(out, big, snaplen ? snaplen : 262144);
	file32(out, big, 0);
	for (size_t i = 0; i < count; i++) {
		uint32_t captured, link;

		frame.count = 0;
		link = made_frame(&frame, &packets[i], around);
		if (i == 0) {
			size_t end = out->count;

			out->count = header + 20;
			file32(out, big, link);
			out->count = end;
		}
		captured = (uint32_t)frame.count;
		if (snaplen && captured > snaplen)
			captured = snaplen;
		file32(out, big, (uint32_t)(packets[i].time_ns / 1000000000));
		file32(out, big, (uint32_t)(packets[i].time_ns % 1000000000 / (ns ? 1 : 1000)));
		file32(out, big, captured);
		file32(out, big, (uint32_t)frame.count);
		if (file == FILE_PCAP_LONG)
			put_zeros(out, 8);
		put_bytes(out, frame.bytes, captured);
	}
	buffer_free(&frame);
}

/* Begins a block; end_block() needs where. */
static size_t begin_block(struct buffer *out, bool big, uint32_t type)
{
	size_t at = out->count;

	file32(out, big, type);
	file32(out, big, 0);
	return at;
}

static void end_block(struct buffer *out, bool big, size_t at)
{
	uint32_t length;
	size_t end;

	put_zeros(out, (4 - out->count % 4) % 4);
	length = (uint32_t)(out->count - at + 4);
	file32(out, big, length);
	end = out->count;
	out->count = at + 4;
	file32(out, big, length);
	out->count = end;
}

static void put_option(
	struct buffer *out, bool big, unsigned code, const void *bytes, unsigned count)
{
	file16(out, big, code);
	file16(out, big, count);
	put_bytes(out, bytes, count);
	put_zeros(out, (4 - count % 4) % 4);
}

static void put_section(struct buffer *out, enum made_file file, bool big)
{
	size_t at = begin_block(out, big, 0x0a0d0d0a);

	file32(out, big, 0x1a2b3c4d);
	file16(out, big, 1);
	file16(out, big, 0);
	file32(out, big, 0xffffffff);
	file32(out, big, 0xffffffff);
	if (file == FILE_NG_CLUTTER) {
		put_option(out, big, 4, "made by a test", 14);
		put_option(out, big, 0, NULL, 0);
	}
	end_block(out, big, at);
}

static void put_interface(
	struct buffer *out, enum made_file file, bool big, uint16_t link_type, uint32_t snaplen)
{
	static const uint8_t ns = 9, binary = 0x80 | 30;
	static const uint8_t offset[8] = { 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0 };
	size_t at = begin_block(out, big, 1);

	file16(out, big, link_type);
	file16(out, big, 0);
	file32(out, big, snaplen);
	if (file == FILE_NG_CLUTTER)
		put_option(out, big, 2, "eth0", 4);
	if (file == FILE_NG_NS)
		put_option(out, big, 9, &ns, 1);
	if (file == FILE_NG_BINARY)
		put_option(out, big, 9, &binary, 1);
	if (file == FILE_NG_OFFSET)
		put_option(out, big, 14, offset, 8); /* 1,000,000 s, little endian */
	if (file != FILE_NG)
		put_option(out, big, 0, NULL, 0);
	end_block(out, big, at);
}

static uint64_t ticks_of(enum made_file file, uint64_t time_ns)
{
	uint64_t s = time_ns / 1000000000, ns = time_ns % 1000000000;

	if (file == FILE_NG_NS)
		return time_ns;
	if (file == FILE_NG_BINARY)
		return (s << 30) + (((ns << 30) + 999999999) / 1000000000);
	if (file == FILE_NG_OFFSET)
		return (s - 1000000) * 1000000 + ns / 1000;
	return time_ns / 1000;
}

static void put_clutter(struct buffer *out, bool big)
{
	size_t at = begin_block(out, big, 0x0bad);

	put32(out, 0xdeadbeef);
	put32(out, 0x00c0ffee);
	end_block(out, big, at);
	at = begin_block(out, big, 4);
	put_zeros(out, 4);
	end_block(out, big, at);
	at = begin_block(out, big, 0x40000bad);
	put_zeros(out, 44);
	end_block(out, big, at);
}

static void put_record(struct buffer *out, enum made_file file, bool big,
	const struct buffer *frame, uint64_t time_ns, uint32_t snaplen)
{
	uint64_t ticks = ticks_of(file, time_ns);
	uint32_t captured = (uint32_t)frame->count;
	size_t at = begin_block(out, big, file == FILE_NG_OLD ? 2 : 6);

	if (snaplen && captured > snaplen)
		captured = snaplen;
	if (file == FILE_NG_OLD) {
		file16(out, big, 0);
		file16(out, big, 0xffff);
	} else {
		file32(out, big, 0);
	}
	file32(out, big, (uint32_t)(ticks >> 32));
	file32(out, big, (uint32_t)ticks);
	file32(out, big, captured);
	file32(out, big, (uint32_t)frame->count);
	put_bytes(out, frame->bytes, captured);
	put_zeros(out, (4 - captured % 4) % 4);
	if (file == FILE_NG_CLUTTER) {
		put_option(out, big, 1, "a comment", 9);
		put_option(out, big, 0, NULL, 0);
	}
	end_block(out, big, at);
}

void made_capture(struct buffer *out, enum made_file file, enum made_around around,
	const struct made_packet *packets, size_t count, uint32_t snaplen)
{
	struct buffer frame = BUFFER_INIT;
	bool big = file_big(file);

	if (file < FILE_NG) {
		put_pcap(out, file, around, packets, count, snaplen);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint16_t link;

		frame.count = 0;
		link = made_frame(&frame, &packets[i], around);
		if (i == 0 || (file == FILE_NG_SECTIONS && i == count / 2)) {
			big = i ? !big : big;
			put_section(out, file, big);
			put_interface(out, file, big, link, snaplen);
		}
		if (file == FILE_NG_CLUTTER && i % 3 == 0)
			put_clutter(out, big);
		put_record(out, file, big, &frame, packets[i].time_ns, snaplen);
	}
	buffer_free(&frame);
}

void made_simple(struct buffer *out, enum made_around around, const struct made_packet *packets,
	size_t count, uint32_t snaplen)
{
	struct buffer frame = BUFFER_INIT;

	for (size_t i = 0; i < count; i++) {
		uint16_t link;
		size_t at;

		frame.count = 0;
		link = made_frame(&frame, &packets[i], around);
		if (i == 0) {
			put_section(out, FILE_NG, false);
			put_interface(out, FILE_NG, false, link, snaplen);
		}
		at = begin_block(out, false, 3);
		file32(out, false, (uint32_t)frame.count);
		put_bytes(out, frame.bytes,
			snaplen && frame.count > snaplen ? snaplen : frame.count);
		end_block(out, false, at);
	}
	buffer_free(&frame);
}
