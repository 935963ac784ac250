/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/sim_tap.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/sim_address.h"
#include "fabric/sim_parts.h"
#include "lib/capture_write.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/rng.h"
#include "pfc/roce.h"

#define LINK_ETHERNET 1
#define FCS_BYTES 4u
#define HOPS_MAX 64u
#define QPN_FIRST 0x100u
#define STREAM_PSN UINT64_C(0x9572) /* of the seed: PSNs that QPs start with */
#define REGION_BYTES (UINT64_C(1) << 40)
#define SYNDROME_ACK 0x1fu /* no limit of credits */
#define SYNDROME_NAK 0x60u /* PSN sequence error */
#define SYNDROME_RNR (0x20u | RNR_TIMER_CODE)
#define OPCODE_WRITE 0x06u /* First; Middle, Last follow; Only is 4 more */

/* A message as it was given to the NIC: an RDMA WRITE. */
struct tap_message {
	uint32_t end_psn; /* one past its last, where the next begins */
	uint64_t first_byte, bytes;
};

struct tap_qp {
	struct tap_message *messages; /* owned */
	size_t count, room;
	uint64_t bytes;
	uint32_t first_psn; /* on the wire */
};

struct tap_place {
	struct capture_writer *writer; /* owned; NULL: finished */
	char *path;                    /* owned */
};

struct sim_tap {
	const struct fabric *fabric; /* borrowed */
	uint32_t snaplen;
	uint32_t *place_at; /* owned; by port: place + 1, or 0 */
	struct tap_place places[TAP_PORTS_MAX];
	struct sim_tap_file files[TAP_PORTS_MAX];
	size_t count;
	uint32_t next_qpn;
	struct tap_qp *qps; /* owned; of the stage under way */
	uint8_t *frame;     /* owned; snaplen bytes */
};

/* --- places and files --- */

/* "leaf1:3" becomes PREFIX-leaf1-3.pcap. */
static char *path_of(const char *prefix, const char *place)
{
	size_t room = strlen(prefix) + strlen(place) + sizeof("-.pcap");
	char *path = zeroed(room, 1);

	snprintf(path, room, "%s-%s.pcap", prefix, place);
	for (char *at = path + strlen(prefix); *at; at++)
		if (*at == ':')
			*at = '-';
	return path;
}

static int add_place(
	struct sim_tap *tap, const char *name, const char *prefix, struct diag *diag)
{
	uint32_t port = fabric_find_port(tap->fabric, name);
	struct tap_place *place = &tap->places[tap->count];
	int err;

	if (port == PORT_NONE || tap->fabric->ports[port].link == PORT_NONE)
		return diag_error(diag, -EINVAL,
			"%.60s: expected a port or NIC with a cable, as leaf1:1 or host1; weft "
			"plan --links lists them",
			name);
	if (tap->place_at[port])
		return diag_error(diag, -EINVAL, "%.60s is given twice: once will do", name);
	if (tap->count == TAP_PORTS_MAX)
		return diag_error(diag, -EINVAL, "%.60s: expected at most %u places", name,
			TAP_PORTS_MAX);
	place->path = path_of(prefix, name);
	err = capture_create(&place->writer, place->path, LINK_ETHERNET, tap->snaplen, diag);
	tap->files[tap->count].path = place->path;
	snprintf(tap->files[tap->count].place, sizeof(tap->files[0].place), "%s", name);
	tap->place_at[port] = (uint32_t)++tap->count;
	return err;
}

int sim_tap_open(struct sim_tap **made, const struct fabric *fabric, const char *places,
	const char *prefix, uint32_t snaplen, struct diag *diag)
{
	struct sim_tap *tap = zeroed(1, sizeof(*tap));
	char *names = strdup(places), *rest = names, *name;
	int err = 0;

	if (!names)
		out_of_memory();
	tap->fabric = fabric;
	tap->snaplen = snaplen;
	tap->next_qpn = QPN_FIRST;
	tap->place_at = zeroed(fabric->port_count, sizeof(*tap->place_at));
	tap->frame = zeroed(snaplen + MAKE_HEADERS_MAX, 1);
	while (!err && (name = strsep(&rest, ",")))
		err = add_place(tap, name, prefix, diag);
	free(names);
	if (err)
		sim_tap_free(tap);
	else
		*made = tap;
	return err;
}

size_t sim_tap_files(const struct sim_tap *tap, const struct sim_tap_file **files)
{
	*files = tap->files;
	return tap->count;
}

int sim_tap_finish(struct sim_tap *tap, struct diag *diag)
{
	struct diag later;
	int err = 0;

	for (size_t i = 0; i < tap->count; i++) {
		int ended = 0;

		if (tap->places[i].writer)
			ended = capture_finish(tap->places[i].writer, err ? &later : diag);
		tap->places[i].writer = NULL;
		if (!err)
			err = ended;
	}
	return err;
}

void sim_tap_free(struct sim_tap *tap)
{
	struct diag unheard;

	if (!tap)
		return;
	sim_tap_finish(tap, &unheard);
	for (size_t i = 0; i < tap->count; i++)
		free(tap->places[i].path);
	free(tap->place_at);
	free(tap->frame);
	free(tap);
}

/* --- a stage --- */

void tap_begin(struct sim *sim)
{
	struct sim_tap *tap = sim->tap;

	tap->qps = zeroed(sim->qp_count, sizeof(*tap->qps));
	for (uint32_t i = 0; i < sim->qp_count; i++)
		tap->qps[i].first_psn =
			(uint32_t)rng_derive(rng_derive(sim->config->seed, STREAM_PSN), i) &
			PSN_MASK;
}

void tap_end(struct sim *sim)
{
	struct sim_tap *tap = sim->tap;

	for (uint32_t i = 0; i < sim->qp_count; i++)
		free(tap->qps[i].messages);
	free(tap->qps);
	tap->qps = NULL;
	tap->next_qpn = (tap->next_qpn + 2 * sim->qp_count) & PSN_MASK;
}

void tap_posted(struct sim *sim, uint32_t index, uint64_t bytes)
{
	struct tap_qp *qp = &sim->tap->qps[index];

	qp->messages = grow(qp->messages, qp->count, &qp->room, sizeof(*qp->messages));
	qp->messages[qp->count++] = (struct tap_message){
		.end_psn = sim->qps[index].snd_end,
		.first_byte = qp->bytes,
		.bytes = bytes,
	};
	qp->bytes += bytes;
}

/* How many messages end before psn: also the index of the one that psn is of. */
static size_t ended_before(const struct tap_qp *qp, uint32_t psn)
{
	size_t low = 0, high = qp->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (qp->messages[middle].end_psn <= psn)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- frames --- */

/* Switches that a packet of this source has passed when it leaves the port. */
static uint8_t hops_to(const struct sim *sim, uint32_t src_nic, uint32_t port)
{
	uint32_t node = sim->fabric->ports[port].node;

	if (sim->ports[port].nic != NONE)
		return 0;
	if (node >= fabric_spine_node(sim->fabric, 0))
		return 2;
	return node == fabric_leaf_node(sim->fabric, sim->homes[src_nic].leaf) ? 1 : 3;
}

static uint8_t dscp_of(const struct policy *policy, uint8_t class)
{
	switch ((enum packet_class) class) {
	case CLASS_POLICY:
		return policy->dscp;
	case CLASS_CNP:
		return policy->cnp_dscp;
	case CLASS_ZERO:
	case CLASS_COUNT:
		break;
	}
	return 0;
}

static void describe_data(
	const struct tap_qp *qp, const struct packet *packet, struct make_roce *make)
{
	bool first = packet->frame > packet->payload + ROCE_FRAME_OVERHEAD_BYTES;
	unsigned kind = packet->last ? 2 : !first;
	const struct tap_message *message;

	make->opcode = (uint8_t)(OPCODE_WRITE + (first && packet->last ? 4 : kind));
	make->psn = (qp->first_psn + packet->psn) & PSN_MASK;
	make->ip_id = (uint16_t)(make->psn << 2 | packet->again);
	make->ack_request = packet->last;
	make->payload_bytes = packet->payload;
	if (!first)
		return;
	message = &qp->messages[ended_before(qp, packet->psn)];
	make->address = message->first_byte;
	make->dma_bytes = (uint32_t)message->bytes;
}

static void describe_control(
	const struct tap_qp *qp, const struct packet *packet, struct make_roce *make)
{
	if (packet->kind == PACKET_CNP) {
		make->opcode = ROCE_OPCODE_CNP;
		return;
	}
	make->opcode = ROCE_OPCODE_ACK;
	make->syndrome = packet->kind == PACKET_NAK   ? SYNDROME_NAK
			 : packet->kind == PACKET_RNR ? SYNDROME_RNR
						      : SYNDROME_ACK;
	make->psn = (qp->first_psn + packet->psn - (packet->kind == PACKET_ACK)) & PSN_MASK;
	make->ip_id = (uint16_t)make->psn;
	make->msn = (uint32_t)ended_before(qp, packet->psn) & PSN_MASK;
}

/* port: the one that sends it. */
static void describe(
	struct sim *sim, uint32_t port, const struct packet *packet, struct make_roce *make)
{
	const struct qp *qp = &sim->qps[packet->qp];
	const struct tap_qp *tapped = &sim->tap->qps[packet->qp];
	bool data = packet->kind == PACKET_DATA;
	uint32_t src = data ? qp->src_nic : qp->dst_nic;
	uint32_t dst = data ? qp->dst_nic : qp->src_nic;

	*make = (struct make_roce){
		.src_address = sim_address(sim->fabric, src),
		.dst_address = sim_address(sim->fabric, dst),
		.src_port =
			data ? qp->sport : route_sport(sim->config->seed, src, dst, qp->number),
		.dscp = dscp_of(&sim->fabric->policy, packet->class),
		.ecn = packet->ecn,
		.ttl = (uint8_t)(HOPS_MAX - hops_to(sim, src, port)),
		.qp = (sim->tap->next_qpn + 2 * packet->qp + data) & PSN_MASK,
		.rkey = packet->qp,
		.bad_icrc = packet->corrupt,
	};
	sim_mac(sim->fabric, port, make->src_mac);
	sim_mac(sim->fabric, sim->ports[port].peer, make->dst_mac);
	if (data)
		describe_data(tapped, packet, make);
	else
		describe_control(tapped, packet, make);
	make->address += packet->qp * REGION_BYTES;
}

static uint32_t make_pause(struct sim *sim, uint32_t port, const struct packet *packet)
{
	uint16_t quanta[PRIORITIES] = { 0 };
	uint8_t mac[MAC_BYTES];

	sim_mac(sim->fabric, port, mac);
	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		if (packet->psn >> prio & 1)
			quanta[prio] = UINT16_MAX;
	make_pfc(sim->tap->frame, mac, (uint8_t)(packet->psn | packet->psn >> 8), quanta);
	return MAKE_PFC_BYTES;
}

static void capture(struct sim *sim, uint32_t place, uint32_t port, const struct packet *packet)
{
	struct sim_tap *tap = sim->tap;
	struct make_roce make;
	uint32_t captured, bytes;

	if (packet->kind == PACKET_PFC) {
		captured = bytes = make_pause(sim, port, packet);
	} else {
		describe(sim, port, packet, &make);
		captured = make_roce(&make, tap->frame, tap->snaplen, &bytes);
	}
	capture_write(tap->places[place].writer, clock_ns(sim, sim->now), tap->frame, captured,
		bytes);
}

void tap_sent(struct sim *sim, uint32_t port, const struct packet *packet)
{
	uint32_t place = sim->tap->place_at[port];

	if (!place)
		return;
	sim->tap->files[place - 1].sent++;
	capture(sim, place - 1, port, packet);
}

void tap_received(struct sim *sim, uint32_t port, const struct packet *packet)
{
	uint32_t place = sim->tap->place_at[port];

	if (!place)
		return;
	sim->tap->files[place - 1].received++;
	capture(sim, place - 1, sim->ports[port].peer, packet);
}
