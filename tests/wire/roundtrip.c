/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roundtrip WEFT SCENARIO - what the simulator captured is what it counted: runs a
 * stage with `WEFT sim --pcap`, reads the files back with `WEFT pcap --json`, and
 * compares with the flows and counters of the run file, to the packet:
 *
 *   at each NIC      data sent, sent again and received, CE, CNPs both ways, NAKs, PFC
 *                    frames both ways
 *   at both ends of  frames both ways, PFC frames of both ports, and what the link lost
 *   an uplink
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/counters.h"
#include "lib/diag.h"
#include "lib/json.h"
#include "lib/run.h"

#define HOSTS 8
#define NICS "host1,host2,host3,host4,host5,host6,host7,host8"
#define FABRIC "leaves: 2\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nlinks_per_spine: 2\n"
#define FAULT(text) "faults:\n- {" text "}\n"

static const struct scenario {
	const char *name, *yaml, *stage;
	/* What must have happened, or the scenario shows nothing: counters of all flows. */
	bool resent, marked, paused;
} scenarios[] = {
	{ "quiet", FABRIC, "pairs-local-1", false, false, false },
	{ "ecn", FABRIC, "incast-3-ect-1", false, true, false },
	{ "pfc", FABRIC, "incast-3-not-ect-1", false, false, true },
	{ "loss", FABRIC FAULT("kind: loss, place: \"leaf1:5-spine1:1\", amount: 0.02"),
		"permutation-1-4qp", true, false, false },
	{ "loss-ecn", FABRIC FAULT("kind: loss, place: \"leaf1:5-spine1:1\", amount: 0.01"),
		"incast-3-ect-1", true, true, false },
	{ "selective-repeat",
		FABRIC "policy: {transport: selective-repeat}\n" FAULT(
			"kind: loss, place: \"leaf1:5-spine1:1\", amount: 0.01"),
		"permutation-1-4qp", true, false, false },
	{ "storm", FABRIC FAULT("kind: pause-storm, place: host2"), "pairs-local-1", false,
		false, true },
	{ "slow-receiver", FABRIC FAULT("kind: slow-receiver, place: host2, amount: 0.3"),
		"permutation-1-4qp", false, false, true },
	{ "burst-loss",
		FABRIC FAULT("kind: burst-loss, place: \"leaf1:5-spine1:1\", amount: 0.01, "
			     "burst: 8"),
		"permutation-1-4qp", true, false, false },
	{ "corrupt", FABRIC FAULT("kind: corrupt, place: \"leaf1:5-spine1:1\", amount: 0.01"),
		"permutation-1-4qp", true, false, false },
	{ "cnp-loss", FABRIC FAULT("kind: cnp-loss, place: \"leaf1:5-spine1:1\", amount: 0.5"),
		"incast-3-ect-1", false, true, false },
	{ "cnp-off", FABRIC FAULT("kind: cnp-off, place: host3"), "incast-3-ect-1", false, true,
		false },
	{ "spray", FABRIC FAULT("kind: spray, place: leaf1, to: 10ms"), "permutation-1-4qp",
		true, false, false },
	{ "flap",
		FABRIC FAULT("kind: flap, place: \"leaf1:5-spine1:1\", from: 100us, amount: "
			     "100us, period: 300us"),
		"permutation-1-4qp", true, false, false },
};

static unsigned differences;
static char folder[] = "/tmp/weft-roundtrip-XXXXXX";

static void compare(const char *place, const char *what, uint64_t wire, uint64_t counted)
{
	printf("%s %s: %llu on the wire, %llu counted%s\n", place, what,
		(unsigned long long)wire, (unsigned long long)counted,
		wire == counted ? "" : "  <- differ");
	differences += wire != counted;
}

/* --- what the run file says --- */

struct counted {
	struct run_flow *flows;
	struct run_counter *counters;
	size_t flow_count, counter_count;
};

static void read_run(const char *path, struct counted *counted)
{
	struct run *run = NULL;
	struct diag diag;

	if (run_open(&run, path, &diag) ||
		run_get_flows(run, 0, &counted->flows, &counted->flow_count, &diag) ||
		run_get_counters(run, 0, &counted->counters, &counted->counter_count, &diag)) {
		puts(diag.text);
		exit(2);
	}
	run_close(run);
}

/* The sum of a member of the flows from, or to, this NIC; of all: NULL. */
static uint64_t flows_sum(
	const struct counted *counted, const char *src, const char *dst, size_t member)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < counted->flow_count; i++) {
		const struct run_flow *flow = &counted->flows[i];

		if ((!src || strcmp(flow->src, src) == 0) &&
			(!dst || strcmp(flow->dst, dst) == 0))
			sum += *(const uint64_t *)(const void *)((const char *)flow + member);
	}
	return sum;
}

#define SENT(nic, member) flows_sum(counted, nic, NULL, offsetof(struct run_flow, member))
#define GOT(nic, member) flows_sum(counted, NULL, nic, offsetof(struct run_flow, member))

static uint64_t counter(const struct counted *counted, const char *place, const char *name)
{
	for (size_t i = 0; i < counted->counter_count; i++)
		if (strcmp(counted->counters[i].place, place) == 0 &&
			strcmp(counted->counters[i].name, name) == 0)
			return counted->counters[i].last - counted->counters[i].first;
	printf("%s has no %s\n", place, name);
	exit(2);
}

/* --- what the capture says --- */

static struct json *capture_of(const char *weft, const char *place)
{
	char command[512];
	size_t room = (size_t)1 << 24, size;
	char *text = malloc(room);
	struct json *root = NULL;
	struct diag diag;
	FILE *pipe;
	int status;

	snprintf(command, sizeof(command), "'%s' pcap --json %s/sim-%s.pcap", weft, folder,
		place);
	for (char *at = strstr(command, "/sim-"); *at; at++)
		if (*at == ':')
			*at = '-';
	pipe = popen(command, "r");
	if (!pipe || !text)
		exit(2);
	size = fread(text, 1, room, pipe);
	status = pclose(pipe);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2 ||
		json_parse(&root, text, size, &diag)) {
		printf("%s failed\n", command);
		exit(2);
	}
	free(text);
	return root;
}

static uint64_t number(const struct json *object, const char *key)
{
	int64_t value = 0;

	if (object && !json_int(json_get(object, key), &value)) {
		printf("no number %s\n", key);
		exit(2);
	}
	return (uint64_t)value;
}

static bool is_end(const struct json *flow, const char *key, const char *address)
{
	return !address || strcmp(json_text(json_get(flow, key)), address) == 0;
}

/* The sum of a key, "naks", "bad_data" or a cause of resending, over the flows of these
 * ends; NULL: any. */
static uint64_t wire_sum(
	const struct json *root, const char *src, const char *dst, const char *key)
{
	const struct json *flows = json_get(root, "flows");
	uint64_t sum = 0;

	for (size_t i = 0; i < json_count(flows); i++) {
		const struct json *flow = json_at(flows, i);

		if (!is_end(flow, "src", src) || !is_end(flow, "dst", dst))
			continue;
		if (strcmp(key, "naks") == 0)
			sum += number(json_get(flow, "naks"), "psn_sequence");
		else if (strcmp(key, "bad_data") == 0)
			sum += number(flow, "requests") ? number(flow, "icrc_bad") : 0;
		else if (strcmp(key, "timeout") == 0)
			sum += number(json_get(flow, "retransmitted_by_cause"), key);
		else
			sum += number(flow, key);
	}
	return sum;
}

/* XOFF frames of the priority that a MAC sent. */
static uint64_t wire_xoff(const struct json *root, const char *mac)
{
	const struct json *sources = json_get(json_get(root, "mac_control"), "sources");

	for (size_t i = 0; i < json_count(sources); i++) {
		const struct json *source = json_at(sources, i);
		const struct json *three = json_get(json_get(source, "priorities"), "3");

		if (strcmp(json_text(json_get(source, "src")), mac) == 0 && three)
			return number(three, "xoff");
	}
	return 0;
}

/* --- the two side by side --- */

static void compare_nic(
	const char *weft, const struct counted *counted, unsigned host, const char *scenario)
{
	char nic[16], address[16], mac[24], leaf_mac[24];
	struct json *root;

	snprintf(nic, sizeof(nic), "host%u", host);
	snprintf(address, sizeof(address), "10.0.0.%u", host);
	snprintf(mac, sizeof(mac), "02:00:0a:00:00:%02x", host);
	snprintf(leaf_mac, sizeof(leaf_mac), "02:01:00:%02x:00:%02x", (host - 1) / 4,
		(host - 1) % 4 + 1);
	root = capture_of(weft, nic);
	compare(nic, "data sent", wire_sum(root, address, NULL, "requests"),
		SENT(nic, packets_sent));
	compare(nic, "sent again", wire_sum(root, address, NULL, "retransmitted"),
		SENT(nic, packets_resent));
	if (SENT(nic, timeouts) == 0)
		compare(nic, "sent again after a timeout",
			wire_sum(root, address, NULL, "timeout"), 0);
	/* Behind a spraying switch a receiver's tap cannot tell all of them. */
	if (GOT(nic, timeouts) == 0 && strcmp(scenario, "spray") != 0)
		compare(nic, "received again after a timeout",
			wire_sum(root, NULL, address, "timeout"), 0);
	/* What is corrupt arrives and is dropped, data and answers. */
	compare(nic, "wrong ICRC", wire_sum(root, NULL, address, "icrc_bad"),
		counter(counted, nic, C_ICRC_ERRORS));
	compare(nic, "data received",
		wire_sum(root, NULL, address, "requests") -
			wire_sum(root, NULL, address, "bad_data"),
		GOT(nic, packets_received));
	compare(nic, "CE received", wire_sum(root, NULL, address, "ce_data"),
		GOT(nic, ce_packets));
	compare(nic, "CNPs sent", wire_sum(root, address, NULL, "cnps"), GOT(nic, cnps_sent));
	compare(nic, "CNPs received", wire_sum(root, NULL, address, "cnps"),
		SENT(nic, cnps_handled));
	compare(nic, "NAKs received", wire_sum(root, NULL, address, "naks"), SENT(nic, naks));
	/* Selective repeat says NAK with every packet beyond a gap. */
	if (strcmp(scenario, "selective-repeat") != 0)
		compare(nic, "NAKs sent", wire_sum(root, address, NULL, "naks"),
			GOT(nic, out_of_sequence));
	compare(nic, "XOFF sent", wire_xoff(root, mac),
		counter(counted, nic, "tx_prio3_pause"));
	compare(nic, "XOFF received", wire_xoff(root, leaf_mac),
		counter(counted, nic, "rx_prio3_pause"));
	json_free(root);
}

/* Frames of the hosts of a leaf (0, 1), which go one way over the uplink. */
static uint64_t one_way(const struct json *root, unsigned leaf)
{
	char address[16];
	uint64_t sum = 0;

	for (unsigned host = 1; host <= 4; host++) {
		snprintf(address, sizeof(address), "10.0.0.%u", leaf * 4 + host);
		sum += wire_sum(root, address, NULL, "packets");
	}
	return sum;
}

static void compare_uplink(const char *weft, const struct counted *counted)
{
	struct json *leaf = capture_of(weft, "leaf1:5"), *spine = capture_of(weft, "spine1:1");
	static const char leaf_mac[] = "02:01:00:00:00:05", spine_mac[] = "02:01:00:02:00:01";

	compare("leaf1:5", "frames sent", one_way(leaf, 0),
		counter(counted, "leaf1:5", C_TX_PACKETS));
	compare("spine1:1", "frames received", one_way(spine, 0),
		counter(counted, "spine1:1", C_RX_PACKETS));
	compare("spine1:1", "frames sent", one_way(spine, 1),
		counter(counted, "spine1:1", C_TX_PACKETS));
	compare("leaf1:5", "frames received", one_way(leaf, 1),
		counter(counted, "leaf1:5", C_RX_PACKETS));
	compare("leaf1:5", "XOFF sent", wire_xoff(leaf, leaf_mac),
		counter(counted, "leaf1:5", "tx_prio3_pause"));
	compare("leaf1:5", "XOFF received", wire_xoff(leaf, spine_mac),
		counter(counted, "leaf1:5", "rx_prio3_pause"));
	compare("spine1:1", "XOFF received", wire_xoff(spine, leaf_mac),
		counter(counted, "spine1:1", "rx_prio3_pause"));
	json_free(leaf);
	json_free(spine);
}

/* --- the run --- */

static void run_stage(const char *weft, const struct scenario *scenario)
{
	char path[64], command[512];
	FILE *file;
	int status;

	snprintf(path, sizeof(path), "%s/fabric.yaml", folder);
	file = fopen(path, "w");
	if (!file || fputs(scenario->yaml, file) < 0 || fclose(file))
		exit(2);
	snprintf(command, sizeof(command),
		"'%s' sim --stage %s --run %s/sim.run --snaplen 65535 --pcap " NICS
		",leaf1:5,spine1:1 %s >&2",
		weft, scenario->stage, folder, path);
	status = system(command);
	if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)
		exit(2);
}

/* What was to happen did, so that equal counts are not equal zeroes. */
static void check_it_happened(const struct scenario *scenario, const struct counted *counted)
{
	uint64_t paused = 0;

	for (size_t i = 0; i < counted->counter_count; i++)
		if (strcmp(counted->counters[i].name, "tx_prio3_pause") == 0)
			paused += counted->counters[i].last;
	if ((scenario->resent && !SENT(NULL, packets_resent)) ||
		(scenario->marked && !GOT(NULL, ce_packets)) || (scenario->paused && !paused)) {
		puts("the fault did not show: this proves nothing");
		differences++;
	}
}

static void remove_folder(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	if (system(command))
		puts("left behind: a folder in /tmp");
}

int main(int argc, char **argv)
{
	const struct scenario *scenario = scenarios, *end;
	struct counted counted = { .flows = NULL };
	char path[64];

	end = scenarios + sizeof(scenarios) / sizeof(scenarios[0]);
	if (argc != 3 || !mkdtemp(folder))
		return 2;
	while (scenario < end && strcmp(scenario->name, argv[2]) != 0)
		scenario++;
	if (scenario == end)
		return 2;
	run_stage(argv[1], scenario);
	snprintf(path, sizeof(path), "%s/sim.run", folder);
	read_run(path, &counted);
	for (unsigned host = 1; host <= HOSTS; host++)
		compare_nic(argv[1], &counted, host, scenario->name);
	compare_uplink(argv[1], &counted);
	check_it_happened(scenario, &counted);
	free(counted.flows);
	free(counted.counters);
	remove_folder();
	printf("%u differences\n", differences);
	return differences != 0;
}
