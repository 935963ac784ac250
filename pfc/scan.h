/*
 * scan - reads words, numbers and rates out of one line that a tool printed.
 *
 * Lines come from people: copied, cut, with other blanks and units than the
 * tool's own. Nothing here fails; what is not there is answered with false.
 * Rates are doubles in Gb/s (10^9 bit/s) because they are other tools' decimals,
 * read once and compared within a tolerance.
 */
#ifndef PFC_SCAN_H
#define PFC_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_WORDS 48

struct words {
	char text[2048];
	const char *at[SCAN_WORDS];
	int count;
};

/* Cuts at blanks; what is beyond 2047 bytes or 48 words is left out. */
void scan_words(const char *line, struct words *words);

/* Where the needle ends in line, letter case ignored; NULL when it is not there. */
const char *scan_after(const char *line, const char *needle);
bool scan_has(const char *line, const char *needle);
/* The same for a needle that stands as a word of its own. */
const char *scan_word(const char *line, const char *needle);

/* The text after key and an optional ':' or '=', up to a blank, comma or
 * semicolon. The key must start a word. */
bool scan_value(const char *line, const char *key, char *value, size_t room);
bool scan_value_number(const char *line, const char *key, double *number);

/* A number that somebody printed as a whole one: without its fraction, and within
 * +-10^9 whatever it was. */
int scan_int(double number);
/* An IPv4 address that is held as a number; 0 for what is none. */
uint32_t scan_address(double number);
/* The mask of an IPv4 prefix, of which a length may be held that is not whole or of 0..32: none
 * of its bits below 1, all from 32 on. */
uint32_t scan_mask(double length);

/* A decimal number, with groups of three by comma, or 0x and hex digits. *end
 * (may be NULL) is behind it. */
bool scan_number(const char *text, double *number, const char **end);
bool scan_whole_number(const char *text, double *number); /* nothing but the number */

/* A number with a unit of rate: Gb/s, Gbps, Gbit/s, Mb/s, GB/s, MB/s, MiB/s,
 * GiB/s, kb/s; also a bare "100G". *end is behind the unit. */
bool scan_rate_gbps(const char *text, double *gbps, const char **end);
/* The first such rate anywhere in the line. */
bool scan_find_rate_gbps(const char *line, double *gbps, const char **end);
/* As Gb/s for one unit of what the text starts with; 0 when it is no unit. */
double scan_unit_gbps(const char *text, const char **end);

/* A number with an optional unit of size, as bytes; KB and KiB both count 1024
 * where base is 1024, else 1000 for KB. */
bool scan_size_bytes(const char *text, unsigned base, double *bytes);

/* "EGRESS priority mappings: 0:0 3:3" of /proc/net/vlan: the next pair from *at on, which
 * moves behind it; false at the end. */
bool scan_egress(const char **at, int *from, int *to);

/* A GID or IPv6 address in any usual spelling, as 32 hex digits in groups of
 * four with colons. room >= 40. Not an address with fewer than two colons. */
bool scan_gid(const char *word, char *gid, size_t room);
/* Sixteen decimal bytes with colons, as perftest prints GIDs. */
bool scan_gid_decimal(const char *text, char *gid, size_t room);
/* A dotted IPv4 address with nothing else but an optional "/length". */
bool scan_ipv4(const char *word, unsigned *address, int *prefix_length);
/* Six hex bytes with colons. Lower case into mac, room >= 18. */
bool scan_mac(const char *word, char *mac, size_t room);

/* "link-local", "ipv4-mapped", "global" or "none" of a gid from scan_gid(). */
const char *gid_family(const char *gid);
/* The dotted address inside an ipv4-mapped gid; false for others. */
bool gid_ipv4(const char *gid, char *text, size_t room);

#endif
