/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/verbs_ask.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"

static int ask_port(struct ibv_device *device, uint32_t port, uint32_t *mtu_bytes)
{
	struct ibv_context *context = ibv_open_device(device);
	struct ibv_port_attr attr;
	int err;

	if (!context)
		return errno ? -errno : -EIO;
	err = ibv_query_port(context, (uint8_t)port, &attr); /* a positive errno */
	if (!err)
		*mtu_bytes = 128u << attr.active_mtu;
	ibv_close_device(context);
	return -err;
}

static int ask(const char *name, uint32_t port, uint32_t *mtu_bytes)
{
	struct ibv_device **devices = ibv_get_device_list(NULL);
	int err = -ENOENT;

	if (!devices)
		return errno ? -errno : -ENODEV;
	for (size_t i = 0; devices[i]; i++)
		if (strcmp(ibv_get_device_name(devices[i]), name) == 0)
			err = ask_port(devices[i], port, mtu_bytes);
	ibv_free_device_list(devices);
	return err;
}

int verbs_ask_mtu(const struct host *host, const char *device, uint32_t port,
	uint32_t *mtu_bytes, struct diag *diag)
{
	char name[2 * HOST_NAME], text[16] = "";
	int err;

	snprintf(name, sizeof(name), "verbs/%.63s-%u", device, port);
	if (host->root) {
		err = host_recorded(host, name, text, sizeof(text) - 1);
		if (err >= 0) {
			*mtu_bytes = (uint32_t)strtoul(text, NULL, 10);
			err = *mtu_bytes >= 256 ? 0 : -ENODATA;
		}
	} else {
		err = ask(device, port, mtu_bytes);
		if (err)
			host_record_error(host, name, err);
		else
			host_record(host, name, text,
				(size_t)snprintf(text, sizeof(text), "%u\n", *mtu_bytes));
	}
	return err ? diag_system(diag, err, "%.63s port %u: MTU", device, port) : 0;
}
