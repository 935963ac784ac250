/*
 * peer_opts - the options that bw and lat share between two hosts; perftest's letters where
 * they mean the same.
 */
#ifndef CMD_PEER_OPTS_H
#define CMD_PEER_OPTS_H

#include "cmd/peer.h"
#include "cmd/peer_perftest.h"
#include "lib/units.h"
#include "pfc/policy.h"

#define PEER(field) offsetof(struct peer_args, field)

/* clang-format off */
/* said: how large a message is unless -s is given. */
#define PEER_OPTS_BEGIN(said) \
	{ OPT_TEXT, "ssh HOST", PEER(ssh), 0, 0, \
		"start the other end there; \"local\": here" }, \
	{ OPT_TEXT, "weft PATH", PEER(weft), 0, 0, "how weft is called there" }, \
	{ OPT_TEXT, "peer-device DEVICE", PEER(peer_device), 0, 0, \
		"RDMA device there; found by subnet or name unless given" }, \
	{ OPT_TEXT, "peer-gid INDEX", PEER(peer_gid), 0, 0, "GID there" }, \
	{ OPT_TEXT, "listen ADDRESS", PEER(listen), 0, 0, \
		"wait there for one peer, which says what is to be done" }, \
	{ OPT_COUNT, "p PORT", PEER(tcp_port), 1, 65535, "TCP port of the control channel" }, \
	{ OPT_NS, "wait TIME", PEER(wait_ns), NS_PER_MS, 86400 * NS_PER_S, \
		"for the peer; 10s unless given, 30s with --ssh, 600s with --listen" }, \
	{ OPT_TEXT, "d DEVICE", PEER(device), 0, 0, \
		"RDMA device; the one with the control channel's address unless given" }, \
	{ OPT_COUNT, "i PORT", PEER(port), 1, 255, "port of the device" }, \
	{ OPT_TEXT, "x INDEX", PEER(gid), 0, 0, "GID; chosen unless given" }, \
	{ OPT_CHOICE, "family ipv4|ipv6", PEER(family), 0, 0, "of the GID to choose first" }, \
	{ OPT_CHOICE, "op write|write-imm|send|read", PEER(work), 0, 0, "the RDMA operation" }, \
	{ OPT_CHOICE, "c RC|UD", PEER(connection), 0, 0, "connections, or datagrams" }, \
	{ OPT_FLAG, "cm", PEER(cm), 0, 0, "connect by the RDMA connection manager" }, \
	{ OPT_FLAG, "R", PEER(cm), 0, 0, "the same" }, \
	{ OPT_BYTES, "s SIZE", PEER(bytes), 1, GEN_BYTES_MAX, \
		"of a message; " said " unless given" }, \
	{ OPT_FLAG, "a", PEER(all), 0, 0, \
		"all sizes, each twice the last, up to 8MiB: from 2, or from -s on" }, \
	{ OPT_COUNT, "D SECONDS", PEER(seconds), 1, 86400, \
		"how long is counted; 5, or with -a 1 for each size, unless given" }, \
	{ OPT_NS, "warmup TIME", PEER(warmup_ns), 0, 3600 * NS_PER_S, \
		"sent before, not counted" }

#define PEER_OPTS_END \
	{ OPT_COUNT, "I BYTES", PEER(inline_bytes), 0, 4096, "messages up to this size go inline" }, \
	{ OPT_COUNT, "m MTU", PEER(mtu_bytes), 256, 4096, \
		"256, 512, 1024, 2048, 4096; the smaller of both ports' unless given" }, \
	{ OPT_COUNT, "u N", PEER(timeout_exp), 1, 31, \
		"QP timeout of 4.096 us * 2^N; 14 unless given, 17 on Soft-RoCE" }, \
	{ OPT_COUNT, "retry N", PEER(retry), 1, 7, \
		"retries after a timeout; 7 unless given, 6 on Soft-RoCE, where 7 is for ever" }, \
	{ OPT_COUNT, "tclass N", PEER(traffic_class), 0, 255, "traffic class, DSCP * 4 + ECN" }, \
	{ OPT_COUNT, "T N", PEER(traffic_class), 0, 255, "the same" }, \
	{ OPT_CHOICE, "bind nic|none", PEER(bind), 0, 0, \
		"run on the NUMA node of the device, or where we are" }, \
	{ OPT_FLAG, "lossy", PEER(lossy), 0, 0, "packets sent again do not fail the test" }, \
	{ OPT_SEED, "seed N", PEER(seed), 0, 0, "of payload, PSNs and flow labels" }, \
	{ OPT_FLAG, "json", PEER(json), 0, 0, "print JSON" }, \
	PERFTEST_OPTS, \
	{ OPT_ARG, "ADDRESS", PEER(address), 0, 0, "where the other weft listens" }, \
	{ OPT_END, NULL, 0, 0, 0, NULL }
/* clang-format on */

/* Reads the options over the defaults in args and runs. Returns the exit status. */
int peer_main(const struct opt *opts, const char *about, struct peer_args *args, int argc,
	char **argv);

#endif
