/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/alarm.h"

#define SONIC_WATCHDOG "SONiC PFC watchdog: default detection time 200 ms"
#define SONIC_ZERO                                                                             \
	"SONiC RoCEv2 test plan: no loss, NAK or sequence error in the lossless class"
#define NVSENTINEL "NVSentinel nic-health-monitor: "
#define OWN "weft's own default: "

/* check, kind, id, limit, at_least, unit, source, advice */
const struct alarm_limit alarm_limits[ALARM_CHECKS] = {
	{ CHECK_STORM_HELD, ALARM_STORM, "pause.storm.held", 200, true, "ms", SONIC_WATCHDOG,
		"follow the pause upstream: the switch port at the other end is itself held, "
		"or "
		"its receiver is slow" },
	{ CHECK_STORM_HOLDS, ALARM_STORM, "pause.storm.holds", 200, true, "ms", SONIC_WATCHDOG,
		"this host does not take what arrives: PCIe, memory, or a NIC that hangs" },
	{ CHECK_DEADLOCK, ALARM_DEADLOCK, "pause.deadlock", 200, true, "ms", SONIC_WATCHDOG,
		"look for a cycle of paused links: the same picture at the switches, and "
		"routes "
		"that go down and up again" },
	{ CHECK_STORM_WATCHDOG, ALARM_STORM, "pause.watchdog", 0, false, "events",
		"the NIC's own watchdog: any event", "this host does not take what arrives" },
	{ CHECK_SHARE_HELD, ALARM_STORM, "pause.share.held", 10, false, "%",
		OWN "more than 10 % of the time for 2 s",
		"find the congested port: incast, or a "
		"slow receiver; ECN should act before PFC" },
	{ CHECK_SHARE_HOLDS, ALARM_STORM, "pause.share.holds", 10, false, "%",
		OWN "more than 10 % of the time for 2 s",
		"this host does not take what arrives: PCIe width and speed, NUMA, memory" },
	{ CHECK_CNP_MISSING, ALARM_CNP, "cnp.missing", 100, true, "CE marks",
		OWN "100 marked packets and no CNP",
		"turn the notification point of DCQCN on for "
		"this priority" },
	{ CHECK_CNP_IGNORED, ALARM_CNP, "cnp.ignored", 0, false, "CNPs", OWN "none",
		"turn the reaction point of DCQCN on for this priority" },
	{ CHECK_CNP_UNHANDLED, ALARM_CNP, "cnp.unhandled", 50, false, "%",
		OWN "half of what was sent",
		"CNPs are lost or ignored: their DSCP and priority "
		"on the way, and the reaction point" },
	{ CHECK_DROP_CLASS, ALARM_DROP, "drop.class", 0, false, "packets", SONIC_ZERO,
		"buffer and headroom of the priority, and PFC at both ends" },
	{ CHECK_DROP_PORT, ALARM_DROP, "drop.port", 0, false, "packets", SONIC_ZERO,
		"the driver does not tell the priority: look at the classes of the switch "
		"port" },
	{ CHECK_DROP_TX, ALARM_DROP, "drop.tx", 100, false, "/s",
		NVSENTINEL "port_xmit_discards above 100/s",
		"the port cannot send: link state, "
		"pause that never ends" },
	{ CHECK_LINK_DOWN, ALARM_FLAP, "link.flap", 0, false, "times",
		"OCI HPC checks: no link flap within 6 h",
		"cable, module, and the switch port" },
	{ CHECK_CARRIER, ALARM_FLAP, "link.carrier", 0, false, "changes",
		"OCI HPC checks: no link flap within 6 h",
		"cable, module, and the switch port" },
	{ CHECK_TIMEOUT, ALARM_ERROR, "error.timeout", 1, false, "/s",
		NVSENTINEL "local_ack_timeout_err above 1/s",
		"packets or ACKs are lost: drops on "
		"the way, at both ends and at the switches" },
	{ CHECK_OUT_OF_SEQUENCE, ALARM_ERROR, "error.sequence", 0, false, "packets", SONIC_ZERO,
		"loss towards this NIC, or packets spread over several ways" },
	{ CHECK_SEQUENCE_NAK, ALARM_ERROR, "error.nak", 0, false, "NAKs", SONIC_ZERO,
		"loss from this NIC, or packets spread over several ways" },
	{ CHECK_RETRY_EXCEEDED, ALARM_ERROR, "error.retry", 0, false, "times",
		OWN "none, for each is a queue pair that died",
		"the other end, or the way to it, is "
		"gone" },
	{ CHECK_NOT_READY, ALARM_ERROR, "error.rnr", 0, false, "times",
		NVSENTINEL "any increase of rnr_nak_retry_err",
		"the receiver posts too few "
		"buffers: the application or its host, not the network" },
	{ CHECK_ICRC, ALARM_ERROR, "error.icrc", 0, false, "packets", OWN "none",
		"something rewrites packets on the way, or memory of a switch is bad" },
	{ CHECK_CRC, ALARM_ERROR, "error.crc", 0, false, "frames", OWN "none",
		"clean or replace the cable or module of this port" },
	{ CHECK_SYMBOL, ALARM_ERROR, "error.symbol", 10, false, "/s",
		NVSENTINEL "symbol_error above 10/s",
		"clean or replace the cable or module of this port" },
	{ CHECK_FEC, ALARM_ERROR, "error.fec", 0, false, "blocks",
		OWN "none, for each is a frame lost on the wire",
		"clean or replace the cable or "
		"module of this port" },
	{ CHECK_GONE, ALARM_GONE, "nic.gone", 0, false, "times",
		OWN "a NIC does not go away while it is watched",
		"driver, firmware, PCIe: see the "
		"kernel's log" },
};
