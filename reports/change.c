/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/change.h"

#include <math.h>
#include <stdio.h>

#include "lib/units.h"
#include "reports/number.h"

const char *change_name(enum change change)
{
	switch (change) {
	case CHANGE_NONE:
		return "same";
	case CHANGE_BETTER:
		return "better";
	case CHANGE_WORSE:
		break;
	}
	return "worse";
}

enum change change_direction(enum digest_metric metric, double before, double after)
{
	bool more_is_better = digest_info(metric)->kind == DIGEST_RATE;

	return (after > before) == more_is_better ? CHANGE_BETTER : CHANGE_WORSE;
}

double change_of(enum digest_metric metric, double before, double after)
{
	if (digest_info(metric)->kind != DIGEST_RATE)
		return after - before;
	return before > 0 ? after / before - 1 : (after > 0 ? 1 : 0);
}

bool change_matters(enum digest_metric metric, double before, double after)
{
	double change = fabs(change_of(metric, before, after));

	switch (digest_info(metric)->kind) {
	case DIGEST_COUNTS:
		return change > 0 && change >= CHANGE_LEAST_COUNTS * fmax(before, after);
	case DIGEST_RATE:
		return change >= CHANGE_LEAST_RATE;
	case DIGEST_SHARE:
		break;
	}
	return change >= CHANGE_LEAST_SHARE;
}

void change_value(char *text, size_t size, enum digest_metric metric, double value)
{
	switch (digest_info(metric)->kind) {
	case DIGEST_COUNTS:
		if (value > 0)
			number_probability(text, size, value);
		else
			snprintf(text, size, "0");
		return;
	case DIGEST_RATE:
		snprintf(text, size, "%.2f Gb/s", value / (double)GBPS);
		return;
	case DIGEST_SHARE:
		break;
	}
	snprintf(text, size, "%.2f %%", value * 100);
}

void change_amount(
	char *text, size_t size, enum digest_metric metric, double before, double after)
{
	if (digest_info(metric)->kind == DIGEST_RATE)
		snprintf(text, size, "%+.1f %%", change_of(metric, before, after) * 100);
	else if (before > 0)
		snprintf(text, size, "x %.3g", after / before);
	else
		snprintf(text, size, after > 0 ? "from 0" : "none");
}
