/*
 * collecting - what the collectors share: where a fact comes from and goes to.
 *
 * Private to pfc/collect*.c.
 */
#ifndef PFC_COLLECTING_H
#define PFC_COLLECTING_H

#include <stddef.h>

#include "lib/netlink.h"
#include "pfc/facts.h"
#include "pfc/nics.h"

struct collect {
	const struct host *host; /* borrowed */
	struct netlink *netlink; /* borrowed */
	struct facts *facts;     /* borrowed */
	const struct nics *nics; /* borrowed */
	const char *place;       /* borrowed */
};

/* One fact. Each has a line of its own, so that no two seem to come from one line. */
struct fact *collect_text(const struct collect *collect, enum fact_key key, const char *subject,
	const char *name, const char *text, const char *source);
struct fact *collect_number(const struct collect *collect, enum fact_key key,
	const char *subject, const char *name, double number, const char *source);
/* What could not be read of subject, and why: a negative errno. */
void collect_missing(const struct collect *collect, const char *subject, const char *what,
	const char *source, int err);

/* The text of a file, without trailing blanks; false, and it is noted, when it cannot be
 * read. path is printed from the format. */
__attribute__((format(printf, 6, 7))) bool collect_file(const struct collect *collect,
	const char *subject, const char *what, char *text, size_t room, const char *path, ...);
/* The same for a whole number. */
__attribute__((format(printf, 5, 6))) bool collect_file_number(const struct collect *collect,
	const char *subject, const char *what, long long *number, const char *path, ...);

/* Whether this is the first entry of its device and port, or of its interface. */
bool collect_is_first_port(const struct collect *collect, size_t nic);
bool collect_is_first_netdev(const struct collect *collect, size_t nic);

void collect_rdma(const struct collect *collect);   /* devices, ports, GIDs, classes */
void collect_net(const struct collect *collect);    /* interfaces, pause, FEC, neighbours */
void collect_dcb(const struct collect *collect);    /* PFC, ETS, buffers, trust, ECN */
void collect_pci(const struct collect *collect);    /* PCIe, ACS, NUMA */
void collect_system(const struct collect *collect); /* kernel, limits, daemons */
void collect_routes(const struct collect *collect); /* addresses, rules and routes of rails */
void collect_lldp(const struct collect *collect);   /* who is at the other end */

/* All counters of the RoCE ports at one time. */
struct counter_reading {
	struct counter_value {
		const char *subject, *name, *source; /* borrowed from the facts' arena */
		uint64_t value;
	} * items; /* owned */
	size_t count, room;
	uint64_t before_ns, after_ns; /* CLOCK_MONOTONIC */
};

#define COUNTER_READING_INIT                                                                   \
	{                                                                                      \
		NULL, 0, 0, 0, 0                                                               \
	}

void collect_counters(const struct collect *collect, struct counter_reading *reading);
/* As totals, and with a first reading as differences as well. */
void collect_counter_facts(const struct collect *collect, const struct counter_reading *first,
	const struct counter_reading *last);
void counter_reading_free(struct counter_reading *reading); /* safe twice */

#endif
