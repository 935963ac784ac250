/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/discover.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/wire.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/sysfs.h"
#include "lib/units.h"
#include "lib/verbs.h"
#include "pfc/nics.h"

#define LLDP_BYTES 65536u
/* A shell that ssh starts often has no sbin in its PATH. */
#define LLDP_COMMAND                                                                           \
	"PATH=\"$PATH:/usr/local/sbin:/usr/sbin:/sbin\"; "                                     \
	"timeout 5 lldpcli -f keyvalue show neighbors 2> /dev/null"

/* --- LLDP --- */

/* "lldp.eth0.chassis.name=leaf1": the value of a key of an interface. */
static bool find_key(
	const char *text, const char *netdev, const char *key, char value[DISCOVER_TEXT])
{
	char start[2 * HOST_NAME];
	size_t length = (size_t)snprintf(start, sizeof(start), "lldp.%s.%s=", netdev, key);

	for (const char *at = text; at && length < sizeof(start);) {
		const char *end = strchr(at, '\n');

		if (strncmp(at, start, length) == 0) {
			size_t bytes = strcspn(at + length, "\r\n"), kept = 0;

			for (size_t i = 0; i < bytes && kept < DISCOVER_TEXT - 1; i++)
				if (at[length + i] > ' ' && at[length + i] <= '~')
					value[kept++] = at[length + i];
			value[kept] = '\0';
			return kept > 0;
		}
		at = end ? end + 1 : NULL;
	}
	return false;
}

bool discover_neighbour(const char *text, const char *netdev, char name[DISCOVER_TEXT],
	char port[DISCOVER_TEXT])
{
	if (!find_key(text, netdev, "chassis.name", name))
		return false;
	if (!find_key(text, netdev, "port.ifname", port) &&
		!find_key(text, netdev, "port.local", port) &&
		!find_key(text, netdev, "port.descr", port))
		port[0] = '\0';
	return true;
}

/* What lldpcli says, the caller's; NULL where it does not run. */
static char *ask_lldp(void)
{
	char *text = calloc(1, LLDP_BYTES);
	FILE *said = popen(LLDP_COMMAND, "r");
	size_t got = said && text ? fread(text, 1, LLDP_BYTES - 1, said) : 0;

	if (said)
		pclose(said);
	if (got)
		return text;
	free(text);
	return NULL;
}

/* --- ports --- */

static void ask_device(struct discover_port *port)
{
	struct verbs_choice choice = { .device = port->device, .port = port->port };
	struct verbs verbs = VERBS_INIT;
	struct diag why;

	if (verbs_open(&verbs, &choice, &why)) {
		snprintf(port->why, sizeof(port->why), "%.255s", why.text);
		return;
	}
	gid_print(verbs.gid, port->gid);
	port->gid_index = verbs.gid_index;
	port->mtu_bytes = verbs.mtu_bytes;
	port->speed_bps = verbs.speed_bps;
	port->soft = verbs.soft;
	verbs_close(&verbs);
}

static void ask_sysfs(struct discover_port *port)
{
	char text[24];
	uint64_t mbps;

	sysfs_text(port->firmware, sizeof(port->firmware), "/sys/class/infiniband/%s/fw_ver",
		port->device);
	port->numa = -1;
	if (sysfs_text(text, sizeof(text), "/sys/class/infiniband/%s/device/numa_node",
		    port->device))
		port->numa = strtol(text, NULL, 10);
	/* Also of a port that could not be opened. */
	if (!port->speed_bps && port->netdev[0] &&
		sysfs_number(&mbps, "/sys/class/net/%s/speed", port->netdev))
		port->speed_bps = mbps * (GBPS / 1000);
}

static bool is_known(const struct discover_port *ports, int count, const struct nic *nic)
{
	for (int i = 0; i < count; i++)
		if (strcmp(ports[i].device, nic->rdma) == 0 && ports[i].port == nic->port)
			return true;
	return false;
}

int discover_choose(struct discover_port *ports, const struct nics *nics)
{
	int count = 0;

	for (size_t i = 0; i < nics->count && count < (int)DISCOVER_PORTS_MAX; i++) {
		const struct nic *nic = &nics->items[i];
		struct discover_port *port = &ports[count];

		if (!nic->rdma[0] || is_known(ports, count, nic))
			continue;
		memset(port, 0, sizeof(*port));
		memcpy(port->device, nic->rdma, sizeof(port->device));
		memcpy(port->netdev, nic->netdev, sizeof(port->netdev));
		memcpy(port->driver, nic->driver, sizeof(port->driver));
		memcpy(port->pci, nic->pci, sizeof(port->pci));
		port->port = nic->port;
		if (port->port > 1)
			snprintf(port->why, sizeof(port->why),
				"%.60s port %u: weft accept drives only port 1 of a device",
				port->device, port->port);
		count++;
	}
	return count;
}

int discover_ports(struct discover_port *ports, struct diag *diag)
{
	struct host host = { .root = NULL };
	struct nics *nics = calloc(1, sizeof(*nics));
	int count, err = nics ? nics_find(nics, &host, diag) : -ENOMEM;
	char *lldp = err ? NULL : ask_lldp();

	count = err ? err : discover_choose(ports, nics);
	for (int i = 0; i < count; i++) {
		struct discover_port *port = &ports[i];

		if (!port->why[0])
			ask_device(port);
		ask_sysfs(port);
		if (lldp)
			discover_neighbour(
				lldp, port->netdev, port->neighbour, port->neighbour_port);
	}
	free(lldp);
	free(nics);
	return count;
}

/* --- frames --- */

#define TEXT(field)                                                                            \
	{                                                                                      \
#field, offsetof(struct discover_port, field),                                 \
			sizeof(((struct discover_port *)0)->field)                             \
	}

static const struct {
	const char *key;
	size_t offset, bytes;
} texts[] = { TEXT(device), TEXT(netdev), TEXT(driver), TEXT(pci), TEXT(firmware), TEXT(gid),
	TEXT(why), TEXT(neighbour), TEXT(neighbour_port) };

void discover_put(struct json *object, const struct discover_port *port)
{
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		json_put_text(object, texts[i].key, (const char *)port + texts[i].offset);
	json_put_u64(object, "port", port->port);
	json_put_u64(object, "gid_index", port->gid_index);
	json_put_u64(object, "mtu_bytes", port->mtu_bytes);
	json_put_u64(object, "speed_bps", port->speed_bps);
	json_put_u64(object, "soft", port->soft);
	json_put_u64(object, "numa", (uint64_t)(port->numa + 1));
}

int discover_get(const struct json *object, struct discover_port *port, struct diag *diag)
{
	uint64_t number, index, mtu, soft, numa;
	const struct {
		const char *key;
		uint64_t most, *value;
	} numbers[] = {
		{ "port", 255, &number },
		{ "gid_index", 65535, &index },
		{ "mtu_bytes", 4096, &mtu },
		{ "speed_bps", INT64_MAX, &port->speed_bps },
		{ "soft", 1, &soft },
		{ "numa", 65536, &numa },
	};
	int err = 0;

	for (size_t i = 0; i < COUNT_OF(texts) && !err; i++)
		err = wire_text(object, texts[i].key, (char *)port + texts[i].offset,
			texts[i].bytes, diag);
	for (size_t i = 0; i < COUNT_OF(numbers) && !err; i++)
		err = wire_number(
			object, numbers[i].key, 0, numbers[i].most, numbers[i].value, diag);
	if (err)
		return err;
	port->port = (uint32_t)number;
	port->gid_index = (uint32_t)index;
	port->mtu_bytes = (uint32_t)mtu;
	port->soft = soft;
	port->numa = (int64_t)numa - 1;
	return 0;
}
