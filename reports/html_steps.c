/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
#include "lib/units.h"
#include "reports/html_series.h"
#include "reports/series.h"

#define SPIKES_MAX 60u /* the longest ones */
#define MADS 5         /* as the judge of rings asks for: docs/checks.md, ring.spikes */

/* The times of the steps, a row for each step of each iteration, a column a rank. */
struct grid {
	uint64_t ranks, iterations, steps, rows; /* steps: of an iteration */
	uint32_t *time_ns;                       /* owned; 0: not seen */
	uint64_t *arrived_ns;                    /* owned; of each row, the last */
	uint32_t *spare;                         /* owned; the longer of ranks and rows */
	double *limit_ns;                        /* owned; of each rank: what is a spike */
};

struct spike {
	uint32_t row, rank;
	double beyond_ns;
};

static void grid_free(struct grid *grid)
{
	free(grid->time_ns);
	free(grid->arrived_ns);
	free(grid->spare);
	free(grid->limit_ns);
}

static void grid_size(struct grid *grid, const struct run_step *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (rows[i].rank >= grid->ranks)
			grid->ranks = (uint64_t)rows[i].rank + 1;
		if (rows[i].step >= grid->steps)
			grid->steps = (uint64_t)rows[i].step + 1;
		if (rows[i].iteration >= grid->iterations)
			grid->iterations = (uint64_t)rows[i].iteration + 1;
	}
	grid->rows = grid->iterations * grid->steps;
}

/* Whether the cells that the largest numbers ask for are about as many as the rows: a
 * file that names rank 4 billion has no grid. */
static bool fits(const struct grid *grid, size_t count)
{
	double cells = (double)grid->ranks * (double)grid->steps * (double)grid->iterations;

	return count && cells <= 16.0 * (double)count;
}

static void fill(struct grid *grid, const struct run_step *rows, size_t count)
{
	size_t longer = grid->ranks > grid->rows ? grid->ranks : grid->rows;

	grid->time_ns = zeroed(grid->rows * grid->ranks, sizeof(*grid->time_ns));
	grid->arrived_ns = zeroed(grid->rows, sizeof(*grid->arrived_ns));
	grid->spare = zeroed(longer, sizeof(*grid->spare));
	grid->limit_ns = zeroed(grid->ranks, sizeof(*grid->limit_ns));
	for (size_t i = 0; i < count; i++) {
		const struct run_step *row = &rows[i];
		uint64_t at = row->iteration * grid->steps + row->step;
		uint64_t time_ns;

		if (!row->arrived_ns || row->arrived_ns <= row->posted_ns)
			continue;
		time_ns = row->arrived_ns - row->posted_ns;
		grid->time_ns[at * grid->ranks + row->rank] =
			time_ns < UINT32_MAX ? (uint32_t)time_ns : UINT32_MAX;
		if (row->arrived_ns > grid->arrived_ns[at])
			grid->arrived_ns[at] = row->arrived_ns;
	}
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static uint32_t median(uint32_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_number);
	return values[count / 2];
}

/* The median of an edge + max(spike, 5 MAD). */
static void find_limits(struct grid *grid, double spike)
{
	for (uint32_t rank = 0; rank < grid->ranks; rank++) {
		uint32_t used = 0, middle;
		double share_ns, mad_ns;

		for (uint32_t row = 0; row < grid->rows; row++) {
			uint32_t time_ns = grid->time_ns[row * grid->ranks + rank];

			if (time_ns)
				grid->spare[used++] = time_ns;
		}
		if (!used)
			continue;
		middle = median(grid->spare, used);
		for (uint32_t i = 0; i < used; i++)
			grid->spare[i] = grid->spare[i] > middle ? grid->spare[i] - middle
								 : middle - grid->spare[i];
		share_ns = spike * middle;
		mad_ns = MADS * (double)median(grid->spare, used);
		grid->limit_ns[rank] = middle + (share_ns > mad_ns ? share_ns : mad_ns);
	}
}

static double row_us(const struct grid *grid, const struct run_stage *stage, uint32_t row)
{
	return (double)(grid->arrived_ns[row] - stage->t0_ns) / NS_PER_US;
}

/* A line for the median of all edges and one for the slowest, a point a step. */
static void put_lines(struct json *object, const struct grid *grid,
	const struct run_stage *stage, size_t points)
{
	struct json *array = json_put_array(object, "steps");
	struct series middle = SERIES_INIT, slowest = SERIES_INIT;

	for (uint32_t row = 0; row < grid->rows; row++) {
		uint32_t used = 0;

		for (uint32_t rank = 0; rank < grid->ranks; rank++) {
			uint32_t time_ns = grid->time_ns[row * grid->ranks + rank];

			if (time_ns)
				grid->spare[used++] = time_ns;
		}
		if (!used || grid->arrived_ns[row] < stage->t0_ns)
			continue;
		series_add(&middle, row_us(grid, stage, row),
			(double)median(grid->spare, used) / NS_PER_US);
		series_add(&slowest, row_us(grid, stage, row),
			(double)grid->spare[used - 1] / NS_PER_US);
	}
	series_thin(&middle, points);
	series_thin(&slowest, points);
	series_put(array, "median edge", &middle);
	series_put(array, "slowest edge", &slowest);
	series_free(&middle);
	series_free(&slowest);
}

static int by_length(const void *left, const void *right)
{
	const struct spike *a = left, *b = right;

	return (a->beyond_ns < b->beyond_ns) - (a->beyond_ns > b->beyond_ns);
}

static struct spike *find_spikes(const struct grid *grid, size_t *count)
{
	struct spike *spikes = NULL;
	size_t room = 0;

	*count = 0;
	for (uint32_t row = 0; row < grid->rows; row++) {
		for (uint32_t rank = 0; rank < grid->ranks; rank++) {
			double time_ns = grid->time_ns[row * grid->ranks + rank];

			if (time_ns <= grid->limit_ns[rank])
				continue;
			spikes = grow(spikes, *count, &room, sizeof(*spikes));
			spikes[(*count)++] =
				(struct spike){ row, rank, time_ns - grid->limit_ns[rank] };
		}
	}
	if (*count)
		qsort(spikes, *count, sizeof(*spikes), by_length);
	return spikes;
}

static void put_spikes(
	struct json *object, const struct grid *grid, const struct run_stage *stage)
{
	struct json *array = json_put_array(object, "spikes"), *spike;
	size_t count;
	struct spike *spikes = find_spikes(grid, &count);

	json_put_u64(object, "spike_count", count);
	for (size_t i = 0; i < count && i < SPIKES_MAX; i++) {
		uint32_t row = spikes[i].row;

		if (grid->arrived_ns[row] < stage->t0_ns)
			continue;
		spike = json_add_array(array);
		json_add_double(spike, row_us(grid, stage, row));
		json_add_double(spike,
			(double)grid->time_ns[row * grid->ranks + spikes[i].rank] / NS_PER_US);
		json_add_u64(spike, spikes[i].rank);
		json_add_u64(spike, row / grid->steps + 1);
		json_add_u64(spike, row % grid->steps + 1);
	}
	free(spikes);
}

int html_put_steps(struct json *object, struct run *run, const struct run_stage *stage,
	double spike, size_t points, struct diag *diag)
{
	struct run_step *rows = NULL;
	struct grid grid = { 0 };
	size_t count = 0;
	int err;

	err = run_get_steps(run, stage->id, &rows, &count, diag);
	if (err)
		return err;
	grid_size(&grid, rows, count);
	if (fits(&grid, count)) {
		fill(&grid, rows, count);
		find_limits(&grid, spike);
		put_lines(object, &grid, stage, points);
		put_spikes(object, &grid, stage);
	}
	grid_free(&grid);
	free(rows);
	return 0;
}
