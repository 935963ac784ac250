/* SPDX-License-Identifier: Apache-2.0 */
/* What each kind of fault takes, in the order of enum fault_kind. */
#include "fabric/file_fault_kinds.h"
#include "lib/units.h"

#define CABLES (PLACE_LINK | PLACE_PORT | PLACE_NIC)
#define A_CABLE "a link such as leaf1-spine2, a port such as leaf1:9, or a NIC"
#define A_LINK "a link such as leaf1-spine2, or a port or NIC of it"
#define SWITCHES (PLACE_SWITCH | PLACE_PORT)
#define A_SWITCH "a switch such as leaf1, or one of its ports such as leaf1:9"
#define A_NIC "a NIC such as host3 or host3:2"

#define SHARE_UP_TO(least, most, usually)                                                      \
	.amount = AMOUNT_SHARE, .min = (least), .max = (most), .usual = (usually)
#define TIME_OF(usually)                                                                       \
	.amount = AMOUNT_TIME, .min = NS_PER_US, .max = 60 * NS_PER_S, .usual = (usually)
#define BYTES_OF(least, most, usually)                                                         \
	.amount = AMOUNT_BYTES, .min = (least), .max = (most), .usual = (usually)

#define ROW(text, at, what) .name = (text), .places = (at), .expected = (what)

static const struct fault_form forms[FAULT_KINDS] = {
	[FAULT_LOSS] = { ROW("loss", CABLES, A_CABLE), SHARE_UP_TO(1, PPB, PPB / 1000) },
	[FAULT_RATE] = { ROW("rate", CABLES, A_CABLE),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 2) },
	[FAULT_DOWN] = { ROW("down", CABLES | PLACE_SWITCH,
		"a link such as leaf1-spine2, a port or NIC of it, or a switch") },
	[FAULT_FLAP] = { ROW("flap", CABLES, A_LINK), .amount = AMOUNT_TIME, .min = NS_PER_US,
		.max = 3600 * NS_PER_S, .usual = NS_PER_MS, .period_default = 10 * NS_PER_MS },
	[FAULT_PFC_OFF] = { ROW("pfc-off", SWITCHES, A_SWITCH) },
	[FAULT_DSCP_MAP] = { ROW("dscp-map", PLACE_SWITCH | PLACE_NIC,
				     "a switch such as leaf1, or a NIC such as host3"),
		.takes = TAKES_PRIORITY },
	[FAULT_ECN_OFF] = { ROW("ecn-off", SWITCHES, A_SWITCH) },
	[FAULT_SLOW_RECEIVER] = { ROW("slow-receiver", PLACE_NIC, A_NIC),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 2) },
	[FAULT_PAUSE_STORM] = { ROW("pause-storm", PLACE_NIC, A_NIC) },

	[FAULT_BURST_LOSS] = { ROW("burst-loss", CABLES, A_CABLE),
		SHARE_UP_TO(1, PPB / 2, PPB / 1000), .takes = TAKES_BURST },
	[FAULT_CORRUPT] = { ROW("corrupt", CABLES, A_CABLE), SHARE_UP_TO(1, PPB, PPB / 10000) },
	[FAULT_CNP_LOSS] = { ROW("cnp-loss", CABLES, A_CABLE), SHARE_UP_TO(1, PPB, PPB) },
	[FAULT_DELAY] = { ROW("delay", CABLES, A_CABLE), TIME_OF(50 * NS_PER_US) },
	[FAULT_SWAP] = { ROW("swap", PLACE_LINK, "a link such as leaf1-spine2"),
		.takes = TAKES_WITH | NO_TIMES },

	[FAULT_MTU] = { ROW("mtu", SWITCHES | PLACE_NIC, A_SWITCH ", or a NIC"),
		BYTES_OF(256, 65535, 1500) },
	[FAULT_XOFF] = { ROW("xoff", SWITCHES, A_SWITCH), BYTES_OF(1, GIB, 16 * 1024) },
	[FAULT_HEADROOM] = { ROW("headroom", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 4) },
	[FAULT_ALPHA] = { ROW("alpha", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 4096, PPB, PPB / 4096) },
	[FAULT_ECN] = { ROW("ecn", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 1000, 100 * PPB, PPB / 100) },
	[FAULT_SCHEDULER] = { ROW("scheduler", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 10) },
	[FAULT_WATCHDOG] = { ROW("watchdog", SWITCHES, A_SWITCH), TIME_OF(50 * NS_PER_US) },
	[FAULT_WATCHDOG_OFF] = { ROW("watchdog-off", SWITCHES, A_SWITCH) },
	[FAULT_POLICER] = { ROW("policer", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 2) },
	[FAULT_DROP_SIZE] = { ROW("drop-size", SWITCHES, A_SWITCH), BYTES_OF(64, 65535, 1024) },
	[FAULT_DROP_FLOWS] = { ROW("drop-flows", SWITCHES, A_SWITCH),
		SHARE_UP_TO(PPB / 1000, PPB, PPB / 20) },
	[FAULT_BLACK_HOLE] = { ROW("black-hole", SWITCHES, A_SWITCH) },

	[FAULT_SAME_HASH] = { ROW("same-hash", PLACE_SWITCH, "a switch such as leaf1") },
	[FAULT_PAIR_HASH] = { ROW("pair-hash", PLACE_SWITCH, "a switch such as leaf1") },
	[FAULT_SPRAY] = { ROW("spray", PLACE_SWITCH, "a switch such as leaf1") },
	[FAULT_CNP_MAP] = { ROW("cnp-map", PLACE_SWITCH | PLACE_NIC,
				    "a switch such as leaf1, or a NIC such as host3"),
		.takes = TAKES_PRIORITY },

	[FAULT_ROUTE_MISSING] = { ROW(
		"route-missing", PLACE_PORT, "a port between two switches, such as leaf1:9") },
	[FAULT_ROUTE] = { ROW("route", PLACE_PORT,
				  "a port between two switches, such as leaf1:9"),
		.takes = TAKES_TOWARDS },

	[FAULT_CC_OFF] = { ROW("cc-off", PLACE_NIC, A_NIC) },
	[FAULT_CNP_OFF] = { ROW("cnp-off", PLACE_NIC, A_NIC) },
	[FAULT_CNP_PERIOD] = { ROW("cnp-period", PLACE_NIC, A_NIC), TIME_OF(500 * NS_PER_US) },
	[FAULT_CC_STEP] = { ROW("cc-step", PLACE_NIC, A_NIC),
		SHARE_UP_TO(PPB / 100, 100 * PPB, 20 * PPB) },
	[FAULT_TIMEOUT] = { ROW("timeout", PLACE_NIC, A_NIC), .amount = AMOUNT_COUNT, .min = 1,
		.max = 31, .usual = 20 },
	[FAULT_BACK_TO_ZERO] = { ROW("back-to-zero", PLACE_NIC, A_NIC) },
	[FAULT_SLOW_RECOVERY] = { ROW("slow-recovery", PLACE_NIC, A_NIC),
		TIME_OF(500 * NS_PER_US) },
	[FAULT_SLOW_POST] = { ROW("slow-post", PLACE_NIC, A_NIC), TIME_OF(100 * NS_PER_US) },
	[FAULT_STALL] = { ROW("stall", PLACE_NIC, A_NIC) },

	[FAULT_RISING_LOSS] = { ROW("rising-loss", CABLES, A_CABLE),
		SHARE_UP_TO(1, PPB, PPB / 100), .period_default = 100 * NS_PER_MS },
	[FAULT_WATCHDOG_FORWARD] = { ROW("watchdog-forward", SWITCHES, A_SWITCH) },
	[FAULT_RNR] = { ROW("rnr", PLACE_NIC, A_NIC), SHARE_UP_TO(1, PPB - 1, PPB / 10) },
	[FAULT_LOOPBACK] = { ROW("loopback", PLACE_NIC, A_NIC),
		SHARE_UP_TO(PPB / 1000, PPB - PPB / 1000, PPB / 2) },
	[FAULT_SLOW_RESTART] = { ROW("slow-restart", PLACE_NIC, A_NIC),
		SHARE_UP_TO(PPB / 1000, PPB - 1, PPB / 10) },
};

const struct fault_form *fault_form(enum fault_kind kind)
{
	return &forms[kind];
}

const char *fault_kind_name(enum fault_kind kind)
{
	return forms[kind].name;
}
