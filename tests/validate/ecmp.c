/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/validate/figure.h"

#include <math.h>
#include <stdlib.h>

#include "fabric/chance.h"
#include "lib/grow.h"
#include "lib/units.h"

#define DRAWS 1000u

/* max/mean of the QPs on the uplinks of the first leaf, U NICs with Q each. */
static double one_draw(const struct trial *trial, uint64_t seed, uint32_t uplinks, uint32_t qps,
	uint32_t *load)
{
	uint32_t most = 0, ports[8];

	for (uint32_t i = 0; i < uplinks; i++)
		load[i] = 0;
	for (uint32_t nic = 0; nic < uplinks; nic++)
		for (uint32_t q = 0; q < qps; q++) {
			uint16_t sport = route_sport(seed, nic, nic + uplinks, q);
			uint32_t at;

			routing_path(&trial->routing, nic, nic + uplinks, sport, ports, 8);
			at = trial->fabric.ports[ports[1]].number - uplinks - 1;
			most = ++load[at] > most ? load[at] : most;
		}
	return (double)most / qps;
}

/* What is sent is what the hash says: the same figure from the packets. */
static void by_packets(struct report *report, uint32_t uplinks, uint32_t qps)
{
	uint32_t *load = zeroed(uplinks, sizeof(*load));
	uint64_t most = 0, sum = 0;
	struct trial trial;

	trial_open(&trial, "leaves: 2\nspines: %u\nhosts_per_leaf: %u\nspeed: 100G\n", uplinks,
		uplinks);
	for (uint32_t nic = 0; nic < uplinks; nic++)
		trial_flow(&trial, nic, nic + uplinks, qps * UINT64_C(40960))->qps = qps;
	trial_run(&trial, 5);
	for (uint32_t port = 1; port <= uplinks; port++) {
		char name[32];
		uint64_t bytes;

		snprintf(name, sizeof(name), "leaf1:%u", uplinks + port);
		/* Without the ACKs, which are small. */
		bytes = trial_counter(&trial, name, "tx_prio3_bytes") / 41000;
		sum += bytes;
		most = bytes > most ? bytes : most;
	}
	report_row(report, one_draw(&trial, 5, uplinks, qps, load),
		(double)most * uplinks / (double)sum, CLOSED_FORM,
		"%u uplinks, %u QPs, one run by its packets", uplinks, qps);
	free(load);
	trial_close(&trial);
}

static double expected_at(double qps, double uplinks)
{
	uint32_t u = (uint32_t)uplinks;

	return chance_spread((uint32_t)lround(u * qps), u).mean;
}

static double simulated_at(uint32_t uplinks, uint32_t qps, uint32_t draws)
{
	uint32_t *load = zeroed(uplinks, sizeof(*load));
	struct trial trial;
	double sum = 0;

	trial_open(&trial, "leaves: 2\nspines: %u\nhosts_per_leaf: %u\nspeed: 100G\n", uplinks,
		uplinks);
	for (uint64_t seed = 0; seed < draws; seed++)
		sum += one_draw(&trial, seed, uplinks, qps, load);
	free(load);
	trial_close(&trial);
	return sum / draws;
}

void validate_ecmp(struct report *report)
{
	struct figure figure = { .name = "ecmp",
		.title = "ECMP: load of the fullest uplink, in means",
		.x_label = "queue pairs of a NIC",
		.x = { 1, 32 },
		.y = { 1, 4 },
		.x_step = 2,
		.log_x = true };
	double qp_axis[6], means[6];
	char label[16];
	static const uint32_t uplinks[] = { 8, 16, 32 }, qps[] = { 1, 2, 4, 8, 16, 32 };

	report_section(report, "ECMP, max/mean load of uplinks",
		"U NICs of a leaf with Q queue pairs each over U uplinks, mean of 1,000 seeds, "
		"against the same number of flows thrown at random (2,000 throws).");
	figure_open(&figure);
	for (size_t u = 0; u < COUNT_OF(uplinks); u++) {
		for (size_t q = 0; q < COUNT_OF(qps); q++) {
			double simulated = simulated_at(
				uplinks[u], qps[q], report->quick ? DRAWS / 4 : DRAWS);

			qp_axis[q] = qps[q];
			means[q] = expected_at(qps[q], uplinks[u]);
			figure.colour = (unsigned)u;
			figure_dot(&figure, qps[q], simulated);
			report_row(report, means[q], simulated,
				report->quick ? 2 * CLOSED_FORM : CLOSED_FORM,
				"%u uplinks, %u QPs", uplinks[u], qps[q]);
		}
		snprintf(label, sizeof(label), "%u uplinks", uplinks[u]);
		figure_line(&figure, label, qp_axis, means, COUNT_OF(qps));
	}
	by_packets(report, 8, 4);
	by_packets(report, 16, 8);
	figure_close(report, &figure);
}
