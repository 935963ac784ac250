/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/json_figures.h"

#include <stdlib.h>

static void put_count(struct json *object, const char *key, const struct figure_count *count)
{
	if (count->present)
		json_put_u64(object, key, count->value);
	else
		json_put_null(object, key);
}

/* 0 stands for "none" in the figures. */
static void put_or_null(struct json *object, const char *key, uint64_t value)
{
	if (value)
		json_put_u64(object, key, value);
	else
		json_put_null(object, key);
}

static void put_flows(struct json *object, const char *key, const struct figure_flows *flows)
{
	struct json *into;

	if (!flows->count) {
		json_put_null(object, key);
		return;
	}
	into = json_put_object(object, key);
	json_put_u64(into, "flows", flows->count);
	json_put_u64(into, "flows_complete", flows->complete);
	json_put_u64(into, "qps", flows->qps);
	json_put_u64(into, "targets", flows->targets);
	json_put_text(into, "ecn", figure_kind_name(figure_kind(flows)));
	json_put_u64(into, "bytes_planned", flows->bytes_planned);
	json_put_u64(into, "bytes_posted", flows->bytes_posted);
	json_put_u64(into, "bytes_delivered", flows->bytes_delivered);
	json_put_u64(into, "goodput_min_bps", flows->slowest_bps);
	json_put_u64(into, "goodput_median_bps", flows->median_bps);
	json_put_u64(into, "goodput_max_bps", flows->fastest_bps);
	json_put_u64(into, "goodput_slowest_target_bps", flows->target_bps);
	json_put_u64(into, "goodput_together_bps", flows->together_bps);
}

static void put_stage(struct json *array, const struct figure_stage *figure)
{
	const struct run_stage *stage = &figure->stage;
	struct json *object = json_add_object(array);

	json_put_u64(object, "id", stage->id);
	json_put_text(object, "name", stage->name);
	json_put_text(object, "layer", plan_layer_name(stage->layer));
	json_put_text(object, "status", figure_status_name(stage->status));
	json_put_text(object, "reason", stage->reason[0] ? stage->reason : NULL);
	json_put_text(object, "note", stage->note[0] ? stage->note : NULL);
	json_put_u64(object, "t0_ns", stage->t0_ns);
	json_put_u64(object, "t1_ns", stage->t1_ns);
	json_put_u64(object, "variant", stage->variant);
	json_put_u64(object, "repeat", stage->repeat);
	json_put_u64(object, "subject", stage->subject);
	put_flows(object, "main", &figure->main);
	put_flows(object, "victim", &figure->victim);
	json_put_u64(object, "packets_sent", figure->packets_sent);
	json_put_u64(object, "packets_resent", figure->packets_resent);
	json_put_u64(object, "packets_received", figure->packets_received);
	json_put_u64(object, "timeouts", figure->timeouts);
	json_put_u64(object, "naks", figure->naks);
	json_put_u64(object, "out_of_sequence", figure->out_of_sequence);
	json_put_u64(object, "qp_errors", figure->qp_errors);
	json_put_u64(object, "ce_packets", figure->ce_packets);
	json_put_u64(object, "cnps_sent", figure->cnps_sent);
	json_put_u64(object, "cnps_handled", figure->cnps_handled);
	put_count(object, "drops", &figure->drops);
	put_count(object, "pfc_xoff_sent", &figure->pause);
	put_count(object, "pfc_held_us", &figure->pause_us);
	put_count(object, "ecn_marked", &figure->ecn_marked);
	put_count(object, "queue_peak_bytes", &figure->queue_peak);
}

static void put_truth(struct json *array, const struct figure_truth *row)
{
	struct json *object = json_add_object(array);

	json_put_text(object, "name", row->name);
	json_put_u64(object, "n", row->variant);
	json_put_text(object, "ecn", figure_kind_name(row->kind));
	json_put_u64(object, "stages", row->stages);
	json_put_u64(object, "stages_complete", row->complete);
	json_put_u64(object, "targets", row->targets);
	json_put_u64(object, "bytes_offered", row->bytes_posted);
	json_put_u64(object, "bytes_delivered", row->bytes_delivered);
	json_put_u64(object, "goodput_slowest_target_bps", row->slowest_bps);
	put_or_null(object, "goodput_slowest_victim_bps", row->victim_bps);
	json_put_u64(object, "packets_sent", row->packets_sent);
	json_put_u64(object, "packets_resent", row->packets_resent);
	json_put_u64(object, "timeouts", row->timeouts);
	json_put_u64(object, "out_of_sequence", row->out_of_sequence);
	put_count(object, "drops", &row->drops);
	put_count(object, "pfc_xoff_sent", &row->pause);
	json_put_u64(object, "ce_packets", row->ce_packets);
	json_put_u64(object, "cnps_sent", row->cnps_sent);
}

static void put_ring(
	struct json *array, const struct figures *figures, const struct figure_ring *ring)
{
	struct json *object = json_add_object(array), *edge;

	json_put_text(object, "stage", figures->stages[ring->stage].stage.name);
	json_put_u64(object, "ranks", ring->ranks);
	json_put_u64(object, "qps", ring->qps);
	json_put_u64(object, "bytes", ring->bytes);
	json_put_u64(object, "iterations", ring->iterations);
	json_put_u64(object, "iterations_complete", ring->iterations_complete);
	put_or_null(object, "time_ns", ring->time_ns);
	put_or_null(object, "algbw_bps", ring->algbw_bps);
	put_or_null(object, "busbw_bps", ring->busbw_bps);
	put_or_null(object, "step_median_ns", ring->median_ns);
	if (!ring->has_slowest) {
		json_put_null(object, "slowest_edge");
		return;
	}
	edge = json_put_object(object, "slowest_edge");
	json_put_u64(edge, "rank", ring->slowest_rank);
	json_put_text(edge, "src", ring->slowest_src[0] ? ring->slowest_src : NULL);
	json_put_text(edge, "dst", ring->slowest_dst[0] ? ring->slowest_dst : NULL);
	json_put_u64(edge, "step_median_ns", ring->slowest_ns);
}

static void put_loss(struct json *root, const struct figures *figures)
{
	struct figure_loss loss = figures_loss(figures, LAYER_COUNT);
	struct json *object = json_put_object(root, "loss");

	json_put_u64(object, "packets", loss.packets);
	json_put_u64(object, "resent", loss.resent);
	if (loss.counted)
		json_put_u64(object, "dropped", loss.dropped);
	else
		json_put_null(object, "dropped");
	if (loss.packets && loss.counted && !loss.resent && !loss.dropped)
		json_put_double(object, "bound", figures_loss_bound(loss.packets));
	else
		json_put_null(object, "bound");
}

void json_put_figures(struct json *root, const struct figures *figures)
{
	struct figure_truth *rows;
	struct json *array;
	size_t count;

	array = json_put_array(root, "stages");
	for (size_t i = 0; i < figures->stage_count; i++)
		put_stage(array, &figures->stages[i]);
	count = figures_truth(figures, &rows);
	array = json_put_array(root, "lossless");
	for (size_t i = 0; i < count; i++)
		put_truth(array, &rows[i]);
	free(rows);
	array = json_put_array(root, "ring");
	for (size_t i = 0; i < figures->ring_count; i++)
		put_ring(array, figures, &figures->rings[i]);
	put_loss(root, figures);
}
