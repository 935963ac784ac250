/*
 * sim_state - what a stage that is simulated consists of; for the files of the simulator
 * alone, which include it by way of sim_parts.h.
 *
 * Ports, QPs and NICs are indices, NONE for "none". What is on the way of each packet (packets,
 * lanes, switches) is pointed at: it never moves while a stage runs. Times are ps since the start
 * of the stage.
 */
#ifndef FABRIC_SIM_STATE_H
#define FABRIC_SIM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "fabric/sim.h"
#include "fabric/sim_wheel.h"
#include "lib/grow.h"
#include "lib/units.h"

#define NONE UINT32_MAX
#define NEVER UINT64_MAX
#define PACKET_CHUNKS 24u

/* Ethernet preamble and gap: on the wire, not in buffers. */
#define GAP_BYTES 20u
#define PFC_FRAME_BYTES 64u
#define RETH_BYTES 16u
/* RC ACK and CNP: headers of a data frame, plus 4 of AETH or 16 reserved. */
#define ACK_FRAME_BYTES (ROCE_FRAME_OVERHEAD_BYTES + 4u)
#define CNP_FRAME_BYTES (ROCE_FRAME_OVERHEAD_BYTES + 16u)

/* How long a sender waits whose receiver was not ready: timer code 12, 0.64 ms
 * (InfiniBand 9.7.5.2.8, table 46), which NCCL asks for. */
#define RNR_TIMER_CODE 12u
#define RNR_WAIT_PS (UINT64_C(640000) * PS_PER_NS)

/* The unit of ACK timeouts, 4.096 us. */
#define RTO_UNIT_PS UINT64_C(4096000)

#define ECN_NOT_ECT 0u
#define ECN_ECT 2u
#define ECN_CE 3u

/* How a switch spreads flows over the members of a route group. */
enum hashing {
	HASH_TUPLE,  /* as it should: by the 5-tuple */
	HASH_PAIR,   /* without the UDP source port */
	HASH_PACKET, /* each packet anew */
};

enum packet_kind { PACKET_DATA, PACKET_ACK, PACKET_NAK, PACKET_RNR, PACKET_CNP, PACKET_PFC };

/* How a packet's DSCP reads: the policy's, the CNPs', or 0. */
enum packet_class { CLASS_POLICY, CLASS_CNP, CLASS_ZERO, CLASS_COUNT };

struct packet {
	_Alignas(LINE_BYTES) uint64_t arrival; /* at the far end of the link it is on */
	uint64_t next_arrival;                 /* on a link: of the next */
	struct packet *next;
	struct lane *in; /* of the last switch: where it accounts for it */
	uint32_t dst_nic;
	uint32_t entropy;
	uint32_t qp;
	uint32_t psn; /* ACK, NAK: the next one expected; PFC: XOFF mask | XON mask << 8 */
	uint32_t way; /* into ways, where those are used */
	uint16_t payload, frame; /* bytes */
	uint8_t kind, class, ecn;
	bool last;           /* of its message */
	uint8_t corrupt : 1; /* its ICRC is wrong */
	uint8_t again : 2;   /* packets that the QP had sent again before, modulo 4 */
	uint8_t forced : 2;  /* times it was sent where a forced route leads, modulo 4 */
};

/* A priority of a port: its egress queue and its ingress account. What every packet
 * touches comes first, by cache lines. */
struct lane {
	_Alignas(LINE_BYTES) struct packet *head;
	struct packet *tail;
	uint32_t queue_bytes, queue_peak, queue_peak_ect, window_peak;
	uint64_t tx_bytes, tx_packets, busy_ps; /* with what is ahead: see sim_ahead.c */
	uint32_t quiet; /* a queue up to here is neither marked nor a peak of ECT packets */
	uint32_t port;  /* whose lane it is, and of which priority: below */

	uint32_t shared, headroom;   /* bytes accounted at ingress */
	uint32_t account_peak, easy; /* easy: up to here, no second look */
	uint64_t rx_bytes, rx_packets, buffer_drops, headroom_drops;
	bool holding; /* XOFF sent, not yet XON */
	uint8_t prio;
	uint32_t headroom_peak;
	uint64_t egress_drops, marked;

	uint64_t calm_at; /* of a storm that is over for now: when to believe it */
	uint64_t held_until;
	uint64_t holding_since, holding_ps, held_since, held_ps;
	uint64_t pauses_sent, pauses_received;
	uint64_t first_pause, first_mark, first_drop;
};

struct sim_port {
	_Alignas(LINE_BYTES) union {
		struct {
			uint8_t held, storm; /* masks of priorities: paused, dropped */
			uint8_t xoff, xon;   /* to be told to the peer */
			uint8_t trouble; /* enum trouble_bits; 0: no fault looks at its packets */
			bool down, tapped;
		};
		uint64_t hindered; /* 0: what waits is sent in turn */
	};
	/* as the sender */
	uint64_t busy_until;
	uint64_t byte_ps_q10; /* ps a byte, in 1/1024 */
	uint64_t delay_ps;    /* propagation and latencies: when a packet is taken in */
	struct packet *pipe_head, *pipe_tail; /* on the link that leaves this port */
	uint64_t ahead_from;                  /* when ahead begins; NEVER: there is none */
	uint32_t peer;
	uint8_t ready; /* mask of priorities that have something to send */
	uint8_t ahead_prio, last_prio;
	bool to_nic; /* its peer is a NIC's */

	/* as the receiver, and of ahead */
	_Alignas(LINE_BYTES) struct sim_switch *sw; /* NULL for NICs */
	struct lane *usual;                         /* of the policy's priority */
	struct packet *ahead;  /* the first that had not begun at the last look; or NULL */
	struct packet *before; /* the one before it */
	uint64_t tail_arrival; /* of the last that was put on the link */
	uint64_t policy_packets;
	uint32_t mark_from; /* queue bytes above which ECN may mark */
	uint32_t nic;       /* PORT_NONE for switches */
	uint8_t map[CLASS_COUNT];
	bool inspects; /* a fault of the switch looks at what comes in */
	bool noted;    /* in the set of its switch: something may be ahead */
	uint8_t alpha_shift;
	bool pfc, ecn;

	uint32_t random; /* xorshift state: marking and loss */
	uint32_t ecn_kmin, ecn_kmax;
	uint32_t headroom_bytes;
	uint32_t carrier_changes;
	uint32_t xoff_bytes;                /* 0: by alpha */
	struct packet *pfc_head, *pfc_tail; /* PFC frames on the link */
	uint64_t wire_ps;                   /* propagation, and until the peer obeys a pause */
	uint64_t pause_ps;                  /* what 65535 quanta are here */
	uint64_t lost, dropped_down, no_route, watchdog_drops;
	uint64_t oversize, policed, expired;
	uint64_t watchdog_ps, restore_ps; /* of the PFC watchdog; 0: none */
};

/* An index times a power of two is a shift. */
_Static_assert(sizeof(struct packet) == LINE_BYTES, "a packet is a cache line");
_Static_assert(sizeof(struct lane) == 4 * LINE_BYTES, "a lane is four");
_Static_assert(sizeof(struct sim_port) == 4 * LINE_BYTES, "a port is four");

/* Which hooks of a port have something to do. */
enum trouble_bits {
	TROUBLE_WIRE = 1 << 0,   /* what leaves it: lost, corrupted, too large */
	TROUBLE_SWITCH = 1 << 1, /* what a switch takes in or sends there: dropped inside */
	TROUBLE_TURNS = 1 << 2,  /* its priorities do not take fair turns */
};

/* Bytes that a policer lets through at once. */
#define TROUBLE_POLICE_BURST (64u * 1024)

/* What the faults of a port ask for; probabilities in 2^-32. */
struct trouble {
	uint32_t loss, corrupt, cnp_loss;
	uint32_t rising_loss; /* reached rise_ns after rise_from_ns, on the run's clock */
	uint64_t rise_from_ns, rise_ns;
	uint32_t to_bad, to_good; /* bursts: Gilbert-Elliott, all is lost while bad */
	bool bad;
	bool black_hole, forced;
	bool forwards;         /* its watchdog sends on what it finds held, and drops nothing */
	uint8_t forwarding;    /* mask of priorities that it does so for */
	uint32_t frame_max;    /* larger ones the peer does not take in; 0: all */
	uint32_t hidden_above; /* frames that the switch loses without a trace; 0: none */
	uint32_t hidden_flows; /* of 5-tuples likewise */
	uint64_t hidden;
	uint64_t police_byte_ps_q10, police_at; /* rate of a policer, 0: none; its clock */
	uint32_t lossless_share;                /* of turns, in 2^-32 */
};

struct sim_switch {
	uint64_t pool_bytes;   /* buffer less headroom and reserve of all ports */
	uint64_t shared_bytes; /* in use */
	uint32_t holding;      /* priorities of ports that have sent XOFF and not yet XON */
	uint32_t first_port, words, number;
	uint64_t *ahead;     /* [words]: bits of the ports that may have packets ahead */
	uint64_t easy_bytes; /* up to here the pool puts no port near its threshold */
	uint8_t hashing;     /* enum hashing */
};

/* Where a NIC hangs: its leaf, which is the number of a switch, and the port there. */
struct home {
	uint32_t leaf, leaf_port;
};

/* Ports of switches that the packets of a queue pair leave by, at most: room for
 * leaf, spine, leaf. */
#define WAY_PORTS 4u

struct message {
	uint32_t first_psn, packets;
	uint64_t bytes;
};

/* Selective repeat: what has come in out of order, by PSN, and what of it the
 * sender has been told. A sender has at most this many packets outstanding. */
#define REPEAT_WINDOW 4096u

struct repeat {
	uint64_t arrived[REPEAT_WINDOW / 64], told[REPEAT_WINDOW / 64];
	uint32_t seen;   /* receiver: one past the highest PSN that came in */
	bool recovering; /* sender: from the first NAK until `recover` is acknowledged */
	uint32_t recover, next, high; /* holes are sent again from next, below high */
};

/* A queue pair, both ends; what every packet touches comes first, the sender's and the
 * receiver's on cache lines of their own. */
struct qp {
	/* sender */
	_Alignas(LINE_BYTES) uint32_t src_nic;
	uint32_t dst_nic, entropy, next_ready;
	uint32_t snd_una, snd_nxt, snd_max, snd_end;
	struct message *messages; /* circular; those not yet acknowledged */
	uint32_t message_room, message_first, message_count, message_at; /* at: snd_nxt's */
	bool in_ready, error, not_ect;
	bool limited; /* by DCQCN: see below */
	uint32_t retries;

	struct repeat *repeat; /* NULL: go-back-N */
	uint64_t pace_at;      /* not before this */
	uint64_t app_bps;      /* offered rate; 0: none */
	uint64_t rto_ps, rto_deadline;
	uint64_t first_ps, sent, resent;

	/* receiver */
	uint32_t rcv_nxt, unacked;
	uint32_t messages_in, messages_acked;
	uint32_t flow, number; /* number: in its flow */
	bool nak_sent;
	uint16_t sport;
	uint32_t entropy_back;
	uint64_t delivered_bytes, planned_bytes, last_ps, received;

	/* DCQCN reaction point */
	uint64_t rate_bps, target_bps;
	uint32_t alpha_q20;
	uint32_t timer_count, byte_count;
	uint64_t alpha_at, timer_at, bytes_since;

	/* notification point, and what else was seen */
	uint64_t next_cnp;
	uint64_t posted_bytes, timeouts, naks, gaps, ce, cnps_sent, cnps_handled, duplicates;
	uint64_t unready, rnrs, restarts; /* RNR NAKs sent, those received; slow restarts */
};

struct sim_nic {
	uint32_t port;
	uint32_t ready_head, ready_tail; /* QPs */
	uint8_t data_prio, data_class;   /* how data goes out: by wrong_dscp */
	bool wrong_dscp, storm, cnp_as_data, cc_off, cnp_off, back_to_zero, was_back_to_zero;
	uint64_t drain_byte_ps_q10; /* 0: as fast as the line */
	uint64_t delivered_bytes, tx_policy_bytes, rx_rdma_bytes;
	uint64_t line_bps;
	uint64_t cnp_period_ps, rai_bps, rhai_bps, rto_ps, recovery_ps;
	uint64_t restart_ppb;            /* of its line, after a loss; 0: as fast as before */
	uint32_t unready;                /* messages that find no receive posted, in 2^-32 */
	uint64_t post_ps, stalled_until; /* of its host: how late it posts; NEVER */
	uint64_t fill_bytes, fill_at;    /* of the receive buffer of a slow one */
	uint64_t sampled_bytes;
	uint64_t corrupt, rx_drops, tx_rdma_bytes;
};

struct sim_flow {
	struct plan_flow plan;
	uint32_t first_qp;
	uint64_t posted_bytes;
	uint32_t qps_done;
	uint32_t delivered, posted; /* bursts, of a flow that others wait for or that waits */
	uint32_t first_follower;    /* flow * PLAN_AFTER + place in its after; NONE */
	uint32_t next_follower[PLAN_AFTER]; /* of the flow that after[] names */
	bool ring, waits, started;
};

struct ring_rank {
	uint32_t *parts;          /* by step: QPs whose part has arrived */
	uint32_t posted, arrived; /* steps, over all iterations */
};

struct sim_ring {
	const struct plan_ring *plan;
	uint32_t first_flow, steps; /* steps: of all iterations */
	struct ring_rank *ranks;
	struct run_step *rows; /* [rank * steps + step] */
	uint16_t *acked;       /* [rank * steps + step]: QPs whose part was acknowledged */
	uint64_t done;         /* ranks that have received everything */
};

struct sim {
	const struct sim_config *config;
	const struct fabric *fabric;
	const struct plan_stage *stage;
	const struct routing *routing;
	struct sim_tap *tap;     /* borrowed; NULL: nobody captures */
	struct routing rerouted; /* without dead links; fabric NULL: none were */
	struct routing forced;   /* with what faults do to the tables; likewise */
	struct fabric wired;     /* shallow copy of the fabric with cables swapped */
	struct routing wiring;   /* its tables */
	struct fabric cut;       /* shallow copy of fabric with links taken out */
	struct wheel wheel;
	uint64_t now;
	struct sim_port *ports;
	struct lane *lanes; /* [priority * port_count + port]: few priorities are in use */
	uint32_t port_count;
	struct sim_switch *switches; /* [node - hosts] */
	struct sim_nic *nics;
	struct home *homes; /* by NIC */
	uint32_t *ways;     /* [qp * 2 + back][WAY_PORTS]; NULL: faults may change them */
	struct packet *chunks[PACKET_CHUNKS]; /* of packets, each as large as all before it */
	uint32_t chunk_count;
	struct packet *packet_fresh, *packet_end; /* of the last chunk: never used yet */
	struct packet *packet_free;               /* the rest, through next */
	uint64_t live; /* packets in the network, PFC frames not counted */
	struct qp *qps;
	uint32_t qp_count;
	struct sim_flow *flows;
	uint32_t flow_count, flows_done;
	struct sim_ring ring;
	uint32_t holding; /* of all switches */
	uint32_t event_qps, event_flows, event_nics, event_misc;
	/* Packets that came to an end where no lane counts them: in a switch, by lane;
	 * on the link that leaves a port when its carrier was lost, by port. */
	uint64_t *ended, *cut_off;
	struct trouble *troubles;  /* by port; NULL: the fabric has no faults */
	uint64_t *link_down_since; /* by link; NEVER: up */
	bool reroute_due;
	struct run_sample *samples;
	size_t sample_count, sample_room;
	uint64_t sample_ps; /* 0: no series */
	unsigned lossless;  /* the priority with PFC; PRIORITIES: none */
	struct sim_totals totals;
};

#endif
