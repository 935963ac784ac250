/* SPDX-License-Identifier: Apache-2.0 */
/*
 * send INTERFACE COUNT - puts COUNT RoCE v2 frames on an interface, and between them
 * three PFC frames and as many of another UDP port.
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "pfc/make.h"

static void send_frame(int fd, const uint8_t *bytes, uint32_t size)
{
	if (send(fd, bytes, size, 0) == (ssize_t)size)
		return;
	perror("send");
	exit(2);
}

static void send_others(int fd, uint8_t *roce, uint32_t size)
{
	static const uint8_t mac[MAC_BYTES] = { 2, 0, 0, 0, 0, 1 };
	static const uint16_t quanta[PRIORITIES] = { [3] = 65535 };
	uint8_t pause[MAKE_PFC_BYTES];

	make_pfc(pause, mac, 1u << 3, quanta);
	send_frame(fd, pause, sizeof(pause));
	roce[37]++; /* its UDP port is not RoCE's any more */
	send_frame(fd, roce, size);
}

int main(int argc, char **argv)
{
	struct make_roce make = { .dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_mac = { 2, 0, 0, 0, 0, 1 },
		.src_address = 0x0a000001,
		.dst_address = 0x0a000002,
		.src_port = 0xc000,
		.ttl = 64,
		.opcode = 0x07,
		.qp = 69,
		.payload_bytes = 1024 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET, .sll_protocol = htons(3) };
	uint8_t frame[1200];
	uint32_t count, size;
	int fd;

	if (argc != 3)
		return 2;
	count = (uint32_t)strtoul(argv[2], NULL, 10);
	to.sll_ifindex = (int)if_nametoindex(argv[1]);
	fd = socket(AF_PACKET, SOCK_RAW, 0);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&to, sizeof(to))) {
		perror(argv[1]);
		return 2;
	}
	for (make.psn = 0; make.psn < count; make.psn++) {
		make_roce(&make, frame, sizeof(frame), &size);
		send_frame(fd, frame, size);
		if (make.psn < 3)
			send_others(fd, frame, size);
	}
	close(fd);
	return 0;
}
