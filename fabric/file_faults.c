/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fabric/file_fault_kinds.h"
#include "fabric/file_parts.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "lib/utf8.h"

static int not_a_place(
	const struct file *file, const struct doc_fault *doc, enum fault_kind kind)
{
	char shown[UTF8_CLIP];

	utf8_clip(doc->place.text, shown);
	return file_refuse(file, doc->place.line,
		"faults.place \"%s\" of %s: no such place in this fabric: expected %s", shown,
		fault_kind_name(kind), fault_form(kind)->expected);
}

static int wrong_place(const struct file *file, const struct doc_fault *doc,
	enum fault_kind kind, const char *what)
{
	return file_refuse(file, doc->place.line, "faults.place \"%s\" of %s: %s: expected %s",
		doc->place.text, fault_kind_name(kind), what, fault_form(kind)->expected);
}

/* The link of a port, as the place of a kind that works on links. */
static int place_cable(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	fault->link = file->fabric->ports[port].link;
	if (fault->link == PORT_NONE)
		return wrong_place(file, doc, fault->kind, "nothing is plugged in there");
	return 0;
}

static int place_nic(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	const struct fault_form *kind = fault_form(fault->kind);

	if (!(kind->places & PLACE_NIC))
		return wrong_place(file, doc, fault->kind, "a NIC");
	if (kind->places & PLACE_LINK)
		return place_cable(file, doc, port, fault);
	fault->node = file->fabric->ports[port].node;
	fault->port = port;
	return 0;
}

static int place_port(const struct file *file, const struct doc_fault *doc, uint32_t port,
	struct fault *fault)
{
	const struct fault_form *kind = fault_form(fault->kind);

	if (file->fabric->ports[port].nic != PORT_NONE)
		return place_nic(file, doc, port, fault);
	if (!(kind->places & PLACE_PORT))
		return wrong_place(file, doc, fault->kind, "a port of a switch");
	if (fault->kind == FAULT_DOWN || fault->kind == FAULT_FLAP)
		return place_cable(file, doc, port, fault);
	if (file->fabric->ports[port].link == PORT_NONE)
		return wrong_place(file, doc, fault->kind, "nothing is plugged in there");
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
			doc->place.text, fault_kind_name(fault->kind), n->name, n->port_count,
			n->name);
	if (!(fault_form(fault->kind)->places & PLACE_SWITCH))
		return wrong_place(file, doc, fault->kind, "a whole switch");
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
		return not_a_place(file, doc, fault->kind);
	fault->link =
		file_find_link(file, doc->place.line, "faults.place", doc->place.text, &err);
	if (!err && !(fault_form(fault->kind)->places & PLACE_LINK))
		return wrong_place(file, doc, fault->kind, "a link");
	return err;
}

static enum quantity unit_of(enum fault_amount amount)
{
	switch (amount) {
	case AMOUNT_TIME:
		return QUANTITY_TIME;
	case AMOUNT_BYTES:
		return QUANTITY_BYTES;
	case AMOUNT_COUNT:
		return QUANTITY_COUNT;
	case AMOUNT_SHARE:
	case AMOUNT_NONE:
		break;
	}
	return QUANTITY_SHARE;
}

static int read_amount(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	const struct fault_form *kind = fault_form(fault->kind);
	enum quantity unit = unit_of(kind->amount);
	char min[QUANTITY_TEXT], max[QUANTITY_TEXT];
	uint64_t value = kind->usual;

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
	else if (kind->amount == AMOUNT_SHARE)
		fault->amount_ppb = value;
	else
		fault->amount_count = value;
	return 0;
}

static int read_period(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	const struct fault_form *kind = fault_form(fault->kind);

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
	if (fault_form(fault->kind)->takes & NO_TIMES && (doc->from.line || doc->to.line))
		return file_refuse(file, doc->from.line ? doc->from.line : doc->to.line,
			"faults: %s holds all the time: expected neither from nor to",
			fault_kind_name(fault->kind));
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
	const struct fault_form *kind = fault_form(fault->kind);
	uint8_t lossless = file->fabric->policy.priority;

	if (doc->priority.line && (!(kind->takes & TAKES_PRIORITY) || fault->port != PORT_NONE))
		return file_refuse(file, doc->priority.line,
			"faults.priority %s: %s%s takes no priority: expected the key left out",
			doc->priority.text, kind->name,
			fault->kind == FAULT_DSCP_MAP ? " at a NIC, which sends with DSCP 0,"
			: fault->kind == FAULT_CNP_MAP
				? " at a NIC, which sends CNPs with the DSCP of data,"
				: "");
	fault->priority = (uint8_t)file_number(
		&doc->priority, fault->kind == FAULT_CNP_MAP ? lossless : 0);
	if (fault->kind == FAULT_DSCP_MAP && fault->port == PORT_NONE &&
		fault->priority == lossless)
		return file_refuse(file, doc->priority.line ? doc->priority.line : doc->line,
			"faults.priority %u: the policy puts the traffic there already: "
			"expected another priority",
			lossless);
	return 0;
}

static int read_burst(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	if (!(fault_form(fault->kind)->takes & TAKES_BURST)) {
		if (!doc->burst.line)
			return 0;
		return file_refuse(file, doc->burst.line,
			"faults.burst %s: %s takes no burst: expected the key left out",
			doc->burst.text, fault_kind_name(fault->kind));
	}
	fault->burst = (uint32_t)file_number(&doc->burst, 16);
	return 0;
}

/* The link that a link's upper end changes places with. */
static int read_with(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	bool takes = fault_form(fault->kind)->takes & TAKES_WITH;
	int err;

	if (takes != (doc->with.line > 0))
		return file_refuse(file, takes ? doc->line : doc->with.line,
			takes ? "faults: %s without a link to swap with: expected one such as "
				"with: leaf2-spine2"
			      : "faults.with: %s takes no second link: expected the key left "
				"out",
			fault_kind_name(fault->kind));
	if (!takes)
		return 0;
	fault->other =
		file_find_link(file, doc->with.line, "faults.with", doc->with.text, &err);
	if (!err && fault->other == fault->link)
		return file_refuse(file, doc->with.line,
			"faults.with \"%s\": the link itself: expected another one",
			doc->with.text);
	return err;
}

static bool joins_switches(const struct fabric *fabric, uint32_t port)
{
	return fabric->ports[port].peer != PORT_NONE && fabric->ports[port].nic == PORT_NONE &&
	       fabric->ports[fabric->ports[port].peer].nic == PORT_NONE;
}

/* The leaf that a forced route leads to. */
static int read_towards(
	const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	bool takes = fault_form(fault->kind)->takes & TAKES_TOWARDS;
	const struct fabric *fabric = file->fabric;
	uint32_t node;

	if ((takes || fault->kind == FAULT_ROUTE_MISSING) &&
		!joins_switches(fabric, fault->port))
		return wrong_place(file, doc, fault->kind, "a port towards a host");
	if (takes != (doc->towards.line > 0))
		return file_refuse(file, takes ? doc->line : doc->towards.line,
			takes ? "faults: %s without a leaf that it leads to: expected one such "
				"as towards: leaf2"
			      : "faults.towards: %s leads nowhere: expected the key left out",
			fault_kind_name(fault->kind));
	if (!takes)
		return 0;
	node = fabric_find_node(fabric, doc->towards.text);
	if (node == PORT_NONE || fabric->nodes[node].kind != NODE_LEAF ||
		node == fabric->ports[fault->port].node)
		return file_refuse(file, doc->towards.line,
			"faults.towards \"%s\": expected another leaf, such as leaf2",
			doc->towards.text);
	fault->towards = fabric->nodes[node].number - 1;
	return 0;
}

/* The keys that only some kinds take. */
static int read_more(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	int err = read_priority(file, doc, fault);

	if (!err)
		err = read_burst(file, doc, fault);
	if (!err)
		err = read_with(file, doc, fault);
	return err ? err : read_towards(file, doc, fault);
}

static int read_kind(
	const struct file *file, const struct doc_fault *doc, enum fault_kind *kind)
{
	char known[1024], shown[UTF8_CLIP];
	size_t used = 0;

	for (*kind = 0; *kind < FAULT_KINDS; ++*kind)
		if (strcmp(fault_kind_name(*kind), doc->kind.text) == 0)
			return 0;
	for (enum fault_kind k = 0; k < FAULT_KINDS && used < sizeof(known); k++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
			k ? "|" : "", fault_kind_name(k));
	utf8_clip(doc->kind.text, shown);
	return file_refuse(
		file, doc->kind.line, "faults.kind \"%s\": expected one of %s", shown, known);
}

static int read_fault(const struct file *file, const struct doc_fault *doc, struct fault *fault)
{
	enum fault_kind kind;
	int err;

	if (!doc->kind.line)
		return file_refuse(file, doc->line,
			"faults: an entry without a kind: expected one such as kind: loss");
	if (!doc->place.line)
		return file_refuse(file, doc->line,
			"faults: an entry without a place: expected one such as place: "
			"leaf1-spine2");
	err = read_kind(file, doc, &kind);
	if (err)
		return err;
	*fault = (struct fault){
		.kind = kind,
		.node = PORT_NONE,
		.port = PORT_NONE,
		.link = PORT_NONE,
		.other = PORT_NONE,
		.towards = PORT_NONE,
		.line = doc->line,
	};
	err = read_place(file, doc, fault);
	if (!err)
		err = read_amount(file, doc, fault);
	if (!err)
		err = read_period(file, doc, fault);
	if (!err)
		err = read_times(file, doc, fault);
	return err ? err : read_more(file, doc, fault);
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
