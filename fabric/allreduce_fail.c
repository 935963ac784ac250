/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rank of a ring does not go on, and which side is charged with it. */
#include "fabric/allreduce.h"

#include <errno.h>
#include <stdio.h>

#include "lib/clock.h"
#include "lib/diag.h"

/* A port that is down cuts off both sides; a device that tells nothing of it is no fault of the
 * network. */
static int check_port(struct allreduce *all, struct diag *diag)
{
	char when[32];
	int err;

	snprintf(when, sizeof(when), "in step %u", all->taken);
	err = gen_check_port_of(all->verbs, when, diag);
	if (err == -EHOSTUNREACH)
		all->next.unreachable = all->prev.unreachable = true;
	return err;
}

int allreduce_broke(struct allreduce *all, const struct verbs_done *done, struct diag *diag)
{
	bool prev = done->id & ALLREDUCE_FROM_PREV;
	struct allreduce_side *side = prev ? &all->prev : &all->next;
	int err = check_port(all, diag);

	if (err)
		return err;
	if (!verbs_status_is_unanswered(done->status))
		return diag_error(diag, -EIO, "step %u: the QP with %s failed: %s", all->posted,
			side->peer, verbs_status_text(done->status));
	side->unreachable = true;
	return diag_error(diag, -EHOSTUNREACH, "step %u: %s does not acknowledge rank %u",
		prev ? all->taken : all->acknowledged, side->peer, all->plan.rank);
}

/* All that was sent was acknowledged: it is for others to go on. */
static int waited(const struct allreduce *all, struct diag *diag)
{
	bool slot = all->posted < all->count && all->posted <= all->taken;
	uint32_t ranks = all->plan.ranks, on = slot ? 1 : ranks - 1;

	return diag_error(diag, -ETIMEDOUT,
		"step %u: waited %.3g s for %s of rank %u, %s, with nothing under way",
		slot ? all->posted : all->taken, (double)all->stall_ns / (double)NS_PER_S,
		slot ? "a slot" : "what is to come", (all->plan.rank + on) % ranks,
		slot ? all->next.peer : all->prev.peer);
}

int allreduce_stalled(struct allreduce *all, struct diag *diag)
{
	bool to_next = all->posted > all->acknowledged, to_prev = all->taken > all->returned;
	int err = check_port(all, diag);

	if (err)
		return err;
	if (!to_next && !to_prev)
		return waited(all, diag);
	all->next.unreachable = to_next;
	all->prev.unreachable = to_prev;
	return diag_error(diag, -EHOSTUNREACH,
		"step %u: nothing was completed for %.3g s, with data under way to %s%s%s",
		to_next ? all->acknowledged : all->returned,
		(double)all->stall_ns / (double)NS_PER_S,
		to_next ? all->next.peer : all->prev.peer, to_next && to_prev ? " and " : "",
		to_next && to_prev ? all->prev.peer : "");
}
