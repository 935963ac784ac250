/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"
#include "pfc/collecting.h"
#include "pfc/parse.h"
#include "pfc/scan.h"

#define TEXT_BYTES ((size_t)256 << 10)

static void add_sysctls(const struct collect *collect, const char *iface)
{
	static const char *const names[] = { "rp_filter", "arp_ignore", "arp_announce" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		long long number;

		if (collect_file_number(collect, iface, names[i], &number,
			    "/proc/sys/net/ipv4/conf/%s/%s", iface, names[i]))
			collect_number(collect, FACT_SYSCTL, iface, names[i], (double)number,
				"/proc/sys/net/ipv4/conf");
	}
}

static void add_kernel(const struct collect *collect)
{
	char text[4096];

	if (collect_file(
		    collect, "", "kernel", text, sizeof(text), "/proc/sys/kernel/osrelease"))
		collect_text(collect, FACT_KERNEL, NULL, NULL, text, "osrelease");
	if (collect_file(
		    collect, "", "kernel command line", text, sizeof(text), "/proc/cmdline"))
		collect_text(collect, FACT_KERNEL_ARG, NULL, NULL, text, "/proc/cmdline");
	if (collect_file(collect, "", "frequency governor", text, sizeof(text),
		    "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")) {
		collect_text(collect, FACT_GOVERNOR, NULL, NULL, text, "scaling_governor");
		if (strcmp(text, "performance") != 0)
			collect_text(collect, FACT_CPU_FREQ, NULL, "governor", text,
				"scaling_governor");
	}
	if (collect_file(collect, "", "NUMA nodes", text, sizeof(text),
		    "/sys/devices/system/node/online")) {
		const char *last = strrchr(text, '-');

		last = last ? last + 1 : strrchr(text, ',') ? strrchr(text, ',') + 1 : text;
		collect_number(collect, FACT_NUMA_NODES, NULL, NULL, strtod(last, NULL) + 1,
			"node/online");
	}
}

/* The processor tells that a hypervisor is below. */
static void add_virt(const struct collect *collect)
{
	char *text = zeroed(TEXT_BYTES, 1);

	if (collect_file(collect, "", "virtualisation", text, TEXT_BYTES, "/proc/cpuinfo"))
		collect_text(collect, FACT_VIRT, NULL, NULL,
			scan_word(text, "hypervisor") ? "vm" : "none", "/proc/cpuinfo");
	free(text);
}

/* "Max locked memory  8388608  8388608  bytes": soft limit first. */
static void add_memlock(const struct collect *collect)
{
	char *text = zeroed(TEXT_BYTES, 1);
	const char *after;
	double bytes;

	if (collect_file(collect, "", "locked-memory limit", text, TEXT_BYTES,
		    "/proc/self/limits") &&
		(after = scan_after(text, "Max locked memory"))) {
		after += strspn(after, " ");
		if (strncmp(after, "unlimited", 9) == 0)
			collect_text(collect, FACT_MEMLOCK, NULL, NULL, "unlimited",
				"/proc/self/limits");
		else if (scan_number(after, &bytes, NULL))
			collect_number(collect, FACT_MEMLOCK, NULL, NULL, bytes / 1024,
				"/proc/self/limits");
	}
	free(text);
}

static void add_modules(const struct collect *collect)
{
	static const char *const names[] = { "nvidia_peermem", "nv_peer_mem", "ib_peer_mem",
		"amdkfd" };
	char *text = zeroed(TEXT_BYTES, 1);

	if (collect_file(collect, "", "kernel modules", text, TEXT_BYTES, "/proc/modules"))
		for (size_t i = 0; i < COUNT_OF(names); i++)
			if (scan_word(text, names[i]))
				collect_text(collect, FACT_MODULE, NULL, names[i], NULL,
					"/proc/modules");
	free(text);
}

/* The pid file, and whether that process still is lldpad. */
static void add_lldpad(const struct collect *collect)
{
	char pid[32], path[PATH_MAX], name[32] = "";
	int got = host_read(collect->host, "/run/lldpad.pid", pid, sizeof(pid));

	if (got < 0 && got != -ENOENT) {
		collect_missing(collect, "", "lldpad", "/run/lldpad.pid", got);
		return;
	}
	if (got > 0) {
		pid[strcspn(pid, " \n")] = '\0';
		snprintf(path, sizeof(path), "/proc/%s/comm", pid);
		host_read(collect->host, path, name, sizeof(name));
	}
	collect_number(collect, FACT_LLDPAD, NULL, NULL, strcmp(name, "lldpad") == 0,
		"/run/lldpad.pid");
}

static bool is_library(const char *text)
{
	static const char *const starts[] = { "NCCL_", "HCCL_", "RCCL_", "UCX_", "NVSHMEM_",
		"MC_GID", "BYTEPS_", "UCCL_", "ROCSHMEM_" };

	for (size_t i = 0; i < COUNT_OF(starts); i++)
		if (strncmp(text, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Only the variables of communication libraries: the rest of an environment is
 * nobody's business. */
static void add_environment(const struct collect *collect)
{
	char *text = zeroed(TEXT_BYTES, 1);
	int got = host_bytes(collect->host, "/proc/self/environ", text, TEXT_BYTES - 1);

	if (got < 0)
		collect_missing(collect, "", "environment", "/proc/self/environ", got);
	for (const char *at = text; got > 0 && at < text + got; at += strlen(at) + 1) {
		const char *equals = strchr(at, '=');
		char name[64];

		if (!equals || !is_library(at) || (size_t)(equals - at) >= sizeof(name))
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(equals - at), at);
		facts_variable(collect->facts, collect->place, name, equals + 1, "environment");
	}
	free(text);
}

void collect_system(const struct collect *collect)
{
	add_kernel(collect);
	add_virt(collect);
	add_memlock(collect);
	add_modules(collect);
	add_lldpad(collect);
	add_environment(collect);
	add_sysctls(collect, "all");
	for (size_t i = 0; i < collect->nics->count; i++)
		if (collect_is_first_netdev(collect, i))
			add_sysctls(collect, collect->nics->items[i].netdev);
}
