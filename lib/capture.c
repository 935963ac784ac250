/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/capture_file.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define LIVE_TIMEOUT_MS 100
#define LIVE_BUFFER_BYTES (64 << 20)

struct capture_interface *capture_add_interface(struct capture *capture)
{
	struct capture_info *info = &capture->info;

	if (info->interface_count == CAPTURE_INTERFACES_MAX)
		return NULL;
	info->interfaces = grow(info->interfaces, info->interface_count,
		&capture->interface_room, sizeof(*info->interfaces));
	memset(&info->interfaces[info->interface_count], 0, sizeof(*info->interfaces));
	return &info->interfaces[info->interface_count++];
}

bool capture_add_section(struct capture *capture, bool big)
{
	struct capture_info *info = &capture->info;

	if (info->sections == CAPTURE_INTERFACES_MAX)
		return false;
	info->section_big = grow(info->section_big, info->sections, &capture->section_room,
		sizeof(*info->section_big));
	info->section_big[info->sections++] = big;
	return true;
}

int capture_stop(struct capture *capture, struct diag *diag, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(capture->stopped_text, sizeof(capture->stopped_text), fmt, args);
	va_end(args);
	capture->stopped = -EBADMSG;
	return diag_error(diag, -EBADMSG, "%s", capture->stopped_text);
}

int capture_end(struct capture *capture, bool cut, struct diag *diag)
{
	int err = capture->source.error;

	if (err) {
		capture->stopped = err;
		snprintf(capture->stopped_text, sizeof(capture->stopped_text),
			"cannot read: %s", strerror(-err));
		return diag_error(diag, err, "%s", capture->stopped_text);
	}
	capture->info.cut_last_record |= cut;
	return 0;
}

/* Formats that people hand in by mistake, by their first bytes. */
static const char *other_format(const uint8_t *bytes, size_t size)
{
	static const struct magic {
		const char *bytes;
		size_t size;
		const char *name;
	} magics[] = {
		{ "\x1f\x8b", 2, "compressed by gzip: unpack it first" },
		{ "\x28\xb5\x2f\xfd", 4, "compressed by zstd: unpack it first" },
		{ "\xfd"
		  "7zXZ",
			5, "compressed by xz: unpack it first" },
		{ "BZh", 3, "compressed by bzip2: unpack it first" },
		{ "\x04\x22\x4d\x18", 4, "compressed by lz4: unpack it first" },
		{ "PK\x03\x04", 4, "a zip archive: unpack it first" },
		{ "TRSNIFF data", 12, "a DOS Sniffer file: convert it with editcap -F pcapng" },
		{ "XCP\0", 4, "a NetXRay file: convert it with editcap -F pcapng" },
		{ "snoop\0", 6, "a snoop file: convert it with editcap -F pcapng" },
		{ "GMBU", 4, "a Network Monitor file: convert it with editcap -F pcapng" },
		{ "RTSS", 4, "a Network Monitor file: convert it with editcap -F pcapng" },
		{ "SQLite format 3", 15, "a database, perhaps a run file" },
	};

	for (size_t i = 0; i < COUNT_OF(magics); i++)
		if (size >= magics[i].size &&
			memcmp(bytes, magics[i].bytes, magics[i].size) == 0)
			return magics[i].name;
	return NULL;
}

static int begin(struct capture *capture, struct diag *diag)
{
	struct source *source = &capture->source;
	const char *other;
	size_t size;
	int err;

	err = pcap_begin(capture, diag);
	if (err == -EBADMSG && !capture->stopped)
		err = pcapng_begin(capture, diag);
	if (!err || capture->stopped)
		return err;
	(void)source_need(source, 16);
	size = source_left(source);
	if (source->error)
		return capture_end(capture, true, diag);
	if (size == 0)
		return diag_error(diag, -EBADMSG, "no bytes at all, expected pcap or pcapng");
	other = other_format(source->window + source->start, size);
	if (other)
		return diag_error(diag, -EBADMSG, "%s", other);
	if (size < 4)
		return diag_error(
			diag, -EBADMSG, "%zu bytes, too short for pcap or pcapng", size);
	return diag_error(diag, -EBADMSG, "begins with %08x, expected a pcap or pcapng file",
		be32_at(source->window + source->start));
}

int capture_open(struct capture **capture, const char *path, struct diag *diag)
{
	struct capture *made = zeroed(1, sizeof(*made));
	int err;

	made->source = (struct source)SOURCE_INIT;
	err = source_open(&made->source, path);
	if (err)
		(void)diag_system(diag, err, "cannot open");
	else
		err = begin(made, diag);
	if (err)
		capture_close(made);
	else
		*capture = made;
	return err;
}

int capture_open_memory(
	struct capture **capture, const uint8_t *bytes, size_t size, struct diag *diag)
{
	struct capture *made = zeroed(1, sizeof(*made));
	int err;

	source_memory(&made->source, bytes, size);
	err = begin(made, diag);
	if (err)
		capture_close(made);
	else
		*capture = made;
	return err;
}

/* libpcap's failures are numbers of its own. */
static int live_error(int status)
{
	switch (status) {
	case PCAP_ERROR_NO_SUCH_DEVICE:
		return -ENODEV;
	case PCAP_ERROR_PERM_DENIED:
	case PCAP_ERROR_PROMISC_PERM_DENIED:
		return -EPERM;
	case PCAP_ERROR_IFACE_NOT_UP:
		return -ENETDOWN;
	default:
		return -EIO;
	}
}

static void live_drops(struct capture *capture)
{
	struct pcap_stat stat;

	if (pcap_stats(capture->live, &stat))
		return;
	capture->info.dropped_counted = true;
	capture->info.dropped = (uint64_t)stat.ps_drop + stat.ps_ifdrop;
}

/* libpcap's own waiting neither ends by itself where nothing passes nor heeds
 * signals. */
static void live_wait(struct capture *capture)
{
	struct pollfd poll_fd = {
		.fd = pcap_get_selectable_fd(capture->live),
		.events = POLLIN,
	};

	(void)poll(&poll_fd, 1, LIVE_TIMEOUT_MS);
}

static int live_next(struct capture *capture, struct capture_record *record, struct diag *diag)
{
	struct pcap_pkthdr *header;
	const u_char *bytes;
	int got = pcap_next_ex(capture->live, &header, &bytes);

	if (got == 0) {
		live_drops(capture);
		live_wait(capture);
		return -EAGAIN;
	}
	if (got == PCAP_ERROR_BREAK)
		return 0;
	if (got < 0)
		return capture_stop(capture, diag, "%s", pcap_geterr(capture->live));
	*record = (struct capture_record){
		.time_ns = (uint64_t)header->ts.tv_sec * NS_PER_S +
			   (uint64_t)header->ts.tv_usec * capture->ns_per_tick,
		.has_time = true,
		.link_type = capture->info.interfaces[0].link_type,
		.wire_bytes = header->len,
		.captured_bytes = header->caplen,
		.bytes = bytes,
	};
	capture->info.records++;
	return 1;
}

static int activate(struct capture *capture, const char *filter, uint32_t snaplen)
{
	char text[PCAP_ERRBUF_SIZE];
	struct bpf_program program;
	int status;

	if (pcap_set_snaplen(capture->live, (int)snaplen) ||
		pcap_set_promisc(capture->live, 1) ||
		pcap_set_timeout(capture->live, LIVE_TIMEOUT_MS) ||
		pcap_set_buffer_size(capture->live, LIVE_BUFFER_BYTES))
		return PCAP_ERROR_ACTIVATED;
	(void)pcap_set_tstamp_precision(capture->live, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(capture->live);
	if (status < 0)
		return status;
	if (pcap_compile(capture->live, &program, filter, 1, PCAP_NETMASK_UNKNOWN))
		return PCAP_ERROR;
	status = pcap_setfilter(capture->live, &program);
	pcap_freecode(&program);
	/* Waiting is ours. */
	return status ? status : pcap_setnonblock(capture->live, 1, text);
}

int capture_open_live(struct capture **capture, const char *interface, const char *filter,
	uint32_t snaplen, struct diag *diag)
{
	struct capture *made = zeroed(1, sizeof(*made));
	char text[PCAP_ERRBUF_SIZE] = "";
	struct capture_interface *to;
	const char *why;
	int status, err;

	made->source = (struct source)SOURCE_INIT;
	made->live = pcap_create(interface, text);
	if (!made->live) {
		err = diag_error(diag, -EIO, "%s", text);
		capture_close(made);
		return err;
	}
	status = activate(made, filter, snaplen);
	if (status < 0) {
		why = pcap_geterr(made->live);
		err = diag_error(diag, live_error(status), "%s",
			why[0] ? why : pcap_statustostr(status));
		capture_close(made);
		return err;
	}
	made->info.format = CAPTURE_LIVE;
	made->next = live_next;
	made->ns_per_tick =
		pcap_get_tstamp_precision(made->live) == PCAP_TSTAMP_PRECISION_NANO ? 1 : 1000;
	capture_add_section(made, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	to = capture_add_interface(made);
	to->snaplen = (uint32_t)pcap_snapshot(made->live);
	to->link_type = (uint16_t)pcap_datalink(made->live);
	to->clock.exponent = made->ns_per_tick == 1 ? 9 : 6;
	*capture = made;
	return 0;
}

int capture_next(struct capture *capture, struct capture_record *record, struct diag *diag)
{
	if (capture->stopped)
		return diag_error(diag, capture->stopped, "%s", capture->stopped_text);
	return capture->next(capture, record, diag);
}

size_t capture_at_hand(struct capture *capture, struct capture_record *records, size_t most)
{
	return capture->at_hand && !capture->stopped ? capture->at_hand(capture, records, most)
						     : 0;
}

const struct capture_info *capture_info(const struct capture *capture)
{
	return &capture->info;
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	if (capture->live)
		pcap_close(capture->live);
	source_close(&capture->source);
	free(capture->info.section_big);
	free(capture->info.interfaces);
	free(capture);
}
