/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/watch_record.h"
#include "lib/diag.h"
#include "lib/grow.h"
#include "lib/units.h"

#define ARG(field) offsetof(struct watch_args, field)

static const struct opt watch_opts[] = {
	{ OPT_COUNT, "hz N", ARG(hz), 1, 1000, "readings a second; above 100 with --counters" },
	{ OPT_NS, "interval T", ARG(interval_ns), 10 * NS_PER_MS, 3600 * NS_PER_S,
		"what a screen or a line covers" },
	{ OPT_NS, "for T", ARG(for_ns), 100 * NS_PER_MS, UINT64_MAX,
		"how long; until ^C unless given" },
	{ OPT_COUNT, "count N", ARG(count), 1, UINT32_MAX, "end after N intervals" },
	{ OPT_TEXT, "prio LIST", ARG(prio), 0, 0,
		"the lossless priorities, 3 or 3,4; as dcbnl tells them unless given" },
	{ OPT_TEXT, "counters LIST", ARG(counters), 0, 0,
		"only these counters, by the driver's names" },
	{ OPT_TEXT, "alarms LIST", ARG(alarms), 0, 0,
		"of storm,deadlock,cnp,drop,flap,error,gone; all unless given" },
	{ OPT_FLAG, "both-ends", ARG(both_ends), 0, 0,
		"these NICs talk only to one another: compare CNPs sent and handled" },
	{ OPT_TEXT, "record RUN", ARG(record), 0, 0, "write all readings to a run file" },
	{ OPT_TEXT, "textfile FILE", ARG(textfile), 0, 0, "write OpenMetrics each interval" },
	{ OPT_FLAG, "json", ARG(json), 0, 0, "print JSON, an object a line" },
	{ OPT_TEXT, "root FOLDER", ARG(root), 0, 0, "a recorded machine instead of this one" },
	{ OPT_ARGS, "NIC", ARG(nics), 0, WATCH_NICS,
		"interfaces or RDMA devices; all RoCE ports unless given" },
	{ OPT_END, NULL, 0, 0, 0, NULL },
};

static int watch_main(struct watch *watch)
{
	struct host host = { .root = watch->args->root };
	struct diag diag;
	int err, status;

	netlink_init(&watch->netlink, &host);
	err = watch_parse(watch, &diag);
	if (!err)
		err = watch_open(watch, &host, &diag);
	if (!err && watch->args->record)
		err = watch_record_begin(watch, &diag);
	if (!err)
		err = watch_run(watch, &diag);
	if (err) {
		fprintf(stderr, "weft watch: %s\n", diag.text);
		watch->status = exit_untold(watch->status);
	}
	status = watch->status;
	watch_close(watch);
	return status;
}

int cmd_watch(int argc, char **argv)
{
	struct watch_args args = { .hz = 10, .interval_ns = NS_PER_S };
	struct watch *watch;
	int status = EXIT_UNKNOWN;

	if (!opt_read("watch", "Shows what the counters of RoCE NICs do, and raises alarms.",
		    watch_opts, argc, argv, &args, &status))
		return status;
	watch = zeroed(1, sizeof(*watch));
	watch->args = &args;
	return watch_main(watch);
}
