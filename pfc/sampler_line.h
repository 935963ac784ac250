/*
 * sampler_line - the part of pfc/sampler.h that is asked over netlink, once an interval.
 */
#ifndef PFC_SAMPLER_LINE_H
#define PFC_SAMPLER_LINE_H

struct sampler;

/* Puts the counters of GAUGE_LINE into the gauge, after all others. */
void sampler_add_line(struct sampler *sampler);

#endif
