/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/dcb.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "lib/netlink.h"

/* Younger than the headers of Linux 6.1. */
#define ATTR_TRUST_TABLE 11u
#define ATTR_TRUST 1u
#define ATTR_PCP_ENTRY 2u

_Static_assert(sizeof(struct ieee_ets) == 59, "the kernel's layout");
_Static_assert(sizeof(struct ieee_pfc) == 136, "the kernel's layout");
_Static_assert(sizeof(struct dcbnl_buffer) == 44, "the kernel's layout");

static bool parse_pfc(struct dcb_pfc *pfc, const struct netlink_attr *attr)
{
	struct ieee_pfc raw;

	if (attr->size < sizeof(raw))
		return false;
	memcpy(&raw, attr->data, sizeof(raw)); /* aligned to 4 in the message, not to 8 */
	pfc->capacity = raw.pfc_cap;
	pfc->enabled = raw.pfc_en;
	pfc->delay = raw.delay;
	for (unsigned i = 0; i < DCB_PRIORITIES; i++) {
		pfc->requests[i] = raw.requests[i];
		pfc->indications[i] = raw.indications[i];
	}
	return true;
}

static bool parse_ets(struct dcb_ets *ets, const struct netlink_attr *attr)
{
	struct ieee_ets raw;

	if (attr->size < sizeof(raw))
		return false;
	memcpy(&raw, attr->data, sizeof(raw));
	ets->willing = raw.willing;
	ets->classes = raw.ets_cap;
	memcpy(ets->percent, raw.tc_tx_bw, sizeof(ets->percent));
	memcpy(ets->tsa, raw.tc_tsa, sizeof(ets->tsa));
	memcpy(ets->prio_class, raw.prio_tc, sizeof(ets->prio_class));
	return true;
}

static bool parse_buffer(struct dcb_buffer *buffer, const struct netlink_attr *attr)
{
	struct dcbnl_buffer raw;

	if (attr->size < sizeof(raw))
		return false;
	memcpy(&raw, attr->data, sizeof(raw));
	memcpy(buffer->prio_buffer, raw.prio2buffer, sizeof(buffer->prio_buffer));
	memcpy(buffer->size_bytes, raw.buffer_size, sizeof(buffer->size_bytes));
	buffer->total_bytes = raw.total_size;
	return true;
}

static void parse_apps(struct dcb *dcb, const struct netlink_attr *table)
{
	struct netlink_attr attr;

	dcb->has_apps = true;
	for (size_t at = 0; netlink_attr(table->data, table->size, &at, &attr);) {
		struct dcb_app raw;

		if (attr.size < sizeof(raw) ||
			(attr.type != DCB_ATTR_IEEE_APP && attr.type != ATTR_PCP_ENTRY))
			continue;
		if (dcb->app_count == DCB_APPS_MAX) {
			dcb->apps_dropped++;
			continue;
		}
		memcpy(&raw, attr.data, sizeof(raw));
		dcb->apps[dcb->app_count++] = (struct dcb_entry){ .selector = raw.selector,
			.priority = raw.priority,
			.protocol = raw.protocol };
	}
}

static void parse_trust(struct dcb *dcb, const struct netlink_attr *table)
{
	struct netlink_attr attr;

	dcb->has_trust = true;
	for (size_t at = 0; netlink_attr(table->data, table->size, &at, &attr);)
		if (attr.type == ATTR_TRUST && attr.size >= 1 &&
			dcb->trust_count < sizeof(dcb->trust))
			dcb->trust[dcb->trust_count++] = netlink_u8(&attr);
}

static void parse_ieee(struct dcb *dcb, const struct netlink_attr *nest)
{
	struct netlink_attr attr;

	for (size_t at = 0; netlink_attr(nest->data, nest->size, &at, &attr);)
		switch (attr.type) {
		case DCB_ATTR_IEEE_ETS:
			dcb->has_ets = parse_ets(&dcb->ets, &attr);
			break;
		case DCB_ATTR_IEEE_PFC:
			dcb->has_pfc = parse_pfc(&dcb->pfc, &attr);
			break;
		case DCB_ATTR_IEEE_PEER_PFC:
			dcb->has_peer_pfc = parse_pfc(&dcb->peer_pfc, &attr);
			break;
		case DCB_ATTR_IEEE_APP_TABLE:
			parse_apps(dcb, &attr);
			break;
		case DCB_ATTR_DCB_BUFFER:
			dcb->has_buffer = parse_buffer(&dcb->buffer, &attr);
			break;
		case ATTR_TRUST_TABLE:
			parse_trust(dcb, &attr);
			break;
		default:
			break;
		}
}

int dcb_parse(struct dcb *dcb, const uint8_t *bytes, size_t size)
{
	struct netlink_message message;
	int err = netlink_error(bytes, size);
	bool found = false;

	if (err)
		return err;
	memset(dcb, 0, sizeof(*dcb));
	for (size_t at = 0; netlink_next(bytes, size, &at, &message);) {
		struct netlink_attr attr;

		if (message.type != RTM_GETDCB || message.size < sizeof(struct dcbmsg))
			continue;
		found = true;
		for (size_t in = sizeof(struct dcbmsg);
			netlink_attr(message.body, message.size, &in, &attr);)
			if (attr.type == DCB_ATTR_IEEE) {
				parse_ieee(dcb, &attr);
			} else if (attr.type == DCB_ATTR_DCBX && attr.size >= 1) {
				dcb->has_dcbx = true;
				dcb->dcbx = netlink_u8(&attr);
			}
	}
	return found ? 0 : -EBADMSG;
}

int dcb_read(struct netlink *netlink, const char *netdev, struct dcb *dcb, struct diag *diag)
{
	struct dcbmsg head = { .cmd = DCB_CMD_IEEE_GET };
	struct netlink_question question = { .family = NETLINK_OF_ROUTE, .type = RTM_GETDCB };
	struct netlink_answer answer = NETLINK_ANSWER_INIT;
	int err;

	snprintf(question.name, sizeof(question.name), "dcb-%.50s", netdev);
	netlink_put(&question, &head, sizeof(head));
	netlink_put_attr(&question, DCB_ATTR_IFNAME, netdev, strlen(netdev) + 1);
	err = netlink_ask(netlink, &question, &answer, diag);
	if (!err)
		err = dcb_parse(dcb, answer.bytes, answer.size);
	netlink_answer_free(&answer);
	return err;
}

uint8_t dcb_priority_of_dscp(const struct dcb *dcb, uint8_t dscp)
{
	uint8_t priority = 0;

	for (uint32_t i = 0; i < dcb->app_count; i++) {
		const struct dcb_entry *entry = &dcb->apps[i];

		if (entry->selector == DCB_BY_DSCP && entry->protocol == dscp)
			return entry->priority;
		if (entry->selector == DCB_BY_ETHERTYPE && entry->protocol == 0)
			priority = entry->priority;
	}
	return priority;
}

bool dcb_trusts_dscp(const struct dcb *dcb)
{
	if (dcb->has_trust)
		return dcb->trust_count > 0 && dcb->trust[0] == DCB_BY_DSCP;
	for (uint32_t i = 0; i < dcb->app_count; i++)
		if (dcb->apps[i].selector == DCB_BY_DSCP)
			return true;
	return false;
}
