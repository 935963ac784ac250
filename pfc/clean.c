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

/* Whether text begins with one of the words of a list that are parted by blanks. */
static bool begins_with(const char *words, const char *text)
{
	size_t length = strcspn(text, " ");

	for (const char *at = words; *at && length > 0; at += strspn(at, " ")) {
		size_t word = strcspn(at, " ");

		if (word == length && strncmp(at, text, length) == 0)
			return true;
		at += word;
	}
	return false;
}

/* An option, a pipe, a quote, a path, a file's name, an address or a variable that is set. */
static bool is_argument(const char *text)
{
	size_t length = strcspn(text, " ");
	const char *dot = memchr(text, '.', length);

	return (length > 0 && strchr("-|>\"'$", *text)) || memchr(text, '/', length) ||
	       memchr(text, '=', length) || (dot && isalnum((unsigned char)dot[1]));
}

/* "address show" is typed behind "ip", "address of rack 1" is said. */
static bool is_subcommand(const char *words, const char *text)
{
	const char *behind = text + strcspn(text, " ");

	behind += strspn(behind, " ");
	return begins_with(words, text) &&
	       (!*behind || is_argument(behind) ||
		       begins_with("add dev exec get link list ls s set sh show", behind));
}

/* Tools that are words of people too: "# for the training run", "# ip addresses of rack 1",
 * "# ping the peer first". next is what stands behind the tool. */
static bool is_said(const char *tool, const char *next)
{
	static const struct {
		const char *tool, *words; /* its own words, where it begins with one */
	} said[] = {
		{ "bash", "" },
		{ "cat", "" },
		{ "dmesg", "" },
		{ "env", "" },
		{ "grep", "" },
		{ "ip", "a addr address l link maddr monitor n neigh netns r route ru rule" },
		{ "ping", "" },
		{ "rdma", "dev link res resource statistic system" },
		{ "ss", "" },
		{ "tc", "class filter qdisc" },
	};

	if (strcmp(tool, "for") == 0)
		return !strstr(next, " in ") || !strchr(next, ';');
	for (size_t i = 0; i < COUNT_OF(said); i++) {
		if (strcmp(tool, said[i].tool) != 0)
			continue;
		if (!*next)
			return false;
		if (*said[i].words)
			return *next != '-' && !is_subcommand(said[i].words, next);
		/* "# cat hostfile": nobody says that and no more */
		return !is_argument(next) &&
		       !(strcmp(tool, "cat") == 0 && !next[strcspn(next, " ")]);
	}
	return false;
}

/* Whether a line is a tool's command; behind a "#", and no comment. */
static bool is_command(const char *line, bool comment)
{
	static const char *const tools[] = { "bash", "cat", "cma_roce_", "cpupower", "dcb",
		"devlink", "dmesg", "env", "ethtool", "for", "grep", "hccn_tool", "ib_",
		"ibdev2netdev", "ibstat", "ibv_", "ifconfig", "ip", "journalctl", "lldptool",
		"lscpu", "lsmod", "lspci", "mlnx_qos", "mlxconfig", "mlxlink", "modinfo",
		"mpirun", "numactl", "nvidia-smi", "ping", "rdma", "show_gids", "ss", "sysctl",
		"systemctl", "tc", "tcpdump", "tshark", "ulimit" };

	if (strncmp(line, "sudo ", 5) == 0) {
		line += strspn(line + 4, " ") + 4;
		if (!comment || *line == '-')
			return true;
	}
	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		size_t length = strlen(tools[i]);
		const char *next = line + length;

		if (strncmp(line, tools[i], length) != 0)
			continue;
		if (tools[i][length - 1] == '_')
			return true;
		if (!*next || *next == ' ')
			return !comment || !is_said(tools[i], next + strspn(next, " "));
	}
	return false;
}

/* "$ ethtool ens1", "# show_gids": a prompt without user and host. A "#" begins comments
 * too, so what follows it has to be a tool. */
static bool is_bare_prompt(const char *at)
{
	return (*at == '$' || *at == '#') && at[1] == ' ' && islower((unsigned char)at[2]) &&
	       is_command(at + 2, *at == '#');
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
