/*
 * parse - text into facts: one function a family of tools.
 *
 * Each looks at every section and takes what it knows by its form, whatever the
 * title says; a title only names place, interface and window. So output that
 * somebody pasted under a wrong or missing title is read as well. A parser
 * never concludes: it adds facts.
 */
#ifndef PFC_PARSE_H
#define PFC_PARSE_H

#include "pfc/bundle.h"
#include "pfc/facts.h"

/* One section with its lines, and where its facts go. */
struct reader {
	struct facts *facts;
	const struct section *section;
	const struct line *lines;
	size_t count;
	const char *device; /* interface or RDMA device that the title names; "" */
};

/* All parsers over all sections. */
void parse_bundle(struct facts *facts, const struct bundle *bundle);

void parse_gid(const struct reader *reader);        /* show_gids, ibv_devinfo -v, sysfs, NCCL */
void parse_perftest(const struct reader *reader);   /* ib_*_bw and ib_*_lat, text and JSON */
void parse_nccl(const struct reader *reader);       /* NCCL_DEBUG logs */
void parse_nccl_tests(const struct reader *reader); /* all_reduce_perf and others */
void parse_hccl(const struct reader *reader);       /* HCCL logs, hccn_tool, hccl_test */
void parse_wc(const struct reader *reader);         /* completion errors of any library */
void parse_qos(const struct reader *reader);    /* mlnx_qos, dcb, hccn_tool, ecn and tc files */
void parse_switch(const struct reader *reader); /* SONiC and other switch configuration */
void parse_counters(const struct reader *reader); /* ethtool -S, rdma statistic, hw_counters */
void parse_ip(const struct reader *reader);       /* ip, ifconfig, sysctl, routing rules */
void parse_reach(const struct reader *reader);    /* ping, who reaches whom */
void parse_host(const struct reader *reader);     /* env, limits, modules, kernel, governor */
void parse_pci(const struct reader *reader);      /* lspci, sysfs pci, dmesg */
void parse_link(const struct reader *reader);     /* ethtool, ibstat, link events, bonds */
void parse_capture(const struct reader *reader);  /* tcpdump and what people sum up from it */
void parse_pairs(const struct reader *reader);    /* bandwidth of pairs, cables */
void parse_figures(const struct reader *reader);  /* tables and sentences with bandwidths */
/* Totals that were read twice at one place become differences beside them. */
void parse_differences(struct facts *facts);
void parse_json(const struct reader *reader); /* -j of ip, dcb, rdma, ethtool; config_db */

/* --- for the parsers --- */

/* A fact about the section's place, marked with section and line. line: index in
 * reader->lines, or -1 for the title. */
struct fact *reader_add(const struct reader *reader, long line, enum fact_key key,
	const char *subject, const char *name, const char *text);
/* The same with a number. */
struct fact *reader_number(const struct reader *reader, long line, enum fact_key key,
	const char *subject, const char *name, double number);
/* How many bytes of the line's first word name a place ("hostA: ...", "node1 mlx5_0
 * ..."); 0 when it does not. reader_add() takes it as the place where the title has
 * none. */
size_t line_place(const char *text);

/* Whether a section speaks of a switch: by its place or title. */
bool reader_is_switch(const struct reader *reader);

/* A reader of the title alone, which is put into *line and has to live as long. */
struct reader reader_of_title(const struct reader *reader, struct line *line);
/* Whether the part of a sentence around at, a place in text, says that something is not so:
 * "no PFC on priority 3", "PFC on priority 3: disabled". */
bool clause_denies(const char *text, const char *at);

/* A variable of a communication library and what follows from it (traffic class, pinned
 * GID), from an environment that was read and not pasted. source must outlive facts. */
void facts_variable(struct facts *facts, const char *place, const char *name, const char *value,
	const char *source);

/* Which collective a title or line is about: "alltoall"; NULL for none. */
const char *nccl_test_name(const char *text);

/* A counter whose name pfc/counter_table.h knows. */
void counter_add(const struct reader *reader, long line, const char *device, const char *name,
	double value);

#endif
