#!/bin/bash
# completion.sh SOURCE WEFT: cmd/weft.bash completes every command, every option that
# -h prints, and the words of a choice.
source=$1
weft=$(realpath "$2") || exit 2
failed=0
# shellcheck source=/dev/null
. "$source/cmd/weft.bash" || exit 2

fail() {
	echo "$*"
	failed=1
}

# WORD...: completes the last of them, as readline would ask.
completed() {
	COMP_WORDS=("$weft" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_weft
	printf '%s\n' "${COMPREPLY[@]}"
}

# EXPECTED LINES AFTER: whether it is one of the lines.
has() {
	case "
$2
" in
	*"
$1
"*) ;;
	*) fail "no $1 after: $3" ;;
	esac
}

# EXPECTED WORD...: among what the last word completes to.
expect() {
	expected=$1
	shift
	has "$expected" "$(completed "$@")" "weft $*"
}

commands=$("$weft" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')
[ -n "$commands" ] || fail "weft help lists no commands"
all=$(completed '')
in_help=$(completed help '')
for command in $commands; do
	has "$command" "$all" "weft"
	has "$command" "$in_help" "weft help"
	# The synopsis is another part of -h than what the completion reads.
	options=$("$weft" "$command" -h | sed '/^$/,$d' | grep -o -e '--[a-z-]*' | sort -u)
	offered=$(completed "$command" --)
	for option in $options; do
		has "$option" "$offered" "weft $command"
	done
done
expect quick accept --profile ''
expect full accept --profile = f
expect full accept --profile =
[ "$(completed accept --profile q)" = quick ] || fail "q completes to more than quick"
cd "$source" || exit 2
expect examples/leafspine-32.yaml accept examples/leaf
expect examples/leafspine-32.yaml accept --json examples/leaf
expect examples/leafspine-32.yaml bw --fabric examples/leaf
[ -z "$(completed accept --seed '')" ] || fail "a number is completed"
exit $failed
