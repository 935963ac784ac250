/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/watch.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define HZ_OF_ALL 100u /* faster only with the counters named */

static int parse_prios(struct watch *watch, const char *text, struct diag *diag)
{
	for (const char *at = text; text;) {
		if (*at < '0' || *at > '7' || (at[1] && at[1] != ','))
			return diag_error(diag, -EINVAL,
				"--prio %.60s: expected priorities of 0..7 with commas, such "
				"as 3,4",
				text);
		watch->prio_mask = (uint8_t)(watch->prio_mask | 1u << (*at - '0'));
		if (!at[1])
			break;
		at += 2;
	}
	return 0;
}

static bool add_kind(unsigned *kinds, const char *word, size_t length)
{
	for (unsigned kind = 0; kind < ALARM_KINDS; kind++) {
		const char *name = alarm_kind_name((enum alarm_kind)kind);

		if (strlen(name) == length && strncmp(name, word, length) == 0) {
			*kinds |= 1u << kind;
			return true;
		}
	}
	return false;
}

static int parse_kinds(struct watch *watch, const char *text, struct diag *diag)
{
	if (!text) {
		watch->kinds = (1u << ALARM_KINDS) - 1;
		return 0;
	}
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");

		if (!add_kind(&watch->kinds, at, length))
			return diag_error(diag, -EINVAL,
				"--alarms %.60s: expected words of storm,deadlock,cnp,drop,"
				"flap,error,gone",
				text);
		at += length;
		if (!*at)
			return 0;
	}
}

static int parse_counters(struct watch *watch, const char *text, struct diag *diag)
{
	char *rest = watch->wanted_text, *word;

	if (!text)
		return 0;
	if (strlen(text) >= sizeof(watch->wanted_text))
		return diag_error(diag, -EINVAL, "--counters: the list is longer than %zu",
			sizeof(watch->wanted_text) - 1);
	strcpy(watch->wanted_text, text);
	while ((word = strsep(&rest, ","))) {
		if (!*word || strlen(word) >= GAUGE_NAME)
			return diag_error(diag, -EINVAL,
				"--counters %.60s: expected names with commas", text);
		if (watch->wanted_count == WATCH_COUNTERS)
			return diag_error(diag, -EINVAL, "--counters: more than %u counters",
				WATCH_COUNTERS);
		watch->wanted[watch->wanted_count++] = word;
	}
	return 0;
}

int watch_parse(struct watch *watch, struct diag *diag)
{
	const struct watch_args *args = watch->args;
	int err = parse_prios(watch, args->prio, diag);

	if (!err)
		err = parse_kinds(watch, args->alarms, diag);
	if (!err)
		err = parse_counters(watch, args->counters, diag);
	if (!err && args->hz > HZ_OF_ALL && !watch->wanted_count)
		return diag_error(diag, -EINVAL,
			"--hz %llu: above %u name the counters that are read so often, by "
			"--counters",
			(unsigned long long)args->hz, HZ_OF_ALL);
	if (!err && args->interval_ns < NS_PER_S / args->hz)
		return diag_error(diag, -EINVAL,
			"--interval: shorter than the time between two readings, 1/%llu s",
			(unsigned long long)args->hz);
	return err;
}

/* --- which NICs --- */

static bool is_same_port(const struct nic *a, const struct nic *b)
{
	return strcmp(a->rdma, b->rdma) == 0 && a->port == b->port;
}

static bool has_device(const struct host *host, const struct nic *nic)
{
	char path[128], name[HOST_NAME];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", nic->netdev);
	return host_link(host, path, name, sizeof(name)) == 0;
}

/* Of the interfaces of an RDMA port the ones that are a device; VLANs on them would tell
 * nothing of their own. Where none is one, as with Soft-RoCE on veth, the first. */
static bool is_main(const struct nics *nics, size_t i, const struct host *host)
{
	if (has_device(host, &nics->items[i]))
		return true;
	for (size_t j = 0; j < nics->count; j++)
		if (j != i && is_same_port(&nics->items[i], &nics->items[j]) &&
			(j < i || has_device(host, &nics->items[j])))
			return false;
	return true;
}

static bool is_asked(const struct watch_args *args, const struct nics *nics, size_t i,
	const struct host *host)
{
	const struct nic *nic = &nics->items[i];

	if (!args->nics.count)
		return nic->rdma[0] && is_main(nics, i, host);
	for (size_t j = 0; j < args->nics.count; j++)
		if (strcmp(args->nics.items[j], nic->netdev) == 0 ||
			(strcmp(args->nics.items[j], nic->rdma) == 0 && is_main(nics, i, host)))
			return true;
	return false;
}

static int name_missing(const struct watch *watch, const struct nics *nics, struct diag *diag)
{
	const struct watch_args *args = watch->args;

	for (size_t i = 0; i < args->nics.count; i++) {
		const char *name = args->nics.items[i];
		bool found = false;

		for (size_t j = 0; j < nics->count; j++)
			found = found || strcmp(nics->items[j].netdev, name) == 0 ||
				strcmp(nics->items[j].rdma, name) == 0;
		if (!found)
			return diag_error(diag, -ENODEV,
				"%.60s: no RDMA device and no interface of a network card has "
				"this name",
				name);
	}
	if (!watch->nic_count)
		return diag_error(
			diag, -ENODEV, "no RDMA device here: name the interfaces to watch");
	return 0;
}

int watch_open(struct watch *watch, const struct host *host, struct diag *diag)
{
	const char *const *wanted = watch->wanted_count ? watch->wanted : NULL;
	struct nics nics;
	int err = nics_find(&nics, host, diag);

	if (err)
		return err;
	watch->nics = zeroed(nics.count ? nics.count : 1, sizeof(*watch->nics));
	watch->view_nics = zeroed(nics.count ? nics.count : 1, sizeof(*watch->view_nics));
	for (size_t i = 0; i < nics.count; i++)
		if (is_asked(watch->args, &nics, i, host))
			sampler_open(&watch->nics[watch->nic_count++].sampler, host,
				&nics.items[i], wanted, watch->wanted_count);
	return name_missing(watch, &nics, diag);
}
