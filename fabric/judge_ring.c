/* SPDX-License-Identifier: Apache-2.0 */

/*
 * ring: the all-reduce moved the bytes that it must, to the byte; its bus
 * bandwidth (nccl-tests: algbw = V / t, busbw = algbw * 2 (n-1) / n) reaches
 * limits.busbw of the payload ceiling; which edge is slowest, and whether its
 * host or the network took the time; steps that stick out, joined with what the
 * counters say of the same window.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "fabric/judging.h"
#include "fabric/ringtime.h"
#include "fabric/tally.h"
#include "lib/units.h"

/* An edge this much above the median edge is slow. */
#define EDGE_SLOW 1.10
/* Hosts that spend this share of the run before posting are the reason. */
#define HOST_SHARE 0.10
/* Where latency leaves less than this of the ceiling, twice the time on the wire hardly shows. */
#define LEAVES_LEAST 0.10
/* What is this much below a limit that allows for latency is slow all the same. */
#define GROSSLY 4.0
/* A host whose sums take this much of the mean is named. */
#define SUMS_APART 1.5

static void *begin(const struct judging *judging)
{
	(void)judging;
	return NULL;
}

static double least_ceiling_bps(const struct evidence *evidence)
{
	uint64_t least = UINT64_MAX;

	for (uint32_t i = 0; i < evidence->ring.ranks; i++) {
		uint64_t bps = fabric_nic_bps(evidence->fabric, evidence->ring.nics[i]);

		least = bps < least ? bps : least;
	}
	return (double)payload_ceiling_bps(least, evidence->fabric->mtu_bytes);
}

/* What checking and adding took in the iterations that are timed. */
struct sums {
	double ns;      /* on the way of a sum: the mean of the ranks */
	double most_ns; /* of one rank */
	uint32_t rank;  /* that one */
};

/* No rank sends a chunk on before it has added it, and the way of a sum leads through each rank as
 * often: the mean of what they took lies on it. But a rank adds one chunk at a time: the one that
 * takes longest may set the pace by itself. All 0 where no sums were made. */
static struct sums sums_of(const struct evidence *evidence, const struct ringtime *times)
{
	double n = times->ranks, chunks_timed = 2 * (n - 1) * times->iterations;
	struct sums sums = { 0, 0, 0 };

	for (uint32_t i = 0; i < times->ranks; i++) {
		uint32_t port = evidence->fabric->nics[evidence->ring.nics[i]];
		uint64_t chunks = evidence_sum(evidence, port, M_RING_CHECKED);
		double ns;

		if (!chunks)
			continue;
		ns = (double)evidence_sum(evidence, port, M_RING_SUMS_NS) / (double)chunks *
		     chunks_timed;
		sums.ns += ns / n;
		if (ns > sums.most_ns) {
			sums.most_ns = ns;
			sums.rank = i;
		}
	}
	return sums;
}

/* V over the mean time of an iteration less that of its sums, times 2 (n-1) / n. */
static double busbw_bps(const struct evidence *evidence, const struct ringtime *times)
{
	double n = times->ranks, run_ns = (double)(times->end_ns - times->start_ns), mean_ns;

	mean_ns = (run_ns - sums_of(evidence, times).ns) / times->iterations;
	if (mean_ns <= 0)
		return 0;
	return (double)evidence->ring.bytes * 8 * (double)NS_PER_S / mean_ns * 2 * (n - 1) / n;
}

/* --- bytes --- */

static void tell_bytes(
	struct judging *judging, const struct evidence *evidence, const struct seen *seen)
{
	const struct plan_ring *ring = &evidence->ring;
	uint64_t total = (uint64_t)ring->iterations * 2 * (ring->ranks - 1) * ring->bytes;
	bool even = ring->bytes % ((uint64_t)ring->ranks * ring->elem_bytes) == 0;
	uint64_t delivered = 0;
	uint32_t wrong = 0;
	struct finding *finding;

	for (size_t i = 0; i < evidence->flow_count; i++) {
		delivered += evidence->flows[i].bytes_delivered;
		wrong += even && evidence->flows[i].bytes_delivered != total / ring->ranks;
	}
	if (evidence->flow_count != ring->ranks || !stage_complete(evidence))
		return;
	finding = judging_say(judging, "ring.bytes", "ring",
		delivered == total && !wrong ? VERDICT_PASS : VERDICT_FAIL, seen);
	finding_text(finding,
		"%" PRIu64 " bytes delivered to %u ranks in %u all-reduces of %" PRIu64
		" bytes; 2V(N-1)/N asks for %" PRIu64,
		delivered, ring->ranks, ring->iterations, ring->bytes, total);
	finding_limit(finding, (double)delivered, (double)total, "bytes",
		"2V(N-1)/N of every rank (ring all-reduce)");
	if (finding->verdict == VERDICT_FAIL) {
		finding->rank = RANK_SYMPTOM;
		finding->culprit_kind = CULPRIT_UNLOCATED;
		finding_advice(finding,
			"the ledger of the collective does not balance: check the "
			"sums of the data before anything else");
	}
}

/* --- sums --- */

/* The rank that saw a wrong chunk first, by step: what is wrong later has come from there. */
static uint32_t first_wrong(const struct evidence *evidence, uint64_t *checked, uint64_t *wrong)
{
	uint32_t first = PORT_NONE;
	uint64_t least = UINT64_MAX;

	for (uint32_t rank = 0; rank < evidence->ring.ranks; rank++) {
		uint32_t port = evidence->fabric->nics[evidence->ring.nics[rank]];

		*checked += evidence_sum(evidence, port, M_RING_CHECKED);
		*wrong += evidence_sum(evidence, port, M_RING_WRONG);
		if (evidence_sum(evidence, port, M_RING_WRONG) == 0 ||
			evidence_at(evidence, port, M_RING_WRONG_STEP) >= least)
			continue;
		least = evidence_at(evidence, port, M_RING_WRONG_STEP);
		first = rank;
	}
	return first;
}

static void tell_wrong(struct judging *judging, const struct evidence *evidence, uint32_t rank,
	struct finding *finding)
{
	uint32_t nic = evidence->ring.nics[rank], port = evidence->fabric->nics[nic];
	uint64_t steps = 2 * (evidence->ring.ranks - UINT64_C(1));
	uint64_t step = evidence_sum(evidence, port, M_RING_WRONG_STEP);
	struct place place = place_port(judging->fabric, port);

	finding->rank = RANK_CAUSE;
	finding->culprit_kind = place.kind;
	place_name(judging->fabric, &place, finding->culprit);
	finding_text(finding,
		"rank %u, %s: chunk %" PRIu64 " came in wrong in step %" PRIu64
		" of all-reduce %" PRIu64 " of %s; nobody saw a wrong one before",
		rank, finding->culprit, evidence_sum(evidence, port, M_RING_WRONG_CHUNK),
		step % steps + 1, step / steps + 1, evidence->stage.name);
	finding_advice(finding,
		"RDMA's own checksum covers the way: look at the memory and the PCIe path of "
		"%s "
		"and of the rank before it, and at what else writes there",
		finding->culprit);
}

/* Only where sums were made: a simulated ring carries no data. */
static void tell_sums(
	struct judging *judging, const struct evidence *evidence, const struct seen *seen)
{
	uint64_t checked = 0, wrong = 0, all;
	uint32_t rank = first_wrong(evidence, &checked, &wrong);
	struct finding *finding;

	all = 2 * (evidence->ring.ranks - UINT64_C(1)) * evidence->ring.ranks *
	      evidence->ring.iterations;
	if (!judging_is_live(judging))
		return;
	finding = judging_say(judging, "ring.sums", "ring",
		wrong            ? VERDICT_FAIL
		: checked == all ? VERDICT_PASS
				 : VERDICT_UNKNOWN,
		seen);
	finding_limit(finding, (double)wrong, 0, "chunks",
		"every chunk of every step is what the sum of its ranks must be");
	if (wrong)
		tell_wrong(judging, evidence, rank, finding);
	else
		finding_text(finding,
			"%" PRIu64 " of %" PRIu64
			" chunks were compared, in every step at every "
			"rank, and all were right",
			checked, all);
}

/* --- bandwidth --- */

static uint64_t host_wait_ns(const struct ringtime *times, uint32_t *rank)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < times->ranks; i++)
		if (times->edges[i].wait_ns > most) {
			most = times->edges[i].wait_ns;
			*rank = i;
		}
	return most;
}

static void vote_edges(
	struct votes *votes, const struct evidence *evidence, const struct ringtime *times)
{
	uint32_t slow = 0;

	for (uint32_t i = 0; i < times->ranks; i++)
		slow += (double)times->edges[i].median_ns >
			EDGE_SLOW * (double)times->median_ns;
	for (size_t i = 0; i < evidence->flow_count; i++) {
		uint32_t rank = evidence->flows[i].flow;
		bool bad = slow == 0 || (rank < times->ranks &&
						(double)times->edges[rank].median_ns >
							EDGE_SLOW * (double)times->median_ns);

		votes_add(votes, evidence, i, bad);
	}
}

static void edge_name(const struct evidence *evidence, uint32_t rank, char *text, size_t bytes)
{
	const struct plan_ring *ring = &evidence->ring;
	char from[2 * NAME_BYTES], to[2 * NAME_BYTES];

	fabric_nic_name(evidence->fabric, ring->nics[rank], from);
	fabric_nic_name(evidence->fabric, ring->nics[(rank + 1) % ring->ranks], to);
	snprintf(text, bytes, "%.31s->%.31s", from, to);
}

/* A host that is late to post, on a network that lost nothing. */
static bool tell_host(struct judging *judging, const struct evidence *evidence,
	const struct ringtime *times, struct finding *finding)
{
	struct tally tally = { 0 };
	uint32_t rank = 0;
	uint64_t wait_ns = host_wait_ns(times, &rank);
	char name[2 * NAME_BYTES];

	tally_add(&tally, evidence);
	if ((double)wait_ns < HOST_SHARE * (double)(times->end_ns - times->start_ns) ||
		tally_drops(&tally) || tally.lost || tally.resent || tally.timeouts)
		return false;
	fabric_nic_name(judging->fabric, evidence->ring.nics[rank], name);
	finding->verdict = VERDICT_FAIL;
	finding->rank = RANK_SYMPTOM;
	finding->culprit_kind = CULPRIT_NOT_NETWORK;
	snprintf(finding->culprit, sizeof(finding->culprit), "not the network");
	finding_advice(finding,
		"%s had its input for %.0f us before it posted, and nothing was lost "
		"or resent: look at the host (compute, CPU, PCIe), not at the "
		"network",
		name, (double)wait_ns / (double)NS_PER_US);
	return true;
}

/* Sums that took more than half of the run, at one rank too, leave too little of it to blame the
 * network. */
static bool tell_busy(
	const struct evidence *evidence, const struct ringtime *times, struct finding *finding)
{
	double run_ns = (double)(times->end_ns - times->start_ns);
	struct sums sums = sums_of(evidence, times);
	char name[2 * NAME_BYTES];

	if (sums.most_ns * 2 < run_ns)
		return false;
	finding->verdict = VERDICT_UNKNOWN;
	fabric_nic_name(evidence->fabric, evidence->ring.nics[sums.rank], name);
	if (sums.most_ns > SUMS_APART * sums.ns)
		finding_advice(finding,
			"the sums of %s took %.0f %% of the time, those of all %.0f %% at the "
			"mean: "
			"it may have set the pace, and the network's share cannot be told; "
			"see what else its processor does",
			name, sums.most_ns / run_ns * 100, sums.ns / run_ns * 100);
	else
		finding_advice(finding,
			"the hosts' sums took %.0f %% of the time: too much to tell the "
			"network's share",
			sums.most_ns / run_ns * 100);
	return true;
}

/* What the latency of the steps leaves of the ceiling, by the closed form of the plan:
 * small chunks and long cables keep a healthy ring below any fixed limit. */
static double latency_leaves(const struct evidence *evidence)
{
	const struct plan_ring *ring = &evidence->ring;
	double n = ring->ranks, ideal_s;

	ideal_s = (double)ring->bytes * 8 * ring->iterations * 2 * (n - 1) / n /
		  least_ceiling_bps(evidence);
	return ideal_s * (double)NS_PER_S / (double)evidence->stage.expected_ns;
}

/* Chunks so small that their time is that of the way, whatever the bandwidth is. */
static bool tell_brief(const struct evidence *evidence, double leaves, struct finding *finding)
{
	if (leaves >= LEAVES_LEAST)
		return false;
	finding->verdict = VERDICT_UNKNOWN;
	finding_advice(finding,
		"latency takes %.0f %% of a step of %" PRIu64
		" bytes: too much to tell the bandwidth; ask for larger all-reduces",
		(1 - leaves) * 100, evidence->ring.bytes / evidence->ring.ranks);
	return true;
}

/* The slowest edge leads from a faster NIC to a slower one: congestion control has to find the
 * slower one's rate in every step, and what that takes is no fault of the way. */
static bool steps_down(const struct evidence *evidence, uint32_t rank)
{
	const struct plan_ring *ring = &evidence->ring;
	uint32_t to = (rank + 1) % ring->ranks;

	return fabric_nic_bps(evidence->fabric, ring->nics[rank]) >
	       fabric_nic_bps(evidence->fabric, ring->nics[to]);
}

static void tell_bandwidth(struct judging *judging, const struct evidence *evidence,
	const struct ringtime *times, const struct seen *seen)
{
	double limit = (double)judging->fabric->limits.busbw_ppb / (double)PPB;
	double leaves = latency_leaves(evidence);
	bool short_steps = leaves < limit;
	double bps = busbw_bps(evidence, times), share = bps / least_ceiling_bps(evidence);
	const struct edge_time *edge = &times->edges[times->slowest];
	struct rate_unit unit = rate_unit_of(bps);
	double n = times->ranks, sums_ns = sums_of(evidence, times).ns;
	struct finding *finding;
	struct votes votes;
	char name[80], sums[80] = "";

	if (sums_ns > 0)
		snprintf(sums, sizeof(sums), "; sums, %.1f us a step, do not count",
			sums_ns / (double)NS_PER_US / (2 * (n - 1)) / times->iterations);
	edge_name(evidence, times->slowest, name, sizeof(name));
	finding = judging_say(judging, "ring.busbw", "ring",
		stage_met_deadline(&evidence->stage) ? VERDICT_PASS : VERDICT_UNKNOWN, seen);
	finding_text(finding,
		"%u ranks, %u all-reduces: algbw %.2f, busbw %.2f %s, %.1f %% of "
		"the payload ceiling; slowest edge %s, %.1f us a step, median edge "
		"%.1f us%s",
		times->ranks, times->iterations, bps * n / (2 * (n - 1)) / unit.bps,
		bps / unit.bps, unit.name, share * 100, name,
		(double)edge->median_ns / (double)NS_PER_US,
		(double)times->median_ns / (double)NS_PER_US, sums);
	if (short_steps)
		limit *= leaves;
	finding_limit(finding, share, limit, "ratio",
		"limits.busbw of line rate less framing (MTU %u)%s", judging->fabric->mtu_bytes,
		short_steps ? ", less what the latency of steps this short takes" : "");
	if ((share >= limit / GROSSLY && tell_brief(evidence, leaves, finding)) ||
		share >= limit || tell_busy(evidence, times, finding) ||
		tell_host(judging, evidence, times, finding))
		return;
	if (steps_down(evidence, times->slowest) && !judging->fabric->policy.dcqcn.off) {
		finding->verdict = VERDICT_WARN;
		finding_advice(finding,
			"%s leads from a faster NIC to a slower one, and congestion control "
			"has to "
			"find its rate in every step: put NICs of one speed into a ring",
			name);
		return;
	}
	finding->weight = (uint64_t)((limit - share) * 1e6);
	finding_advice(finding,
		"look at the way of %s: a ring runs at the speed of its slowest edge", name);
	votes_begin(&votes, judging->fabric);
	vote_edges(&votes, evidence, times);
	judging_complain(judging, &votes, seen);
}

/* --- spikes --- */

static void tell_spikes(struct judging *judging, const struct evidence *evidence,
	const struct ringtime *times, const struct seen *seen)
{
	double run_ns = (double)(times->end_ns - times->start_ns), spike_ns = 0;
	double limit = (double)judging->fabric->limits.spike_ppb / (double)PPB;
	const struct edge_time *worst = &times->edges[0];
	struct tally tally = { 0 };
	struct finding *finding;
	struct votes votes;
	uint32_t spikes = 0, timeouts;

	for (uint32_t i = 0; i < times->ranks; i++) {
		const struct edge_time *edge = &times->edges[i];

		spikes += edge->spikes;
		spike_ns += (double)edge->spike_ns;
		if (edge->longest_ns - edge->median_ns > worst->longest_ns - worst->median_ns)
			worst = edge;
	}
	tally_add(&tally, evidence);
	timeouts = ringtime_timeouts(
		worst->longest_ns - worst->median_ns, judging->fabric->policy.timeout_exp);
	finding = judging_say(judging, "ring.spikes", "ring", VERDICT_PASS, seen);
	finding_text(finding,
		"%u steps stuck out (above the median of their edge + max(%.0f %%, 5 MAD)), "
		"the "
		"longest by %.0f us%s; same window: %" PRIu64 " dropped, %" PRIu64
		" lost, %" PRIu64 " resent, %" PRIu64 " timeouts, %" PRIu64 " XOFF, %" PRIu64
		" CNP",
		spikes, limit * 100,
		(double)(worst->longest_ns - worst->median_ns) / (double)NS_PER_US,
		timeouts ? ", as long as ACK timeouts are" : "", tally_drops(&tally),
		tally.lost, tally.resent, tally.timeouts, tally.xoff, tally.cnps_sent);
	finding_limit(finding, spike_ns / run_ns / times->ranks, limit, "ratio",
		"time lost in spikes over the run; limits.spike");
	if (!(timeouts && tally.timeouts) && spike_ns / run_ns / times->ranks <= limit)
		return;
	finding_advice(finding,
		"see the cause if one is named; a spike of k x 4.096 us x 2^%u is a "
		"packet lost at the end of a message",
		judging->fabric->policy.timeout_exp);
	finding->weight = spikes;
	votes_begin(&votes, judging->fabric);
	for (size_t i = 0; i < evidence->flow_count; i++) {
		uint32_t rank = evidence->flows[i].flow;

		votes_add(&votes, evidence, i,
			rank < times->ranks && times->edges[rank].spikes > 0);
	}
	judging_complain(judging, &votes, seen);
}

static void stage(struct judging *judging, void *state, const struct evidence *evidence)
{
	struct seen seen = { 0 };
	struct ringtime times;

	(void)state;
	if (evidence->stage.layer != LAYER_RING)
		return;
	seen_add(&seen, &evidence->stage);
	tell_sums(judging, evidence, &seen);
	if (ringtime_init(&times, evidence, judging->fabric->limits.spike_ppb)) {
		tell_bytes(judging, evidence, &seen);
		tell_bandwidth(judging, evidence, &times, &seen);
		tell_spikes(judging, evidence, &times, &seen);
	} else {
		struct finding *finding =
			judging_say(judging, "ring.busbw", "ring", VERDICT_UNKNOWN, &seen);

		finding_text(
			finding, "no all-reduce of %s was completed", evidence->stage.name);
	}
	ringtime_free(&times);
}

static void end(struct judging *judging, void *state, bool speak)
{
	(void)judging;
	(void)state;
	(void)speak;
}

const struct judge judge_ring = { begin, stage, end };
