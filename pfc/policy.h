/*
 * policy - the lossless policy of a fabric: which DSCP and priority carry RDMA,
 * where ECN marks, when a switch pauses, how the NICs react.
 *
 * Zero means "by default" in the file; policy_complete() fills what depends on
 * the speed. Sources of the defaults are named at each; they are defaults, not
 * measurements of anybody's fabric.
 */
#ifndef PFC_POLICY_H
#define PFC_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define PRIORITIES 8u

/* DCQCN (Zhu et al., SIGCOMM 2015): parameters of the reaction point (sender)
 * and of the notification point (receiver). */
struct dcqcn {
	bool off;
	uint32_t g_shift;            /* g = 2^-g_shift; 8 */
	uint64_t alpha_period_ns;    /* K; 55 us */
	uint64_t increase_period_ns; /* T; 55 us as in the paper */
	uint64_t increase_bytes;     /* B; 10 * 10^6 */
	uint32_t fast_recovery;      /* F; 5 */
	uint64_t rai_bps;  /* additive step; 40 Mb/s in the paper at 40G: line / 1000 here */
	uint64_t rhai_bps; /* hyper step; 10 * rai */
	uint64_t min_rate_bps;  /* 100 Mb/s (HPCC ns-3 configuration) */
	uint64_t cnp_period_ns; /* N; 50 us */
};

struct policy {
	uint8_t dscp;            /* of RDMA data and ACKs; 26 */
	uint8_t priority;        /* lossless; 3 */
	uint8_t cnp_dscp;        /* 48 */
	uint8_t cnp_priority;    /* 6, strict */
	bool ecn;                /* mark at all; on */
	uint64_t ecn_kmin_bytes; /* 4 KB per Gb/s (HPCC ns-3 map), per egress queue */
	uint64_t ecn_kmax_bytes; /* 4 x kmin */
	uint64_t ecn_pmax_ppb;   /* 0.2 */
	bool pfc;                /* on the lossless priority; on */
	/* Shared by the ports of a switch; 32 MiB (HPCC ns-3 configuration), above 200G in
	 * proportion, so that the ECN thresholds of the speed stay below XOFF. */
	uint64_t buffer_bytes;
	uint64_t reserved_bytes; /* per port and priority; 0 */
	uint64_t
		headroom_bytes; /* per port and lossless priority; 0: by the formula of pfc/headroom.h */
	uint32_t alpha_shift;      /* dynamic threshold alpha = 2^-shift; 3 (1/8) */
	uint64_t xoff_bytes;       /* 0: dynamic threshold; else fixed */
	uint64_t xon_offset_bytes; /* resume this far below the threshold; 3 KiB */
	uint64_t watchdog_ns;      /* detection time of the PFC watchdog; 0: none */
	uint64_t watchdog_restore_ns;
	uint32_t timeout_exp;  /* ACK timeout 4.096 us * 2^t; 14 */
	uint32_t retry;        /* 7 */
	uint32_t ack_every;    /* packets an ACK covers at most; 16 */
	bool selective_repeat; /* else go-back-N */
	struct dcqcn dcqcn;
};

/* The values above. */
void policy_defaults(struct policy *policy);

/* Fills what is still 0 and depends on the speed of the NICs (ECN thresholds,
 * DCQCN steps). */
void policy_complete(struct policy *policy, uint64_t nic_bps);

/* Why a policy cannot work. */
struct policy_fault {
	const char *key;   /* "ecn.kmin": as in the fabric file */
	const char *other; /* the key that it does not go with */
	char text[160];    /* the value given, and what would do */
};

/* Whether a complete policy holds together: ranges, thresholds in order, classes
 * apart. Returns 0, or -EINVAL and the first fault. */
int policy_check(const struct policy *policy, uint64_t nic_bps, struct policy_fault *fault);

#endif
