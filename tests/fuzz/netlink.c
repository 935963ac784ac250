/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an answer of the kernel: each parser takes it, refuses it, or gives the
 * errno in it; counts stay within their arrays. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "lib/dcb.h"
#include "lib/ethtool.h"
#include "lib/netlink.h"
#include "lib/rdma_counters.h"
#include "lib/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_dcb(const uint8_t *data, size_t size)
{
	static struct dcb dcb;

	if (dcb_parse(&dcb, data, size))
		return;
	assert(dcb.app_count <= DCB_APPS_MAX && dcb.trust_count <= sizeof(dcb.trust));
	for (int dscp = 0; dscp < 64; dscp++)
		dcb_priority_of_dscp(&dcb, (uint8_t)dscp);
	dcb_trusts_dscp(&dcb);
}

static void check_ethtool(const uint8_t *data, size_t size)
{
	struct ethtool_pause pause;
	struct ethtool_fec fec;
	struct ethtool_link link = { .has_speed = false };

	ethtool_parse_pause(&pause, data, size);
	if (!ethtool_parse_fec(&fec, data, size))
		assert(strlen(fec.active) < sizeof(fec.active) &&
			fec.has_active == (fec.active[0] != '\0'));
	ethtool_parse_modes(&link, data, size);
	ethtool_parse_state(&link, data, size);
	assert(link.has_speed || link.speed_bps == 0);
}

static void check_addresses6(const uint8_t *data, size_t size)
{
	static struct route_addresses6 addresses;
	static char text[1 << 16];

	size = size < sizeof(text) ? size : sizeof(text) - 1;
	memcpy(text, data, size);
	text[size] = '\0';
	routes_parse_addresses6(&addresses, text);
	assert(addresses.count <= ROUTES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hwcounters counters;
	static struct route_addresses addresses;
	static struct route_rules rules;
	static struct route_entries entries;
	int err = netlink_error(data, size);

	assert(err <= 0 && err > -4096);
	check_dcb(data, size);
	check_ethtool(data, size);
	if (!rdma_counters_parse(&counters, data, size))
		for (uint32_t i = 0; i < counters.count; i++)
			assert(memchr(counters.items[i].name, '\0', HWCOUNTERS_NAME));
	if (!routes_parse_addresses(&addresses, data, size))
		assert(addresses.count <= ROUTES_MAX);
	if (!routes_parse_rules(&rules, data, size))
		assert(rules.count <= ROUTES_MAX);
	if (!routes_parse_entries(&entries, data, size))
		assert(entries.count <= ROUTES_MAX);
	check_addresses6(data, size);
	return 0;
}
