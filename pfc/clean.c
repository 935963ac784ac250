/* SPDX-License-Identifier: Apache-2.0 */
#include "pfc/clean.h"

#include <ctype.h>
#include <string.h>

#include "lib/units.h"

/* How many bytes of an escape sequence start here: CSI (ECMA-48, 5.4), OSC up to BEL or
 * ESC \, or ESC and one byte. 0: none. */
static size_t escape_length(const char *at, size_t left)
{
	size_t length = 2;

	if (left < 2 || at[0] != '\033')
		return 0;
	if (at[1] == '[') {
		while (length < left && (unsigned char)at[length] >= 0x20 &&
			(unsigned char)at[length] <= 0x3f)
			length++;
		return length < left ? length + 1 : length;
	}
	if (at[1] == ']') {
		while (length < left && at[length] != '\a' && at[length] != '\033')
			length++;
		if (length < left && at[length] == '\033' && length + 1 < left)
			length++;
		return length < left ? length + 1 : length;
	}
	return length;
}

/* Blanks of other alphabets in UTF-8: what stands for them, '\0' for nothing at all. */
static size_t foreign_blank(const char *at, size_t left, char *blank)
{
	static const struct {
		const char *bytes;
		char blank;
	} blanks[] = {
		{ "\xc2\xa0", ' ' },      /* no-break space */
		{ "\xe3\x80\x80", ' ' },  /* ideographic space */
		{ "\xe2\x80\xaf", ' ' },  /* narrow no-break space */
		{ "\xe2\x80\x8b", '\0' }, /* zero width space */
		{ "\xef\xbb\xbf", '\0' }, /* byte order mark */
	};

	for (size_t i = 0; i < COUNT_OF(blanks); i++) {
		size_t length = strlen(blanks[i].bytes);

		if (length > left || memcmp(at, blanks[i].bytes, length) != 0)
			continue;
		*blank = blanks[i].blank;
		return length;
	}
	return 0;
}

static size_t quote_length(const char *line, size_t length)
{
	size_t at = 0;

	while (at + 1 < length && line[at] == '>' &&
		(line[at + 1] == ' ' || line[at + 1] == '>'))
		at += line[at + 1] == ' ' ? 2 : 1;
	return at == length - 1 && line[at] == '>' ? length : at;
}

size_t clean_line(char *line, size_t length)
{
	size_t used = 0, quote;

	for (size_t at = 0; at < length;) {
		char blank = 0;
		size_t escape = escape_length(line + at, length - at);
		size_t foreign = foreign_blank(line + at, length - at, &blank);

		if (escape == 0 && foreign == 0)
			line[used++] = line[at++];
		else if (escape == 0 && blank)
			line[used++] = blank;
		at += escape > 0 ? escape : foreign;
	}
	while (used > 0 && strchr(" \t\r\b\a\033", line[used - 1]) && line[used - 1])
		used--;
	quote = used > 0 ? quote_length(line, used) : 0;
	memmove(line, line + quote, used - quote);
	return used - quote;
}

bool clean_is_fence(const char *line)
{
	size_t ticks = strspn(line, line[0] == '~' ? "~" : "`");

	return ticks >= 3 &&
	       strspn(line + ticks, "abcdefghijklmnopqrstuvwxyz") == strlen(line + ticks);
}

static size_t name_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) ||
		(text[length] && strchr("-_.", text[length])))
		length++;
	return length;
}

/* Behind the host: ":~$ ", " ~]# ", "]$ ", ":~ # ", "> ". */
static const char *prompt_end(const char *at)
{
	size_t path = 0;

	if (*at == ':' || *at == ' ') {
		path = 1 + strcspn(at + 1, " ]$#>");
		if (at[path] == ' ' && (at[path + 1] == '#' || at[path + 1] == '$'))
			path++;
	}
	if (at[path] == ']')
		path++;
	if (!at[path] || !strchr("$#>", at[path]) || (at[path + 1] && at[path + 1] != ' '))
		return NULL;
	return at + path + 1;
}

/* "$ ethtool ens1", "# show_gids": a prompt without user and host. A "#" begins comments
 * too, so what follows it has to be a tool. */
static bool is_bare_prompt(const char *at)
{
	static const char *const tools[] = { "bash", "cat", "cma_roce_", "cpupower", "dcb",
		"devlink", "dmesg", "env", "ethtool", "for", "grep", "hccn_tool", "ib_",
		"ibdev2netdev", "ibstat", "ibv_", "ifconfig", "ip", "journalctl", "lldptool",
		"lscpu", "lsmod", "lspci", "mlnx_qos", "mlxconfig", "mlxlink", "modinfo",
		"mpirun", "numactl", "nvidia-smi", "ping", "rdma", "show_gids", "ss", "sudo",
		"sysctl", "systemctl", "tc", "tcpdump", "tshark", "ulimit" };

	if ((*at != '$' && *at != '#') || at[1] != ' ' || !islower((unsigned char)at[2]))
		return false;
	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		size_t length = strlen(tools[i]);

		if (strncmp(at + 2, tools[i], length) == 0 &&
			(tools[i][length - 1] == '_' || !at[2 + length] ||
				at[2 + length] == ' '))
			return true;
	}
	return false;
}

bool clean_prompt(const char *line, struct prompt *prompt)
{
	const char *at = line + strspn(line, " ");
	size_t user;
	const char *end;

	if (is_bare_prompt(at)) {
		*prompt = (struct prompt){ .host = at, .command = at + 2 };
		return true;
	}

	if (*at == '(' && strchr(at, ')')) /* "(base) user@host:~$" of conda */
		at = strchr(at, ')') + 1 + strspn(strchr(at, ')') + 1, " ");
	at += *at == '[';
	user = name_length(at);
	if (user == 0 || at[user] != '@')
		return false;
	prompt->host = at + user + 1;
	prompt->host_length = name_length(prompt->host);
	end = prompt->host_length ? prompt_end(prompt->host + prompt->host_length) : NULL;
	if (!end)
		return false;
	prompt->command = end + strspn(end, " ");
	return true;
}
