/*
 * rule - what is wrong, judged by cause over facts: a rule is a row.
 *
 * Rows live in pfc/rules_*.c, by family. A row names the code that it reports,
 * the facts without which it cannot judge, what is found, why it matters, what
 * to do, and where the situation was reported. Its function looks at facts and
 * either reports the code, clears it, or says that it cannot know. A rule whose
 * facts are missing is unknown; it never passes.
 *
 * The verdict of the whole: FAIL if any code fails, else UNKNOWN if one asks for
 * it, else WARN or PASS; with no code at all PASS if at least one rule that is
 * more than a statement of what is there could judge and none was in doubt,
 * else UNKNOWN.
 */
#ifndef PFC_RULE_H
#define PFC_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/finding.h"
#include "pfc/facts.h"

enum outcome {
	RULE_CLEAR,   /* had its facts and found nothing */
	RULE_FIRED,   /* reported its code */
	RULE_UNKNOWN, /* its facts are missing or do not decide */
};

struct explain;
struct rule;

typedef enum outcome rule_judge(
	const struct rule *rule, const struct facts *facts, struct explain *out);

#define RULE_NEEDS 3

struct rule {
	const char *code;
	enum verdict level; /* unless the function says otherwise */
	const char *family;
	const char *found;  /* what it means when it fires */
	const char *why;    /* why that matters */
	const char *advice; /* what to do, unless the function says it with figures */
	const char *source; /* where it was reported or is written */
	enum fact_key needs[RULE_NEEDS]; /* each at least once; unused: FACT_KEYS */
	rule_judge *judge;
};

struct explain_code {
	const struct rule *rule;
	enum verdict level;
	char found[400];
	char advice[700];
};

struct explain_fact {
	char name[80];
	char value[320];
};

struct explain {
	struct explain_code *codes; /* owned */
	size_t code_count, code_room;
	struct explain_fact *facts; /* owned; each name once, the first one counts */
	size_t fact_count, fact_room;
	const struct rule **unknown; /* owned: rules that could not judge */
	size_t unknown_count, unknown_room;
	const struct rule **clear; /* owned */
	size_t clear_count, clear_room;
	bool doubt; /* some rule saw signs and could not decide */
	enum verdict verdict;
};

#define EXPLAIN_INIT                                                                           \
	{                                                                                      \
		NULL, 0, 0, NULL, 0, 0, NULL, 0, 0, NULL, 0, 0, false, VERDICT_UNKNOWN         \
	}

/* Whether a host is unknown, and not healthy, while this rule has no answer for it: what
 * a RoCE host cannot do without. */
bool rule_is_core(const struct rule *rule);

bool rule_is_one_of(const struct rule *rule, const char *const *codes, size_t count);

/* The worse of two verdicts: fail, unknown, warn, pass. */
enum verdict rule_worse(enum verdict a, enum verdict b);

/* Every rule, in the order of judging: causes before what they cause. Ended by a
 * NULL code. */
const struct rule *rules_family(size_t index); /* NULL beyond the last family */

/* Judges facts by all rules. out is EXPLAIN_INIT before. */
void explain_facts(const struct facts *facts, struct explain *out);
void explain_free(struct explain *out); /* safe twice */

/* --- for the rules --- */

/* Reports the rule's code at a level, with what was found. */
__attribute__((format(printf, 4, 5))) enum outcome explain_code(struct explain *out,
	const struct rule *rule, enum verdict level, const char *found, ...);
/* Replaces the advice of the code reported last. */
__attribute__((format(printf, 2, 3))) void explain_advice(
	struct explain *out, const char *advice, ...);
/* A value in the terms of the cases: "gid_index" "0". */
__attribute__((format(printf, 3, 4))) void explain_fact(
	struct explain *out, const char *name, const char *value, ...);
void explain_number(struct explain *out, const char *name, double value);
bool explain_has(const struct explain *out, const char *code);
/* Codes that start with this, such as "GID_". */
bool explain_has_any(const struct explain *out, const char *start);

extern const struct rule rules_address[], rules_mtu[], rules_rails[], rules_pci[], rules_qos[],
	rules_congestion[], rules_buffers[], rules_link[], rules_paths[], rules_transport[],
	rules_launch[], rules_measure[], rules_units[], rules_wire[], rules_port[],
	rules_class[], rules_routes[], rules_mark[], rules_host[], rules_hosts[], rules_audit[],
	rules_lint[], rules_bytes[], rules_drops[];

#endif
