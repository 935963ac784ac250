/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/made/runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/units.h"

static struct finding *add(struct findings *findings, const char *check, const char *layer,
	enum verdict verdict, enum finding_rank rank, const char *text)
{
	struct finding *finding = findings_add(findings, check, layer, verdict);

	finding->rank = rank;
	snprintf(finding->text, sizeof(finding->text), "%s", text);
	return finding;
}

static void blame(struct finding *finding, enum culprit_kind kind, const char *culprit,
	const char *advice)
{
	finding->culprit_kind = kind;
	snprintf(finding->culprit, sizeof(finding->culprit), "%s", culprit);
	snprintf(finding->advice, sizeof(finding->advice), "%s", advice);
}

static void figure(struct finding *finding, double measured, double limit, const char *unit,
	const char *source, const char *basis)
{
	finding->has_measured = finding->has_limit = true;
	finding->measured = measured;
	finding->limit = limit;
	snprintf(finding->unit, sizeof(finding->unit), "%s", unit);
	snprintf(finding->limit_source, sizeof(finding->limit_source), "%s", source);
	snprintf(finding->basis, sizeof(finding->basis), "%s", basis);
}

static void add_passes(struct findings *findings, bool lossless)
{
	struct finding *finding;

	finding = add(findings, "plan.oversubscription", "plan", VERDICT_PASS, RANK_INFO,
		"every leaf has as much bandwidth up as down");
	figure(finding, 1, 1, "ratio", "limits.oversub", "derived from the fabric file");
	for (unsigned i = 0; i < 4; i++) {
		finding = add(findings, "pairs.bandwidth", "pairs", VERDICT_PASS, RANK_SYMPTOM,
			"every pair reached its share");
		figure(finding, 97.9 + 0.01 * i, 93.14, "Gb/s",
			"line rate less framing x 0.95 (limits.bandwidth)",
			"simulated, pairs-local-0, window 0 to 1 ms");
	}
	finding = add(findings, "nonblocking.bandwidth", "nonblocking", VERDICT_PASS,
		RANK_SYMPTOM, "every permutation got what random ECMP leaves it");
	figure(finding, 0.42, 0.40, "ratio", "random-ECMP baseline, derived", "simulated");
	if (lossless)
		add(findings, "lossless.loss", "lossless", VERDICT_PASS, RANK_SYMPTOM,
			"no packet of 15,360 was lost, p < 2.0e-04");
	finding = add(findings, "class.proof", "class", VERDICT_PASS, RANK_SYMPTOM,
		"all bytes sent with DSCP 26 were counted in priority 3 at every hop");
	figure(finding, 1, 1, "ratio", "policy.dscp, policy.priority", "simulated, all stages");
}

static void add_causes(struct findings *findings)
{
	struct finding *finding;

	finding = add(findings, "link.loss", "pairs", VERDICT_FAIL, RANK_CAUSE,
		"1 in 1,012 packets was lost from leaf1:9 to spine1:1, with carrier at both "
		"ends");
	figure(finding, 0.000988, 0, "ratio", "lossless class loses nothing (limits.loss)",
		"simulated, 9 stages, pairs-cross-0 to incast-4-ect-0, window 100 ms to 801 "
		"ms, "
		"40,480 packets");
	blame(finding, CULPRIT_LINK, "leaf1:9-spine1:1",
		"Clean both ends of the cable between leaf1 port 9 and spine1 port 1 and look "
		"at the "
		"optical power and FEC counters there; if it stays, swap the cable, then the "
		"optics.");
	finding->weight = 900;
	finding = add(findings, "switch.pfc-off", "lossless", VERDICT_FAIL, RANK_CAUSE,
		"leaf2 dropped 1,004 packets of priority 3 and never sent XOFF");
	figure(finding, 1004, 0, "packets", "lossless class loses nothing (limits.loss)",
		"simulated, incast-4-not-ect-0 to -1, window 500 ms to 701 ms");
	blame(finding, CULPRIT_SWITCH, "leaf2",
		"Turn PFC on for priority 3 on all ports of leaf2 and compare its buffer "
		"profile with "
		"that of another leaf.");
	finding->weight = 500;
	finding = add(findings, "nic.slow-receiver", "lossless", VERDICT_FAIL, RANK_CAUSE,
		"host3 held its switch with pause for 48 % of the window and drained 51.2 "
		"Gb/s");
	figure(finding, 51.2, 97.0, "Gb/s", "payload ceiling of a 100G link, derived",
		"simulated, incast-4-ect-0, window 700 ms to 701 ms");
	blame(finding, CULPRIT_NIC, "host3",
		"Look at the PCIe width and speed of the NIC of host3 (lspci -vv), its IOMMU "
		"and its "
		"NUMA placement.");
	finding->weight = 10;
}

static void add_symptoms(struct findings *findings)
{
	static const char *const checks[] = { "pairs.bandwidth", "pairs.bandwidth",
		"nonblocking.bandwidth", "lossless.retransmission", "pairs.bandwidth" };
	struct finding *finding;

	for (size_t i = 0; i < COUNT_OF(checks); i++) {
		finding = add(findings, checks[i], "pairs", VERDICT_FAIL, RANK_SYMPTOM,
			"host3 to host7 reached 48.9 Gb/s");
		figure(finding, 48.9, 93.14, "Gb/s",
			"line rate less framing x 0.95 (limits.bandwidth)", "simulated");
		blame(finding, CULPRIT_LINK, i % 2 ? "leaf1:9->spine1:1" : "spine1:1->leaf1:9",
			"");
	}
	finding = add(findings, "lossless.victim", "lossless", VERDICT_FAIL, RANK_SYMPTOM,
		"the victim host6 to host7 kept 41 % of what it has alone");
	figure(finding, 0.41, 0.75, "ratio", "weft's own default (limits.victim)", "simulated");
	blame(finding, CULPRIT_UNLOCATED, "",
		"Run weft incast with this victim alone and look at the pause counters of its "
		"leaf.");
	finding = add(findings, "ecmp.spread", "nonblocking", VERDICT_WARN, RANK_INFO,
		"the uplinks of leaf2 carry 1.9 times the mean at most");
	figure(finding, 1.9, 1.75, "ratio", "99th percentile of random ECMP, derived",
		"simulated");
}

static void add_unknown(struct findings *findings)
{
	struct finding *finding = add(findings, "switch.ecn-off", "lossless", VERDICT_UNKNOWN,
		RANK_CAUSE, "no queue of spine2 grew past kmax, so it never had to mark");

	blame(finding, CULPRIT_SWITCH, "spine2",
		"Run weft accept --profile full, which drives every spine.");
	snprintf(finding->basis, sizeof(finding->basis), "simulated, all lossless stages");
}

static void add_hostile(struct findings *findings)
{
	struct finding *finding = add(findings, "link.loss", "pairs", VERDICT_FAIL, RANK_CAUSE,
		"\033]0;owned\a lost \xf0\x9f\x98\x80 packets \xc3( from "
		"\xe4\xb8\xbb\xe6\x9c\xba to "
		"averyveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryveryl"
		"ongname");

	figure(finding, (double)NAN, (double)INFINITY, "ratio",
		"\x9b"
		"31m nowhere",
		"\r\n\b\b");
	blame(finding, CULPRIT_NIC, "h\033[31m1", "\xe6\x8d\xa2\xe7\xba\xbf\xe7\xbc\x86");
}

void made_findings(enum made_kind kind, struct findings *findings)
{
	switch (kind) {
	case MADE_PASS:
		add_passes(findings, true);
		break;
	case MADE_FAIL:
		add_passes(findings, false);
		add_causes(findings);
		add_symptoms(findings);
		break;
	case MADE_UNKNOWN:
		add_passes(findings, true);
		add_unknown(findings);
		break;
	case MADE_INTERRUPTED:
	case MADE_CUT:
		add_passes(findings, false);
		add(findings, "lossless.loss", "lossless", VERDICT_UNKNOWN, RANK_SYMPTOM,
			"only part of incast-4-not-ect-1 was run");
		break;
	case MADE_EMPTY:
		break;
	case MADE_HOSTILE:
		add_hostile(findings);
		break;
	}
	findings_sort(findings);
}
