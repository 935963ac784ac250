/*
 * audit - facts of hosts held against what the fabric file asks of them (facts WANTED): the
 * rules that speak of the policy, and the verdict of those.
 */
#ifndef PFC_AUDIT_H
#define PFC_AUDIT_H

#include "pfc/facts.h"
#include "pfc/rule.h"

/* Leaves out variables of somebody's session and what follows from them; a class that is
 * forced on a device stays. Sections are borrowed as before. */
void audit_drop_variables(struct facts *facts);

/* A host of which nothing was read is unknown, not absent. */
void audit_expect_host(struct facts *facts, const char *place);

/* Judges by the rules that the policy is asked about. Its verdict is unknown while a link
 * of the policy's way through a port has no answer, and nothing fails. result is
 * EXPLAIN_INIT before; explain_free() frees it. */
void audit_judge(struct facts *facts, struct explain *result);

#endif
