/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

/* What a RoCE packet needs beside its payload, as the kernel counts it: GRH 40, UDP
 * 8, BTH 12, XRC 4, AtomicETH 28, ICRC 4 (linux include/rdma/ib_addr.h). */
#define ROCE_MTU_OVERHEAD 96

static int roce_mtu(double netdev_mtu)
{
	int mtu = 4096;

	while (mtu > 128 && mtu > netdev_mtu - ROCE_MTU_OVERHEAD)
		mtu /= 2;
	return mtu >= 256 ? mtu : 0;
}

static enum outcome table(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	int lines = 0;

	FACTS_EACH (facts, FACT_MTU_QUERY, query) {
		int mtu = roce_mtu(query->number);
		char name[32];

		snprintf(name, sizeof(name), "%.0f", query->number);
		explain_fact(out, name, "%d", mtu);
		lines += mtu > 0;
	}
	if (lines == 0) /* none carries RoCE */
		return RULE_CLEAR;
	return explain_code(out, rule, rule->level,
		"%d interface MTUs turned into the active RoCE MTU", lines);
}

/* The RoCE MTU that a bundle shows: as the device says it, else by the kernel's
 * rule from the interface. */
static double active_mtu(const struct facts *facts)
{
	const struct fact *netdev = facts_first(facts, FACT_NETDEV_MTU);
	double least = 0;

	FACTS_EACH (facts, FACT_ACTIVE_MTU, mtu)
		if (least < 1 || mtu->number < least)
			least = mtu->number;
	if (least < 1 && netdev)
		least = roce_mtu(netdev->number);
	return least;
}

static enum outcome path_too_big(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double active = active_mtu(facts), asked = 0;

	FACTS_EACH (facts, FACT_PATH_MTU, path)
		if (path->number > asked)
			asked = path->number;
	if (active < 1 || asked < 1)
		return RULE_UNKNOWN;
	if (asked <= active)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"the queue pair asks for a path MTU of %.0f where the active MTU is %.0f",
		asked, active);
	explain_number(out, "active_mtu", active);
	explain_number(out, "requested_path_mtu", asked);
	explain_number(out, "min_netdev_mtu_for_4096", 4096 + ROCE_MTU_OVERHEAD);
	explain_advice(out,
		"Ask for at most active_mtu (%.0f), or raise the MTU of interfaces and "
		"switches to 4200 or more (9000 is "
		"usual) so that active_mtu becomes 4096.",
		active);
	return RULE_FIRED;
}

/* Whether another place has this interface or device too. */
static bool is_shared(const struct facts *facts, const struct fact *mtu)
{
	FACTS_EACH (facts, mtu->key, other)
		if (strcmp(other->place, mtu->place) != 0 &&
			strcmp(other->subject, mtu->subject) == 0)
			return true;
	return false;
}

static bool any_shared(const struct facts *facts, enum fact_key key)
{
	FACTS_EACH (facts, key, mtu)
		if (*mtu->subject && strcmp(mtu->subject, "lo") != 0 && is_shared(facts, mtu))
			return true;
	return false;
}

/* One MTU a place: of the RoCE device if it was collected, else the interface. Where the
 * places name some alike, the others (a host's own management port) are not compared. */
static enum outcome peer_mismatch(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	static const enum fact_key keys[] = { FACT_ACTIVE_MTU, FACT_NETDEV_MTU };

	for (size_t k = 0; k < COUNT_OF(keys); k++) {
		const struct fact *least = NULL, *most = NULL;
		const char *places[64];
		size_t count = facts_places(facts, keys[k], places, 64);
		bool alike = any_shared(facts, keys[k]);
		char name[128];

		FACTS_EACH (facts, keys[k], mtu) {
			if (strcmp(mtu->subject, "lo") == 0 ||
				scan_has(mtu->subject, "docker") ||
				(alike && !is_shared(facts, mtu)))
				continue;
			least = !least || mtu->number < least->number ? mtu : least;
			most = !most || mtu->number > most->number ? mtu : most;
		}
		if (count < 2 || !least || least->number == most->number ||
			strcmp(least->place, most->place) == 0)
			continue;
		explain_code(out, rule,
			k == 1 && roce_mtu(least->number) == roce_mtu(most->number)
				? VERDICT_WARN
				: VERDICT_FAIL,
			"%s has %s %.0f, %s has %.0f", most->place,
			k ? "interface MTU" : "active MTU", most->number, least->place,
			least->number);
		for (size_t i = 0; i < count; i++) {
			const struct fact *mtu =
				facts_find(facts, keys[k], places[i], NULL, NULL);

			snprintf(name, sizeof(name), "%s.mtu", places[i]);
			explain_number(out, name, mtu->number);
			snprintf(name, sizeof(name), "%s.active_mtu", places[i]);
			explain_number(out, name, k ? roce_mtu(mtu->number) : mtu->number);
		}
		explain_fact(out, "host", "%s", least->place);
		explain_number(out, "active_mtu", k ? roce_mtu(least->number) : least->number);
		explain_advice(out,
			"Set the same MTU on both ends and on every switch port between them "
			"(%.0f on %s as on %s); until then "
			"large packets of %s are dropped or refused while small ones pass.",
			most->number, least->place, most->place, most->place);
		return RULE_FIRED;
	}
	return facts_first(facts, FACT_ACTIVE_MTU) || facts_first(facts, FACT_NETDEV_MTU)
		       ? RULE_CLEAR
		       : RULE_UNKNOWN;
}

/* The smallest limit that a process was seen to have; NULL when all are unlimited. */
static const struct fact *least_limit(const struct facts *facts)
{
	const struct fact *least = NULL;

	FACTS_EACH (facts, FACT_MEMLOCK, limit)
		if (limit->has_number && (!least || limit->number < least->number))
			least = limit;
	return least;
}

/* "ibv_reg_mr failed: Bad address" has another cause than the limit, such as memory of a GPU
 * without nvidia-peermem. */
static bool has_other_cause(const char *text)
{
	static const char *const causes[] = { "Invalid argument", "EINVAL", "Bad address",
		"EFAULT", "Operation not permitted", "EPERM", "not supported", "EOPNOTSUPP",
		"Permission denied", "EACCES", "No such device", "ENODEV" };

	for (size_t i = 0; i < COUNT_OF(causes); i++)
		if (scan_has(text, causes[i]))
			return true;
	return false;
}

/* These calls lock memory: buffers, and the rings of queues. */
static bool registering_failed(const struct facts *facts)
{
	static const char *const calls[] = { "ibv_reg_mr", "ibv_create_cq", "ibv_create_qp",
		"ibv_create_srq", "ibv_reg_dmabuf_mr" };

	FACTS_EACH (facts, FACT_CALL_FAILED, call)
		for (size_t i = 0; i < COUNT_OF(calls); i++)
			if (strncmp(call->name, calls[i], strlen(calls[i])) == 0 &&
				!has_other_cause(call->text))
				return true;
	return false;
}

static enum outcome memlock(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *limit = least_limit(facts);
	bool failed = facts_first(facts, FACT_NOMEM) || registering_failed(facts);

	if (!limit)
		return RULE_CLEAR;
	/* Registered buffers of a job are gigabytes; 64 MiB is the most that a
	 * distribution sets by default. */
	if (!failed && limit->number > 65536)
		return RULE_CLEAR;
	explain_code(out, rule, failed ? VERDICT_FAIL : VERDICT_WARN,
		"the process may lock %.0f KiB%s", limit->number,
		failed ? ", and registering memory failed" : "");
	explain_number(out, "memlock_kib", limit->number);
	explain_advice(out,
		"The limit that the job sees is %.0f KiB whatever limits.conf says; log in "
		"again or restart the launcher or "
		"daemon that starts the job (systemd LimitMEMLOCK=infinity, docker --ulimit "
		"memlock=-1 or CAP_IPC_LOCK, "
		"slurmd), and check ulimit -l inside the job.",
		limit->number);
	return RULE_FIRED;
}

static enum outcome resource_nomem(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *call = facts_first(facts, FACT_NOMEM);
	const struct fact *device = facts_first(facts, FACT_RESOURCE);
	const struct fact *limit = facts_first(facts, FACT_MEMLOCK);

	if (!call && !device)
		return RULE_UNKNOWN;
	if (least_limit(facts) && least_limit(facts)->number <= 16777216 && !device)
		return RULE_CLEAR;
	if (!limit && !device) {
		out->doubt = true; /* the limit was not collected */
		return RULE_UNKNOWN;
	}
	explain_code(out, rule, rule->level, "%s ran out of memory%s",
		call && *call->name ? call->name : "a verbs call",
		limit ? " with locked memory unlimited" : "");
	if (limit)
		explain_fact(
			out, "memlock_kib", "%s", limit->has_number ? "enough" : "unlimited");
	if (call && *call->name)
		explain_fact(out, "call", "%s", call->name);
	return RULE_FIRED;
}

const struct rule rules_mtu[] = {
	{ "MTU_TABLE", VERDICT_PASS, "mtu", "interface MTU turned into RoCE MTU",
		"the RoCE MTU decides the share of the line that is payload",
		"The active RoCE MTU is the largest of 256, 512, 1024, 2048 and 4096 that fits "
		"in the interface MTU less 96 "
		"bytes; an interface MTU of exactly 4096 gives only 2048, 4192 and more give "
		"4096.",
		"linux include/rdma/ib_addr.h iboe_get_mtu()",
		{ FACT_MTU_QUERY, NO_NEED, NO_NEED }, table },
	{ "PATH_MTU_TOO_BIG", VERDICT_FAIL, "mtu",
		"the QP asks for a path MTU above the active MTU",
		"packets of that size are dropped: the first large message times out",
		"Ask for at most the active MTU, or raise the MTU of interfaces and switches "
		"to 4200 or more.",
		"tensorflow/tensorflow#9432", { FACT_PATH_MTU, NO_NEED, NO_NEED },
		path_too_big },
	{ "PEER_MTU_MISMATCH", VERDICT_FAIL, "mtu", "the two ends have different MTUs",
		"packets that the larger end may send do not fit the smaller one",
		"Set the same MTU on both ends and on every switch port between them.",
		"weft: both ends compared", { NO_NEED, NO_NEED, NO_NEED }, peer_mismatch },
	{ "MEMLOCK_LIMIT", VERDICT_FAIL, "limits", "the process may not lock enough memory",
		"memory that cannot be locked cannot be registered with the NIC",
		"Raise the limit where the job is started.", "NVIDIA/nccl-tests#206",
		{ FACT_MEMLOCK, NO_NEED, NO_NEED }, memlock },
	{ "RDMA_RESOURCE_NOMEM", VERDICT_FAIL, "limits",
		"a device or kernel resource ran out; locked memory is not the limit",
		"queue pairs, completion queues and registrations are limited by device, "
		"firmware and cgroup",
		"Locked memory is unlimited, so another resource ran out: compare rdma "
		"resource show (QPs, CQs, MRs) with "
		"max_qp, max_cq and max_mr of ibv_devinfo -v, look at dmesg for the device and "
		"at the rdma cgroup and "
		"vm.max_map_count; use fewer QPs and channels (NCCL_IB_QPS_PER_CONNECTION, "
		"NCCL_NCHANNELS_PER_NET_PEER=1, "
		"PXN for all-to-all) or raise the device's resource profile.",
		"NVIDIA/nccl#1191", { NO_NEED, NO_NEED, NO_NEED }, resource_nomem },
	{ .code = NULL },
};
