/* SPDX-License-Identifier: Apache-2.0 */
/* LLDP neighbours in what lldpcli says, and ports on their way from an agent. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/discover.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/units.h"
#include "pfc/nics.h"

static const char lldp[] = "lldp.ens1f0.via=LLDP\n"
			   "lldp.ens1f0.chassis.mac=00:11:22:33:44:55\n"
			   "lldp.ens1f0.chassis.name=leaf-a 17\n"
			   "lldp.ens1f0.port.ifname=Ethernet12\n"
			   "lldp.ens1f1.chassis.name=leaf-b\n"
			   "lldp.ens1f1.port.descr=to host 3";

static void a_neighbour_is_found_by_its_interface(void **state)
{
	char name[DISCOVER_TEXT], port[DISCOVER_TEXT];

	(void)state;
	assert_true(discover_neighbour(lldp, "ens1f0", name, port));
	assert_string_equal(name, "leaf-a17");
	assert_string_equal(port, "Ethernet12");
	assert_true(discover_neighbour(lldp, "ens1f1", name, port));
	assert_string_equal(name, "leaf-b");
	assert_string_equal(port, "tohost3");
	assert_false(discover_neighbour(lldp, "ens1f", name, port));
	assert_false(discover_neighbour("", "ens1f0", name, port));
	assert_false(discover_neighbour("lldp.ens1f0.chassis.name=", "ens1f0", name, port));
}

static void a_port_arrives_as_it_was_told(void **state)
{
	struct discover_port port = {
		.device = "mlx5_0",
		.netdev = "ens1f0",
		.driver = "mlx5_core",
		.pci = "0000:17:00.0",
		.firmware = "20.35.1012",
		.gid = "10.1.0.1",
		.neighbour = "leaf-a",
		.port = 1,
		.gid_index = 3,
		.mtu_bytes = 4096,
		.speed_bps = UINT64_C(200000000000),
		.numa = -1,
	};
	struct json *body = json_new_object();
	struct discover_port got;
	struct diag diag;

	(void)state;
	memset(&got, 0, sizeof(got));
	discover_put(body, &port);
	assert_int_equal(discover_get(body, &got, &diag), 0);
	assert_string_equal(got.device, "mlx5_0");
	assert_string_equal(got.neighbour, "leaf-a");
	assert_int_equal(got.speed_bps, port.speed_bps);
	assert_int_equal(got.numa, -1);
	json_put_text(body, "device", "evil\nname");
	assert_int_equal(discover_get(body, &got, &diag), -EPROTO);
	json_free(body);
}

static void a_port_stands_once_and_second_ports_are_left_out(void **state)
{
	static const struct nics nics = { .count = 4,
		.items = { { .rdma = "mlx4_0", .netdev = "eth0", .port = 1 },
			{ .rdma = "mlx4_0", .netdev = "eth0.100", .port = 1 },
			{ .rdma = "mlx4_0", .netdev = "eth1", .port = 2 },
			{ .rdma = "", .netdev = "eth2" } } };
	static struct discover_port ports[DISCOVER_PORTS_MAX];

	(void)state;
	assert_int_equal(discover_choose(ports, &nics), 2);
	assert_string_equal(ports[0].netdev, "eth0");
	assert_string_equal(ports[0].why, "");
	assert_non_null(strstr(ports[1].why, "mlx4_0 port 2: "));
}

/* What discover writes of one host; the caller's. */
static char *written(struct discover_port *ports, uint32_t count)
{
	const struct discover_host host = { .name = "node01", .ports = ports, .count = count };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_true(discover_write(out, &host, 1));
	assert_int_equal(fclose(out), 0);
	return text;
}

static void a_speed_that_nobody_told_is_not_written(void **state)
{
	struct discover_port port = { .device = "mlx5_0", .port = 1, .numa = -1 };
	char *text = written(&port, 1);

	(void)state;
	assert_null(strstr(text, "\nspeed:"));
	assert_non_null(strstr(text, "\n# No port told its speed"));
	free(text);
	port.speed_bps = 5 * GBPS / 2;
	text = written(&port, 1);
	assert_non_null(strstr(text, "\nspeed: 2500M\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_neighbour_is_found_by_its_interface),
		cmocka_unit_test(a_port_arrives_as_it_was_told),
		cmocka_unit_test(a_port_stands_once_and_second_ports_are_left_out),
		cmocka_unit_test(a_speed_that_nobody_told_is_not_written),
	};

	return cmocka_run_group_tests_name("discover", tests, NULL, NULL);
}
