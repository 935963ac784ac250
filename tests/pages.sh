#!/bin/sh
# pages.sh SOURCE WEFT: every command has a manual page beside it, mandoc finds
# nothing wrong in it, and its SYNOPSIS says what -h prints.
source=$1
weft=$2
command -v mandoc > /dev/null || { echo "no mandoc: install the package mandoc"; exit 77; }
bad=0

complain() {
	echo "$1"
	bad=1
}

# One line, single blanks.
squeeze() {
	tr -s ' \n\t' ' ' | sed 's/^ //; s/ $//'
}

synopsis() {
	mandoc -T ascii -O width=200 "$1" | sed "s/.$(printf '\b')//g" | sed -n '/^SYNOPSIS/,/^DESCRIPTION/p' |
		sed '1d; $d' | squeeze
}

commands=$("$weft" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
for command in $commands; do
	page=$source/cmd/weft-$command.1
	[ -f "$page" ] || { complain "weft $command has no page cmd/weft-$command.1"; continue; }
	said=$("$weft" "$command" -h | sed '/^$/,$d; s/^usage: //' | squeeze)
	page_says=$(synopsis "$page")
	if [ "$said" != "$page_says" ]; then
		complain "cmd/weft-$command.1: the SYNOPSIS differs from weft $command -h"
		echo "  page: $page_says"
		echo "  -h:   $said"
	fi
done
for page in "$source"/cmd/*.1; do
	[ -f "$page" ] || continue
	name=$(basename "$page" .1)
	case " weft $(echo "$commands" | sed 's/^/weft-/' | squeeze) " in
	*" $name "*) ;;
	*) complain "$page is the page of no command" ;;
	esac
	mandoc -T lint -W warning "$page" || complain "$page: see mandoc above"
	grep -q "^  '$name.1',$" "$source/cmd/meson.build" ||
		complain "$page is not installed: name it in cmd/meson.build"
done
exit $bad
