/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/counter_table.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const meaning_names[MEANINGS] = {
	[MEANS_NOTHING] = "other",
	[MEANS_PFC_RX] = "PFC frames received",
	[MEANS_PFC_TX] = "PFC frames sent",
	[MEANS_PFC_RX_TIME] = "time held by PFC",
	[MEANS_PFC_TX_TIME] = "time holding the peer by PFC",
	[MEANS_STORM] = "pause storm events",
	[MEANS_PAUSE_RX] = "802.3x pause received",
	[MEANS_PAUSE_TX] = "802.3x pause sent",
	[MEANS_PAUSE_RX_TIME] = "time held by 802.3x pause",
	[MEANS_PAUSE_TX_TIME] = "time holding the peer by 802.3x pause",
	[MEANS_PRIO_RX] = "packets received by priority",
	[MEANS_PRIO_TX] = "packets sent by priority",
	[MEANS_PRIO_RX_BYTES] = "bytes received by priority",
	[MEANS_PRIO_TX_BYTES] = "bytes sent by priority",
	[MEANS_CE_RX] = "CE-marked RoCE packets received",
	[MEANS_CNP_TX] = "CNPs sent",
	[MEANS_CNP_RX] = "CNPs handled",
	[MEANS_CNP_IGNORED] = "CNPs ignored",
	[MEANS_OOS] = "sequence gaps seen by the receiver",
	[MEANS_SEQ_NAK] = "sequence NAKs seen by the sender",
	[MEANS_TIMEOUT] = "acknowledgement time-outs",
	[MEANS_RETRANSMIT] = "retransmissions",
	[MEANS_RETRY_EXCEEDED] = "retries exceeded",
	[MEANS_RNR] = "receiver not ready",
	[MEANS_DUPLICATE] = "duplicate requests",
	[MEANS_ICRC] = "bad ICRC",
	[MEANS_RX_DROP] = "drops on arrival",
	[MEANS_PRIO_DROP] = "drops on arrival by priority",
	[MEANS_TX_DROP] = "drops on sending",
	[MEANS_WRED_DROP] = "WRED drops",
	[MEANS_PG_DROP] = "priority-group drops",
	[MEANS_CRC] = "bad FCS",
	[MEANS_SYMBOL] = "symbol errors behind the FEC",
	[MEANS_FEC_CORRECTED] = "FEC corrected",
	[MEANS_FEC_UNCORRECTED] = "FEC uncorrectable",
	[MEANS_RAW_BER] = "raw bit error rate",
	[MEANS_LINK_DOWN] = "link losses",
	[MEANS_CARRIER_CHANGES] = "carrier changes",
	[MEANS_RX] = "packets received",
	[MEANS_TX] = "packets sent",
	[MEANS_RX_BYTES] = "bytes received",
	[MEANS_TX_BYTES] = "bytes sent",
	[MEANS_PCI_STALL] = "PCIe stall",
};

const char *meaning_name(enum meaning means)
{
	return meaning_names[means];
}

/* Where N meets a digit that no other digit follows. */
static bool matches(const char *pattern, const char *name, size_t length, int *priority)
{
	size_t i = 0;

	for (; *pattern; pattern++, i++) {
		if (i >= length)
			return false;
		if (*pattern == 'N' && isdigit((unsigned char)name[i])) {
			if (name[i] > '7' ||
				(i + 1 < length && isdigit((unsigned char)name[i + 1])))
				return false;
			*priority = name[i] - '0';
		} else if (tolower((unsigned char)*pattern) !=
			   tolower((unsigned char)name[i])) {
			return false;
		}
	}
	return i == length;
}

const struct counter_row *counter_find(const char *name, int *priority)
{
	const char *prefix = strstr(name, "]: ");
	size_t length;

	name = prefix ? prefix + 3 : name;
	name += strspn(name, " \t");
	length = strlen(name);
	while (length > 0 && strchr(" \t:", name[length - 1]))
		length--;
	for (const struct counter_row *row = counter_rows; row->name; row++) {
		if (tolower((unsigned char)*row->name) != tolower((unsigned char)*name))
			continue;
		*priority = -1;
		if (matches(row->name, name, length, priority))
			return row;
	}
	if (length > 4 && strncmp(name + length - 4, ".nic", 4) == 0) {
		char bare[64];

		snprintf(bare, sizeof(bare), "%.*s", (int)(length - 4), name);
		return counter_find(bare, priority);
	}
	return NULL;
}
