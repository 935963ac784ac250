/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/file_keys.h"

#include "lib/units.h"

#define AT(field) .name = #field, .offset = offsetof(struct THIS, field)
#define QUANTITY(field, unit, least, most)                                                     \
	{                                                                                      \
		.kind = YAML_QUANTITY, AT(field), .quantity = unit, .min = (least),            \
		.max = (most)                                                                  \
	}
#define COUNT(field, least, most) QUANTITY(field, QUANTITY_COUNT, least, most)
#define SPEED(field) RATE(field)
#define RATE(field) QUANTITY(field, QUANTITY_RATE, GBPS / 1000, 1600 * GBPS)
#define BYTES(field, least, most) QUANTITY(field, QUANTITY_BYTES, least, most)
#define TIME(field, least, most) QUANTITY(field, QUANTITY_TIME, least, most)
#define LENGTH(field) QUANTITY(field, QUANTITY_LENGTH, 0, 10000)
#define SHARE(field, least, most) QUANTITY(field, QUANTITY_SHARE, least, most)
#define YES_NO(field)                                                                          \
	{                                                                                      \
		.kind = YAML_BOOL, AT(field)                                                   \
	}
#define CHOICE(field, words)                                                                   \
	{                                                                                      \
		.kind = YAML_CHOICE, AT(field), .choices = (words)                             \
	}
#define TEXT(field, most)                                                                      \
	{                                                                                      \
		.kind = YAML_TEXT, AT(field), .min = 1, .max = (most)                          \
	}
#define MAP(field, type, table)                                                                \
	{                                                                                      \
		.kind = YAML_MAP, AT(field), .keys = (table), .bytes = sizeof(struct type)     \
	}
#define LIST(field, counter, most, type, table)                                                \
	{                                                                                      \
		.kind = YAML_LIST, AT(field), .keys = (table), .bytes = sizeof(struct type),   \
		.count_offset = offsetof(struct THIS, counter), .max = (most)                  \
	}
#define END                                                                                    \
	{                                                                                      \
		.kind = YAML_END                                                               \
	}

#define RUN_MAX (3600 * NS_PER_S)

#define THIS doc_cable_lengths
static const struct yaml_key cable_length_keys[] = { LENGTH(host), LENGTH(uplink), END };
#undef THIS

#define THIS doc_latency
static const struct yaml_key latency_keys[] = {
	{ .kind = YAML_QUANTITY,
		.name = "switch",
		.offset = offsetof(struct doc_latency, sw),
		.quantity = QUANTITY_TIME,
		.max = NS_PER_MS },
	TIME(nic, 0, NS_PER_MS),
	TIME(pause, 0, NS_PER_MS),
	TIME(reroute, 0, 60 * NS_PER_S),
	END,
};
#undef THIS

#define THIS doc_ecn
static const struct yaml_key ecn_keys[] = {
	BYTES(kmin, 1, GIB),
	BYTES(kmax, 1, GIB),
	SHARE(pmax, 1, PPB),
	YES_NO(off),
	END,
};
#undef THIS

#define THIS doc_dcqcn
static const struct yaml_key dcqcn_keys[] = {
	YES_NO(off),
	CHOICE(g, "1|1/2|1/4|1/8|1/16|1/32|1/64|1/128|1/256|1/512|1/1024"),
	TIME(alpha_period, NS_PER_US, NS_PER_S),
	TIME(increase_period, NS_PER_US, NS_PER_S),
	BYTES(increase_bytes, 4096, GIB),
	COUNT(fast_recovery, 1, 1000),
	RATE(rai),
	RATE(rhai),
	RATE(min_rate),
	TIME(cnp_period, 0, NS_PER_S),
	END,
};
#undef THIS

#define THIS doc_policy
static const struct yaml_key policy_keys[] = {
	COUNT(dscp, 0, 63),
	COUNT(priority, 0, 7),
	COUNT(cnp_dscp, 0, 63),
	COUNT(cnp_priority, 0, 7),
	MAP(ecn, doc_ecn, ecn_keys),
	YES_NO(pfc),
	BYTES(buffer, MIB, GIB),
	BYTES(reserved, 0, GIB),
	BYTES(headroom, 1, GIB),
	CHOICE(alpha, "1|1/2|1/4|1/8|1/16|1/32|1/64|1/128"),
	BYTES(xoff, 1, GIB),
	BYTES(xon_offset, 0, GIB),
	TIME(watchdog, NS_PER_US, 60 * NS_PER_S),
	TIME(watchdog_restore, NS_PER_US, 60 * NS_PER_S),
	COUNT(timeout, 1, 31),
	COUNT(retry, 0, 7),
	COUNT(ack_every, 1, 1024),
	CHOICE(transport, "go-back-n|selective-repeat"),
	MAP(dcqcn, doc_dcqcn, dcqcn_keys),
	END,
};
#undef THIS

#define THIS doc_limits
static const struct yaml_key limit_keys[] = {
	SHARE(bandwidth, 1, PPB),
	SHARE(busbw, 1, PPB),
	SHARE(oversubscription, 1, 100 * PPB),
	SHARE(loss, 0, PPB),
	SHARE(victim, 1, PPB),
	SHARE(spread, 1, 10 * PPB),
	SHARE(spike, 1, 100 * PPB),
	END,
};
#undef THIS

#define THIS doc_link
static const struct yaml_key link_keys[] = {
	TEXT(link, 60),
	SPEED(speed),
	LENGTH(length),
	YES_NO(absent),
	END,
};
#undef THIS

#define THIS doc_cable
static const struct yaml_key cable_keys[] = {
	TEXT(from, 30),
	TEXT(to, 30),
	SPEED(speed),
	LENGTH(length),
	END,
};
#undef THIS

#define THIS doc_host
static const struct yaml_key host_keys[] = {
	TEXT(place, 30),
	TEXT(host, 63),
	TEXT(nic, 31),
	SPEED(speed),
	LENGTH(length),
	YES_NO(absent),
	END,
};
#undef THIS

#define THIS doc_fault
static const struct yaml_key fault_keys[] = {
	TEXT(kind, 31),
	TEXT(place, 60),
	TIME(from, 0, RUN_MAX),
	TIME(to, 1, RUN_MAX),
	TEXT(amount, 40),
	TIME(period, NS_PER_US, RUN_MAX),
	COUNT(priority, 0, 7),
	COUNT(burst, 2, 1000000),
	TEXT(with, 60),
	TEXT(towards, 30),
	END,
};
#undef THIS

/* clang-format off */
#define PLANE_KEYS                                              \
	TEXT(name, 63),                                         \
	COUNT(leaves, 1, FABRIC_LEAVES_MAX),                    \
	COUNT(spines, 1, FABRIC_SPINES_MAX),                    \
	COUNT(hosts_per_leaf, 1, FABRIC_SWITCH_PORTS_MAX),      \
	SPEED(speed),                                            \
	COUNT(rails, 1, FABRIC_RAILS_MAX),                      \
	COUNT(links_per_spine, 1, 64),                          \
	SPEED(uplink_speed),                                     \
	COUNT(switch_ports, 2, FABRIC_SWITCH_PORTS_MAX),        \
	COUNT(mtu, 256, 65535),                                  \
	CHOICE(proof, "switches|hosts"),                        \
	MAP(cable, doc_cable_lengths, cable_length_keys),       \
	MAP(latency, doc_latency, latency_keys),                \
	MAP(policy, doc_policy, policy_keys),                   \
	MAP(limits, doc_limits, limit_keys),                    \
	LIST(links, link_count, FABRIC_HOSTS_MAX, doc_link, link_keys),           \
	LIST(cables, cable_count, FABRIC_EXTRA_CABLES_MAX, doc_cable, cable_keys),       \
	LIST(hosts, host_count, FABRIC_HOSTS_MAX, doc_host, host_keys),           \
	LIST(faults, fault_count, FABRIC_FAULTS_MAX, doc_fault, fault_keys)
/* clang-format on */

#define THIS doc_plane
static const struct yaml_key plane_keys[] = { PLANE_KEYS, END };

/* The parameter plane is the first member of struct doc, so its offsets hold. */
_Static_assert(offsetof(struct doc, top) == 0, "the parameter plane comes first");

const struct yaml_key file_keys[] = {
	PLANE_KEYS,
#undef THIS
#define THIS doc
	LIST(planes, plane_count, FABRIC_PLANES_MAX, doc_plane, plane_keys),
	END,
};
