/*
 * counters - the names of the counters that backends write and judges and reports read,
 * with one meaning each. Names follow mlx5 (hw_counters and ethtool -S; Linux
 * Documentation/networking/device_drivers/ethernet/mellanox/mlx5) where it has
 * one, for switches as well, so that one judge serves both ends of a link.
 *
 * A name with %u takes the priority. All are totals since an unknown start:
 * only differences over a window mean anything, and absent is not zero.
 *
 * Direction of pause as mlx5 counts it: rx_prioN_pause are XOFF frames that this
 * port received (its peer told it to stop); tx_prioN_pause those it sent.
 */
#ifndef LIB_COUNTERS_H
#define LIB_COUNTERS_H

/* Every port, NICs and switches. Bytes are frame bytes without preamble and gap. */
#define C_TX_BYTES "tx_bytes_phy"
#define C_RX_BYTES "rx_bytes_phy"
#define C_TX_PACKETS "tx_packets_phy"
#define C_RX_PACKETS "rx_packets_phy"
#define C_CARRIER_CHANGES "carrier_changes" /* netdev: up and down count one each */
#define C_RX_CRC_ERRORS "rx_crc_errors_phy"
#define C_TX_PRIO_BYTES "tx_prio%u_bytes"
#define C_RX_PRIO_BYTES "rx_prio%u_bytes"
#define C_TX_PRIO_PACKETS "tx_prio%u_packets"
#define C_RX_PRIO_PACKETS "rx_prio%u_packets"
#define C_TX_PRIO_PAUSE "tx_prio%u_pause"             /* XOFF frames sent, refreshes too */
#define C_RX_PRIO_PAUSE "rx_prio%u_pause"             /* XOFF frames received */
#define C_TX_PRIO_PAUSE_US "tx_prio%u_pause_duration" /* us this port held its peer */
#define C_RX_PRIO_PAUSE_US "rx_prio%u_pause_duration" /* us this port was held */
/* ns with something to send in the priority and not held by pause. Bytes over
 * this time is the rate that the port really serves. mlx5 has no such counter;
 * on switches it is derived from queue samples. The simulator knows it. */
#define C_TX_PRIO_BUSY_NS "tx_prio%u_busy_ns"

/* Switch ports. RoCE packets that came in with the policy's DSCP, whatever
 * priority the port's map then gave them. */
#define C_RX_DSCP_PACKETS "rx_policy_dscp_packets"
#define C_ECN_MARKED "tx_prio%u_ecn_marked" /* packets marked CE at this egress queue */
#define C_QUEUE_PEAK                                                                           \
	"tx_prio%u_queue_peak_bytes" /* watermark of the egress queue in the window */
#define C_QUEUE_PEAK_ECT                                                                       \
	"tx_prio%u_queue_peak_ect_bytes" /* the same, as met by ECT packets not yet marked */
#define C_INGRESS_PEAK "rx_prio%u_buffer_peak_bytes" /* watermark of ingress accounting */
#define C_HEADROOM_PEAK "rx_prio%u_headroom_peak_bytes"
#define C_DROP_BUFFER "rx_prio%u_discards"            /* no room: pool or threshold */
#define C_DROP_HEADROOM "rx_prio%u_headroom_discards" /* lossless, headroom full */
#define C_DROP_EGRESS "tx_prio%u_discards"            /* lossy class, egress limit */
#define C_DROP_LINK_DOWN "tx_link_down_discards"      /* sent to a port without carrier */
#define C_DROP_NO_ROUTE "rx_no_route_discards"
#define C_DROP_OVERSIZE "rx_oversize_pkts_phy" /* larger than the port's MTU; NICs too */
#define C_DROP_POLICER "rx_policer_discards"
#define C_DROP_TTL "rx_ttl_discards"
#define C_DROP_WATCHDOG "tx_prio%u_watchdog_discards"
#define C_ECN_BEFORE_PFC_NS                                                                    \
	"rx_prio%u_first_pause_ns" /* run clock of the first XOFF sent; absent: none */
#define C_FIRST_MARK_NS                                                                        \
	"tx_prio%u_first_mark_ns" /* run clock of the first CE mark; absent: none */
#define C_FIRST_DROP_NS "rx_prio%u_first_discard_ns"

/* NICs (hw_counters of the RDMA device). */
#define C_OUT_OF_SEQUENCE "out_of_sequence"
#define C_PACKET_SEQ_ERR "packet_seq_err"
#define C_ACK_TIMEOUT "local_ack_timeout_err"
#define C_IMPLIED_NAK "implied_nak_seq_err" /* a response was lost */
#define C_ADP_RETRANS "roce_adp_retrans"    /* sent again before the timeout */
#define C_ADP_TIMEOUT "roce_adp_retrans_to"
#define C_RETRY_EXCEEDED "req_transport_retries_exceeded"
#define C_DUPLICATE "duplicate_request"
#define C_RNR_NAK "rnr_nak_retry_err"      /* the receiver was not ready: told to wait */
#define C_OUT_OF_BUFFER "out_of_buffer"    /* as the receiver: no receive was posted */
#define C_SLOW_RESTART "roce_slow_restart" /* QPs that a loss has slowed down */
#define C_NP_CE "np_ecn_marked_roce_packets"
#define C_NP_CNP_SENT "np_cnp_sent"
#define C_RP_CNP_HANDLED "rp_cnp_handled"
#define C_ICRC_ERRORS "rx_icrc_encapsulated"     /* RoCE packets dropped for a wrong ICRC */
#define C_TX_POLICY_BYTES "tx_policy_dscp_bytes" /* frame bytes sent with the policy's DSCP */
#define C_TX_RDMA_BYTES "tx_vport_rdma_unicast_bytes" /* frame bytes of all RDMA sent */
#define C_RX_RDMA_BYTES "rx_vport_rdma_unicast_bytes"

/* Of captures (run_wire names). Of the whole capture: */
#define W_RECORDS "records"
#define W_FIRST_NS "first_time_ns"
#define W_LAST_NS "last_time_ns"
#define W_DROPPED "dropped_by_capturer"
#define W_LEFT_OUT "pairs_left_out" /* of addresses: not in the run file */
/* From one address to another. XOFF frames of a MAC address: C_TX_PRIO_PAUSE. */
#define W_DATA "data_packets"     /* requests and READ responses */
#define W_RESENT "resent_packets" /* of these, sent before */
#define W_CE "ce_packets"         /* of these, marked */
#define W_CNPS "cnps"
#define W_NAKS "naks"                   /* PSN sequence errors */
#define W_LOST_BEFORE "lost_before_tap" /* between their sender and here */
#define W_LOST_BEHIND "lost_behind_tap"
#define W_LOST_CAPTURE "lost_by_capture"

/* NICs, in the stages of pairs on real NICs: of the datagrams that it sent in the policy's
 * class, how many arrived, and how many of these with the policy's DSCP; and the DSCP of
 * the last that came with another. Counted from 0 in each stage. */
#define C_PROBES_ARRIVED "class_probes_arrived"
#define C_PROBES_RIGHT "class_probes_arrived_right"
#define C_PROBES_WRONG_DSCP "class_probes_wrong_dscp"

/* NICs, in the same stages: messages that came in and were compared, and those that did not
 * hold what was sent. */
#define C_PAYLOAD_CHECKED "payload_checked"
#define C_PAYLOAD_CORRUPT "payload_corrupt"

/* NICs, of a ring all-reduce with real sums. Counted from 0 in each stage. */
#define C_RING_CHECKED "ring_chunks_checked" /* chunks that arrived, each compared */
#define C_RING_SUMS_NS "ring_sums_ns"        /* that comparing and adding them took */
#define C_RING_WRONG "ring_chunks_wrong"
#define C_RING_WRONG_STEP "ring_wrong_step"   /* of the first, over all all-reduces, from 0 */
#define C_RING_WRONG_CHUNK "ring_wrong_chunk" /* its number in the payload */

/* Facts (run_fact keys) of a port. */
#define F_OPER_STATE "oper_state" /* "up", "down" at the start of the run */
#define F_SPEED "speed"           /* bits per second, as the port reports it */
#define F_MAC "mac"               /* "02:01:00:00:00:03" */
#define F_ADDRESS "address"       /* of a NIC: "10.0.0.1" */
#define F_PEER "lldp_peer"        /* port name at the other end, as LLDP tells it */

/* A fact of a switch: "route leaf3", the port that a route set by hand names. */
#define F_ROUTE "route "

#endif
