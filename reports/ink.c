/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/ink.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "lib/units.h"

#define BROKEN UINT32_C(0xfffd)

/* Decodes one character and moves on; a byte that starts none is U+FFFD. */
static uint32_t next_char(const char **text)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *at = (const unsigned char *)*text;
	unsigned more = at[0] < 0x80   ? 0
			: at[0] < 0xc2 ? 4
			: at[0] < 0xe0 ? 1
			: at[0] < 0xf0 ? 2
				       : 3;
	uint32_t c = at[0];

	*text += 1;
	if (!more)
		return c;
	if (more == 4 || at[0] > 0xf4)
		return BROKEN;
	c &= 0x3fu >> more;
	for (unsigned i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return BROKEN;
		c = c << 6 | (at[i] & 0x3fu);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return BROKEN;
	*text += more;
	return c;
}

static size_t put_char(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | c >> 18);
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* C0, DEL, C1, line separators, and what changes the direction of text. */
static bool is_control(uint32_t c)
{
	static const struct range controls[] = { { 0x00, 0x1f }, { 0x7f, 0x9f },
		{ 0x061c, 0x061c }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, { 0xfff0, 0xfffb }, { 0xe0000, 0xe0fff } };

	return in_ranges(c, controls, COUNT_OF(controls));
}

/* The C library's wcwidth() answers by locale; a report must not. The ranges
 * are the wide and fullwidth blocks of Unicode's EastAsianWidth. */
static unsigned char_columns(uint32_t c)
{
	static const struct range none[] = { { 0x0300, 0x036f }, { 0x0483, 0x0489 },
		{ 0x0591, 0x05bd }, { 0x064b, 0x065f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
		{ 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f } };
	static const struct range wide[] = { { 0x1100, 0x115f }, { 0x2e80, 0x303e },
		{ 0x3041, 0x33ff }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff }, { 0xa000, 0xa4cf },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
		{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };

	if (in_ranges(c, none, COUNT_OF(none)))
		return 0;
	return in_ranges(c, wide, COUNT_OF(wide)) ? 2 : 1;
}

static uint32_t next_safe(const char **text)
{
	uint32_t c = next_char(text);

	if (c == '\t' || c == '\n' || c == '\r')
		return ' ';
	return is_control(c) ? '?' : c;
}

size_t ink_columns(const char *text)
{
	size_t columns = 0;

	while (*text)
		columns += char_columns(next_safe(&text));
	return columns;
}

void ink_safe(char *safe, size_t size, const char *text)
{
	size_t used = 0;

	while (*text) {
		char bytes[4];
		size_t length = put_char(bytes, next_safe(&text));

		if (used + length >= size)
			break;
		memcpy(safe + used, bytes, length);
		used += length;
	}
	if (size)
		safe[used] = '\0';
}

void ink_init(struct ink *ink, FILE *out, const struct report_options *options)
{
	unsigned width = options->width ? options->width : REPORT_WIDTH;

	if (width < REPORT_WIDTH_MIN)
		width = REPORT_WIDTH_MIN;
	if (width > REPORT_WIDTH_MAX)
		width = REPORT_WIDTH_MAX;
	*ink = (struct ink){ .out = out, .width = width, .colour = options->colour };
}

/* The sixteen colours that every terminal has, and that follow its own theme. */
static const char *style_code(enum ink_style style)
{
	switch (style) {
	case INK_PLAIN:
		break;
	case INK_BOLD:
		return "\033[1m";
	case INK_DIM:
		return "\033[2m";
	case INK_GOOD:
		return "\033[1;32m";
	case INK_BAD:
		return "\033[1;31m";
	case INK_DOUBT:
		return "\033[1;33m";
	}
	return "";
}

static void style_on(struct ink *ink, enum ink_style style)
{
	if (ink->colour)
		fputs(style_code(style), ink->out);
}

static void style_off(struct ink *ink, enum ink_style style)
{
	if (ink->colour && style != INK_PLAIN)
		fputs("\033[0m", ink->out);
}

/* How many bytes of a safe text fit in columns; *taken: the columns they take. */
static size_t fitting(const char *text, size_t columns, size_t *taken)
{
	const char *at = text;

	*taken = 0;
	while (*at) {
		const char *next = at;
		unsigned wide = char_columns(next_char(&next));

		if (*taken + wide > columns)
			break;
		*taken += wide;
		at = next;
	}
	return (size_t)(at - text);
}

static bool is_of_number(char c)
{
	return c && strchr("0123456789.,eE+-", c);
}

/* Where a text may end that is cut after so many bytes: before a number that the cut would
 * go through, for what is left of that reads as another one. */
static size_t cut_at(const char *text, size_t bytes)
{
	size_t from = bytes, to = bytes;

	while (from && is_of_number(text[from - 1]))
		from--;
	while (is_of_number(text[to]))
		to++;
	if (from == bytes || to == bytes || from + strcspn(text + from, "0123456789") >= to)
		return bytes;
	return from;
}

/* As much of a safe text as fits. */
static void put_safe(struct ink *ink, const char *safe)
{
	size_t room = ink->width - ink->column, taken, bytes;
	bool dots = room >= 2;

	bytes = fitting(safe, room, &taken);
	if (safe[bytes]) {
		bytes = fitting(safe, dots ? room - 2 : room, &taken);
		bytes = cut_at(safe, bytes);
	} else {
		dots = false;
	}
	fwrite(safe, 1, bytes, ink->out);
	if (dots)
		fputs("..", ink->out);
	/* What comes after something that was cut would read as its end. */
	ink->column = safe[bytes] ? ink->width : ink->column + (unsigned)taken;
}

void ink_put(struct ink *ink, enum ink_style style, const char *fmt, ...)
{
	char text[1024], safe[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	ink_safe(safe, sizeof(safe), text);
	style_on(ink, style);
	put_safe(ink, safe);
	style_off(ink, style);
}

void ink_to(struct ink *ink, unsigned column)
{
	if (column > ink->width)
		column = ink->width;
	for (; ink->column < column; ink->column++)
		fputc(' ', ink->out);
}

void ink_end(struct ink *ink)
{
	fputc('\n', ink->out);
	ink->column = 0;
}

struct wrapping {
	struct ink *ink;
	enum ink_style style;
	unsigned indent, limit;
};

static void next_line(const struct wrapping *wrapping)
{
	struct ink *ink = wrapping->ink;

	style_off(ink, wrapping->style);
	ink_end(ink);
	ink_to(ink, wrapping->indent);
	style_on(ink, wrapping->style);
}

/* One word, on this line if it fits; a word that fits on no line is broken. */
static void put_word(const struct wrapping *wrapping, const char *word, bool spaced)
{
	struct ink *ink = wrapping->ink;
	unsigned need = (unsigned)ink_columns(word) + spaced;

	if (ink->column + need > wrapping->limit && ink->column > wrapping->indent)
		next_line(wrapping);
	else if (spaced)
		put_safe(ink, " ");
	while (ink->column + ink_columns(word) > wrapping->limit) {
		size_t taken, bytes = fitting(word, wrapping->limit - ink->column, &taken);

		if (!bytes)
			break;
		fwrite(word, 1, bytes, ink->out);
		word += bytes;
		next_line(wrapping);
	}
	put_safe(ink, word);
}

void ink_wrap(struct ink *ink, enum ink_style style, unsigned indent, const char *text)
{
	struct wrapping wrapping = { ink, style, indent, ink->width };
	char safe[2048], *rest = safe, *word;
	bool spaced = text[0] == ' ';

	if (wrapping.limit > REPORT_PROSE_WIDTH)
		wrapping.limit = REPORT_PROSE_WIDTH;
	ink_safe(safe, sizeof(safe), text);
	style_on(ink, style);
	while ((word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		put_word(&wrapping, word, spaced);
		spaced = true;
	}
	style_off(ink, style);
}
