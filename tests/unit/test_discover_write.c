/* SPDX-License-Identifier: Apache-2.0 */
/* What weft discover writes: read again, each NIC stands behind the right place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/discover.h"
#include "fabric/fabric.h"
#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/units.h"

#define PORTS 4u

/* Ports by name; one that begins with '!' is down. "" ends them. */
struct row {
	const char *name;
	const char *devices[PORTS + 1];
	const char *switches[PORTS + 1];
};

static struct discover_host host_of(const struct row *row)
{
	struct discover_host host = { .name = row->name };

	host.ports = calloc(PORTS, sizeof(*host.ports));
	assert_non_null(host.ports);
	for (; row->devices[host.count]; host.count++) {
		struct discover_port *port = &host.ports[host.count];
		const char *device = row->devices[host.count];
		const char *heard = row->switches[host.count];

		snprintf(port->device, sizeof(port->device), "%s", device + (*device == '!'));
		if (*device == '!')
			snprintf(port->why, sizeof(port->why), "%s port 1 is down", device + 1);
		snprintf(port->neighbour, sizeof(port->neighbour), "%s", heard ? heard : "");
		port->port = 1;
		port->mtu_bytes = 4096;
		port->speed_bps = 200 * GBPS;
		port->numa = -1;
	}
	return host;
}

/* Writes the file of these hosts and reads it. */
static void written(const struct row *rows, uint32_t count, struct fabric *fabric, char *said)
{
	char path[] = "/tmp/test-discover-XXXXXX";
	struct discover_host hosts[8];
	int fd = mkstemp(path);
	FILE *out = fdopen(fd, "w+");
	struct diag diag;
	size_t got;

	assert_non_null(out);
	for (uint32_t i = 0; i < count; i++)
		hosts[i] = host_of(&rows[i]);
	assert_true(discover_write(out, hosts, count));
	rewind(out);
	got = fread(said, 1, 4095, out);
	said[got] = '\0';
	fclose(out);
	*fabric = (struct fabric)FABRIC_INIT;
	if (fabric_load(fabric, path, NULL, &diag))
		fail_msg("%s\n%s", diag.text, said);
	unlink(path);
	for (uint32_t i = 0; i < count; i++)
		free(hosts[i].ports);
}

/* "host:device" behind a place; "" where there is none. */
static const char *behind(const struct fabric *fabric, const char *place)
{
	static char text[256];
	uint32_t node = fabric_find_node(fabric, place), port = fabric_find_port(fabric, place);

	if (node != PORT_NONE)
		port = fabric->nodes[node].first_port;
	for (uint32_t i = 0; port != PORT_NONE && i < fabric->binding_count; i++)
		if (fabric->bindings[i].nic == fabric->ports[port].nic) {
			snprintf(text, sizeof(text), "%s:%s", fabric->bindings[i].host,
				fabric->bindings[i].device);
			return text;
		}
	return "";
}

static void a_nic_that_is_down_moves_no_other_to_its_rail(void **state)
{
	static const struct row rows[] = {
		{ "node01", { "mlx5_0", "!mlx5_1", "mlx5_2" }, { NULL } },
		{ "node02", { "mlx5_0", "mlx5_1", "mlx5_2" }, { NULL } },
		{ "node03", { "!mlx5_0", "mlx5_1", "mlx5_2", "!mlx5_bond_0" }, { NULL } },
	};
	struct fabric fabric;
	char said[4096];

	(void)state;
	written(rows, 3, &fabric, said);
	assert_string_equal(behind(&fabric, "host1:1"), "node01:mlx5_0");
	assert_string_equal(behind(&fabric, "host1:2"), "");
	assert_string_equal(behind(&fabric, "host1:3"), "node01:mlx5_2");
	assert_string_equal(behind(&fabric, "host2:2"), "node02:mlx5_1");
	assert_string_equal(behind(&fabric, "host3:1"), "");
	assert_string_equal(behind(&fabric, "host3:2"), "node03:mlx5_1");
	assert_string_equal(behind(&fabric, "host3:3"), "node03:mlx5_2");
	assert_non_null(strstr(said, "left out: node03: mlx5_bond_0 port 1 is down"));
	fabric_free(&fabric);
}

static void hosts_with_other_names_are_counted(void **state)
{
	static const struct row rows[] = {
		{ "node01", { "mlx5_0", "mlx5_1" }, { NULL } },
		{ "node02", { "roce_a", "roce_b" }, { NULL } },
		{ "node03", { "mlx5_9" }, { NULL } },
	};
	struct fabric fabric;
	char said[4096];

	(void)state;
	written(rows, 3, &fabric, said);
	assert_string_equal(behind(&fabric, "host1:2"), "node01:mlx5_1");
	assert_string_equal(behind(&fabric, "host2:2"), "node02:roce_b");
	assert_string_equal(behind(&fabric, "host3:1"), "node03:mlx5_9");
	assert_non_null(strstr(said, "name their devices differently"));
	fabric_free(&fabric);
}

static void names_stay_what_they_are(void **state)
{
	static const struct row rows[] = {
		{ "on", { "1e3" }, { "leaf: #a" } },
		{ "user@[fd00::1]", { "0x10" }, { "leaf: #a" } },
		{ "null", { "a: b, {c}" }, { "~" } },
		{ "10.0.0.1", { "q\"uo\\te" }, { "~" } },
	};
	struct fabric fabric;
	char said[4096];

	(void)state;
	written(rows, 4, &fabric, said);
	assert_string_equal(behind(&fabric, "host1"), "on:1e3");
	assert_string_equal(behind(&fabric, "host2"), "user@[fd00::1]:0x10");
	assert_string_equal(behind(&fabric, "host3"), "null:a: b, {c}");
	assert_string_equal(behind(&fabric, "host4"), "10.0.0.1:q\"uo\\te");
	assert_non_null(strstr(said, "nic: \"1e3\""));
	assert_int_equal(fabric.hosts, 4);
	fabric_free(&fabric);
}

static void a_speed_that_no_port_told_is_asked_for(void **state)
{
	struct discover_host host = host_of(&(struct row){ "node01", { "mlx5_0" }, { NULL } });
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	host.ports[0].speed_bps = 0;
	assert_true(discover_write(out, &host, 1));
	fclose(out);
	assert_null(strstr(text, "\nspeed:"));
	assert_non_null(strstr(text, "No port told its speed"));
	free(text);
	free(host.ports);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_nic_that_is_down_moves_no_other_to_its_rail),
		cmocka_unit_test(hosts_with_other_names_are_counted),
		cmocka_unit_test(names_stay_what_they_are),
		cmocka_unit_test(a_speed_that_no_port_told_is_asked_for),
	};

	return cmocka_run_group_tests_name("discover_write", tests, NULL, NULL);
}
