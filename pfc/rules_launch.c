/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/rule.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/rule_command.h"
#include "pfc/scan.h"

#define NO_NEED FACT_KEYS

/* Ranks in the largest communicator, 0 when not known. */
static double ranks_of(const struct facts *facts)
{
	double ranks = 0;

	FACTS_EACH (facts, FACT_COMM, comm)
		if (comm->number > ranks && strcmp(comm->subject, "nodes told") != 0 &&
			strcmp(comm->subject, "GPUs a node") != 0)
			ranks = comm->number;
	return ranks;
}

/* Communicators that have a rank 0 of their own: several of them are several
 * jobs; or several closing lines of one command. */
static int copies_of(const struct facts *facts)
{
	int copies = 0, averages = 0;

	FACTS_EACH (facts, FACT_COMM, comm) {
		bool seen = false;

		if (strcmp(comm->name, "0") != 0)
			continue;
		for (const struct fact *it = facts_first(facts, FACT_COMM); it != comm;
			it = facts_next(facts, it))
			seen = seen || (strcmp(it->name, "0") == 0 &&
					       strcmp(it->subject, comm->subject) == 0 &&
					       strcmp(it->place, comm->place) == 0);
		copies += !seen;
	}
	FACTS_EACH (facts, FACT_NCCL_AVG, average)
		averages++;
	return copies > averages ? copies : averages;
}

static enum outcome not_mpi(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double ranks = ranks_of(facts), wanted = command_ranks(facts);
	int copies = copies_of(facts);

	if (wanted < 1 || (ranks < 1 && copies < 2))
		return RULE_UNKNOWN;
	if (ranks >= wanted || copies < 2)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level,
		"%d communicators of %.0f ranks ran where the command asks for one of %.0f",
		copies, ranks, wanted);
	explain_number(out, "nranks", ranks);
	explain_number(out, "expected_nranks", wanted);
	explain_number(out, "copies", copies);
	return RULE_FIRED;
}

static enum outcome single_rank(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	double ranks = ranks_of(facts), busbw = 0;
	bool rows = false;

	FACTS_EACH (facts, FACT_NCCL_ROW, row) {
		rows = true;
		busbw = row->number > busbw ? row->number : busbw;
	}
	FACTS_EACH (facts, FACT_NCCL_AVG, average)
		busbw = average->number > busbw ? average->number : busbw;
	rows = rows || facts_first(facts, FACT_NCCL_AVG);
	if (ranks < 1 && facts_first(facts, FACT_COMMAND) && rows && busbw <= 0 &&
		command_number(facts_first(facts, FACT_COMMAND)->text, "-g", 1) <= 1)
		ranks = 1;
	if (ranks < 1)
		return RULE_UNKNOWN;
	if (ranks > 1 || command_ranks(facts) > 1)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "one rank only: nothing crosses a network");
	explain_number(out, "nranks", 1);
	explain_number(out, "peak_busbw", busbw);
	return RULE_FIRED;
}

static enum outcome socket_fallback(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *socket = facts_find(facts, FACT_HCA_USED, NULL, NULL, "socket");
	const struct fact *none = facts_find(facts, FACT_HCA_USED, NULL, NULL, "none");
	const struct fact *iface = facts_find(facts, FACT_NETDEV, NULL, NULL, "socket");
	const struct fact *off = facts_find(facts, FACT_ENV, NULL, NULL, "NCCL_IB_DISABLE");

	if (!socket && !none)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "the library runs over TCP%s%s%s",
		iface ? " on " : "", iface ? iface->subject : "",
		none ? ": it found no RDMA device" : "");
	if (iface)
		explain_fact(out, "iface", "%s", iface->subject);
	if (off && strcmp(off->text, "1") == 0)
		explain_advice(out, "NCCL_IB_DISABLE=1 is set, so the library runs over TCP; "
				    "unset it and check that the log then says NET/IB.");
	return RULE_FIRED;
}

static enum outcome tls(const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *first = facts_first(facts, FACT_TLS);
	double port = 0;
	const struct fact *other = NULL;

	FACTS_EACH (facts, FACT_TLS, end) {
		port = end->number > 0 ? end->number : port;
		if (!other && strcmp(end->text, first->text) != 0)
			other = end;
	}
	if (!facts_next(facts, first))
		return RULE_UNKNOWN;
	if (!other)
		return RULE_CLEAR;
	explain_code(out, rule, rule->level, "TLS is %s on %s and %s on %s", first->text,
		*first->place ? first->place : "one end", other->text,
		*other->place ? other->place : "the other");
	if (*first->place)
		explain_fact(out, first->place, "%s", first->text);
	if (*other->place)
		explain_fact(out, other->place, "%s", other->text);
	if (port > 0)
		explain_number(out, "port", port);
	explain_advice(out,
		"TLS is off at one end and on at the other (%s %s, %s %s); set hccn_tool -tls "
		"the same on every device, then try "
		"again. This is not a fault of the RoCE data path.",
		first->place, first->text, other->place, other->text);
	return RULE_FIRED;
}

static enum outcome port_in_use(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	const struct fact *failed = NULL;

	FACTS_EACH (facts, FACT_PORT_IN_USE, it)
		if (strcmp(it->subject, "listener") != 0 && (!failed || failed->number < 1))
			failed = it;
	if (!failed)
		return RULE_CLEAR;
	if (failed->number > 0) {
		explain_code(out, rule, rule->level,
			"TCP port %.0f is taken by another process", failed->number);
		explain_number(out, "port", failed->number);
		explain_advice(out,
			"Another process holds TCP port %.0f: find it (ss -ltnp 'sport = "
			":%.0f'), end the left-over server or choose "
			"another port (-p of perftest, HCCL_IF_BASE_PORT, MASTER_PORT), and "
			"start again. Connection errors after this "
			"line are consequences, not faults of the network.",
			failed->number, failed->number);
	} else {
		explain_code(
			out, rule, rule->level, "the listen port is taken by another process");
	}
	if (*failed->place)
		explain_fact(out, "host", "%s", failed->place);
	return RULE_FIRED;
}

/* Bit fields of a queue pair: 3 bits of retry count, 5 bits of time-out. */
static const struct limit {
	const char *variable;
	double least, most;
	const char *field;
} limits[] = {
	{ "NCCL_IB_RETRY_CNT", 0, 7, "3 bits" },
	{ "NCCL_IB_TIMEOUT", 0, 31, "5 bits" },
	{ "RCCL_IB_RETRY_CNT", 0, 7, "3 bits" },
	{ "UCX_RC_RETRY_COUNT", 0, 7, "3 bits" },
	{ "UCX_RC_RNR_RETRY_COUNT", 0, 7, "3 bits" },
	{ "UCX_RC_VERBS_RETRY_COUNT", 0, 7, "3 bits" },
	{ "HCCL_RDMA_RETRY_CNT", 1, 7, "3 bits" },
	{ "HCCL_RDMA_TIMEOUT", 5, 24, "5 bits, documented 5 to 24" },
	{ "NVSHMEM_IB_RETRY_CNT", 0, 7, "3 bits" },
	{ "retry_cnt", 0, 7, "3 bits" },
	{ "rnr_retry", 0, 7, "3 bits" },
	{ "timeout", 0, 31, "5 bits" },
};

static enum outcome retry_range(
	const struct rule *rule, const struct facts *facts, struct explain *out)
{
	enum verdict level = facts_first(facts, FACT_CALL_FAILED) || facts_first(facts, FACT_WC)
				     ? VERDICT_FAIL
				     : VERDICT_WARN; /* cut to fewer bits, it still runs */
	bool judged = false;

	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		const struct fact *set =
			facts_find(facts, FACT_ENV, NULL, NULL, limits[i].variable);
		double value;
		int mask = limits[i].most > 7 ? 31 : 7;

		if (!set || !scan_whole_number(set->text, &value))
			continue;
		judged = true;
		if (value >= limits[i].least && value <= limits[i].most)
			continue;
		explain_code(out, rule, level,
			"%s=%.0f does not fit its field (%s, %.0f to %.0f)", limits[i].variable,
			value, limits[i].field, limits[i].least, limits[i].most);
		explain_number(out, mask == 7 ? "retry_cnt" : "timeout", value);
		explain_number(out, "max", limits[i].most);
		explain_number(out, "effective", scan_int(value) & mask);
		explain_advice(out,
			"Set %s to at most %.0f: the field has %s, so %.0f is refused (Invalid "
			"argument) or cut to %d. For longer patience "
			"raise the time-out (each step doubles 4.096 us), not the count.",
			limits[i].variable, limits[i].most, limits[i].field, value,
			scan_int(value) & mask);
		return RULE_FIRED;
	}
	FACTS_EACH (facts, FACT_COMMAND, command) {
		double value = command_number(
			command->text, "-u", command_number(command->text, "--qp-timeout", 14));

		if (!scan_has(command->subject, "ib_"))
			continue;
		judged = true;
		if (value <= 31)
			continue;
		explain_code(out, rule, rule->level,
			"the QP time-out %.0f does not fit 5 bits (0 to 31)", value);
		explain_number(out, "timeout", value);
		return RULE_FIRED;
	}
	return judged ? RULE_CLEAR : RULE_UNKNOWN;
}

const struct rule rules_launch[] = {
	{ "NCCL_TESTS_NOT_MPI", VERDICT_FAIL, "launch",
		"several single-node copies ran instead of one job",
		"nothing crossed the network: the figures are those inside a node",
		"Several separate single-node runs happened; rebuild nccl-tests with MPI=1 "
		"(make clean first, MPI_HOME set) and "
		"check that nranks equals processes x GPUs.",
		"NVIDIA/nccl-tests#27", { FACT_COMMAND, NO_NEED, NO_NEED }, not_mpi },
	{ "SINGLE_RANK", VERDICT_PASS, "launch",
		"one rank only: bus bandwidth is 0 by definition", "2(n-1)/n is 0 for n = 1",
		"With one rank the factor 2(n-1)/n is 0, so the bus bandwidth is 0 by "
		"definition and says nothing of the network; "
		"run with at least two ranks (-g 2, or mpirun -np 2 over two hosts).",
		"NVIDIA/nccl-tests src/all_reduce.cu", { NO_NEED, NO_NEED, NO_NEED },
		single_rank },
	{ "SOCKET_FALLBACK", VERDICT_FAIL, "launch", "the collective library runs over TCP",
		"RDMA is not used at all",
		"No RDMA device is visible to the process (container without /dev/infiniband, "
		"missing user-space driver, or "
		"NCCL_IB_HCA matching nothing), so the library runs over TCP; mount the "
		"devices, install the provider "
		"(ibv_devinfo must list it inside the container), check NCCL_IB_HCA and "
		"NCCL_IB_DISABLE.",
		"sgl-project/sglang#3398", { FACT_HCA_USED, NO_NEED, NO_NEED },
		socket_fallback },
	{ "TLS_MISMATCH", VERDICT_FAIL, "launch", "TLS is on at one end and off at the other",
		"the control connection never stands",
		"Set hccn_tool -tls the same on every device.", "hiascend.com hcclug_000055",
		{ FACT_TLS, NO_NEED, NO_NEED }, tls },
	{ "LISTEN_PORT_IN_USE", VERDICT_FAIL, "launch",
		"another process holds the port of the exchange; what follows is a consequence",
		"the server never listens, so the client cannot connect or talks to the wrong "
		"one",
		"Another process holds the port: find it (ss -ltnp), end the left-over server "
		"or choose another port (-p of "
		"perftest, HCCL_IF_BASE_PORT, MASTER_PORT), and start again. What follows is a "
		"consequence.",
		"hiascend.com EJ0003", { FACT_PORT_IN_USE, NO_NEED, NO_NEED }, port_in_use },
	{ "RETRY_CNT_OUT_OF_RANGE", VERDICT_FAIL, "transport",
		"a retry count or timeout beyond its bit field",
		"the driver refuses it, or keeps its low bits only: fewer retries than meant",
		"Use 0 to 7 for a retry count and 0 to 31 for a time-out.",
		"InfiniBand Architecture, QP attributes", { NO_NEED, NO_NEED, NO_NEED },
		retry_range },
	{ .code = NULL },
};
