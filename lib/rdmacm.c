/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/rdmacm.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/diag.h"

#define BACKLOG 256
#define STEP_MS(ns) ((int)((ns) / NS_PER_MS))

/* What a request says of itself, most significant byte first. */
struct claim {
	uint64_t word;
	uint32_t index, unused;
};

/* What is kept of an event, which is given back at once: until then no id can be closed. */
struct happening {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id;
	bool has_claim;
	struct claim claim;
};

union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
};

static union address address_of(const uint8_t gid[GID_BYTES], uint16_t port)
{
	union address address = { .ipv6 = { .sin6_family = AF_INET6 } };

	if (gid_is_ipv4(gid)) {
		address.ipv4.sin_family = AF_INET;
		address.ipv4.sin_port = htons(port);
		memcpy(&address.ipv4.sin_addr, gid + 12, 4);
	} else {
		address.ipv6.sin6_port = htons(port);
		memcpy(&address.ipv6.sin6_addr, gid, GID_BYTES);
	}
	return address;
}

static int open_channel(
	struct rdmacm *rdmacm, const struct verbs *verbs, uint64_t word, struct diag *diag)
{
	rdmacm->verbs = verbs;
	rdmacm->word = word;
	rdmacm->channel = rdma_create_event_channel();
	if (rdmacm->channel)
		return 0;
	return diag_system(diag, -errno,
		"%s: no connection manager (load the module rdma_ucm and give this user "
		"/dev/infiniband/rdma_cm, or leave --cm out)",
		verbs->device);
}

/* --- events --- */

/* The next event: 0, -ETIMEDOUT, -ECANCELED, or the system's error. until_fd: -1 for none. */
static int next(struct rdmacm *rdmacm, int until_fd, uint64_t deadline, struct happening *got,
	struct diag *diag)
{
	struct pollfd fds[2] = {
		{ .fd = rdmacm->channel->fd, .events = POLLIN },
		{ .fd = until_fd, .events = POLLIN },
	};
	struct rdma_cm_event *event;
	uint64_t now = clock_ns();
	int ready = poll(fds, 2, now < deadline ? STEP_MS(deadline - now) + 1 : 0);

	if (ready < 0 && errno != EINTR)
		return diag_system(diag, -errno, "waiting for the connection manager");
	if (ready > 0 && !fds[0].revents)
		return diag_error(diag, -ECANCELED, "the peer has ended the connecting");
	if (ready <= 0)
		return diag_error(diag, -ETIMEDOUT,
			"%s: the connection manager heard nothing from the peer in time",
			rdmacm->verbs->device);
	if (rdma_get_cm_event(rdmacm->channel, &event))
		return diag_system(diag, -errno, "an event of the connection manager");
	*got = (struct happening){
		.type = event->event,
		.status = event->status,
		.id = event->id,
	};
	got->has_claim = event->event == RDMA_CM_EVENT_CONNECT_REQUEST &&
			 event->param.conn.private_data &&
			 event->param.conn.private_data_len >= sizeof(got->claim);
	if (got->has_claim)
		memcpy(&got->claim, event->param.conn.private_data, sizeof(got->claim));
	rdma_ack_cm_event(event);
	return 0;
}

static int unlike(const struct rdmacm *rdmacm, const struct happening *got, struct diag *diag)
{
	const char *device = rdmacm->verbs->device;

	if (got->type == RDMA_CM_EVENT_REJECTED)
		return diag_error(diag, -ECONNREFUSED,
			"%s: the peer turned a connection away (reason %d)", device,
			got->status);
	if (got->type == RDMA_CM_EVENT_UNREACHABLE || got->type == RDMA_CM_EVENT_ADDR_ERROR ||
		got->type == RDMA_CM_EVENT_ROUTE_ERROR)
		return diag_error(diag, -EHOSTUNREACH,
			"%s: the connection manager finds no way to the peer: %s", device,
			rdma_event_str(got->type));
	return diag_error(diag, -EIO, "%s: the connection manager says %s (%d)", device,
		rdma_event_str(got->type), got->status);
}

/* --- one connection --- */

/* The manager finds the device by the address; it must be the one that the queue pair and
 * its memory belong to. */
static int check_device(
	const struct rdmacm *rdmacm, const struct rdma_cm_id *id, struct diag *diag)
{
	const struct verbs *verbs = rdmacm->verbs;
	const char *name = id->verbs ? ibv_get_device_name(id->verbs->device) : "no device";
	char address[GID_TEXT];

	if (strcmp(name, verbs->device) == 0 && id->port_num == verbs->port)
		return 0;
	gid_print(verbs->gid, address);
	return diag_error(diag, -ENODEV,
		"the connection manager gives %s to %s port %u, not to %s port %u: choose the "
		"device with -d and -i, or leave --cm out",
		address, name, id->port_num, verbs->device, verbs->port);
}

/* To the states in which it receives, and sends; addresses, numbers and PSNs come from the
 * manager, the rest from the path. */
static int bring_up(struct rdma_cm_id *id, const struct rdmacm_end *end, const char *device,
	struct diag *diag)
{
	const enum ibv_qp_state states[] = { IBV_QPS_RTR, IBV_QPS_RTS };
	struct ibv_qp_attr attr;
	int err = 0, mask;

	for (size_t i = 0; i < COUNT_OF(states) && !err; i++) {
		attr = (struct ibv_qp_attr){ .qp_state = states[i] };
		if (rdma_init_qp_attr(id, &attr, &mask))
			return diag_system(diag, -errno, "%s: what QP %u is to be connected to",
				device, end->qp->number);
		verbs_path_into(&end->path, &attr);
		err = ibv_modify_qp(end->qp->qp, &attr, mask);
	}
	if (!err)
		return 0;
	return diag_system(diag, -err, "%s: QP %u cannot be connected to QP %u", device,
		end->qp->number, attr.dest_qp_num);
}

static struct rdma_conn_param terms(const struct rdmacm_end *end, const struct claim *claim)
{
	return (struct rdma_conn_param){
		.private_data = claim,
		.private_data_len = claim ? sizeof(*claim) : 0,
		.responder_resources = RDMA_MAX_RESP_RES,
		.initiator_depth = RDMA_MAX_INIT_DEPTH,
		.retry_count = end->path.retry,
		.rnr_retry_count = 7,
		.qp_num = end->qp->number,
	};
}

/* --- the end that listens --- */

int rdmacm_listen(
	struct rdmacm *rdmacm, const struct verbs *verbs, uint64_t word, struct diag *diag)
{
	union address here = address_of(verbs->gid, 0);
	int err = open_channel(rdmacm, verbs, word, diag);
	char text[GID_TEXT];

	if (err)
		return err;
	if (rdma_create_id(rdmacm->channel, &rdmacm->listener, NULL, RDMA_PS_TCP) ||
		rdma_bind_addr(rdmacm->listener, &here.any) ||
		rdma_listen(rdmacm->listener, BACKLOG)) {
		err = -errno;
		gid_print(verbs->gid, text);
		return diag_system(diag, err, "%s: the connection manager cannot listen on %s",
			verbs->device, text);
	}
	rdmacm->port = ntohs(rdma_get_src_port(rdmacm->listener));
	return 0;
}

/* Returns 0 also for a stranger, who is turned away. */
static int take(struct rdmacm *rdmacm, const struct happening *got,
	const struct rdmacm_end *ends, uint32_t count, struct diag *diag)
{
	uint32_t index = be32toh(got->claim.index);
	struct rdma_conn_param param;
	int err;

	if (!got->has_claim || be64toh(got->claim.word) != rdmacm->word || index >= count ||
		rdmacm->ids[index]) {
		rdma_reject(got->id, NULL, 0);
		rdma_destroy_id(got->id);
		return 0;
	}
	rdmacm->ids[index] = got->id;
	err = check_device(rdmacm, got->id, diag);
	if (!err)
		err = bring_up(got->id, &ends[index], rdmacm->verbs->device, diag);
	if (err) {
		rdma_reject(got->id, NULL, 0);
		return err;
	}
	param = terms(&ends[index], NULL);
	if (rdma_accept(got->id, &param))
		return diag_system(diag, -errno, "%s: a connection cannot be taken",
			rdmacm->verbs->device);
	return 0;
}

int rdmacm_accept(struct rdmacm *rdmacm, const struct rdmacm_end *ends, uint32_t count,
	int until_fd, uint64_t wait_ns, struct diag *diag)
{
	uint64_t deadline = clock_ns() + wait_ns;
	uint32_t established = 0;
	struct happening got;
	int err = 0;

	while (!err && established < count) {
		err = next(rdmacm, until_fd, deadline, &got, diag);
		if (err)
			break;
		if (got.type == RDMA_CM_EVENT_CONNECT_REQUEST)
			err = take(rdmacm, &got, ends, count, diag);
		else if (got.type == RDMA_CM_EVENT_ESTABLISHED)
			established++;
		else
			err = unlike(rdmacm, &got, diag);
	}
	return err;
}

/* --- the end that connects --- */

static int expect(struct rdmacm *rdmacm, enum rdma_cm_event_type type, uint64_t wait_ns,
	struct diag *diag)
{
	struct happening got;
	int err = next(rdmacm, -1, clock_ns() + wait_ns, &got, diag);

	if (err)
		return err == -ETIMEDOUT ? -EHOSTUNREACH : err;
	return got.type == type ? 0 : unlike(rdmacm, &got, diag);
}

static int cannot(const struct rdmacm *rdmacm, const char *what, struct diag *diag)
{
	return diag_system(diag, -errno, "%s: the connection manager cannot %s",
		rdmacm->verbs->device, what);
}

static int connect_one(struct rdmacm *rdmacm, uint32_t index, union address *there,
	const struct rdmacm_end *end, uint64_t wait_ns, struct diag *diag)
{
	union address here = address_of(rdmacm->verbs->gid, 0);
	struct claim claim = {
		.word = htobe64(rdmacm->word),
		.index = htobe32(index),
	};
	struct rdma_conn_param param = terms(end, &claim);
	uint8_t class = end->path.traffic_class;
	struct rdma_cm_id *id;
	int err;

	if (rdma_create_id(rdmacm->channel, &rdmacm->ids[index], NULL, RDMA_PS_TCP))
		return cannot(rdmacm, "begin a connection", diag);
	id = rdmacm->ids[index];
	if (rdma_set_option(id, RDMA_OPTION_ID, RDMA_OPTION_ID_TOS, &class, sizeof(class)))
		return cannot(rdmacm, "set the traffic class", diag);
	if (rdma_resolve_addr(id, &here.any, &there->any, STEP_MS(wait_ns)))
		return cannot(rdmacm, "look up the peer's address", diag);
	err = expect(rdmacm, RDMA_CM_EVENT_ADDR_RESOLVED, wait_ns, diag);
	if (!err)
		err = check_device(rdmacm, id, diag);
	if (err)
		return err;
	if (rdma_resolve_route(id, STEP_MS(wait_ns)))
		return cannot(rdmacm, "look up a route", diag);
	err = expect(rdmacm, RDMA_CM_EVENT_ROUTE_RESOLVED, wait_ns, diag);
	if (err)
		return err;
	if (rdma_connect(id, &param))
		return cannot(rdmacm, "ask for a connection", diag);
	err = expect(rdmacm, RDMA_CM_EVENT_CONNECT_RESPONSE, wait_ns, diag);
	if (!err)
		err = bring_up(id, end, rdmacm->verbs->device, diag);
	if (err)
		return err;
	return rdma_establish(id) ? cannot(rdmacm, "confirm a connection", diag) : 0;
}

int rdmacm_connect(struct rdmacm *rdmacm, const struct verbs *verbs,
	const uint8_t gid[GID_BYTES], uint16_t port, uint64_t word,
	const struct rdmacm_end *ends, uint32_t count, uint64_t wait_ns, struct diag *diag)
{
	union address there = address_of(gid, port);
	int err = open_channel(rdmacm, verbs, word, diag);

	for (uint32_t i = 0; i < count && !err; i++)
		err = connect_one(rdmacm, i, &there, &ends[i], wait_ns, diag);
	return err;
}

void rdmacm_close(struct rdmacm *rdmacm)
{
	for (uint32_t i = 0; i < VERBS_QPS_MAX; i++) {
		if (!rdmacm->ids[i])
			continue;
		rdma_disconnect(rdmacm->ids[i]);
		rdma_destroy_id(rdmacm->ids[i]);
	}
	if (rdmacm->listener)
		rdma_destroy_id(rdmacm->listener);
	if (rdmacm->channel)
		rdma_destroy_event_channel(rdmacm->channel);
	*rdmacm = (struct rdmacm)RDMACM_INIT;
}
