/*
 * json - JSON documents, built and written, or read; the wrapper of jansson.
 *
 * A document is a tree that its root owns: what json_put_object() and the like
 * return is borrowed, and json_free() of the root frees all. Keys are written in
 * the order in which they were put, so that the same calls give the same bytes.
 *
 * Text may hold anything: a byte that is not UTF-8 becomes U+FFFD. Running out of
 * memory ends the program as grow() does.
 */
#ifndef LIB_JSON_H
#define LIB_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct diag;
struct json; /* opaque */

/* --- building --- */

struct json *json_new_object(void);
struct json *json_new_array(void);
void json_free(struct json *root); /* NULL is nothing */

/* Sets a key of an object; put again, the later value stands in the first's place. */
void json_put_null(struct json *object, const char *key);
void json_put_bool(struct json *object, const char *key, bool value);
/* Above INT64_MAX, which few readers hold, null: our structs mean "none" by it. */
void json_put_u64(struct json *object, const char *key, uint64_t value);
void json_put_i64(struct json *object, const char *key, int64_t value);
/* Rounded to 12 significant digits; null when it is not a finite number. */
void json_put_double(struct json *object, const char *key, double value);
void json_put_text(struct json *object, const char *key, const char *text); /* NULL: null */
struct json *json_put_object(struct json *object, const char *key);
struct json *json_put_array(struct json *object, const char *key);

/* The same at the end of an array. */
void json_add_null(struct json *array);
void json_add_bool(struct json *array, bool value);
void json_add_u64(struct json *array, uint64_t value);
void json_add_i64(struct json *array, int64_t value);
void json_add_double(struct json *array, double value);
void json_add_text(struct json *array, const char *text);
struct json *json_add_object(struct json *array);
struct json *json_add_array(struct json *array);

/* Writes the document, indented by two, and a newline. Returns 0, or a negative
 * errno when the stream took less; a buffered stream may fail later, in fflush(). */
int json_write(FILE *out, const struct json *root);

/* The same without white space, in ASCII and without '<', so that it can stand inside
 * of a script element of HTML whatever its texts hold. */
int json_write_inline(FILE *out, const struct json *root);

/* --- reading --- */

/* Reads one document. Returns 0, or -EINVAL with the line and what is wrong there. */
int json_parse(struct json **root, const char *text, size_t bytes, struct diag *diag);

/* NULL when there is no such key or index, or when it is not an object or array;
 * all of these take NULL for "is not there" as well, so that they can be chained. */
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_at(const struct json *array, size_t index);
size_t json_count(const struct json *object_or_array); /* 0 for anything else */

/* Goes through the keys of an object in their order: *at is NULL at first. */
bool json_next(
	const struct json *object, void **at, const char **key, const struct json **value);

bool json_is_object(const struct json *value);
bool json_is_array(const struct json *value);
const char *json_text(const struct json *value);            /* NULL: not a text */
bool json_int(const struct json *value, int64_t *number);   /* false: not a whole number */
bool json_number(const struct json *value, double *number); /* whole or not */
bool json_bool(const struct json *value, bool *truth);

#endif
