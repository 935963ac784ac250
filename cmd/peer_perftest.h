/*
 * peer_perftest - perftest's options that weft has under another name, does anyway, or does
 * otherwise: each is refused with a sentence that says which, and what would do.
 */
#ifndef CMD_PEER_PERFTEST_H
#define CMD_PEER_PERFTEST_H

/* clang-format off */
#define INSTEAD(name, help) { OPT_INSTEAD, name, 0, 0, 0, help }

#define PERFTEST_OPTS \
	INSTEAD("F", "leave it out: weft reads the kernel's clock and counts no cycles of the " \
		"processor"), \
	INSTEAD("CPU-freq", "leave it out: weft reads the kernel's clock and counts no cycles of the " \
		"processor"), \
	INSTEAD("f", "say --warmup TIME, which is sent before what is counted; what ends after it " \
		"is not counted anyway"), \
	INSTEAD("margin", "say --warmup TIME, which is sent before what is counted; what ends after " \
		"it is not counted anyway"), \
	INSTEAD("r", "leave it out: up to four receives are posted for each message under way"), \
	INSTEAD("rx-depth", "leave it out: up to four receives are posted for each message under " \
		"way"), \
	INSTEAD("S", "say -T N, four times the DSCP plus the ECN bits: the priority follows " \
		"it where the NIC trusts the DSCP, which weft audit shows"), \
	INSTEAD("sl", "say -T N, four times the DSCP plus the ECN bits: the priority follows " \
		"it where the NIC trusts the DSCP, which weft audit shows"), \
	INSTEAD("W", "leave it out: every counter of both ports that moved is printed, with " \
		"-a where a size is no pass; --json has all"), \
	INSTEAD("report-counters", "leave it out: every counter of both ports that moved is " \
		"printed, with -a where a size is no pass; --json has all"), \
	INSTEAD("e", "leave it out: weft polls for completions and takes no events"), \
	INSTEAD("events", "leave it out: weft polls for completions and takes no events"), \
	INSTEAD("l", "leave it out: what has been completed is posted again as one list"), \
	INSTEAD("post_list", "leave it out: what has been completed is posted again as one list"), \
	INSTEAD("z", "leave it out: the control channel is that of --ssh HOST, or TCP; --cm " \
		"connects the QPs"), \
	INSTEAD("com_rdma_cm", "leave it out: the control channel is that of --ssh HOST, or TCP; " \
		"--cm connects the QPs"), \
	INSTEAD("o", "leave it out: up to 16 reads of a QP are under way"), \
	INSTEAD("outs", "leave it out: up to 16 reads of a QP are under way"), \
	INSTEAD("A", "weft sends no atomics: say --op write, write-imm, send or read"), \
	INSTEAD("g", "weft sends no multicast: leave it out, and start one weft for each receiver"), \
	INSTEAD("O", "a test has one port: start one weft for each port, with -i"), \
	INSTEAD("dualport", "a test has one port: start one weft for each port, with -i"), \
	INSTEAD("V", "say weft --version"), \
	INSTEAD("L", "leave it out: the hop limit is 64"), \
	INSTEAD("hop_limit", "leave it out: the hop limit is 64"), \
	INSTEAD("mcg", "weft sends no multicast: start one weft for each receiver"), \
	INSTEAD("M", "weft sends no multicast: start one weft for each receiver"), \
	INSTEAD("MGID", "weft sends no multicast: start one weft for each receiver"), \
	INSTEAD("use-srq", "leave it out: each QP has receives of its own"), \
	INSTEAD("X", "leave it out: weft polls, and no interrupt comes"), \
	INSTEAD("vector", "leave it out: weft polls, and no interrupt comes"), \
	INSTEAD("odp", "leave it out: weft registers one piece of ordinary memory"), \
	INSTEAD("use_hugepages", "leave it out: weft registers one piece of ordinary memory"), \
	INSTEAD("mr_per_qp", "leave it out: weft registers one piece of ordinary memory"), \
	INSTEAD("mmap", "weft sends from memory of its own: leave it out"), \
	INSTEAD("mmap-offset", "weft sends from memory of its own: leave it out"), \
	INSTEAD("recv_post_list", "leave it out: requests are prepared once, and posted as lists"), \
	INSTEAD("use_old_post_send", "leave it out: requests are prepared once, and posted as lists"), \
	INSTEAD("inline_recv", "leave it out: -I BYTES is of what is sent"), \
	INSTEAD("pkey_index", "leave it out: RoCE has none to choose"), \
	INSTEAD("dlid", "leave it out: RoCE has none to choose"), \
	INSTEAD("force-link", "leave it out: weft drives RoCE alone"), \
	INSTEAD("dont_xchg_versions", "leave it out: both ends must be the same weft"), \
	INSTEAD("wait_destroy", "leave it out: everything is given back at the end"), \
	INSTEAD("aes_xts", "weft encrypts nothing: leave it out"), \
	INSTEAD("aes_block_size", "weft encrypts nothing: leave it out"), \
	INSTEAD("encrypt_on_tx", "weft encrypts nothing: leave it out"), \
	INSTEAD("sig_before", "weft encrypts nothing: leave it out"), \
	INSTEAD("version", "say weft --version"), \
	INSTEAD("all", "say -a"), \
	INSTEAD("bidirectional", "say -b"), \
	INSTEAD("connection", "say -c RC or -c UD"), \
	INSTEAD("cq-mod", "say -Q N"), \
	INSTEAD("duration", "say -D SECONDS"), \
	INSTEAD("gid-index", "say -x INDEX"), \
	INSTEAD("ib-dev", "say -d DEVICE"), \
	INSTEAD("ib-port", "say -i PORT"), \
	INSTEAD("inline_size", "say -I BYTES"), \
	INSTEAD("iters", "say -n N"), \
	INSTEAD("mtu", "say -m MTU"), \
	INSTEAD("port", "say -p PORT"), \
	INSTEAD("qp", "say -q N"), \
	INSTEAD("qp-timeout", "say -u N"), \
	INSTEAD("rdma_cm", "say -R"), \
	INSTEAD("size", "say -s SIZE"), \
	INSTEAD("tos", "say -T N"), \
	INSTEAD("tx-depth", "say -t N"), \
	INSTEAD("retry_count", "say --retry N"), \
	INSTEAD("flow_label", "leave it out: each QP has a flow label of its own, drawn by --seed N"), \
	INSTEAD("ipv6", "say --family ipv6"), \
	INSTEAD("bind_source_ip", "say -x INDEX, the GID that is sent from"), \
	INSTEAD("source_ip", "say -x INDEX, the GID that is sent from"), \
	INSTEAD("disable_numa", "say --bind none"), \
	INSTEAD("pin_cores", "start weft by taskset(1), within which it stays"), \
	INSTEAD("perform_warm_up", "leave it out: what --warmup TIME says is sent before, " \
		"but with -n N, where all is counted"), \
	INSTEAD("use_cuda", "weft sends from the host's memory alone: leave it out"), \
	INSTEAD("use_cuda_dmabuf", "weft sends from the host's memory alone: leave it out"), \
	INSTEAD("use_rocm", "weft sends from the host's memory alone: leave it out"), \
	INSTEAD("out_json", "say --json, and > FILE"), \
	INSTEAD("out_json_file", "say --json, and > FILE"), \
	INSTEAD("output", "say --json, which has every figure")

#define PERFTEST_BW_OPTS \
	INSTEAD("cpu_util", "leave it out: the CPU time of a GB is printed, or with -a is in --json"), \
	INSTEAD("run_infinitely", "say -D SECONDS, up to 86400: least and most of the intervals are " \
		"printed, and --json has them all"), \
	INSTEAD("report-per-port", "leave it out: a test has one port"), \
	INSTEAD("disable_pcie_relaxed", "leave it out: PCIe may write out of order only what is not " \
		"looked at before a completion"), \
	INSTEAD("typical_pkt_size", "leave it out: --rate RATE is kept by the clock"), \
	INSTEAD("N", "leave it out: weft tells no peak of single messages; of three " \
		"intervals or more, least and most are printed, or with -a all are in --json"), \
	INSTEAD("noPeak", "leave it out: weft tells no peak of single messages; of three " \
		"intervals or more, least and most are printed, or with -a all are in --json"), \
	INSTEAD("w", "say --min RATE, such as --min 380G: the test fails below it"), \
	INSTEAD("limit_bw", "say --min RATE, such as --min 380G: the test fails below it"), \
	INSTEAD("y", "say --min RATE: the limit is one of payload, in bits per second"), \
	INSTEAD("limit_msgrate", "say --min RATE: the limit is one of payload, in bits per second"), \
	INSTEAD("report_gbits", "leave it out: weft prints Gb/s, 10^9 bits per second"), \
	INSTEAD("report-both", "leave it out: with -b each direction is printed, or with -a " \
		"is in --json"), \
	INSTEAD("rate_limit", "say --rate RATE, such as --rate 65G: any rate will do"), \
	INSTEAD("rate_units", "leave it out: --rate RATE has its unit with it, M or G"), \
	INSTEAD("rate_limit_type", "leave it out: --rate RATE is kept by the clock"), \
	INSTEAD("burst_size", "say --burst SIZE, in bytes and with --rate RATE or --period TIME"), \
	INSTEAD("data_validation", "say --check"), \
	INSTEAD("reversed", "start weft at the other end, or say --op read, which brings data here")

#define PERFTEST_LAT_OPTS \
	INSTEAD("cpu_util", "leave it out: who measures latency polls, and takes a whole processor"), \
	INSTEAD("run_infinitely", "say -D SECONDS, up to 86400"), \
	INSTEAD("disable_pcie_relaxed", "leave it out: latency is measured in memory that is written " \
		"in order"), \
	INSTEAD("q", "leave it out: latency is measured on one QP"), \
	INSTEAD("Q", "leave it out: one message is under way at a time"), \
	INSTEAD("t", "leave it out: one message is under way at a time"), \
	INSTEAD("b", "leave it out: each message goes to and fro"), \
	INSTEAD("H", "say --json: the whole histogram is in it"), \
	INSTEAD("U", "leave it out: weft keeps no single times; the whole histogram is in " \
		"--json"), \
	INSTEAD("report-histogram", "say --json: the whole histogram is in it"), \
	INSTEAD("report-unsorted", "leave it out: weft keeps no single times; the whole " \
		"histogram is in --json"), \
	INSTEAD("C", "leave it out: times are microseconds, and nanoseconds with --json"), \
	INSTEAD("report-cycles", "leave it out: times are microseconds, and nanoseconds with --json"), \
	INSTEAD("latency_gap", "leave it out: the next message leaves when the last one is back"), \
	INSTEAD("report_gbits", "leave it out: latency is printed in microseconds")
/* clang-format on */

#endif
