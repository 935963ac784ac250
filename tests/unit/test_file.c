/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fabric/file.h"
#include "lib/diag.h"
#include "lib/units.h"
#include "pfc/headroom.h"

#define FOUR "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n"

static void make(struct fabric *fabric, const char *text)
{
	struct diag diag = { "" };

	if (fabric_parse(fabric, "folder/small.yaml", text, strlen(text), NULL, &diag))
		fail_msg("%s", diag.text);
}

static void four_lines_are_a_fabric_with_all_defaults(void **state)
{
	struct fabric fabric;

	(void)state;
	make(&fabric, FOUR);
	assert_string_equal(fabric.name, "small");
	assert_string_equal(fabric.plane, "parameter");
	assert_int_equal(fabric.hosts, 16);
	assert_int_equal(fabric.link_count, 24);
	assert_int_equal(fabric.mtu_bytes, 4096);
	assert_int_equal(fabric.links[0].length_m, 5);
	assert_int_equal(fabric.links[16].length_m, 100);
	assert_int_equal(fabric.links[16].speed_bps, 100 * GBPS);
	assert_int_equal(fabric.policy.dscp, 26);
	assert_int_equal(fabric.policy.ecn_kmin_bytes, 400000);
	assert_int_equal(fabric.policy.buffer_bytes, 32 * MIB);
	assert_int_equal(fabric.limits.bandwidth_ppb, 950000000);
	assert_int_equal(fabric.limits.oversub_ppb, PPB);
	assert_int_equal(fabric.fault_count, 0);
	assert_int_equal(fabric.text_bytes, strlen(FOUR));
	assert_string_equal(fabric.text, FOUR);
	fabric_free(&fabric);
	fabric_free(&fabric);
}

static void keys_of_the_shape_reach_their_place(void **state)
{
	struct fabric fabric;

	(void)state;
	make(&fabric, FOUR "name: hall\nrails: 2\nlinks_per_spine: 3\nuplink_speed: 200G\n"
			   "mtu: 1024\ncable: {host: 3m, uplink: 20m}\n"
			   "latency: {switch: 0.5us, nic: 1us}\n");
	assert_string_equal(fabric.name, "hall");
	assert_int_equal(fabric.rails, 2);
	assert_int_equal(fabric.hosts, 8);
	assert_int_equal(fabric.nic_count, 16);
	assert_int_equal(fabric.link_count, 16 + 4 * 2 * 3);
	assert_int_equal(fabric.links[16].speed_bps, 200 * GBPS);
	assert_int_equal(fabric.links[0].length_m, 3);
	assert_int_equal(fabric.links[16].length_m, 20);
	assert_int_equal(fabric.mtu_bytes, 1024);
	assert_int_equal(fabric.switch_ns, 500);
	assert_int_equal(fabric.nic_ns, 1000);
	fabric_free(&fabric);
}

static void keys_of_the_policy_reach_their_place(void **state)
{
	struct fabric fabric;
	const struct policy *p = &fabric.policy;

	(void)state;
	make(&fabric,
		FOUR "policy:\n  dscp: 1\n  priority: 2\n  cnp_dscp: 3\n  cnp_priority: 4\n"
		     "  ecn: {kmin: 1000, kmax: 2000, pmax: 5 %, off: yes}\n  pfc: no\n"
		     "  buffer: 16MiB\n  reserved: 100\n  headroom: 50000\n  alpha: 1/16\n"
		     "  xoff: 60000\n  xon_offset: 7000\n  watchdog: 200ms\n  timeout: 18\n"
		     "  retry: 5\n  ack_every: 9\n  transport: selective-repeat\n");
	assert_int_equal(p->dscp, 1);
	assert_int_equal(p->priority, 2);
	assert_int_equal(p->cnp_dscp, 3);
	assert_int_equal(p->cnp_priority, 4);
	assert_int_equal(p->ecn_kmin_bytes, 1000);
	assert_int_equal(p->ecn_kmax_bytes, 2000);
	assert_int_equal(p->ecn_pmax_ppb, PPB / 20);
	assert_false(p->ecn);
	assert_false(p->pfc);
	assert_int_equal(p->buffer_bytes, 16 * MIB);
	assert_int_equal(p->reserved_bytes, 100);
	assert_int_equal(p->headroom_bytes, 50000);
	assert_int_equal(p->alpha_shift, 4);
	assert_int_equal(p->xoff_bytes, 60000);
	assert_int_equal(p->xon_offset_bytes, 7000);
	assert_int_equal(p->watchdog_ns, 200 * NS_PER_MS);
	assert_int_equal(p->watchdog_restore_ns, 200 * NS_PER_MS);
	assert_int_equal(p->timeout_exp, 18);
	assert_int_equal(p->retry, 5);
	assert_int_equal(p->ack_every, 9);
	assert_true(p->selective_repeat);
	fabric_free(&fabric);
}

static void keys_of_dcqcn_and_limits_reach_their_place(void **state)
{
	struct fabric fabric;
	const struct dcqcn *d = &fabric.policy.dcqcn;
	const struct limits *l = &fabric.limits;

	(void)state;
	make(&fabric,
		FOUR "policy:\n  dcqcn: {off: yes, g: 1/16, alpha_period: 1us, "
		     "increase_period: 2us,\n"
		     "    increase_bytes: 5000, fast_recovery: 1, rai: 5M, rhai: 50M, "
		     "min_rate: 10M,\n"
		     "    cnp_period: 4us}\n"
		     "limits: {bandwidth: 0.9, busbw: 0.8, oversubscription: 2, loss: 1e-9,\n"
		     "  victim: 0.7, spread: 0.2, spike: 0.05}\n");
	assert_true(d->off);
	assert_int_equal(d->g_shift, 4);
	assert_int_equal(d->alpha_period_ns, 1000);
	assert_int_equal(d->increase_period_ns, 2000);
	assert_int_equal(d->increase_bytes, 5000);
	assert_int_equal(d->fast_recovery, 1);
	assert_int_equal(d->rai_bps, 5000000);
	assert_int_equal(d->rhai_bps, 50000000);
	assert_int_equal(d->min_rate_bps, 10000000);
	assert_int_equal(d->cnp_period_ns, 4000);
	assert_int_equal(l->bandwidth_ppb, 900000000);
	assert_int_equal(l->busbw_ppb, 800000000);
	assert_int_equal(l->oversub_ppb, 2 * PPB);
	assert_int_equal(l->loss_ppb, 1);
	assert_int_equal(l->victim_ppb, 700000000);
	assert_int_equal(l->spread_ppb, 200000000);
	assert_int_equal(l->spike_ppb, 50000000);
	fabric_free(&fabric);
}

static void a_link_can_be_changed_taken_away_and_moved(void **state)
{
	struct fabric fabric;
	uint32_t link;

	(void)state;
	make(&fabric, FOUR
		"links:\n- {link: leaf1-spine2, speed: 40G, length: 7m}\n"
		"- {link: leaf2-spine1, absent: yes}\n"
		"hosts:\n- {place: host5, absent: yes}\n- {place: host6, speed: 25G}\n"
		"cables:\n- {from: leaf3:9, to: host5}\n- {from: spine2:5, to: leaf2:5}\n");
	link = fabric_find_link(&fabric, "leaf1-spine2");
	assert_int_equal(fabric.links[link].speed_bps, 40 * GBPS);
	assert_int_equal(fabric.links[link].length_m, 7);
	assert_int_equal(fabric_find_link(&fabric, "leaf2-spine1"), PORT_NONE);
	assert_int_equal(fabric_nic_leaf(&fabric, 4), 2);
	assert_int_equal(fabric_nic_bps(&fabric, 5), 25 * GBPS);
	/* The lower tier comes first, and the port is free for its new cable. */
	link = fabric_find_link(&fabric, "leaf2:5-spine2:5");
	assert_int_not_equal(link, PORT_NONE);
	assert_int_equal(fabric.links[link].length_m, 100);
	assert_int_equal(fabric.link_count, 24);
	assert_int_equal(fabric.nodes[fabric_leaf_node(&fabric, 2)].port_count, 9);
	fabric_free(&fabric);
}

static void bindings_are_kept_in_the_order_of_the_nics(void **state)
{
	struct fabric fabric;

	(void)state;
	make(&fabric, FOUR "rails: 2\nhosts:\n- {place: host3:2, nic: mlx5_1}\n"
			   "- {place: host1, host: node01}\n- {place: host2, length: 3m}\n");
	assert_int_equal(fabric.binding_count, 3);
	assert_int_equal(fabric.bindings[0].nic, 0);
	assert_int_equal(fabric.bindings[1].nic, 1);
	assert_string_equal(fabric.bindings[1].host, "node01");
	assert_string_equal(fabric.bindings[1].device, "");
	assert_int_equal(fabric.bindings[2].nic, 5);
	assert_string_equal(fabric.bindings[2].device, "mlx5_1");
	fabric_free(&fabric);
}

/* What a fault is at: names of node, port and link, "-" for none. */
static const struct place_case {
	const char *fault, *node, *port, *link;
} places[] = {
	{ "kind: loss, place: leaf1-spine2", "-", "-", "leaf1:6-spine2:1" },
	{ "kind: loss, place: spine2-leaf1", "-", "-", "leaf1:6-spine2:1" },
	{ "kind: loss, place: leaf1:6", "-", "leaf1:6", "-" },
	{ "kind: rate, place: host3", "-", "-", "host3-leaf1:3" },
	{ "kind: rate, place: host3-leaf1", "-", "-", "host3-leaf1:3" },
	{ "kind: down, place: leaf1:6", "-", "-", "leaf1:6-spine2:1" },
	{ "kind: flap, place: host3", "-", "-", "host3-leaf1:3" },
	{ "kind: pfc-off, place: spine1", "spine1", "-", "-" },
	{ "kind: pfc-off, place: spine1:4", "-", "spine1:4", "-" },
	{ "kind: dscp-map, place: leaf2", "leaf2", "-", "-" },
	{ "kind: dscp-map, place: host2", "host2", "host2", "-" },
	{ "kind: ecn-off, place: leaf2:3", "-", "leaf2:3", "-" },
	{ "kind: slow-receiver, place: host16", "host16", "host16", "-" },
	{ "kind: pause-storm, place: host1", "host1", "host1", "-" },
};

static void a_fault_is_where_its_place_says(void **state)
{
	const struct place_case *row = *state;
	char text[256], name[2 * NAME_BYTES];
	const struct fault *fault;
	struct fabric fabric;

	snprintf(text, sizeof(text), "%sfaults:\n- {%s}\n", FOUR, row->fault);
	make(&fabric, text);
	assert_int_equal(fabric.fault_count, 1);
	fault = &fabric.faults[0];
	assert_string_equal(
		fault->node == PORT_NONE ? "-" : fabric.nodes[fault->node].name, row->node);
	snprintf(name, sizeof(name), "-");
	if (fault->port != PORT_NONE)
		fabric_port_name(&fabric, fault->port, name);
	assert_string_equal(name, row->port);
	snprintf(name, sizeof(name), "-");
	if (fault->link != PORT_NONE)
		fabric_link_name(&fabric, fault->link, name);
	assert_string_equal(name, row->link);
	assert_int_equal(fault->line, 6);
	fabric_free(&fabric);
}

static void a_fault_takes_its_kinds_defaults(void **state)
{
	struct fabric fabric;
	const struct fault *f;

	(void)state;
	make(&fabric, FOUR
		"faults:\n- {kind: loss, place: host1}\n- {kind: rate, place: host1}\n"
		"- {kind: flap, place: host1}\n- {kind: slow-receiver, place: host1}\n"
		"- {kind: dscp-map, place: leaf1}\n"
		"- {kind: flap, place: host2, amount: 2ms, period: 1s, from: 1ms, to: 3s}\n");
	f = fabric.faults;
	assert_int_equal(f[0].amount_ppb, PPB / 1000);
	assert_int_equal(f[0].from_ns, 0);
	assert_true(f[0].to_ns == UINT64_MAX);
	assert_int_equal(f[1].amount_ppb, PPB / 2);
	assert_int_equal(f[2].amount_ns, NS_PER_MS);
	assert_int_equal(f[2].period_ns, 10 * NS_PER_MS);
	assert_int_equal(f[3].amount_ppb, PPB / 2);
	assert_int_equal(f[4].priority, 0);
	assert_int_equal(f[5].amount_ns, 2 * NS_PER_MS);
	assert_int_equal(f[5].period_ns, NS_PER_S);
	assert_int_equal(f[5].from_ns, NS_PER_MS);
	assert_int_equal(f[5].to_ns, 3 * NS_PER_S);
	fabric_free(&fabric);
}

static void a_plane_is_expanded_by_its_name(void **state)
{
	static const char text[] = FOUR
		"mtu: 1024\nplanes:\n- {name: sample, leaves: 2, spines: 1, hosts_per_leaf: 3, "
		"speed: 25G}\n- {name: business, leaves: 1}\n";
	struct fabric fabric;
	struct diag diag;

	(void)state;
	assert_int_equal(fabric_parse(&fabric, "f", text, strlen(text), "sample", &diag), 0);
	assert_int_equal(fabric.hosts, 6);
	assert_int_equal(fabric.mtu_bytes, 4096);
	assert_string_equal(fabric.plane, "sample");
	fabric_free(&fabric);
	assert_int_equal(fabric_parse(&fabric, "f", text, strlen(text), "parameter", &diag), 0);
	assert_int_equal(fabric.hosts, 16);
	fabric_free(&fabric);
	assert_int_equal(
		fabric_parse(&fabric, "f", text, strlen(text), "storage", &diag), -EINVAL);
	assert_string_equal(diag.text,
		"f: no plane \"storage\": expected one of parameter, sample, business");
	assert_int_equal(
		fabric_parse(&fabric, "f", text, strlen(text), "business", &diag), -EINVAL);
	assert_string_equal(
		diag.text, "f:8: no key \"spines\": expected one such as spines: 8");
}

static void a_buffer_that_nobody_gave_holds_the_headroom_twice(void **state)
{
	struct fabric fabric;

	(void)state;
	make(&fabric, "leaves: 64\nspines: 4\nhosts_per_leaf: 32\nspeed: 400G\n"
		      "cable: {uplink: 2km}\n");
	/* A spine's 64 ports of 400G over 2 km set aside 1,076,352 bytes each. */
	assert_int_equal(headroom_bytes(400 * GBPS, 2000), 1076352);
	assert_int_equal(fabric.policy.buffer_bytes, 132 * MIB);
	fabric_free(&fabric);
}

static void load_is(const char *path, int err, const char *sentence)
{
	struct fabric fabric;
	struct diag diag = { "" };
	char expected[512];

	assert_int_equal(fabric_load(&fabric, path, NULL, &diag), err);
	snprintf(expected, sizeof(expected), "%s%s", path, sentence);
	assert_string_equal(diag.text, expected);
}

static void what_is_no_file_is_said_to_be_none(void **state)
{
	char folder[] = "/tmp/weft-file-XXXXXX", path[64];
	FILE *large;

	(void)state;
	assert_non_null(mkdtemp(folder));
	load_is(folder, -EISDIR, ": a folder: expected a fabric file");
	load_is("/dev/zero", -EINVAL, ": not a regular file: expected a fabric file");
	snprintf(path, sizeof(path), "%s/fifo", folder);
	assert_int_equal(mkfifo(path, 0600), 0);
	load_is(path, -EINVAL, ": not a regular file: expected a fabric file");
	unlink(path);
	load_is(path, -ENOENT, ": cannot be read: No such file or directory");
	assert_int_equal(symlink(path, path), 0);
	load_is(path, -ELOOP, ": cannot be read: Too many levels of symbolic links");
	unlink(path);
	large = fopen(path, "w");
	assert_non_null(large);
	assert_int_equal(ftruncate(fileno(large), 10000000), 0);
	fclose(large);
	load_is(path, -EFBIG, ": 10000000 bytes: expected a fabric file of at most 4 MiB");
	if (geteuid() != 0) {
		assert_int_equal(chmod(path, 0), 0);
		load_is(path, -EACCES, ": cannot be read: Permission denied");
	}
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(places) + 10] = {
		cmocka_unit_test(four_lines_are_a_fabric_with_all_defaults),
		cmocka_unit_test(keys_of_the_shape_reach_their_place),
		cmocka_unit_test(keys_of_the_policy_reach_their_place),
		cmocka_unit_test(keys_of_dcqcn_and_limits_reach_their_place),
		cmocka_unit_test(a_link_can_be_changed_taken_away_and_moved),
		cmocka_unit_test(bindings_are_kept_in_the_order_of_the_nics),
		cmocka_unit_test(a_fault_takes_its_kinds_defaults),
		cmocka_unit_test(a_plane_is_expanded_by_its_name),
		cmocka_unit_test(a_buffer_that_nobody_gave_holds_the_headroom_twice),
		cmocka_unit_test(what_is_no_file_is_said_to_be_none),
	};

	for (size_t i = 0; i < COUNT_OF(places); i++)
		tests[i + 10] = (struct CMUnitTest){
			.name = places[i].fault,
			.test_func = a_fault_is_where_its_place_says,
			.initial_state = (void *)(uintptr_t)&places[i],
		};
	return cmocka_run_group_tests_name("file", tests, NULL, NULL);
}
