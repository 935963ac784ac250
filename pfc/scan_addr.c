/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/scan.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool put_gid(const uint8_t bytes[16], char *gid, size_t room)
{
	size_t used = 0;

	if (room < 40)
		return false;
	for (int i = 0; i < 16; i += 2)
		used += (size_t)snprintf(gid + used, room - used, "%s%02x%02x", i ? ":" : "",
			bytes[i], bytes[i + 1]);
	return true;
}

/* "fe:80:00:...": sixteen bytes of two digits. */
static bool read_hex_bytes(const char *text, uint8_t bytes[16])
{
	for (int i = 0; i < 16; i++) {
		char pair[3] = { text[i * 3], text[i * 3] ? text[i * 3 + 1] : '\0', '\0' };

		if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]) ||
			text[i * 3 + 2] != (i < 15 ? ':' : '\0'))
			return false;
		bytes[i] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return true;
}

bool scan_gid(const char *word, char *gid, size_t room)
{
	char copy[64];
	uint8_t bytes[16];
	size_t length = strspn(word, "0123456789abcdefABCDEF:."), colons = 0;

	if (length == 0 || length >= sizeof(copy))
		return false;
	memcpy(copy, word, length);
	copy[length] = '\0';
	for (size_t i = 0; i < length; i++)
		colons += copy[i] == ':';
	return colons >= 2 &&
	       (inet_pton(AF_INET6, copy, bytes) == 1 || read_hex_bytes(copy, bytes)) &&
	       put_gid(bytes, gid, room);
}

bool scan_gid_decimal(const char *text, char *gid, size_t room)
{
	uint8_t bytes[16];

	for (int i = 0; i < 16; i++) {
		char *end;
		unsigned long byte;

		if (!isdigit((unsigned char)*text))
			return false;
		byte = strtoul(text, &end, 10);
		if (byte > 255 || (i < 15 && *end != ':'))
			return false;
		bytes[i] = (uint8_t)byte;
		text = end + (i < 15);
	}
	return put_gid(bytes, gid, room);
}

bool scan_ipv4(const char *word, unsigned *address, int *prefix_length)
{
	unsigned parts[4], length = 32;
	int used = 0;

	if (!isdigit((unsigned char)*word) ||
		sscanf(word, "%3u.%3u.%3u.%3u%n", &parts[0], &parts[1], &parts[2], &parts[3],
			&used) != 4)
		return false;
	if (parts[0] > 255 || parts[1] > 255 || parts[2] > 255 || parts[3] > 255)
		return false;
	if (word[used] == '/' && (sscanf(word + used + 1, "%2u", &length) != 1 || length > 32))
		return false;
	if (word[used] != '/' && word[used] != '\0')
		return false;
	*address = parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3];
	*prefix_length = (int)length;
	return true;
}

bool scan_mac(const char *word, char *mac, size_t room)
{
	unsigned b[6];
	int used = 0;

	if (room < 18 || strlen(word) < 17 ||
		sscanf(word, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4],
			&b[5], &used) != 6)
		return false;
	if (used != 17 || word[17] == ':' || isxdigit((unsigned char)word[17]))
		return false;
	snprintf(mac, room, "%02x:%02x:%02x:%02x:%02x:%02x", b[0] & 255, b[1] & 255, b[2] & 255,
		b[3] & 255, b[4] & 255, b[5] & 255);
	return true;
}

const char *gid_family(const char *gid)
{
	if (strcmp(gid, "0000:0000:0000:0000:0000:0000:0000:0000") == 0)
		return "none";
	if (strncmp(gid, "fe8", 3) == 0 || strncmp(gid, "fe9", 3) == 0 ||
		strncmp(gid, "fea", 3) == 0 || strncmp(gid, "feb", 3) == 0)
		return "link-local";
	if (strncmp(gid, "0000:0000:0000:0000:0000:ffff:", 30) == 0)
		return "ipv4-mapped";
	return "global";
}

bool gid_ipv4(const char *gid, char *text, size_t room)
{
	unsigned high, low;

	if (strcmp(gid_family(gid), "ipv4-mapped") != 0 ||
		sscanf(gid + 30, "%4x:%4x", &high, &low) != 2)
		return false;
	snprintf(text, room, "%u.%u.%u.%u", high >> 8, high & 255, low >> 8, low & 255);
	return true;
}
