/* SPDX-License-Identifier: Apache-2.0 */
/* Trees in pieces: a rank sends a piece on when it has come in from all that it waits for. */
#include "tests/validate/validate.h"

#include <math.h>

#include "lib/grow.h"
#include "lib/units.h"

#define ONE_LEAF                                                                               \
	"leaves: 1\nspines: 1\nhosts_per_leaf: %u\nspeed: 100G\n"                              \
	"policy: {buffer: 1GiB, alpha: 1}\n"
#define RANKS_MAX 64u
#define NOBODY UINT32_MAX
#define WINDOW 4u /* pieces on an edge, as the slots of a channel bound them */

/* An edge sends bytes in pieces; it waits for the edges of up to two ranks. */
struct edges {
	uint32_t up[RANKS_MAX], down[RANKS_MAX]; /* flow + 1 of the edge to and from a rank's
						    parent; 0: none */
};

struct tree {
	uint32_t ranks;
	uint32_t parent[RANKS_MAX]; /* NOBODY: the root */
};

/* Returns its place + 1. */
static uint32_t add(struct trial *trial, uint32_t src, uint32_t dst, uint64_t bytes,
	uint64_t piece_bytes, uint32_t window)
{
	struct plan_flow *flow = trial_flow(trial, src, dst, bytes);

	flow->burst_bytes = piece_bytes;
	flow->not_ect = true;
	flow->window = window;
	return trial->stage.flow_count;
}

/* A piece goes up when all children have sent theirs, and comes down when the parent has
 * it; the root sends it down when it has come up. */
static void wait_for(
	struct trial *trial, const struct tree *tree, const struct edges *edges, uint32_t rank)
{
	struct plan_flow *flows = trial->stage.flows;
	uint32_t children = 0;

	for (uint32_t child = 0; child < tree->ranks; child++) {
		if (tree->parent[child] != rank)
			continue;
		if (edges->up[rank])
			flows[edges->up[rank] - 1].after[children++] = edges->up[child];
		if (edges->down[child] && edges->down[rank])
			flows[edges->down[child] - 1].after[0] = edges->down[rank];
	}
}

static void root_turns(
	struct trial *trial, const struct tree *tree, const struct edges *edges, uint32_t root)
{
	for (uint32_t child = 0; child < tree->ranks; child++) {
		uint32_t children = 0;

		if (tree->parent[child] != root)
			continue;
		for (uint32_t other = 0; other < tree->ranks; other++)
			if (tree->parent[other] == root)
				trial->stage.flows[edges->down[child] - 1].after[children++] =
					edges->up[other];
	}
}

/* Reduce over a tree, and broadcast back where it is asked for. */
static void grow_tree(struct trial *trial, const struct tree *tree, uint64_t bytes,
	uint64_t piece_bytes, bool back)
{
	struct edges edges = { { 0 }, { 0 } };

	for (uint32_t rank = 0; rank < tree->ranks; rank++)
		if (tree->parent[rank] != NOBODY) {
			edges.up[rank] = add(
				trial, rank, tree->parent[rank], bytes, piece_bytes, WINDOW);
			if (back)
				edges.down[rank] = add(trial, tree->parent[rank], rank, bytes,
					piece_bytes, WINDOW);
		}
	for (uint32_t rank = 0; rank < tree->ranks; rank++) {
		wait_for(trial, tree, &edges, rank);
		if (back && tree->parent[rank] == NOBODY)
			root_turns(trial, tree, &edges, rank);
	}
}

static void binary(struct tree *tree, uint32_t ranks)
{
	tree->ranks = ranks;
	for (uint32_t rank = 0; rank < ranks; rank++)
		tree->parent[rank] = rank ? (rank - 1) / 2 : NOBODY;
}

static void trees(struct report *report)
{
	static const struct {
		uint32_t ranks;
		uint64_t bytes;
	} rows[] = { { 7, 64 }, { 15, 4096 }, { 15, 1000000 } };
	struct trial trial;
	struct tree tree;

	report_section(report, "Binary tree, reduce, without pipelining",
		"us to the root: depth x (latency + 2 V / B), for a parent takes in from two "
		"children at once.");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t depth = (uint32_t)log2(rows[i].ranks + 1) - 1;
		double volume = (double)rows[i].bytes, frames = ceil(volume / 4096), expected;

		binary(&tree, rows[i].ranks);
		trial_open(&trial, ONE_LEAF, rows[i].ranks);
		grow_tree(&trial, &tree, rows[i].bytes, rows[i].bytes, false);
		trial_run(&trial, 1);
		/* On the wire with RETH once; the first hop carries the last packet of one
		 * child while the second carries both. */
		expected = depth *
			   (2 * (volume + frames * 82 + 16) * 0.08 +
				   ((volume < 4096 ? volume + 16 : 4096 + 16) + 82) * 0.08 +
				   2 * 800 + 600 + 50);
		report_row(report, expected / 1e3, trial_end_ns(&trial) / 1e3, CLOSED_FORM,
			"%u ranks, %.0f bytes", rows[i].ranks, volume);
		trial_close(&trial);
	}
}

static void reduces(struct report *report)
{
	static const struct {
		uint32_t ranks, pieces;
		uint64_t bytes;
	} rows[] = { { 7, 1, 4194304 }, { 7, 16, 4194304 }, { 15, 64, 16777216 },
		{ 31, 64, 16777216 } };
	struct trial trial;

	report_section(report, "Binary tree, reduce, pipelined",
		"us to the root in k pieces of c = V / k, depth d: 2 V / B + d latency + (d - "
		"1) "
		"2 c / B: a parent takes in from two children at once, and each level is one "
		"pair of pieces behind the one below.");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t depth = (uint32_t)log2(rows[i].ranks + 1) - 1;
		uint64_t piece = rows[i].bytes / rows[i].pieces;
		struct tree tree;
		double rate;

		binary(&tree, rows[i].ranks);
		trial_open(&trial, ONE_LEAF, rows[i].ranks);
		rate = payload_rate(&trial.fabric);
		grow_tree(&trial, &tree, rows[i].bytes, piece, false);
		trial_run(&trial, 1);
		report_row(report,
			(2 * (double)rows[i].bytes / rate +
				depth * leaf_latency_ns(&trial.fabric) +
				(depth - 1) * 2 * (double)piece / rate) /
				1e3,
			trial_end_ns(&trial) / 1e3, CLOSED_FORM, "%u ranks, %u piece%s",
			rows[i].ranks, rows[i].pieces, rows[i].pieces > 1 ? "s" : "");
		trial_close(&trial);
	}
}

/* The first tree of NCCL's pair, and the second as its mirror. */
static void double_tree(struct tree *first, struct tree *second, uint32_t ranks)
{
	first->ranks = second->ranks = ranks;
	first->parent[0] = NOBODY;
	for (uint32_t rank = 1; rank < ranks; rank++) {
		uint32_t bit = rank & -rank, up = (rank ^ bit) | bit << 1;

		first->parent[rank] = up < ranks ? up : rank ^ bit;
	}
	for (uint32_t rank = 0; rank < ranks; rank++) {
		uint32_t parent = first->parent[ranks - 1 - rank];

		second->parent[rank] = parent == NOBODY ? NOBODY : ranks - 1 - parent;
	}
}

static void doubles(struct report *report)
{
	static const struct {
		uint32_t ranks, pieces;
		uint64_t bytes;
	} rows[] = { { 8, 64, 16777216 }, { 8, 256, 67108864 }, { 8, 128, 134217728 },
		{ 16, 64, 67108864 }, { 32, 64, 67108864 }, { 64, 64, 67108864 },
		{ 8, 16, 16777216 } };
	struct trial trial;

	report_section(report, "Double binary tree, all-reduce, pipelined",
		"us, each tree half of V in pieces of c, reduced to its root and sent back, at "
		"most "
		"4 pieces under way on an edge: 2 log2 N (latency + c / B) + 2 V / B (Sanders, "
		"Speck and Traff 2009; the trees are those of NCCL). Last row: with few pieces "
		"the "
		"form counts the filling of the pipeline for more than it takes, and 5 % are "
		"allowed.");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint32_t depth = (uint32_t)ceil(log2(rows[i].ranks));
		struct tree first, second;
		uint64_t half = rows[i].bytes / 2, piece = half / rows[i].pieces;
		double rate;

		double_tree(&first, &second, rows[i].ranks);
		trial_open(&trial, ONE_LEAF, rows[i].ranks);
		rate = payload_rate(&trial.fabric);
		grow_tree(&trial, &first, half, piece, true);
		grow_tree(&trial, &second, half, piece, true);
		trial_run(&trial, 1);
		report_row(report,
			(2 * (double)rows[i].bytes / rate +
				2 * depth *
					(leaf_latency_ns(&trial.fabric) +
						(double)piece / rate)) /
				1e3,
			trial_end_ns(&trial) / 1e3, rows[i].pieces < 64 ? 0.05 : CLOSED_FORM,
			"%u ranks, %.0f MiB in 2 x %u pieces", rows[i].ranks,
			(double)rows[i].bytes / MIB, rows[i].pieces);
		trial_close(&trial);
	}
}

/* A rank has one piece under way: the next goes when the last has arrived. */
static double chain_ns(uint32_t hops, uint64_t bytes, uint32_t pieces)
{
	struct trial trial;
	double ns;

	trial_open(&trial, ONE_LEAF, hops + 1);
	for (uint32_t hop = 0; hop < hops; hop++) {
		add(&trial, hop, hop + 1, bytes, bytes / pieces, 1);
		trial.stage.flows[hop].after[0] = hop;
	}
	trial_run(&trial, 1);
	ns = trial_end_ns(&trial);
	trial_close(&trial);
	return ns;
}

static void chains(struct report *report)
{
	static const uint32_t chunks[] = { 1, 4, 16, 64, 256, 1024 };
	uint32_t hops = 7, best = 0;
	uint64_t bytes = 32768000;
	double least = INFINITY, alpha, rate;
	struct trial trial;

	report_section(report, "Chain broadcast, pipelined",
		"ms over 7 hops in k chunks: (7 + k - 1) (latency + V / k / B), V = 32.768 MB. "
		"Last row: "
		"the best k of these, against k* = sqrt(6 V / B / latency).");
	trial_open(&trial, ONE_LEAF, hops + 1);
	alpha = leaf_latency_ns(&trial.fabric);
	rate = payload_rate(&trial.fabric);
	trial_close(&trial);
	for (size_t i = 0; i < COUNT_OF(chunks); i++) {
		uint32_t k = chunks[i];
		double ns = chain_ns(hops, bytes, k);

		if (ns < least) {
			least = ns;
			best = k;
		}
		report_row(report, (hops + k - 1.0) * (alpha + (double)bytes / k / rate) / 1e6,
			ns / 1e6, CLOSED_FORM, "k = %u", k);
	}
	/* The grid goes up by four: right is within a factor of two. */
	report_row(report, log2(sqrt((hops - 1.0) * (double)bytes / rate / alpha)),
		log2((double)best), 1 / log2((double)best), "log2 of the best k");
}

void validate_trees(struct report *report)
{
	trees(report);
	reduces(report);
	doubles(report);
	chains(report);
}
