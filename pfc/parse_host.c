/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* The variables that set a slot of the GID table, or the traffic class byte. */
static const char *const gid_variables[] = { "NCCL_IB_GID_INDEX", "UCX_IB_GID_INDEX",
	"RCCL_IB_GID_INDEX", "NVSHMEM_IB_GID_INDEX", "MC_GID_INDEX", "BYTEPS_IB_GID_INDEX",
	"UCCL_IB_GID_INDEX", "ROCSHMEM_GID_INDEX" };
static const char *const class_variables[] = { "NCCL_IB_TC", "UCX_IB_TRAFFIC_CLASS",
	"RCCL_IB_TC", "HCCL_RDMA_TC", "NVSHMEM_IB_TRAFFIC_CLASS", "NCCL_IB_TRAFFIC_CLASS" };

/* Where a variable was seen. */
struct variable {
	struct facts *facts;
	const char *place, *source;
	const struct section *section;
	uint32_t line;
};

static struct fact *variable_fact(const struct variable *variable, enum fact_key key,
	const char *name, const char *value, double number)
{
	struct fact *fact = facts_add(variable->facts, key, variable->place, NULL, name, value);

	fact->has_number = !value;
	fact->number = number;
	fact->source = variable->source;
	fact->section = variable->section;
	fact->line = variable->line;
	return fact;
}

static void add_facts(const struct variable *variable, const char *name, const char *value)
{
	double number;

	variable_fact(variable, FACT_ENV, name, value, 0);
	if (!scan_number(value, &number, NULL))
		return;
	for (size_t i = 0; i < COUNT_OF(gid_variables); i++)
		if (strcmp(name, gid_variables[i]) == 0 && number >= 0)
			variable_fact(variable, FACT_GID_PINNED, name, NULL, number);
	for (size_t i = 0; i < COUNT_OF(class_variables); i++)
		if (strcmp(name, class_variables[i]) == 0 && number >= 0 && number < 256)
			variable_fact(variable, FACT_TC, name, NULL, number);
	if (strcmp(name, "NCCL_IB_ECE_ENABLE") == 0 || strcmp(name, "UCX_RC_ECE") == 0)
		variable_fact(variable, FACT_ROCE_ECE, name, NULL, number > 0);
}

void facts_variable(struct facts *facts, const char *place, const char *name, const char *value,
	const char *source)
{
	add_facts(&(struct variable){ .facts = facts,
			  .place = place,
			  .source = source,
			  .line = (uint32_t)facts->count + 1 },
		name, value);
}

static void add_variable(
	const struct reader *reader, long line, const char *name, const char *value)
{
	const char *place = reader->section->place;
	char named[128] = "";
	size_t length = line < 0 || *place ? 0 : line_place(reader->lines[line].text);

	if (length > 0)
		snprintf(named, sizeof(named), "%.*s", (int)length, reader->lines[line].text);
	add_facts(&(struct variable){ .facts = reader->facts,
			  .place = length > 0 ? named : place,
			  .source = "",
			  .section = reader->section,
			  .line = line < 0 ? 0 : reader->lines[line].number },
		name, value);
}

/* NAME=value words: env, "export", "-x" of mpirun, several on a line, and what
 * NCCL says: "NCCL_IB_TC set by environment to 106." */
static void read_variables(const struct reader *reader, long line, const char *text)
{
	const char *at = text, *set;

	while ((at = strchr(at, '='))) {
		const char *start = at, *value = at + 1;
		char name[64], copy[256];
		size_t length;

		while (start > text &&
			(isupper((unsigned char)start[-1]) ||
				isdigit((unsigned char)start[-1]) || start[-1] == '_'))
			start--;
		length = (size_t)(at - start);
		if (*value == '"' || *value == '\'')
			value++;
		if (length >= 3 && length < sizeof(name) && isupper((unsigned char)*start) &&
			memchr(start, '_', length)) {
			snprintf(name, sizeof(name), "%.*s", (int)length, start);
			snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(value, " \t\"';"),
				value);
			add_variable(reader, line, name, copy);
		}
		at++;
	}
	set = scan_after(text, " set by environment to ");
	if (set) {
		const char *end = set - strlen(" set by environment to "), *start = end;
		char name[64], copy[256];

		while (start > text && start[-1] != ' ')
			start--;
		snprintf(name, sizeof(name), "%.*s", (int)(end - start), start);
		snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(set, " \t"), set);
		if (*copy && copy[strlen(copy) - 1] == '.')
			copy[strlen(copy) - 1] = '\0';
		add_variable(reader, line, name, copy);
	}
}

/* "NCCL_IB_TC = 106" of nccl.conf, "NCCL_IB_TC: "106"" of compose files. */
static void read_spaced_variable(const struct reader *reader, long line, const char *text)
{
	static const char *const starts[] = { "NCCL_", "RCCL_", "UCX_", "HCCL_", "NVSHMEM_",
		"MC_", "BYTEPS_", "UCCL_", "ROCSHMEM_" };
	char name[64], value[256];
	size_t length;

	text += strspn(text, " -");
	length = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
	if (length >= sizeof(name) ||
		!(text[length] == ':' || (text[length] == ' ' && text[length + 1] == '=')))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)length, text);
	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (strncmp(name, starts[i], strlen(starts[i])) == 0 &&
			scan_value(text, name, value, sizeof(value)))
			add_variable(reader, line, name, value);
}

/* Kubernetes: "- name: NCCL_IB_TC", below it "value: "106"". */
static void read_yaml_variable(const struct reader *reader, long line)
{
	const char *name = scan_word(reader->lines[line].text, "name");
	char variable[64], value[256];

	if (!name || line + 1 >= (long)reader->count ||
		!scan_value(reader->lines[line].text, "name", variable, sizeof(variable)) ||
		!isupper((unsigned char)*variable) || !strchr(variable, '_') ||
		!scan_value(reader->lines[line + 1].text, "value", value, sizeof(value)))
		return;
	add_variable(reader, line + 1, variable, value);
}

/* "retry_cnt=15 rnr_retry=7 timeout=14": attributes that somebody gives a queue pair. */
static void read_qp_attributes(const struct reader *reader, long line, const char *text)
{
	static const char *const names[] = { "retry_cnt", "rnr_retry", "timeout" };
	char value[32];

	if (!scan_word(text, "retry_cnt") && !scan_word(text, "rnr_retry"))
		return;
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (scan_value(text, names[i], value, sizeof(value)))
			add_variable(reader, line, names[i], value);
}

static void add_memlock(
	const struct reader *reader, long line, const char *value, double unit_kib)
{
	const char *end;
	double number;

	value += strspn(value, " \t:=");
	if (strncmp(value, "unlimited", 9) == 0 || strncmp(value, "infinity", 8) == 0 ||
		strncmp(value, "-1", 2) == 0)
		reader_add(reader, line, FACT_MEMLOCK, NULL, NULL, "unlimited");
	else if (scan_number(value, &number, &end))
		reader_number(reader, line, FACT_MEMLOCK, NULL, NULL,
			number * (strchr("kK", end[strspn(end, " ")]) && end[strspn(end, " ")]
						 ? 1
						 : unit_kib));
}

/* The limit as a process sees it: ulimit -l (KiB), ulimit -a, /proc/PID/limits
 * (bytes), and what UCX prints. limits.conf is a wish, not a limit. */
static void read_memlock(const struct reader *reader, long line, const char *text)
{
	const char *after;

	if (scan_has(reader->section->title, "limits.conf") ||
		scan_has(reader->section->title, "limits.d"))
		return;
	if (scan_has(reader->section->title, "ulimit -l") && reader->count <= 2)
		add_memlock(reader, line, text, 1);
	else if ((after = scan_after(text, "ulimit -l:")) ||
		 (after = scan_after(text, "ulimit -l =")) ||
		 (after = scan_after(text, "(kbytes, -l)")))
		add_memlock(reader, line, after, 1);
	else if (scan_has(text, "locked memory") && (after = scan_after(text, "(current:")))
		add_memlock(reader, line, after, 1);
	else if ((after = scan_after(text, "Max locked memory")))
		add_memlock(reader, line, after, 1.0 / 1024);
	else if ((after = scan_after(text, "RLIMIT_MEMLOCK is")) || /* libibverbs */
		 (after = scan_after(text, "max locked-in-memory address space"))) /* prlimit */
		add_memlock(reader, line, after, 1.0 / 1024);
	else if ((after = scan_after(text, "LimitMEMLOCK=")))
		add_memlock(reader, line, after, 1.0 / 1024);
}

/* Which verbs call found no memory; what the kernel says of the device. */
static void read_nomem(const struct reader *reader, long line, const char *text)
{
	const char *call = scan_after(text, "ibv_");
	char name[64] = "";

	if (call && scan_has(call, "fail") && !scan_has(text, "Cannot allocate memory")) {
		snprintf(name, sizeof(name), "ibv_%.*s", (int)strcspn(call, " (:"), call);
		reader_add(reader, line, FACT_CALL_FAILED, NULL, name, text);
	}
	if (scan_has(text, "Cannot allocate memory") || scan_has(text, "ENOMEM") ||
		scan_has(text, "Couldn't allocate MR") || scan_has(text, "failed: 12")) {
		if (call)
			snprintf(name, sizeof(name), "ibv_%.*s", (int)strcspn(call, " (:"),
				call);
		reader_add(reader, line, FACT_NOMEM, NULL, name, text);
	}
	if (scan_has(text, "exceed lim") || scan_has(text, "EXCEED_LIM") ||
		scan_has(text, "NO_RESOURCES") || scan_has(text, "no resources") ||
		scan_has(text, "bad resource") || scan_has(text, "BAD_RES") ||
		scan_has(text, "out of resources") || scan_has(text, "limits exceeded") ||
		scan_has(text, "max QPs") ||
		(scan_has(text, "mlx5") && scan_has(text, "page") && scan_has(text, "fail")))
		reader_add(reader, line, FACT_RESOURCE, NULL, NULL, text);
}

static void read_kernel(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_after(text, "Default domain type:");
	char value[32];

	if (after && sscanf(after, " %31s", value) == 1)
		reader_add(reader, line, FACT_IOMMU, NULL, NULL, value);
	if (scan_has(reader->section->title, "iommu_group") &&
		(strncmp(text, "DMA", 3) == 0 || strncmp(text, "identity", 8) == 0))
		reader_add(reader, line, FACT_IOMMU, NULL, NULL,
			*text == 'D' ? "Translated" : "Passthrough");
	if (scan_has(text, "BOOT_IMAGE=") || scan_has(reader->section->title, "/proc/cmdline"))
		reader_add(reader, line, FACT_KERNEL_ARG, NULL, NULL, text);
	if (scan_has(reader->section->title, "detect-virt") &&
		sscanf(text, " %31s", value) == 1)
		reader_add(reader, line, FACT_VIRT, NULL, NULL, value);
	if (scan_has(text, "Hypervisor vendor:"))
		reader_add(reader, line, FACT_VIRT, NULL, NULL,
			scan_after(text, "Hypervisor vendor:"));
}

/* lsmod: "nvidia_peermem  16384  0"; the first word is the module. */
static void read_module(const struct reader *reader, long line, const char *text)
{
	static const char *const modules[] = { "nvidia_peermem", "nv_peer_mem",
		"nvidia-peermem", "ib_peer_mem", "amdp2p", "amdkfd" };

	for (size_t i = 0; i < COUNT_OF(modules); i++) {
		const char *after = scan_word(text, modules[i]);
		double size;

		if (!after || scan_has(text, "not loaded") || scan_has(text, "not found") ||
			scan_has(text, "No such"))
			continue;
		if (scan_number(after + strspn(after, " \t"), &size, NULL) ||
			scan_has(text, "loaded") || scan_has(text, "version"))
			reader_add(reader, line, FACT_MODULE, NULL, modules[i], NULL);
	}
	if (strcmp(text, "loaded") == 0 && scan_has(reader->section->title, "peermem"))
		reader_add(reader, line, FACT_MODULE, NULL, "nvidia_peermem", NULL);
}

/* perftest's own complaint, the governor, and clocks that differ. */
static void read_frequency(const struct reader *reader, long line, const char *text)
{
	if (scan_has(text, "Conflicting CPU frequency") ||
		scan_has(text, "CPU Frequency is not max"))
		reader_add(reader, line, FACT_CPU_FREQ, NULL, "perftest", text);
	else if ((scan_has(reader->section->title, "governor") || scan_has(text, "governor")) &&
		 (scan_word(text, "powersave") || scan_word(text, "ondemand") ||
			 scan_word(text, "schedutil") || scan_word(text, "conservative")) &&
		 !scan_has(text, "available"))
		reader_add(reader, line, FACT_CPU_FREQ, NULL, "governor", text);
}

/* Host file of mpirun: "hostA slots=4", "hostA:4". */
static void read_hostfile(const struct reader *reader, long line, const char *text)
{
	struct words words;
	char host[128];
	double slots = 1;

	static const char *const titles[] = { "hostfile", "host file", "machinefile",
		"machine file", "show hostnames", "hosts.txt", "nodelist" };
	bool titled = false;

	for (size_t i = 0; i < COUNT_OF(titles); i++)
		titled = titled || scan_has(reader->section->title, titles[i]);
	if (!titled)
		return;
	scan_words(text, &words);
	if (words.count == 0 || *words.at[0] == '#')
		return;
	snprintf(host, sizeof(host), "%.*s", (int)strcspn(words.at[0], ":"), words.at[0]);
	if (!scan_value_number(text, "slots", &slots) && strchr(words.at[0], ':'))
		slots = atof(strchr(words.at[0], ':') + 1);
	reader_number(reader, line, FACT_HOSTFILE, host, NULL, slots);
}

void parse_host(const struct reader *reader)
{
	read_variables(reader, -1, reader->section->title);
	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;

		read_variables(reader, i, text);
		read_yaml_variable(reader, i);
		read_spaced_variable(reader, i, text);
		read_qp_attributes(reader, i, text);
		read_memlock(reader, i, text);
		read_nomem(reader, i, text);
		read_kernel(reader, i, text);
		read_module(reader, i, text);
		read_frequency(reader, i, text);
		read_hostfile(reader, i, text);
		/* A device node of the verbs: the process sees an RDMA device. */
		if (scan_has(text, "uverbs") || scan_has(text, "rdma_cm"))
			reader_add(reader, i, FACT_RDMA_DEVICE, "", NULL, text);
	}
}
