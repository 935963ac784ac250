#!/bin/sh
# output.sh SOURCE WEFT: what becomes of the output decides the exit status too.
source=$1
weft=$(realpath "$2")
cd "$source" || exit 2
bad=0
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT

# expect STATUS TEXT SENTENCE: the last command's status is in $status, its words on
# stderr in $said; TEXT must be in them, and with no TEXT there must be none.
expect() {
	if [ "$status" != "$1" ]; then
		echo "$3: status $status, expected $1"
		bad=1
	fi
	if [ -n "$2" ] && ! grep -q "$2" "$said"; then
		echo "$3: said \"$(cat "$said")\", expected \"$2\""
		bad=1
	elif [ -z "$2" ] && [ -s "$said" ]; then
		echo "$3: said \"$(cat "$said")\", expected nothing"
		bad=1
	fi
}

for words in --version help 'plan -h' 'plan examples/leafspine-32.yaml'; do
	# shellcheck disable=SC2086 # words of a command line
	"$weft" $words > /dev/full 2> "$said"
	status=$?
	expect 2 'No space left on device' "weft $words to a full disk"
	# shellcheck disable=SC2086
	"$weft" $words >&- 2> "$said"
	status=$?
	expect 2 'Bad file descriptor' "weft $words to nowhere"
	# The reader has gone before the first word is written.
	# shellcheck disable=SC2086
	status=$({ { sleep 0.2; "$weft" $words 2> "$said"; echo $? >&3; } | true; } 3>&1)
	expect 2 '' "weft $words to a reader who left"
done

"$weft" > /dev/null 2> "$said"
status=$?
expect 2 'usage: weft COMMAND' 'weft alone'
"$weft" --version > /dev/null 2> "$said"
status=$?
expect 0 '' 'weft --version'
for command in $("$weft" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'); do
	"$weft" "$command" --no-such-option > /dev/null 2> "$said"
	status=$?
	expect 2 "^weft $command: unknown option --no-such-option" "weft $command with a wrong option"
	if [ "$("$weft" help "$command")" != "$("$weft" "$command" --help)" ]; then
		echo "weft help $command and weft $command --help differ"
		bad=1
	fi
done
exit $bad
