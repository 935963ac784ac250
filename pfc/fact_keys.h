/*
 * fact_keys - what a fact can be about: one row a key.
 *
 * Key, its name for people, and what subject, name, text and number hold. A new
 * kind of fact is a new row. The key is also the fact's name in facts files. Read by
 * pfc/facts.[ch] only.
 */
#ifndef PFC_FACT_KEYS_H
#define PFC_FACT_KEYS_H

/* clang-format off */
#define FACT_TABLE(FACT) \
	FACT(key, "name", \
		"what subject, name, text and number hold") \
	FACT(GID, "gid", \
		"row of a GID table: device, slot, address; extra netdev; more RoCE version") \
	FACT(GID_USED, "gid in use", \
		"device, local|remote, address; number slot or -1") \
	FACT(GID_PINNED, "gid index set", \
		"variable; number slot") \
	FACT(GID_ERROR, "gid read error", \
		"text") \
	FACT(LINK_LAYER, "link layer", \
		"device; text") \
	FACT(RDMA_DEVICE, "RDMA device", \
		"device") \
	FACT(NETDEV, "interface", \
		"interface; text state") \
	FACT(ADDRESS, "IP address", \
		"interface; text; number address, more prefix length") \
	FACT(MAC, "MAC address", \
		"interface; text") \
	FACT(NEIGHBOUR_MAC, "MAC address of a neighbour", \
		"interface, IP address; text") \
	FACT(NETDEV_MTU, "interface MTU", \
		"interface; number bytes") \
	FACT(ACTIVE_MTU, "active RoCE MTU", \
		"device; number bytes") \
	FACT(PATH_MTU, "path MTU asked for", \
		"number bytes") \
	FACT(MTU_QUERY, "MTU to convert", \
		"number bytes") \
	FACT(MEMLOCK, "locked-memory limit", \
		"text; number KiB, none when unlimited") \
	FACT(NOMEM, "call out of memory", \
		"name of the call; text") \
	FACT(RESOURCE, "device resource exhausted", \
		"text") \
	FACT(SYSCTL, "sysctl", \
		"interface, name; number") \
	FACT(ADDRESS6, "IPv6 address", \
		"interface; text; number 1 global; more prefix length") \
	FACT(IP_RULE, "routing rule", \
		"interface or source address it is for; text; number 1 for a rule by source; more table") \
	FACT(ROUTE_ENTRY, "route of a rail", \
		"interface, table; text destination; number its address; more prefix length; extra via where it has a gateway") \
	FACT(NO_ROUTE, "no route", \
		"from, to; text") \
	FACT(ROUTE, "route", \
		"name get where it was asked for one address; number 1 through a gateway") \
	FACT(CALL_FAILED, "verbs call failed", \
		"name of the call; text") \
	FACT(POST_FEC_BER, "bit error rate behind the FEC", \
		"interface; number") \
	FACT(REACH, "reachability", \
		"from, to; number 1 reached, 0 not; more 1 when rails differ") \
	FACT(ENV, "environment", \
		"variable; text") \
	FACT(HCA_USED, "device of the library", \
		"device; text link") \
	FACT(RATE, "port rate", \
		"device; number Gb/s") \
	FACT(BYTES, "bytes of a device", \
		"device; number; more 1 when it is of a window and no total") \
	FACT(COMM, "communicator", \
		"handle, rank; number ranks, more nodes") \
	FACT(HOSTFILE, "host file", \
		"host; number slots") \
	FACT(ACS, "PCIe ACS of a bridge", \
		"address; number 1 redirects") \
	FACT(VIRT, "virtualisation", \
		"text") \
	FACT(IOMMU, "IOMMU domain type", \
		"text") \
	FACT(KERNEL_ARG, "kernel command line", \
		"text") \
	FACT(CHANNEL, "library channel", \
		"channel, send|receive; text transport; number 1 GPU-direct, more NIC") \
	FACT(MODULE, "kernel module", \
		"module") \
	FACT(GDR_OFF, "GPU-direct off", \
		"text") \
	FACT(PCIE, "PCIe link", \
		"address, width|width_max|speed|speed_max; number") \
	FACT(TRUST, "trust", \
		"interface; text pcp|dscp") \
	FACT(PFC, "PFC of a priority", \
		"interface, priority; number 0|1") \
	FACT(DSCP_MAP, "DSCP to priority", \
		"interface, DSCP; number priority") \
	FACT(VLAN, "VLAN", \
		"interface; text the one below it, where its egress map was read") \
	FACT(VLAN_EGRESS, "VLAN egress map", \
		"interface, priority in the kernel; number priority in the tag") \
	FACT(BUFFER, "port buffer", \
		"interface, buffer; number bytes") \
	FACT(PRIO_BUFFER, "priority to buffer", \
		"interface, priority; number buffer") \
	FACT(SWITCH_PFC, "PFC of a switch port", \
		"port, priority; number 1") \
	FACT(SWITCH_MAP, "DSCP to class on a switch", \
		"map, DSCP; number class") \
	FACT(PROFILE, "switch buffer profile", \
		"profile, xoff|xon|size; number bytes") \
	FACT(PG, "switch priority group", \
		"port, priorities; text profile") \
	FACT(TC, "traffic class byte", \
		"variable; number") \
	FACT(DATA_DSCP, "DSCP of the data", \
		"number") \
	FACT(ROCE_PRIO, "priority of RoCE", \
		"number") \
	FACT(CNP_DSCP, "DSCP of CNPs", \
		"interface; number") \
	FACT(CC_ENABLE, "congestion control of a priority", \
		"rp|np, priority; number 0|1") \
	FACT(COMMAND, "command", \
		"program; text") \
	FACT(CAPTURE_DSCP, "DSCP in a capture", \
		"direction; number DSCP, more packets") \
	FACT(CAPTURE, "capture", \
		"pps|frame|dropped|captured; number") \
	FACT(MAC_PAIR, "MAC addresses of a frame", \
		"text source; extra destination") \
	FACT(ROCE_TOS, "default ToS of rdma_cm", \
		"number") \
	FACT(LLDPAD, "lldpad", \
		"number 1 runs") \
	FACT(COUNTER, "counter", \
		"interface or device, name; number; more 1 when a difference") \
	FACT(PAUSE_PARAM, "802.3x pause", \
		"interface, rx|tx; number 0|1") \
	FACT(PERF_SIZE, "perftest message size", \
		"number bytes") \
	FACT(PERF_ITERATIONS, "perftest iterations", \
		"number") \
	FACT(PERF_PEAK, "perftest peak", \
		"text unit; number Gb/s") \
	FACT(PERF_AVG, "perftest average", \
		"text unit; number Gb/s, more as printed") \
	FACT(PERF_RATE, "perftest message rate", \
		"number millions a second") \
	FACT(PERF_PARAM, "perftest parameter", \
		"name; text") \
	FACT(FIGURE, "bandwidth in a sentence", \
		"text line; number Gb/s, more how many on the line before it") \
	FACT(SUM, "bandwidths added", \
		"text line; number Gb/s, more terms") \
	FACT(NCCL_ROW, "collective result", \
		"name test; number bus bandwidth GB/s, more bytes") \
	FACT(NCCL_AVG, "average bus bandwidth", \
		"number GB/s") \
	FACT(EXPECTED, "bandwidth expected", \
		"text; number GB/s") \
	FACT(PAIR, "pair bandwidth", \
		"node, node; number") \
	FACT(CABLE, "cable", \
		"end, end; text planned|found") \
	FACT(CABLE_RULE, "cabling rule", \
		"text port; extra port") \
	FACT(WC, "completion error", \
		"device, status name; text line; number status, more vendor value") \
	FACT(WC_QUERY, "completion status to decode", \
		"number") \
	FACT(WC_COUNT, "completions before the error", \
		"posted|completed|bytes; number") \
	FACT(CQE, "vendor completion status", \
		"local, peer; text") \
	FACT(TLS, "TLS of an end", \
		"text ENABLE|DISABLE; number TCP port") \
	FACT(PORT_IN_USE, "listen port in use", \
		"number TCP port") \
	FACT(LINK_EVENT, "link event", \
		"interface; text up|down") \
	FACT(LINK_HISTORY, "link losses so far", \
		"device; number") \
	FACT(WRED, "switch queue threshold", \
		"drop|xoff|kmin|kmax; number megabytes") \
	FACT(NETEM, "netem", \
		"interface; text") \
	FACT(DRIVER, "driver", \
		"text") \
	FACT(ECMP, "ECMP coverage", \
		"paths|probability|cap|wanted|coverage; number") \
	FACT(PROBE_FILTER, "probe pairs left out", \
		"text reason; number pairs") \
	FACT(CPU_FREQ, "CPU frequency", \
		"text") \
	FACT(JSON_TEXT, "text that should be JSON", \
		"text what is wrong; number 1 it is JSON, 0 not") \
	FACT(BOND, "bond", \
		"device; number members, more Gb/s each") \
	FACT(STORM, "PFC storm", \
		"port; text") \
	FACT(ROCE_ECE, "ECE switch of a run", \
		"number 0|1") \
	FACT(READING, "what could not be read", \
		"device or interface, what; text absent|denied|not supported|gone|failed; number errno") \
	FACT(TABLE_READ, "table that was read whole", \
		"device, what; number rows") \
	FACT(RAIL, "RoCE port", \
		"device, interface; number port; text driver; extra PCI address") \
	FACT(PORT_STATE, "state of a RoCE port", \
		"device; text ACTIVE|DOWN|...; number port") \
	FACT(FIRMWARE, "firmware", \
		"device; text; extra board") \
	FACT(DRIVER_VERSION, "driver of an interface", \
		"interface; text driver; extra version") \
	FACT(KERNEL, "kernel", \
		"text release") \
	FACT(NUMA, "NUMA node of a device", \
		"device; number node, -1 none") \
	FACT(NUMA_NODES, "NUMA nodes of the host", \
		"number") \
	FACT(LINK_SPEED, "speed of an interface", \
		"interface; number Gb/s, more lanes or 0") \
	FACT(FEC, "FEC in use", \
		"interface; text rs|baser|llrs|off") \
	FACT(PFC_CAPACITY, "priorities that may have PFC", \
		"interface; number") \
	FACT(PEER_PFC, "PFC of a priority as the peer says", \
		"interface, priority; number 0|1") \
	FACT(CABLE_LENGTH, "cable length that the port reckons with", \
		"interface; number metres") \
	FACT(CLASS, "traffic class", \
		"interface, class; text strict|ets|cbs|vendor; number percent of the line") \
	FACT(PRIO_CLASS, "priority to traffic class", \
		"interface, priority; number class") \
	FACT(DCBX, "DCBX", \
		"interface; text host|firmware|none; number 1 willing") \
	FACT(NEIGHBOUR, "LLDP neighbour", \
		"interface; text system; extra port") \
	FACT(CC_PARAM, "parameter of congestion control", \
		"device, name; number") \
	FACT(ROCE_MODE, "default RoCE mode of rdma_cm", \
		"device; text") \
	FACT(PCIE_PAYLOAD, "PCIe maximum payload", \
		"address; number bytes in use, more bytes that the device can") \
	FACT(PCIE_READ, "PCIe maximum read request", \
		"address; number bytes") \
	FACT(GOVERNOR, "frequency governor", \
		"text") \
	FACT(SETTING, "setting to compare", \
		"device or interface, what; text value") \
	FACT(WANTED, "what the fabric file asks for", \
		"interface or variable, name; text; number; extra key of the file") \
	FACT(PROOF, "bytes counted in a class", \
		"interface, priority; text sent|received; number bytes counted, more bytes that passed")
/* clang-format on */

#endif
