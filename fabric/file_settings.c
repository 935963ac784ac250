/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "fabric/file_parts.h"
#include "fabric/summary.h"
#include "lib/diag.h"
#include "lib/units.h"

static uint32_t small(const struct yaml_value *value, uint32_t otherwise)
{
	return (uint32_t)file_number(value, otherwise);
}

static void read_marking(const struct doc_policy *doc, struct policy *policy)
{
	policy->dscp = (uint8_t)small(&doc->dscp, policy->dscp);
	policy->priority = (uint8_t)small(&doc->priority, policy->priority);
	policy->cnp_dscp = (uint8_t)small(&doc->cnp_dscp, policy->cnp_dscp);
	policy->cnp_priority = (uint8_t)small(&doc->cnp_priority, policy->cnp_priority);
	policy->ecn = !small(&doc->ecn->off, !policy->ecn);
	policy->ecn_kmin_bytes = file_number(&doc->ecn->kmin, policy->ecn_kmin_bytes);
	policy->ecn_kmax_bytes = file_number(&doc->ecn->kmax, policy->ecn_kmax_bytes);
	policy->ecn_pmax_ppb = file_number(&doc->ecn->pmax, policy->ecn_pmax_ppb);
}

static void read_buffers(const struct doc_policy *doc, struct policy *policy)
{
	policy->pfc = small(&doc->pfc, policy->pfc);
	policy->buffer_bytes = file_number(&doc->buffer, policy->buffer_bytes);
	policy->reserved_bytes = file_number(&doc->reserved, policy->reserved_bytes);
	policy->headroom_bytes = file_number(&doc->headroom, policy->headroom_bytes);
	policy->alpha_shift = small(&doc->alpha, policy->alpha_shift);
	policy->xoff_bytes = file_number(&doc->xoff, policy->xoff_bytes);
	policy->xon_offset_bytes = file_number(&doc->xon_offset, policy->xon_offset_bytes);
	policy->watchdog_ns = file_number(&doc->watchdog, policy->watchdog_ns);
	policy->watchdog_restore_ns =
		file_number(&doc->watchdog_restore, policy->watchdog_restore_ns);
}

static void read_transport(const struct doc_policy *doc, struct policy *policy)
{
	const struct doc_dcqcn *from = doc->dcqcn;
	struct dcqcn *to = &policy->dcqcn;

	policy->timeout_exp = small(&doc->timeout, policy->timeout_exp);
	policy->retry = small(&doc->retry, policy->retry);
	policy->ack_every = small(&doc->ack_every, policy->ack_every);
	policy->selective_repeat = small(&doc->transport, policy->selective_repeat);
	to->off = small(&from->off, to->off);
	to->g_shift = small(&from->g, to->g_shift);
	to->alpha_period_ns = file_number(&from->alpha_period, to->alpha_period_ns);
	to->increase_period_ns = file_number(&from->increase_period, to->increase_period_ns);
	to->increase_bytes = file_number(&from->increase_bytes, to->increase_bytes);
	to->fast_recovery = small(&from->fast_recovery, to->fast_recovery);
	to->rai_bps = file_number(&from->rai, to->rai_bps);
	to->rhai_bps = file_number(&from->rhai, to->rhai_bps);
	to->min_rate_bps = file_number(&from->min_rate, to->min_rate_bps);
	to->cnp_period_ns = file_number(&from->cnp_period, to->cnp_period_ns);
}

/* The line of the first key given of those that a check of the policy names. */
static uint32_t policy_line(const struct doc_policy *doc, const char *key)
{
	const struct {
		const char *key;
		const struct yaml_value *value;
	} keys[] = {
		{ "ecn.kmin", &doc->ecn->kmin },
		{ "ecn.kmax", &doc->ecn->kmax },
		{ "dscp", &doc->dscp },
		{ "cnp_dscp", &doc->cnp_dscp },
		{ "priority", &doc->priority },
		{ "cnp_priority", &doc->cnp_priority },
		{ "headroom", &doc->headroom },
		{ "buffer", &doc->buffer },
		{ "reserved", &doc->reserved },
		{ "xoff", &doc->xoff },
		{ "xon_offset", &doc->xon_offset },
		{ "watchdog_restore", &doc->watchdog_restore },
		{ "dcqcn.rai", &doc->dcqcn->rai },
		{ "dcqcn.rhai", &doc->dcqcn->rhai },
		{ "dcqcn.min_rate", &doc->dcqcn->min_rate },
	};

	for (size_t i = 0; i < COUNT_OF(keys); i++)
		if (strcmp(keys[i].key, key) == 0)
			return keys[i].value->line;
	return 0;
}

static int read_policy(const struct file *file)
{
	const struct doc_policy *doc = file->plane->policy;
	struct policy *policy = &file->fabric->policy;
	struct policy_fault fault;

	policy_defaults(policy);
	read_marking(doc, policy);
	read_buffers(doc, policy);
	read_transport(doc, policy);
	policy_complete(policy, file->plane->speed.number);
	if (policy->watchdog_ns && !policy->watchdog_restore_ns)
		policy->watchdog_restore_ns = policy->watchdog_ns;
	if (policy_check(policy, file->plane->speed.number, &fault)) {
		uint32_t line = policy_line(doc, fault.key);

		/* The key may be the default that does not go with another one given. */
		if (!line)
			line = policy_line(doc, fault.other);
		return file_refuse(file, line ? line : file->plane->speed.line, "policy.%s %s",
			fault.key, fault.text);
	}
	return 0;
}

static void read_limits(const struct doc_limits *doc, struct limits *limits)
{
	*limits = (struct limits){
		.bandwidth_ppb = file_number(&doc->bandwidth, PPB / 100 * 95),
		.busbw_ppb = file_number(&doc->busbw, PPB / 100 * 90),
		.oversub_ppb = file_number(&doc->oversubscription, PPB),
		.loss_ppb = file_number(&doc->loss, 0),
		.victim_ppb = file_number(&doc->victim, PPB / 100 * 75),
		.spread_ppb = file_number(&doc->spread, PPB / 100 * 30),
		.spike_ppb = file_number(&doc->spike, PPB / 100 * 10),
	};
}

int file_read_settings(const struct file *file)
{
	const struct doc_plane *plane = file->plane;
	struct fabric *fabric = file->fabric;
	int err = file_check_required(file);

	if (!err)
		err = file_check_speed(file, &plane->speed, "speed");
	if (err)
		return err;
	fabric->mtu_bytes = small(&plane->mtu, 4096);
	if (fabric->mtu_bytes > 4096 || fabric->mtu_bytes & (fabric->mtu_bytes - 1))
		return file_refuse(file, plane->mtu.line,
			"mtu %u: expected a RoCE MTU, the payload of a packet: 256, 512, 1024, "
			"2048 or 4096",
			fabric->mtu_bytes);
	fabric->proof_hosts = small(&plane->proof, 0);
	fabric->switch_ns = file_number(&plane->latency->sw, 600);
	fabric->nic_ns = file_number(&plane->latency->nic, 800);
	fabric->obey_ns = file_number(&plane->latency->pause, 0);
	fabric->reroute_ns = file_number(&plane->latency->reroute, NS_PER_MS);
	read_limits(plane->limits, &fabric->limits);
	return read_policy(file);
}

/* What the switch with the most sets aside before any packet is shared. */
static uint64_t set_aside(const struct fabric *fabric, uint32_t *node)
{
	uint64_t most = 0;

	for (uint32_t i = fabric->hosts; i < fabric->node_count; i++) {
		uint64_t bytes = summary_headroom(fabric, i) +
				 fabric->policy.reserved_bytes * fabric->nodes[i].port_count;

		if (bytes > most) {
			most = bytes;
			*node = i;
		}
	}
	return most;
}

int file_fit_buffer(const struct file *file)
{
	struct fabric *fabric = file->fabric;
	const struct doc_policy *doc = file->plane->policy;
	const struct yaml_value *given[] = { &doc->buffer, &doc->headroom, &doc->reserved };
	uint32_t node = fabric->hosts, line = 0;
	uint64_t bytes = set_aside(fabric, &node);
	uint64_t wanted = (2 * bytes + MIB - 1) / MIB * MIB;

	if (!doc->buffer.line && wanted > fabric->policy.buffer_bytes)
		fabric->policy.buffer_bytes = wanted < GIB ? wanted : GIB;
	if (bytes < fabric->policy.buffer_bytes)
		return 0;
	for (size_t i = 0; i < COUNT_OF(given) && !line; i++)
		line = given[i]->line;
	return file_refuse(file, line ? line : file->plane->speed.line,
		"policy.buffer %" PRIu64
		" bytes: the headroom of the ports of %s alone takes %" PRIu64
		": expected a larger buffer, less headroom or shorter cables",
		fabric->policy.buffer_bytes, fabric->nodes[node].name, bytes);
}
