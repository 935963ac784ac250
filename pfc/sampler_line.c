/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/sampler_line.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/dcb.h"
#include "lib/diag.h"
#include "lib/ethtool.h"
#include "pfc/sampler.h"

static const char *const names[] = { "corrected_blocks", "uncorrectable_blocks" };

void sampler_add_line(struct sampler *sampler)
{
	if (!sampler->nic.netdev[0] || sampler->wanted)
		return;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		int priority = GAUGE_NO_PRIORITY;
		const struct counter_row *row = counter_find_of(names[i], 'E', NULL, &priority);

		gauge_add(&sampler->gauge, names[i], GAUGE_LINE, row, priority);
	}
}

static void fill(struct gauge *gauge, const char *name, bool there, uint64_t value)
{
	for (size_t i = gauge->count; i-- > 0;) {
		struct gauge_counter *counter = &gauge->counters[i];

		if (counter->source != GAUGE_LINE)
			return;
		if (strcmp(counter->name, name) == 0) {
			counter->there = there;
			counter->value = value;
		}
	}
}

static void ask_fec(struct sampler *sampler, struct netlink *netlink)
{
	struct gauge_reading *reading = &sampler->gauge.sources[GAUGE_LINE];
	struct ethtool_fec fec = { 0 };
	struct diag diag;
	int err;

	reading->asked = true;
	reading->before_ns = clock_ns();
	err = ethtool_fec_read(netlink, sampler->nic.netdev, &fec, &diag);
	reading->after_ns = clock_ns();
	reading->there = !err;
	sampler->errs[GAUGE_LINE] = err;
	fill(&sampler->gauge, names[0], !err && fec.has_corrected, fec.corrected_blocks);
	fill(&sampler->gauge, names[1], !err && fec.has_uncorrected, fec.uncorrected_blocks);
}

static void ask_lossless(struct sampler *sampler, struct netlink *netlink)
{
	struct dcb dcb = { 0 };
	struct diag diag;

	sampler->dcb_err = dcb_read(netlink, sampler->nic.netdev, &dcb, &diag);
	if (!sampler->dcb_err && !dcb.has_pfc)
		sampler->dcb_err = -EOPNOTSUPP;
	sampler->lossless_known = !sampler->dcb_err;
	sampler->lossless = sampler->dcb_err ? 0 : dcb.pfc.enabled;
}

void sampler_ask(struct sampler *sampler, struct netlink *netlink, bool fixed)
{
	if (!sampler->nic.netdev[0] || sampler->gone)
		return;
	if (!sampler->wanted)
		ask_fec(sampler, netlink);
	if (!fixed)
		ask_lossless(sampler, netlink);
}
