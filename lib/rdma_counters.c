/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/rdma_counters.h"

#include <errno.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/diag.h"
#include "lib/netlink.h"
#include "lib/units.h"

static int by_name(const void *left, const void *right)
{
	const struct hwcounter *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int take_counters(struct hwcounters *counters, const struct netlink_attr *table)
{
	struct netlink_attr entry, name, value;

	for (size_t at = 0; netlink_attr(table->data, table->size, &at, &entry);) {
		struct hwcounter *item = &counters->items[counters->count];

		if (!netlink_find(entry.data, entry.size,
			    RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_NAME, &name) ||
			!netlink_find(entry.data, entry.size,
				RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY_VALUE, &value) ||
			value.size < sizeof(item->value))
			continue;
		if (counters->count == HWCOUNTERS_MAX)
			return -EOVERFLOW;
		netlink_text(&name, item->name, sizeof(item->name));
		item->value = netlink_u64(&value);
		counters->count++;
	}
	qsort(counters->items, counters->count, sizeof(counters->items[0]), by_name);
	return 0;
}

int rdma_counters_parse(struct hwcounters *counters, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	struct netlink_attr table;
	int err = netlink_error(bytes, size);

	if (err)
		return err;
	for (size_t at = 0; netlink_next(bytes, size, &at, &message);) {
		if (message.type != RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET) ||
			!netlink_find(message.body, message.size,
				RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, &table))
			continue;
		counters->count = 0;
		return take_counters(counters, &table);
	}
	return -EBADMSG;
}

int rdma_counters_read(struct netlink *netlink, const char *device, uint32_t index,
	uint32_t port, struct hwcounters *counters, struct diag *diag)
{
	struct netlink_question question = { .family = NETLINK_OF_RDMA,
		.type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_STAT_GET) };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err;

	snprintf(question.name, sizeof(question.name), "rdma-counters-%.30s-%u", device, port);
	netlink_put_attr(&question, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	netlink_put_attr(&question, RDMA_NLDEV_ATTR_PORT_INDEX, &port, sizeof(port));
	err = netlink_ask(netlink, &question, &answer, diag);
	if (!err)
		err = rdma_counters_parse(counters, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

static int find_index(uint32_t *index, const char *device, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;

	for (size_t at = 0; netlink_next(bytes, size, &at, &message);) {
		struct netlink_attr name, number;
		char text[HOST_NAME];

		if (message.type != RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET) ||
			!netlink_find(
				message.body, message.size, RDMA_NLDEV_ATTR_DEV_NAME, &name) ||
			!netlink_find(
				message.body, message.size, RDMA_NLDEV_ATTR_DEV_INDEX, &number))
			continue;
		netlink_text(&name, text, sizeof(text));
		if (strcmp(text, device) == 0) {
			*index = netlink_u32(&number);
			return 0;
		}
	}
	return -ENODEV;
}

int rdma_device_index(
	struct netlink *netlink, const char *device, uint32_t *index, struct diag *diag)
{
	struct netlink_question question = { .family = NETLINK_OF_RDMA,
		.type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET),
		.dump = true,
		.name = "rdma-devices" };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err = netlink_ask(netlink, &question, &answer, diag);

	if (!err && find_index(index, device, answer.bytes, answer.size))
		err = diag_error(diag, -ENODEV,
			"RDMA device %s: the kernel knows none of that name", device);
	netlink_answer_free(&answer);
	return err;
}

#define LIFESPAN_NS                                                                            \
	(10 * NS_PER_MS) /* the kernel's default, in drivers/infiniband/core/sysfs.c */

int rdma_counters_of_port(struct netlink *netlink, const char *device, uint32_t port,
	bool fresh, struct hwcounters *counters, struct diag *diag)
{
	const struct timespec nap = { .tv_nsec = LIFESPAN_NS + NS_PER_MS };
	char path[160];
	uint32_t index;
	int err = rdma_device_index(netlink, device, &index, diag);

	counters->count = 0;
	if (!err)
		err = rdma_counters_read(netlink, device, index, port, counters, diag);
	if (!err)
		return 0;
	if (fresh)
		nanosleep(&nap, NULL);
	counters->count = 0;
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/hw_counters", device,
		port);
	return hwcounters_read(counters, path, diag);
}
