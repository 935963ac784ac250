/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/parse.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "lib/units.h"
#include "pfc/scan.h"

/* "[devid 7]link down count 1" of hccn_tool -link_stat -g. */
static void read_link_stat(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_after(text, "link down count");
	char device[32] = "";
	double count;

	if (!after || !scan_number(after + strspn(after, " :="), &count, NULL))
		return;
	scan_value(text, "devid", device, sizeof(device));
	device[strcspn(device, "]")] = '\0';
	reader_number(reader, line, FACT_LINK_HISTORY, device, "devid", count);
}

/* "[devid 7] Thu Jan  4 10:57:33 2024 LINK DOWN", and the time of the reading: what went
 * down within the hour before it went down in the run. */
static void read_record(const struct reader *reader, long line, const char *text, time_t *now,
	const char *device)
{
	const char *current = scan_after(text, "current time"), *end;
	const char *record = strstr(text, "] ");
	struct tm tm = { .tm_isdst = 0 };
	time_t then;

	if (current && strptime(current + strspn(current, " "), "%a %b %d %H:%M:%S %Y", &tm)) {
		*now = timegm(&tm);
		return;
	}
	if (!record || *now == 0)
		return;
	end = strptime(record + 2, "%a %b %d %H:%M:%S %Y", &tm);
	if (!end || !scan_has(end, "LINK DOWN"))
		return;
	then = timegm(&tm);
	if (then <= *now && *now - then < 3600)
		reader_add(reader, line, FACT_LINK_EVENT, device, "devid", "down");
}

/* Without the full stop of the sentence. */
static void trim_address(char *text)
{
	size_t length = strspn(text, "0123456789.:abcdefABCDEF");

	while (length > 0 && text[length - 1] == '.')
		length--;
	text[length] = '\0';
}

/* "status[0x15]", "remoteIp[192.0.2.22]" of logs of the runtime. */
static bool bracket_value(const char *text, const char *key, char *value, size_t room)
{
	const char *after = scan_word(text, key);

	if (!after || after[strspn(after, " :=")] != '[')
		return false;
	after += strspn(after, " :=[");
	snprintf(value, room, "%.*s", (int)strcspn(after, " ],"), after);
	return *value != '\0';
}

/* "error cqe status: 0x15", and the sentence of EI0013 with both addresses. */
static void read_cqe(const struct reader *reader, long line, const char *text)
{
	const char *local = scan_after(text, "Local information");
	const char *peer = scan_after(text, "Peer information");
	char from[64] = "", to[64] = "", status[32] = "";

	if (local)
		scan_value(local, "device IP", from, sizeof(from));
	if (peer)
		scan_value(peer, "device IP", to, sizeof(to));
	bracket_value(text, "localIp", from, sizeof(from));
	bracket_value(text, "remoteIp", to, sizeof(to));
	trim_address(from);
	trim_address(to);
	if (*from || *to)
		reader_add(reader, line, FACT_CQE, from, to, "");
	if (bracket_value(text, "status", status, sizeof(status)) ||
		scan_value(text, "cqe status", status, sizeof(status)) ||
		scan_value(text, "cqe_status", status, sizeof(status))) {
		status[strcspn(status, "].")] = '\0';
		reader_add(reader, line, FACT_CQE, "", "status", status);
	}
}

/*
 * Rows of LINK_ERROR_INFO: "| dest_ip(user_rank) | dest_port | src_ip | src_port |
 * MyRole | Status | TlsStatus |". TLS is the last column that says so.
 */
static void read_link_error(const struct reader *reader, long line, const char *text)
{
	const char *state = scan_word(text, "ENABLE")    ? "ENABLE"
			    : scan_word(text, "DISABLE") ? "DISABLE"
							 : NULL;
	char copy[512], *rest = copy, *cell;
	double number, port = 0;

	if (!state || !strchr(text, '|'))
		return;
	snprintf(copy, sizeof(copy), "%s", text);
	while ((cell = strsep(&rest, "|"))) {
		cell += strspn(cell, " ");
		if (port == 0 && scan_whole_number(cell, &number) && number > 0)
			port = number;
	}
	reader_number(reader, line, FACT_TLS, "", "", port)->text =
		facts_keep(reader->facts, state);
}

/* "dev_id:0, tls switch[1](0:disable, 1:enable)" of hccn_tool -tls -g. */
static void read_tls(const struct reader *reader, long line, const char *text)
{
	const char *after = scan_after(text, "tls switch");
	double on;

	if (!after)
		return;
	after += strspn(after, " [:=");
	if (strncasecmp(after, "enable", 6) == 0 || strncasecmp(after, "disable", 7) == 0)
		on = tolower((unsigned char)*after) == 'e';
	else if (!scan_number(after, &on, NULL))
		return;
	reader_number(reader, line, FACT_TLS, "", "", 0)->text =
		facts_keep(reader->facts, on > 0 ? "ENABLE" : "DISABLE");
}

/* "Address already in use", "have been bound already", with the port nearby. */
static void read_bind(const struct reader *reader, long line, const char *text)
{
	static const char *const keys[] = { "listen to port", "listen port", "bind port",
		"on port", "port", ":" };
	double port = 0;

	if (!scan_has(text, "Address already in use") && !scan_has(text, "bound already") &&
		!scan_has(text, "already bound") && !scan_has(text, "EADDRINUSE") &&
		!scan_has(text, "Couldn't listen to port") && !scan_has(text, "EJ0003") &&
		!scan_has(text, "EI0019") && !scan_has(text, "port is already") &&
		!scan_has(text, "port already in use"))
		return;
	for (size_t i = 0; i < COUNT_OF(keys) && port < 1; i++)
		for (const char *at = text; (at = scan_after(at, keys[i])) && port < 1;) {
			const char *value = at + strspn(at, " [:=(");

			if (!scan_number(value, &port, NULL) || port < 1024 || port > 65535)
				port = 0;
		}
	reader_number(reader, line, FACT_PORT_IN_USE, NULL, NULL, port);
}

/* "LISTEN 0 128 *:18515 *:* users:(("ib_write_bw",pid=77))" of ss -ltnp. */
static void read_listener(const struct reader *reader, long line, const char *text)
{
	struct words words;
	const char *colon;
	double port;

	if (strncmp(text, "LISTEN", 6) != 0 && !scan_word(text, "LISTEN"))
		return;
	scan_words(text, &words);
	for (int i = 1; i < words.count; i++) {
		colon = strrchr(words.at[i], ':');
		if (!colon || !scan_whole_number(colon + 1, &port))
			continue;
		reader_number(reader, line, FACT_PORT_IN_USE, "listener", NULL, port)->text =
			facts_keep(reader->facts, text);
		return;
	}
}

void parse_hccl(const struct reader *reader)
{
	time_t now = 0;

	for (long i = 0; i < (long)reader->count; i++) {
		const char *text = reader->lines[i].text;
		char device[32] = "";

		read_link_stat(reader, i, text);
		if (scan_value(text, "devid", device, sizeof(device)))
			device[strcspn(device, "]")] = '\0';
		read_record(reader, i, text, &now, device);
		if (scan_has(text, "cqe") || scan_has(text, "EI0013"))
			read_cqe(reader, i, text);
		read_link_error(reader, i, text);
		if (scan_has(text, "tls"))
			read_tls(reader, i, text);
		read_bind(reader, i, text);
		read_listener(reader, i, text);
	}
}
