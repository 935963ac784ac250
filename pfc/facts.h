/*
 * facts - what is known, from any source: one store, keyed by place.
 *
 * A parser adds facts, a rule reads them, and neither knows the other. A fact
 * says where it holds (place, subject), what it is (key, name), its value, and
 * the line that it was read from. What pfc/fact_keys.h tells of a key is the
 * meaning of the fields. Absent is unknown: there is no default value.
 *
 * The store borrows nothing: strings are copied into its arena. At most
 * FACTS_MAX facts and FACTS_KEY_MAX of one key; what is beyond is counted in
 * dropped, and then what passes or warns is UNKNOWN.
 */
#ifndef PFC_FACTS_H
#define PFC_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/arena.h"
#include "pfc/fact_keys.h"

#define FACTS_MAX 65536u
/* Of one key other than COUNTER and SETTING: rules compare such facts with each other. */
#define FACTS_KEY_MAX 2048u

enum fact_key {
#define FACT(key, name, fields) FACT_##key,
	FACT_TABLE(FACT)
#undef FACT
		FACT_KEYS
};

struct section;

struct fact {
	enum fact_key key;
	const char *place;                         /* "" is the job as a whole */
	const char *subject, *name, *text, *extra; /* "" when the key has none */
	bool has_number;
	double number, more;
	double window_s;               /* of a difference that was read live; else 0 */
	const char *source;            /* of a live fact: "dcbnl", "/sys/..."; "" of text */
	short means, priority;         /* of a counter: pfc/counter_table.h, -1 for none */
	const struct section *section; /* borrowed from the bundle; NULL for live facts */
	uint32_t line;
	uint32_t next; /* of the same key, index + 1 */
};

struct facts {
	struct arena arena; /* owned */
	struct fact *items; /* owned */
	size_t count, room, dropped;
	uint32_t first[FACT_KEYS], last[FACT_KEYS]; /* index + 1; 0: none */
	uint32_t of_key[FACT_KEYS];
};

void facts_init(struct facts *facts);
void facts_free(struct facts *facts); /* safe twice */

const char *fact_key_name(enum fact_key key);
/* The key as it is written in files: "NETDEV_MTU"; and back, FACT_KEYS for none. */
const char *fact_key_id(enum fact_key key);
enum fact_key fact_key_find(const char *id);
/* What subject, name, text and number hold. */
const char *fact_key_fields(enum fact_key key);

/* Over how many seconds a counter's difference was taken; 0: not known. */
double fact_window_s(const struct fact *fact);

/* A new fact about a place. subject, name, text may be NULL for "". Returns it
 * for more fields (set strings by facts_keep); it is valid until the next add. Never
 * NULL: beyond FACTS_MAX it is a spare that nobody reads. */
struct fact *facts_add(struct facts *facts, enum fact_key key, const char *place,
	const char *subject, const char *name, const char *text);
/* Adds the facts of another store that keep says yes to (NULL: all), with own copies of
 * their texts; sections are borrowed as they were. */
void facts_append(
	struct facts *facts, const struct facts *from, bool (*keep)(const struct fact *fact));
const char *facts_keep(struct facts *facts, const char *text);

const struct fact *facts_first(const struct facts *facts, enum fact_key key);
const struct fact *facts_next(const struct facts *facts, const struct fact *fact);
#define FACTS_EACH(facts, key, it)                                                             \
	for (const struct fact *it = facts_first(facts, key); it; it = facts_next(facts, it))

/* The first with this place, subject and name; NULL matches any. */
const struct fact *facts_find(const struct facts *facts, enum fact_key key, const char *place,
	const char *subject, const char *name);
/* The same, but the last in order of reading: the newest. */
const struct fact *facts_find_last(const struct facts *facts, enum fact_key key,
	const char *place, const char *subject, const char *name);
/* The one of this key that was read from the same line. */
const struct fact *facts_beside(
	const struct facts *facts, enum fact_key key, const struct fact *fact);

/* The distinct places, or subjects, of a key in order of reading; at most room.
 * With place not NULL only subjects of that place. */
size_t facts_places(
	const struct facts *facts, enum fact_key key, const char **places, size_t room);
size_t facts_subjects(const struct facts *facts, enum fact_key key, const char *place,
	const char **subjects, size_t room);

#endif
