/* SPDX-License-Identifier: Apache-2.0 */
/* A device is opened whose library is played by this file: limits, speeds and GID tables that
 * no device at hand has. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/sysfs.h"
#include "lib/units.h"
#include "lib/verbs.h"

static struct played {
	struct ibv_port_attr port;
	int reads_in, reads_out;
	uint32_t gids, first_index; /* valid ones of port 1 */
	uint64_t netdev_mbps;       /* 0: there is none */
	unsigned access, refused;   /* of the last memory; what the driver does not know */
} played;

static struct ibv_device device;
static struct ibv_context context;
static struct ibv_pd pd;

struct ibv_device **__wrap_ibv_get_device_list(int *count);
void __wrap_ibv_free_device_list(struct ibv_device **list);
struct ibv_context *__wrap_ibv_open_device(struct ibv_device *opened);
int __wrap_ibv_close_device(struct ibv_context *closed);
struct ibv_pd *__wrap_ibv_alloc_pd(struct ibv_context *of);
int __wrap_ibv_dealloc_pd(struct ibv_pd *freed);
int __wrap_ibv_query_device(struct ibv_context *of, struct ibv_device_attr *attr);
int __wrap_ibv_query_port(struct ibv_context *of, uint8_t number, void *attr);
ssize_t __wrap__ibv_query_gid_table(struct ibv_context *of, struct ibv_gid_entry *entries,
	size_t most, uint32_t flags, size_t entry_size);
bool __wrap_sysfs_netdev(
	char *text, size_t size, const char *name, uint32_t port, uint32_t gid_index);
bool __wrap_sysfs_number(uint64_t *number, const char *path, ...);

struct ibv_mr *__wrap_ibv_reg_mr_iova2(
	struct ibv_pd *of, void *base, size_t bytes, uint64_t iova, unsigned access);
int __wrap_ibv_dereg_mr(struct ibv_mr *freed);

struct ibv_mr *__wrap_ibv_reg_mr_iova2(
	struct ibv_pd *of, void *base, size_t bytes, uint64_t iova, unsigned access)
{
	static struct ibv_mr mr;

	(void)of;
	(void)bytes;
	assert_int_equal(iova, (uintptr_t)base);
	played.access = access;
	errno = EOPNOTSUPP;
	return access & played.refused ? NULL : &mr;
}

/* What is called where no flag needs the other one. */
struct ibv_mr *__wrap_ibv_reg_mr(struct ibv_pd *of, void *base, size_t bytes, int access);

struct ibv_mr *__wrap_ibv_reg_mr(struct ibv_pd *of, void *base, size_t bytes, int access)
{
	return __wrap_ibv_reg_mr_iova2(of, base, bytes, (uintptr_t)base, (unsigned)access);
}

int __wrap_ibv_dereg_mr(struct ibv_mr *freed)
{
	(void)freed;
	return 0;
}

struct ibv_device **__wrap_ibv_get_device_list(int *count)
{
	struct ibv_device **list = zeroed(2, sizeof(struct ibv_device *));

	(void)count;
	list[0] = &device;
	return list;
}

void __wrap_ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

struct ibv_context *__wrap_ibv_open_device(struct ibv_device *opened)
{
	context.device = opened;
	return &context;
}

int __wrap_ibv_close_device(struct ibv_context *closed)
{
	(void)closed;
	return 0;
}

struct ibv_pd *__wrap_ibv_alloc_pd(struct ibv_context *of)
{
	(void)of;
	return &pd;
}

int __wrap_ibv_dealloc_pd(struct ibv_pd *freed)
{
	(void)freed;
	return 0;
}

int __wrap_ibv_query_device(struct ibv_context *of, struct ibv_device_attr *attr)
{
	(void)of;
	*attr = (struct ibv_device_attr){
		.phys_port_cnt = 1,
		.max_qp_wr = 1024,
		.max_cqe = 4096,
		.vendor_id = 0x2c9,
		.max_qp_rd_atom = played.reads_in,
		.max_qp_init_rd_atom = played.reads_out,
	};
	return 0;
}

int __wrap_ibv_query_port(struct ibv_context *of, uint8_t number, void *attr)
{
	(void)of;
	(void)number;
	memcpy(attr, &played.port, sizeof(played.port));
	return 0;
}

/* Refuses what does not hold all, as the kernel does. */
ssize_t __wrap__ibv_query_gid_table(struct ibv_context *of, struct ibv_gid_entry *entries,
	size_t most, uint32_t flags, size_t entry_size)
{
	(void)of;
	(void)flags;
	assert_int_equal(entry_size, sizeof(*entries));
	if (most < played.gids)
		return -EINVAL;
	for (uint32_t i = 0; i < played.gids; i++) {
		entries[i] = (struct ibv_gid_entry){
			.gid_index = played.first_index + i,
			.port_num = 1,
			.gid_type = IBV_GID_TYPE_ROCE_V2,
		};
		memset(entries[i].gid.raw + 10, 0xff, 2);
		entries[i].gid.raw[12] = 10;
		entries[i].gid.raw[14] = (uint8_t)(i >> 8);
		entries[i].gid.raw[15] = (uint8_t)i;
	}
	return (ssize_t)played.gids;
}

bool __wrap_sysfs_netdev(
	char *text, size_t size, const char *name, uint32_t port, uint32_t gid_index)
{
	(void)name;
	(void)port;
	(void)gid_index;
	snprintf(text, size, "eth0");
	return played.netdev_mbps;
}

bool __wrap_sysfs_number(uint64_t *number, const char *path, ...)
{
	assert_string_equal(path, "/sys/class/net/%s/speed");
	*number = played.netdev_mbps;
	return true;
}

static void play(void)
{
	strcpy(device.name, "mlx5_9");
	played = (struct played){ .reads_in = 16, .reads_out = 16, .gids = 4 };
	played.port = (struct ibv_port_attr){
		.state = IBV_PORT_ACTIVE,
		.active_mtu = IBV_MTU_4096,
		.gid_tbl_len = 1024,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.active_width = 2,
		.active_speed = 128,
	};
}

static int open_it(struct verbs *verbs, struct diag *diag)
{
	const struct verbs_choice choice = { .device = NULL };

	*verbs = (struct verbs)VERBS_INIT;
	return verbs_open(verbs, &choice, diag);
}

static void a_table_of_more_gids_than_256_is_read(void **state)
{
	struct verbs verbs;
	struct diag diag;

	(void)state;
	play();
	played.gids = 700;
	assert_int_equal(open_it(&verbs, &diag), 0);
	assert_int_equal(verbs.gid_index, 0);
	verbs_close(&verbs);
}

static void a_gid_that_no_qp_can_use_is_refused(void **state)
{
	struct verbs verbs;
	struct diag diag;

	(void)state;
	play();
	played.first_index = 256;
	assert_int_equal(open_it(&verbs, &diag), -ENOENT);
	assert_non_null(strstr(diag.text, "GID 10.0.0.0 has index 256"));
	played.first_index = 255;
	assert_int_equal(open_it(&verbs, &diag), 0);
	assert_int_equal(verbs.gid_index, 255);
	verbs_close(&verbs);
}

static void no_more_reads_than_the_device_has_are_used(void **state)
{
	struct verbs verbs;
	struct diag diag;

	(void)state;
	play();
	played.reads_in = 8;
	played.reads_out = 128;
	assert_int_equal(open_it(&verbs, &diag), 0);
	assert_int_equal(verbs.reads_in, 8);
	assert_int_equal(verbs.reads_out, 16);
	verbs_close(&verbs);
}

static const struct speed_case {
	const char *name;
	uint8_t width, lane;
	uint64_t netdev_mbps, bps;
} speeds[] = {
	{ "four lanes of 100G", 2, 128, 0, 400 * GBPS },
	{ "a mode without a name", 2, 0, 0, 0 },
	{ "40G by the port's field and 100G by the netdev's", 2, 4, 100000, 100 * GBPS },
	{ "both legs of a bond", 2, 64, 400000, 400 * GBPS },
	{ "2.5G", 1, 1, 2500, 5 * GBPS / 2 },
};

static void a_port_is_as_fast_as_its_netdev_says(void **state)
{
	const struct speed_case *row = *state;
	struct verbs verbs;
	struct diag diag;

	play();
	played.port.active_width = row->width;
	played.port.active_speed = row->lane;
	played.netdev_mbps = row->netdev_mbps;
	assert_int_equal(open_it(&verbs, &diag), 0);
	assert_int_equal(verbs.speed_bps, row->bps);
	verbs_close(&verbs);
}

static void memory_may_be_written_out_of_order_unless_it_is_looked_at(void **state)
{
	static const struct {
		bool strict;
		unsigned refused, relaxed;
	} rows[] = {
		{ false, 0, IBV_ACCESS_RELAXED_ORDERING },
		{ true, 0, 0 },
		{ false, IBV_ACCESS_RELAXED_ORDERING, 0 },
	};
	struct verbs verbs;
	struct diag diag;

	(void)state;
	play();
	assert_int_equal(open_it(&verbs, &diag), 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct verbs_memory memory = VERBS_MEMORY_INIT;

		memory.strict = rows[i].strict;
		played.refused = rows[i].refused;
		assert_int_equal(verbs_memory_open(&memory, &verbs, 4096, &diag), 0);
		assert_int_equal(played.access & IBV_ACCESS_RELAXED_ORDERING, rows[i].relaxed);
		assert_int_not_equal(played.access & IBV_ACCESS_REMOTE_WRITE, 0);
		verbs_memory_close(&memory);
	}
	verbs_close(&verbs);
}

int main(void)
{
	struct CMUnitTest tests[COUNT_OF(speeds) + 4] = {
		cmocka_unit_test(a_table_of_more_gids_than_256_is_read),
		cmocka_unit_test(a_gid_that_no_qp_can_use_is_refused),
		cmocka_unit_test(no_more_reads_than_the_device_has_are_used),
		cmocka_unit_test(memory_may_be_written_out_of_order_unless_it_is_looked_at),
	};

	for (size_t i = 0; i < COUNT_OF(speeds); i++)
		tests[i + 4] = (struct CMUnitTest){
			.name = speeds[i].name,
			.test_func = a_port_is_as_fast_as_its_netdev_says,
			.initial_state = (void *)(uintptr_t)&speeds[i],
		};
	return cmocka_run_group_tests_name("verbs_open", tests, NULL, NULL);
}
