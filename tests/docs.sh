#!/bin/sh
# docs.sh SOURCE WEFT: what README.md and README.zh-CN.md show as the output of a command
# is its output, line by line in this order, with "[...]" for what is left out; they
# and cmd/weft.1 name every command; and every relative link in our documents leads to
# a file. GOLDEN_UPDATE=1 rewrites the output in the READMEs: up to the first cause,
# and the last screen's verdict.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
ln -s "$source/examples" "$folder/examples"
cd "$folder" || exit 2
failed=0

fail() {
	echo "$*"
	failed=1
}

# PAGE: the block of output after the comment that names the command, in shown.
find_shown() {
	awk '/^<!-- weft /{on = 1} on && /^```$/{n++; next} on && n == 1' "$1" > shown
}

# PAGE: puts what is worth showing of real there.
update() {
	awk '/^2  /{exit} {print}' real | sed '$d' > shown
	printf '[...]\n\n' >> shown
	awk '/^FAIL/{n = NR} {line[NR] = $0} END{for (; n <= NR; n++) print line[n]}' real >> shown
	awk -v command="$ weft $command" '
		/^<!-- weft /{on = 1}
		on && /^```$/{on = 0; cut = 1; print; print command
			while ((getline row < "shown") > 0) print row
			next}
		cut && /^```$/{cut = 0}
		!cut' "$1" > page && cp page "$1"
}

for page in "$source/README.md" "$source/README.zh-CN.md"; do
	command=$(sed -n 's/^<!-- weft \(.*\) -->$/\1/p' "$page")
	[ -n "$command" ] || { fail "$page shows no command"; continue; }
	# shellcheck disable=SC2086 # words of a command line
	"$weft" $command > real 2> err
	[ -s err ] && fail "$page: weft $command says: $(cat err)"
	[ -z "$GOLDEN_UPDATE" ] || update "$page"
	find_shown "$page"
	[ "$(wc -l < shown)" -gt 5 ] || fail "$page shows no output"
	awk -v command="$ weft $command" '
		NR == FNR {real[++n] = $0; next}
		FNR == 1 && $0 == command || $0 == "[...]" || $0 == "" {next}
		{while (at < n && real[++at] != $0); if (real[at] != $0) {print; exit 1}}
	' real shown > missing || fail "$page: not in the output of weft $command: $(cat missing)"
done

for command in $("$weft" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
	for page in README.md README.zh-CN.md; do
		grep -q "^| .weft $command. |" "$source/$page" ||
			fail "$page: its table of commands lacks weft $command"
	done
	grep -q "Xr weft-$command 1" "$source/cmd/weft.1" || fail "cmd/weft.1 lacks weft-$command"
done

# What these pages give as examples can be typed as it stands, in this order.
for page in plan sim incast burst ring compare; do
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\.Dl weft //p' "$source/cmd/weft-$page.1" |
		grep -v 'before\.run' > lines
	[ -s lines ] || fail "cmd/weft-$page.1 has no examples"
	while read -r words; do
		# shellcheck disable=SC2086 # words of a command line
		"$weft" $words > real 2> err < /dev/null
		[ $? -le 1 ] || fail "cmd/weft-$page.1: weft $words says: $(cat err) $(head -1 real)"
	done < lines
done

for page in "$source"/*.md "$source"/docs/*.md; do
	grep -o '](\([^)#]*\)' "$page" | sed 's/^](//' | while read -r link; do
		case $link in
		http://* | https://* | '') ;;
		*) [ -e "$(dirname "$page")/$link" ] || echo "$page: $link does not exist" ;;
		esac
	done
done > broken
[ ! -s broken ] || fail "$(cat broken)"
exit $failed
