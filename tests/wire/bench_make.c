/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_make FILE PACKETS FLOWS SNAPLEN - a capture of WRITE traffic for the bench:
 * FLOWS connections in turn, 4 KiB packets, an ACK for every 16, cut at SNAPLEN.
 * The packets of one flow differ in PSN, time and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/wire/build.h"

#define MESSAGE 16u

static void put_record(
	FILE *file, uint64_t time_ns, const struct buffer *frame, uint32_t snaplen)
{
	uint32_t captured = frame->count < snaplen ? (uint32_t)frame->count : snaplen;
	uint32_t header[4] = { (uint32_t)(time_ns / 1000000000),
		(uint32_t)(time_ns % 1000000000), captured, (uint32_t)frame->count };

	if (fwrite(header, sizeof(header), 1, file) != 1 ||
		fwrite(frame->bytes, captured, 1, file) != 1)
		exit(1);
}

/* Opcode and PSN in a frame that is there: Ethernet, IPv4 and UDP lie before. */
static void change(struct buffer *frame, uint8_t opcode, uint32_t psn)
{
	frame->bytes[42] = opcode;
	frame->bytes[51] = (uint8_t)(psn >> 16);
	frame->bytes[52] = (uint8_t)(psn >> 8);
	frame->bytes[53] = (uint8_t)psn;
}

static void make(
	struct buffer *frame, unsigned opcode, uint32_t qp, uint32_t psn, uint32_t payload)
{
	struct made_packet packet = { .opcode = (uint8_t)opcode,
		.from = opcode == 0x11,
		.traffic_class = 26 << 2 | 2,
		.src_port = (uint16_t)(49152 + qp % 16384),
		.qp = qp,
		.psn = psn & 0xffffff,
		.syndrome = 0x1f,
		.payload_bytes = payload,
		.dma_bytes = MESSAGE * 4096 };

	frame->count = 0;
	made_frame(frame, &packet, AROUND_ETHERNET);
}

int main(int argc, char **argv)
{
	uint32_t header[6] = { 0xa1b23c4d, 0x00040002, 0, 0, 0, 1 };
	struct buffer first = BUFFER_INIT, middle = BUFFER_INIT, ack = BUFFER_INIT;
	uint64_t packets, written = 0, now_ns = UINT64_C(1700000000000000000);
	uint32_t flows, snaplen, psn = 0;
	FILE *file;

	if (argc != 5)
		return 2;
	packets = strtoull(argv[2], NULL, 10);
	flows = (uint32_t)strtoul(argv[3], NULL, 10);
	snaplen = header[4] = (uint32_t)strtoul(argv[4], NULL, 10);
	file = fopen(argv[1], "wb");
	if (!file || !flows || fwrite(header, sizeof(header), 1, file) != 1)
		return 1;
	make(&first, 0x06, 0, 0, 4096);
	make(&middle, 0x07, 0, 0, 4096);
	while (written < packets) {
		for (uint32_t flow = 0; flow < flows && written < packets; flow++) {
			struct buffer *frames[] = { &first, &middle };

			for (unsigned i = 0; i < 2; i++) {
				frames[i]->bytes[48] = (uint8_t)(flow >> 8);
				frames[i]->bytes[49] = (uint8_t)flow;
				frames[i]->bytes[47] = (uint8_t)(flow >> 16);
			}
			for (uint32_t i = 0; i < MESSAGE; i++) {
				struct buffer *frame = i ? &middle : &first;

				change(frame,
					i == 0            ? 0x06
					: i < MESSAGE - 1 ? 0x07
							  : 0x08,
					psn + i);
				put_record(file, now_ns += 84, frame, snaplen);
			}
			/* Whole in the file, so its ICRC must be right. */
			make(&ack, 0x11, flow, psn + MESSAGE - 1, 0);
			put_record(file, now_ns += 84, &ack, snaplen);
			written += MESSAGE + 1;
		}
		psn += MESSAGE;
	}
	buffer_free(&first);
	buffer_free(&middle);
	buffer_free(&ack);
	return fclose(file) ? 1 : 0;
}
