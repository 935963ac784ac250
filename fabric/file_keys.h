/*
 * file_keys - the keys of a fabric file: the structs that a file is read into,
 * and the table that says what each key takes. docs/fabric-file.md tells the same
 * to users.
 */
#ifndef FABRIC_FILE_KEYS_H
#define FABRIC_FILE_KEYS_H

#include <stdint.h>

#include "lib/yaml.h"

/* At most these in one fabric, so that any file is answered at once. */
#define FABRIC_HOSTS_MAX 65536u
#define FABRIC_LEAVES_MAX 1024u
#define FABRIC_SPINES_MAX 1024u
#define FABRIC_RAILS_MAX 16u
#define FABRIC_CABLES_MAX 262144u
#define FABRIC_SWITCH_PORTS_MAX 4096u
#define FABRIC_EXTRA_CABLES_MAX 4096u
#define FABRIC_FAULTS_MAX 1024u
#define FABRIC_PLANES_MAX 16u

struct doc_cable_lengths {
	struct yaml_value host, uplink;
};

struct doc_latency {
	struct yaml_value sw, nic, pause, reroute;
};

struct doc_ecn {
	struct yaml_value kmin, kmax, pmax, off;
};

struct doc_dcqcn {
	struct yaml_value off, g, alpha_period, increase_period, increase_bytes, fast_recovery,
		rai, rhai, min_rate, cnp_period;
};

struct doc_policy {
	struct yaml_value dscp, priority, cnp_dscp, cnp_priority, pfc, buffer, reserved,
		headroom, alpha, xoff, xon_offset, watchdog, watchdog_restore, timeout, retry,
		ack_every, transport;
	struct doc_ecn *ecn;
	struct doc_dcqcn *dcqcn;
};

struct doc_limits {
	struct yaml_value bandwidth, busbw, oversubscription, loss, victim, spread, spike;
};

struct doc_link {
	uint32_t line;
	struct yaml_value link, speed, length, absent;
};

struct doc_cable {
	uint32_t line;
	struct yaml_value from, to, speed, length;
};

struct doc_host {
	uint32_t line;
	struct yaml_value place, host, nic, speed, length, absent;
};

struct doc_fault {
	uint32_t line;
	struct yaml_value kind, place, from, to, amount, period, priority, burst, with, towards;
};

struct doc_plane {
	uint32_t line;
	struct yaml_value name, leaves, spines, hosts_per_leaf, speed, rails, links_per_spine,
		uplink_speed, switch_ports, mtu, proof;
	struct doc_cable_lengths *cable;
	struct doc_latency *latency;
	struct doc_policy *policy;
	struct doc_limits *limits;
	struct doc_link *links;
	struct doc_cable *cables;
	struct doc_host *hosts;
	struct doc_fault *faults;
	unsigned link_count, cable_count, host_count, fault_count;
};

/* The file: the parameter plane's keys on top, and the other planes. */
struct doc {
	struct doc_plane top;
	struct doc_plane *planes;
	unsigned plane_count;
};

extern const struct yaml_key file_keys[];

#endif
