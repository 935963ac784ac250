/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fabric/file_parts.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "lib/utf8.h"

enum place {
	PLACE_LINK = 1 << 0, /* leaf1-spine2: both directions */
	PLACE_PORT =
		1 << 1, /* leaf1:9: the direction that leaves it, or the port's own doing */
	PLACE_SWITCH = 1 << 2, /* leaf1 */
	PLACE_NIC = 1 << 3,    /* host3, host3:2 */
};

enum amount { AMOUNT_NONE, AMOUNT_SHARE, AMOUNT_TIME };

/* What each kind takes, in the order of enum fault_kind. Where a kind works on
 * links or their directions and the place is a NIC, the NIC's link is meant. */
static const struct kind {
	const char *name;
	unsigned places;
	const char *expected; /* places, for the refusal */
	enum amount amount;
	uint64_t amount_default, min, max;
	uint64_t period_default; /* 0: takes no period */
	bool takes_priority;
} kinds[] = {
	[FAULT_LOSS] = { "loss", PLACE_LINK | PLACE_PORT | PLACE_NIC,
		"a link such as leaf1-spine2, a port such as leaf1:9, or a NIC", AMOUNT_SHARE,
		PPB / 1000, 1, PPB, 0, false },
	[FAULT_RATE] = { "rate", PLACE_LINK | PLACE_PORT | PLACE_NIC,
		"a link such as leaf1-spine2, a port such as leaf1:9, or a NIC", AMOUNT_SHARE,
		PPB / 2, PPB / 1000, PPB - 1, 0, false },
	[FAULT_DOWN] = { "down", PLACE_LINK | PLACE_PORT | PLACE_NIC,
		"a link such as leaf1-spine2, or a port or NIC of it", AMOUNT_NONE, 0, 0, 0, 0,
		false },
	[FAULT_FLAP] = { "flap", PLACE_LINK | PLACE_PORT | PLACE_NIC,
		"a link such as leaf1-spine2, or a port or NIC of it", AMOUNT_TIME, NS_PER_MS,
		NS_PER_US, 3600 * NS_PER_S, 10 * NS_PER_MS, false },
	[FAULT_PFC_OFF] = { "pfc-off", PLACE_SWITCH | PLACE_PORT,
		"a switch such as leaf1, or one of its ports such as leaf1:9", AMOUNT_NONE, 0,
		0, 0, 0, false },
	[FAULT_DSCP_MAP] = { "dscp-map", PLACE_SWITCH | PLACE_NIC,
		"a switch such as leaf1, or a NIC such as host3", AMOUNT_NONE, 0, 0, 0, 0,
		true },
	[FAULT_ECN_OFF] = { "ecn-off", PLACE_SWITCH | PLACE_PORT,
		"a switch such as leaf1, or one of its ports such as leaf1:9", AMOUNT_NONE, 0,
		0, 0, 0, false },
	[FAULT_SLOW_RECEIVER] = { "slow-receiver", PLACE_NIC, "a NIC such as host3 or host3:2",
		AMOUNT_SHARE, PPB / 2, PPB / 1000, PPB - 1, 0, false },
	[FAULT_PAUSE_STORM] = { "pause-storm", PLACE_NIC, "a NIC such as host3 or host3:2",
		AMOUNT_NONE, 0, 0, 0, 0, false },
};

static int not_a_place(const struct file *file, const struct doc_fault *doc)
{
	char shown[UTF8_CLIP];

	utf8_clip(doc->place.text, shown);
	return file_refuse(file, doc->place.line,
		"faults.place \"%s\" of %s: no such place in this fabric: expected %s", shown,
		kinds[doc->kind.number].name, kinds[doc->kind.number].expected);
}

static int wrong_place(const struct file *file, const struct doc_fault *doc, const char *what)
{
	return file_refuse(file, doc->place.line, "faults.place \"%s\" of %s: %s: expected %s",
		doc->place.text, kinds[doc->kind.number].name, what,
		kinds[doc->kind.number].expected);
}

/* The link of a port, as the place of a kind that works on links. */
static int place_cable(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	fault->link = file->fabric->ports[port].link;
	if (fault->link == PORT_NONE)
		return wrong_place(file, doc, "nothing is plugged in there");
	return 0;
}

static int place_nic(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	const struct kind *kind = &kinds[fault->kind];

	if (!(kind->places & PLACE_NIC))
		return wrong_place(file, doc, "a NIC");
	if (kind->places & PLACE_LINK)
		return place_cable(file, doc, port, fault);
	fault->node = file->fabric->ports[port].node;
	fault->port = port;
	return 0;
}

static int place_port(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	const struct kind *kind = &kinds[fault->kind];

	if (file->fabric->ports[port].nic != PORT_NONE)
		return place_nic(file, doc, port, fault);
	if (!(kind->places & PLACE_PORT))
		return wrong_place(file, doc, "a port of a switch");
	if (fault->kind == FAULT_DOWN || fault->kind == FAULT_FLAP)
		return place_cable(file, doc, port, fault);
	if (file->fabric->ports[port].link == PORT_NONE)
		return wrong_place(file, doc, "nothing is plugged in there");
	fault->port = port;
	return 0;
}

static int place_node(const struct file *file, const struct doc_fault *doc, uint32_t node,
	struct fault *fault)
{
	const struct node *n = &file->fabric->nodes[node];

	if (n->kind == NODE_HOST)
		return file_refuse(file, doc->place.line,
			"faults.place \"%s\" of %s: %s has %u NICs: expected one of them, such "
			"as %s:1",
			doc->place.text, kinds[fault->kind].name, n->name, n->port_count,
			n->name);
	if (!(kinds[fault->kind].places & PLACE_SWITCH))
		return wrong_place(file, doc, "a whole switch");
	fault->node = node;
	return 0;
}

static int read_place(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	uint32_t node = fabric_find_node(file->fabric, doc->place.text);
	uint32_t port = fabric_find_port(file->fabric, doc->place.text);
	int err;

	snprintf(fault->place, sizeof(fault->place), "%s", doc->place.text);
	if (port != PORT_NONE)
		return place_port(file, doc, port, fault);
	if (node != PORT_NONE)
		return place_node(file, doc, node, fault);
	if (!strchr(doc->place.text, '-'))
		return not_a_place(file, doc);
	fault->link =
		file_find_link(file, doc->place.line, "faults.place", doc->place.text, &err);
	if (!err && !(kinds[fault->kind].places & PLACE_LINK))
		return wrong_place(file, doc, "a link");
	return err;
}

static int read_amount(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	const struct kind *kind = &kinds[fault->kind];
	enum quantity unit = kind->amount == AMOUNT_TIME ? QUANTITY_TIME : QUANTITY_SHARE;
	char min[QUANTITY_TEXT], max[QUANTITY_TEXT];
	uint64_t value = kind->amount_default;

	if (doc->amount.line && kind->amount == AMOUNT_NONE)
		return file_refuse(file, doc->amount.line,
			"faults.amount \"%s\": %s takes no amount: expected the key left out",
			doc->amount.text, kind->name);
	if (doc->amount.line && (quantity_parse(unit, doc->amount.text, &value) ||
					value < kind->min || value > kind->max)) {
		quantity_print(unit, kind->min, min);
		quantity_print(unit, kind->max, max);
		return file_refuse(file, doc->amount.line,
			"faults.amount \"%s\" of %s: expected %s, %s to %s", doc->amount.text,
			kind->name, quantity_hint(unit), min, max);
	}
	if (kind->amount == AMOUNT_TIME)
		fault->amount_ns = value;
	else
		fault->amount_ppb = value;
	return 0;
}

static int read_period(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	const struct kind *kind = &kinds[fault->kind];

	if (doc->period.line && !kind->period_default)
		return file_refuse(file, doc->period.line,
			"faults.period \"%s\": %s takes no period: expected the key left out",
			doc->period.text, kind->name);
	if (!kind->period_default)
		return 0;
	fault->period_ns = file_number(&doc->period, kind->period_default);
	if (fault->period_ns > fault->amount_ns)
		return 0;
	if (doc->period.line)
		return file_refuse(file, doc->period.line,
			"faults.period %s: expected more than the time down, the amount",
			doc->period.text);
	return file_refuse(file, doc->amount.line,
		"faults.amount %s: expected less than the period, 10ms when it is not given",
		doc->amount.text);
}

static int read_times(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	fault->from_ns = file_number(&doc->from, 0);
	fault->to_ns = file_number(&doc->to, UINT64_MAX);
	if (fault->to_ns <= fault->from_ns)
		return file_refuse(file, doc->to.line ? doc->to.line : doc->from.line,
			"faults.to %s: expected a time after from, %s", doc->to.text,
			doc->from.line ? doc->from.text : "0");
	return 0;
}

static int read_priority(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	const struct kind *kind = &kinds[fault->kind];
	uint8_t lossless = file->fabric->policy.priority;

	if (doc->priority.line && (!kind->takes_priority || fault->port != PORT_NONE))
		return file_refuse(file, doc->priority.line,
			"faults.priority %s: %s%s takes no priority: expected the key left out",
			doc->priority.text, kind->name,
			kind->takes_priority ? " at a NIC, which sends with DSCP 0," : "");
	fault->priority = (uint8_t)file_number(&doc->priority, 0);
	if (fault->kind == FAULT_DSCP_MAP && fault->port == PORT_NONE &&
		fault->priority == lossless)
		return file_refuse(file, doc->priority.line ? doc->priority.line : doc->line,
			"faults.priority %u: the policy puts the traffic there already: "
			"expected another priority",
			lossless);
	return 0;
}

static int read_fault(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	int err;

	if (!doc->kind.line)
		return file_refuse(file, doc->line,
			"faults: an entry without a kind: expected one such as kind: loss");
	if (!doc->place.line)
		return file_refuse(file, doc->line,
			"faults: an entry without a place: expected one such as place: "
			"leaf1-spine2");
	*fault = (struct fault){
		.kind = (enum fault_kind)doc->kind.number,
		.node = PORT_NONE,
		.port = PORT_NONE,
		.link = PORT_NONE,
		.line = doc->line,
	};
	err = read_place(file, doc, fault);
	if (!err)
		err = read_amount(file, doc, fault);
	if (!err)
		err = read_period(file, doc, fault);
	if (!err)
		err = read_times(file, doc, fault);
	return err ? err : read_priority(file, doc, fault);
}

int file_read_faults(const struct file *file)
{
	struct fabric *fabric = file->fabric;
	const struct doc_plane *plane = file->plane;
	int err = 0;

	fabric->faults = zeroed(plane->fault_count, sizeof(*fabric->faults));
	for (unsigned i = 0; i < plane->fault_count && !err; i++) {
		err = read_fault(file, &plane->faults[i], &fabric->faults[i]);
		if (!err)
			fabric->fault_count++;
	}
	return err;
}
