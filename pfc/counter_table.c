/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/counter_table.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/units.h"

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

/* Drivers by the names that ethtool -i gives them, and the rows that are theirs. */
static const struct family {
	const char *driver, *rows;
} families[] = {
	{ "mlx5_core", "mlx5" },
	{ "bnxt_en", "bnxt" },
	{ "hns3", "hns3" },
	{ "ice", "ice" },
	{ "ice", "irdma" },
	{ "ionic", "ionic" },
	{ "mlx4_en", "mlx4" },
	{ "mana", "mana" },
};

bool counter_knows(const char *driver)
{
	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (strcmp(families[i].driver, driver) == 0)
			return true;
	return false;
}

/* What is looked for; where 0: anywhere. */
struct wanted {
	const char *name;
	size_t length;
	char where;
	const char *driver;
};

static bool fits(const struct counter_row *row, const struct wanted *wanted)
{
	if (wanted->where && row->where != wanted->where)
		return false;
	if (!wanted->driver || strcmp(row->driver, "any") == 0)
		return true;
	for (size_t i = 0; i < COUNT_OF(families); i++)
		if (strcmp(families[i].driver, wanted->driver) == 0 &&
			strcmp(families[i].rows, row->driver) == 0)
			return true;
	return false;
}

static const struct counter_row *find_row(const struct wanted *wanted, int *priority)
{
	for (const struct counter_row *row = counter_rows; row->name; row++) {
		if (tolower((unsigned char)*row->name) !=
				tolower((unsigned char)*wanted->name) ||
			!fits(row, wanted))
			continue;
		*priority = -1;
		if (matches(row->name, wanted->name, wanted->length, priority))
			return row;
	}
	return NULL;
}

const struct counter_row *counter_find_of(
	const char *name, char where, const char *driver, int *priority)
{
	const char *prefix = strstr(name, "]: ");
	struct wanted wanted = { prefix ? prefix + 3 : name, 0, where, driver };
	const struct counter_row *row;

	wanted.name += strspn(wanted.name, " \t");
	wanted.length = strlen(wanted.name);
	while (wanted.length > 0 && strchr(" \t:", wanted.name[wanted.length - 1]))
		wanted.length--;
	row = find_row(&wanted, priority);
	if (row || wanted.length <= 4 ||
		strncmp(wanted.name + wanted.length - 4, ".nic", 4) != 0)
		return row;
	wanted.length -= 4;
	return find_row(&wanted, priority);
}

const struct counter_row *counter_find(const char *name, int *priority)
{
	return counter_find_of(name, 0, NULL, priority);
}

uint64_t counter_age_ns(const struct counter_row *row)
{
	if (row->where == 'H')
		return 10 * NS_PER_MS;
	return strcmp(row->driver, "ice") == 0 || row->means == MEANS_PCI_STALL ? NS_PER_S : 0;
}
