/*
 * scene - what a drawing of the fabric needs and the run file does not tell: which
 * nodes there are and in which row they stand, which cables join them, and what a
 * simulation was told to break. Filled by cmd/, which knows fabrics.
 *
 * Names are those of the run file: a NIC or port is a place of its counters. A
 * scene without nodes is a run whose fabric is not known.
 */
#ifndef REPORTS_SCENE_H
#define REPORTS_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/finding.h"
#include "lib/run.h"

#define SCENE_NONE UINT32_MAX

enum scene_tier { SCENE_HOST, SCENE_LEAF, SCENE_SPINE };

struct scene_node {
	char name[RUN_NAME];
	enum scene_tier tier;
	uint32_t leaf; /* of a host: the node of the leaf that its first NIC hangs on;
			* SCENE_NONE: no cable */
};

/* a is the lower tier. */
struct scene_link {
	uint32_t a, b;                           /* nodes */
	char a_port[RUN_NAME], b_port[RUN_NAME]; /* at a host the NIC's name */
	uint64_t speed_bps;
};

struct scene_nic {
	char name[RUN_NAME];
	uint32_t node, link; /* link SCENE_NONE: no cable */
};

/* A fault that the simulator was told to inject. */
struct scene_fault {
	char kind[24], place[64];
	uint64_t from_ns, to_ns; /* on the run's clock; to_ns UINT64_MAX: to the end */
};

struct scene {
	struct scene_node *nodes; /* owned, as all arrays: hosts, then leaves, then spines */
	struct scene_link *links;
	struct scene_nic *nics;
	struct scene_fault *faults;
	uint32_t node_count, link_count, nic_count, fault_count;
	uint64_t buffer_bytes; /* of a switch, for all its ports: policy.buffer; 0: not known */
	double spike; /* share above the median that makes a step a spike: limits.spike */
};

#define SCENE_INIT                                                                             \
	{                                                                                      \
		.nodes = NULL                                                                  \
	}

void scene_free(struct scene *scene); /* safe on SCENE_INIT, safe twice */

/* What a finding blames, as far as it can be drawn; SCENE_NONE for what it is not. */
struct scene_spot {
	uint32_t node; /* switch or host; of a NIC its host, of a port its switch */
	uint32_t link; /* the link, or that of the NIC or port */
};

struct scene_spot scene_spot(const struct scene *scene, const struct finding *finding);

#endif
