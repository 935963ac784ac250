/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/utf8.h"

#include <stdint.h>
#include <string.h>

/* Bytes of the character at text, 0 when it is broken (RFC 3629: no overlong
 * forms, no surrogates, nothing past U+10FFFF). */
static size_t character(const uint8_t *text, size_t bytes)
{
	size_t length;
	uint8_t least = 0x80, most = 0xbf;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (length > bytes)
		return 0;
	if (text[0] == 0xe0)
		least = 0xa0;
	else if (text[0] == 0xed)
		most = 0x9f;
	else if (text[0] == 0xf0)
		least = 0x90;
	else if (text[0] == 0xf4)
		most = 0x8f;
	if (text[1] < least || text[1] > most)
		return 0;
	for (size_t i = 2; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

size_t utf8_valid_until(const char *text, size_t bytes)
{
	size_t at = 0;

	while (at < bytes) {
		size_t length = character((const uint8_t *)text + at, bytes - at);

		if (length == 0)
			break;
		at += length;
	}
	return at;
}

static bool is_control(const uint8_t *text)
{
	return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

bool utf8_has_control(const char *text)
{
	for (; *text; text++)
		if (is_control((const uint8_t *)text))
			return true;
	return false;
}

void utf8_show(const char *text, char *shown, size_t size)
{
	size_t bytes = strlen(text), at = 0, used = 0;

	while (at < bytes) {
		const uint8_t *here = (const uint8_t *)text + at;
		size_t length = character(here, bytes - at);
		bool harmless = length && !is_control(here);

		if (used + 4 + 4 > size) {
			memcpy(shown + used, "...", 3);
			used += 3;
			break;
		}
		if (harmless)
			memcpy(shown + used, here, length);
		else
			shown[used] = '?';
		used += harmless ? length : 1;
		at += length ? length : 1;
	}
	shown[used] = '\0';
}

void utf8_clip(const char *text, char shown[UTF8_CLIP])
{
	utf8_show(text, shown, UTF8_CLIP);
}
