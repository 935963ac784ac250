/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/wire_judge.h"

#include <inttypes.h>
#include <stdio.h>

#define LAYER "wire"

static struct finding *add(struct findings *findings, const char *check, enum verdict verdict,
	const char *text, const char *advice)
{
	struct finding *finding = findings_add(findings, check, LAYER, verdict);

	finding->rank = RANK_INFO;
	snprintf(finding->text, sizeof(finding->text), "%s", text);
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
	return finding;
}

static void judge_content(const struct wire *wire, struct findings *findings)
{
	uint64_t roce = wire->roce_v1 + wire->roce_v2;
	char text[FINDING_TEXT];

	if (wire->unsupported) {
		snprintf(text, sizeof(text),
			"unsupported link type %u: %" PRIu64 " records were not decoded",
			wire->link_types[0], wire->unsupported);
		add(findings, "wire.link_type", VERDICT_UNKNOWN, text,
			"capture on an Ethernet interface");
	}
	if (!roce && !(wire->pause.pfc + wire->pause.pause_802_3x)) {
		snprintf(text, sizeof(text),
			"no RoCE and no pause frame among %" PRIu64 " records", wire->records);
		add(findings, "wire.nothing", VERDICT_UNKNOWN, text,
			"capture where RDMA passes: a host's own RDMA traffic shows only at a "
			"mirror port, or with a driver's sniffer");
	} else if (roce && wire->bth_cut == roce) {
		snprintf(text, sizeof(text),
			"all %" PRIu64 " RoCE packets are cut inside their transport header",
			roce);
		add(findings, "wire.snap_length", VERDICT_UNKNOWN, text,
			"capture 128 bytes a packet or more");
	} else if (wire->bth_cut) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " of %" PRIu64
			" RoCE packets are cut inside their transport header",
			wire->bth_cut, roce);
		add(findings, "wire.snap_length", VERDICT_WARN, text,
			"capture 128 bytes a packet or more");
	}
	if (roce && wire->bth_cut < roce && wire->icrc[ICRC_UNCHECKED]) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " of %" PRIu64
			" RoCE packets were not captured whole: their ICRC is not checked",
			wire->icrc[ICRC_UNCHECKED], roce);
		add(findings, "wire.icrc_unchecked", VERDICT_WARN, text,
			"capture whole packets to look for corruption");
	}
	if (roce && !wire->mac_control)
		add(findings, "wire.no_pause", VERDICT_PASS,
			"no pause frame in the capture, which proves nothing: the port itself "
			"eats them",
			"");
	if (findings->count == 0) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " pause frames, none of which holds a priority",
			wire->mac_control);
		add(findings, "wire.no_pause", VERDICT_PASS, text, "");
	}
}

static void judge_packets(const struct wire *wire, struct findings *findings)
{
	char text[FINDING_TEXT];

	if (wire->fragments) {
		struct finding *finding;

		snprintf(text, sizeof(text),
			"%" PRIu64 " IP fragments of UDP; RoCE must not be fragmented",
			wire->fragments);
		finding = add(findings, "wire.fragments", VERDICT_WARN, text,
			"make the path MTU of RDMA fit the IP MTU of the route");
		finding->rank = RANK_CAUSE;
		finding->culprit_kind = CULPRIT_SETTING;
		snprintf(finding->culprit, sizeof(finding->culprit), "MTU");
	}
	if (wire->malformed) {
		snprintf(text, sizeof(text),
			"%" PRIu64 " packets to the RoCE port are too short to be RoCE",
			wire->malformed);
		add(findings, "wire.malformed", VERDICT_WARN, text,
			"something else sends to UDP port 4791, or the capture is damaged");
	}
}

void wire_judge_capture(
	const struct wire *wire, const struct wire_facts *facts, struct findings *findings)
{
	char text[FINDING_TEXT];

	if (facts->damaged) {
		snprintf(text, sizeof(text), "not read to its end: %.280s", facts->damaged);
		add(findings, "wire.damaged", VERDICT_UNKNOWN, text,
			"what was read before is counted; capture again or repair the file");
	}
	if (facts->cut)
		add(findings, "wire.cut", VERDICT_WARN,
			"the file ends inside a record, which counts nowhere", "");
	judge_content(wire, findings);
	judge_packets(wire, findings);
}
