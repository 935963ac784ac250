/*
 * psn - what the packet sequence numbers of one stream say: gaps, repeats,
 * reordering, retransmissions and their causes.
 *
 * A stream is the requests, or the READ responses, of one direction of a
 * connection. PSNs count modulo 2^24; a READ request takes as many as its
 * responses have packets. A packet is
 *   in order      when it carries the PSN that is due;
 *   early         when it is ahead: what lies between is a hole;
 *   a fill        when it lies in a hole: late, or sent again;
 *   repeated      when all its PSNs were captured before.
 * A fill was sent again when a NAK (or, for responses, a second READ request) named
 * it, or one before it that is missing too; when it follows on a packet that was sent
 * again; when the packet behind it comes a second time and it does not; or when it is
 * 4 ms late: no queue of a data-centre switch holds a packet that long, and no NIC
 * retries sooner (ACK timeout 4.096 us x 2^10). Otherwise it was only late.
 *
 * A tracker is of constant size, and small while nothing happens: books are opened
 * for it at the first gap, repeat or NAK. Its holes are nodes of a pool shared by all
 * and bounded; a tracker that has PSN_HOLES_MAX gives up its oldest for a new one. Fills
 * may split them further. The pool holds the books, too: at most one a tracker.
 * No function here fails.
 */
#ifndef PFC_PSN_H
#define PFC_PSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pfc/event.h"

#define PSN_HOLES_MAX 64u
#define PSN_LATE_NS UINT64_C(4000000)
#define NODE_NONE UINT32_MAX

enum resend_cause {
	RESEND_NAK,           /* PSN sequence error */
	RESEND_RNR_NAK,       /* receiver not ready */
	RESEND_TIMEOUT,       /* none of the others seen */
	RESEND_RESPONSE_LOST, /* the requester asks for READ responses again */
	RESEND_CAUSES,
	RESEND_NOT = RESEND_CAUSES,
};

struct psn_node {
	uint32_t next; /* of the tracker's holes, or of the free nodes */
	union {
		struct {
			uint32_t start, count, gap;
		} hole;
		struct {
			uint32_t event; /* or EVENT_NONE */
			uint32_t lost;  /* PSNs that are, for now, lost and not late */
			uint32_t refs;  /* holes and fills that point here */
			uint32_t cover; /* responses: PSN not asked for yet at the time */
			uint64_t time_ns;
			bool named; /* by a NAK */
		} gap;
	} as;
};

/* What is known of a PSN that is asked for. */
enum named_as {
	NAMED_BEHIND,  /* captured, and nothing more: it was lost behind the tap */
	NAMED_MISSING, /* not captured */
	NAMED_SKIPPED, /* it was lost when it was sent again, too */
	NAMED_LATE, /* it or the one before came late: who takes nothing out of order wants it again */
};

/* What only a stream has whose packets did not all come once and in order. */
struct psn_books {
	uint32_t holes; /* first node, in the order of PSNs */
	/* Captured below the lowest: what lies between may have gone before the capture
	 * began. */
	uint32_t below_start, below_next;

	/* The fills that came last one after the other: what they are may change. */
	uint32_t run_start, run_next, run_event;

	uint32_t resend_start, resend_next; /* a retransmission under way, */
	uint32_t resend_limit;              /* which ends here */

	uint32_t gap_events, gap_psns;
	uint32_t missing; /* in open or given-up holes */
	uint32_t lost_network, lost_capture, lost_unknown;
	uint32_t lost_after; /* asked for by a NAK though captured: lost behind the tap */
	uint32_t asked_late; /* the same, after it or the one before had come late */
	uint32_t repeated, out_of_order, copies; /* copies: seen twice by the tap */
	uint32_t resent[RESEND_CAUSES];

	uint16_t hole_count;
	uint8_t resend_cause; /* RESEND_NOT: none under way */
	uint8_t named_as;     /* enum named_as */
};

struct psn_track {
	uint32_t next;   /* due: one behind the highest */
	uint32_t lowest; /* all captured from here on, but for holes */
	uint32_t last;   /* PSN of the packet before */
	/* What a receiver that takes nothing out of order waits for, as far as the tap sees. */
	uint32_t wanted;
	uint32_t named_psn; /* a NAK asked for this */
	uint32_t books;     /* of the pool, or BOOKS_NONE */

	bool started;
	uint8_t named_cause; /* RESEND_NOT: nobody asked */
	bool wanted_passed;  /* just before the packet in front of it, so that it was refused */
	bool wanted_skipped; /* what lies behind it came once more, and it did not */
};

#define BOOKS_NONE UINT32_MAX
#define BOOKS_CHUNK_SHIFT 8u

struct psn_pool {
	struct psn_node *nodes; /* owned */
	size_t count, room, most;
	uint32_t free; /* head of the free ones */

	struct psn_books **books; /* owned chunks: books never move */
	size_t books_chunks, books_room;
	uint32_t books_count;
	uint32_t books_free; /* chained by holes */
};

#define PSN_POOL_INIT(most_nodes)                                                              \
	{                                                                                      \
		.most = most_nodes, .free = NODE_NONE, .books_free = BOOKS_NONE                \
	}

/* The packet at hand and who keeps the books. */
struct psn_context {
	struct psn_pool *pool;
	struct events *events;
	const struct event *event; /* record, time, flow, QP, stream filled in */
	enum resend_cause unnamed; /* cause of a repeat that nothing else explains */
	uint64_t since_ns;         /* since the stream's packet before; 0: unknown */
	bool acked;                /* acked_psn holds */
	uint32_t acked_psn;        /* acknowledged in the other direction */
	uint32_t cover;            /* see psn_node */
	bool may_be_copy;          /* of the packet before, bit for bit as far as seen */
	bool second; /* ahead of all captured, and yet sent again: the first was lost */
};

void psn_track_init(struct psn_track *track);

/* A packet with count PSNs from psn on. What is skipped is lost, or late. */
enum psn_arrival {
	PSN_IN_ORDER,
	PSN_EARLY,
	PSN_FILL,
	PSN_REPEATED,
} psn_arrive(struct psn_track *track, const struct psn_context *context, uint32_t psn,
	uint32_t count);

/* psn_arrive() of the one PSN that is due, when no NAK waits for its answer. */
static inline void psn_next(struct psn_track *track)
{
	track->last = track->next;
	track->next = (track->next + 1) & 0xffffffu;
	if (track->wanted == track->last) {
		track->wanted = track->next;
		track->wanted_passed = track->wanted_skipped = false;
	}
}

/* Holes [from, from + count) before psn_arrive() of a later psn; for streams in
 * which not every PSN is due. The first of one arrival opens the gap (NODE_NONE),
 * whose node is returned for the others. from is not behind track->next. */
uint32_t psn_skip(struct psn_track *track, const struct psn_context *context, uint32_t gap,
	uint32_t psn, uint32_t from, uint32_t count);

/* Moves what is due without judging what lies between. */
void psn_expect(struct psn_track *track, uint32_t psn);

/* The other side asks for psn and all behind it again. */
void psn_named(struct psn_track *track, struct psn_pool *pool, const struct events *events,
	uint32_t psn, enum resend_cause cause);

/* Whether psn lies in a hole. */
bool psn_is_missing(const struct psn_track *track, const struct psn_pool *pool, uint32_t psn);

/* Whether psn lies below the lowest that was captured, or beside those below it. */
bool psn_is_below(const struct psn_track *track, const struct psn_pool *pool, uint32_t psn);

/* The books of a stream. Those of one without trouble, or of NULL, are the same for all,
 * and empty. */
const struct psn_books *psn_books(const struct psn_track *track, const struct psn_pool *pool);

/* Judges and gives back the holes that are left; context for acked and cover. The
 * counters stay, until psn_forget(). */
void psn_finish(struct psn_track *track, const struct psn_context *context);
void psn_forget(struct psn_track *track, struct psn_pool *pool);

void psn_pool_free(struct psn_pool *pool);

const char *resend_cause_name(enum resend_cause cause); /* "nak", ... */

#endif
