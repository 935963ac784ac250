/*
 * pcap - what the files of weft pcap share: the captures read, and how to draw
 * what was found in them. Of cmd/pcap*.c alone.
 */
#ifndef CMD_PCAP_H
#define CMD_PCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/capture.h"
#include "lib/diag.h"
#include "lib/finding.h"
#include "pfc/wire.h"
#include "pfc/wire_judge.h"

#define TAP_NONE UINT16_MAX

struct pcap_file {
	const char *name;        /* borrowed */
	struct capture *capture; /* owned; stays open for its figures */
	struct capture_record record;
	bool has_record;
	uint64_t time_ns; /* of the record, or of the last one that had a time */
	uint16_t tap;     /* TAP_NONE until its first record is due */
	bool damaged;
	struct diag why; /* when it is damaged */
};

struct pcap_report {
	struct pcap_file *files; /* owned */
	uint16_t file_count;
	bool one_tap;
	const char *tap_names[WIRE_FILES_MAX];
	uint16_t taps;
	struct wire wire;
	struct wire_facts facts;
	struct findings findings;
	uint32_t *order; /* owned: indices of live flows, in the order of appearance */
	size_t flow_count;
	uint64_t listed; /* flows that are listed at most */
};

/* The tap of a file whose first record is due; a new one is given the file's name. A
 * file that begins when another has ended goes on where that one was captured, unless
 * it holds the same PSNs again: then the clock of another place is ahead. */
uint16_t pcap_tap_for(struct pcap_report *report, const struct pcap_file *file);

/* One line: "105 RoCE v2 packets in 2 flows; 1 gap". */
void pcap_about(const struct pcap_report *report, char *text, size_t size);

/* Who lost what a flow lacks, and why it sent again: the words of JSON, or NULL. */
const char *pcap_gap_cause(const struct wire *wire, const struct flow *flow);
const char *pcap_resend_cause(const struct wire *wire, const struct flow *flow);

struct json;

/* Sets the key "flows". */
void pcap_put_flows(struct json *root, const struct pcap_report *report);

/* Writes what the capture says into a run file that is there. Returns 0, or a negative
 * errno with the sentence. */
int pcap_put_into(const struct pcap_report *report, const char *run_path, struct diag *diag);

struct run;

/* -EINVAL with a sentence when the capture cannot be of this run: its flows, where they lie
 * in the time of a stage, are not those that the stage had. */
int pcap_check_same(const struct pcap_report *report, struct run *run, struct diag *diag);

int pcap_write_json(FILE *out, const struct pcap_report *report);

struct pcap_text_options {
	bool flows, timeline;
};

void pcap_write_text(
	FILE *out, const struct pcap_report *report, const struct pcap_text_options *options);

#endif
