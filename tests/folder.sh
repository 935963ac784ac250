# shellcheck shell=sh
# What tests in shell share: a folder of their own, in which they are from here on and
# which goes with them; fail WORDS...; commits PROCESS FILE; refused WORDS COMMAND...;
# and finish, which ends them with status 1 when something has failed.
folder=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

fail() {
	echo "$*"
	failed=1
}

# PROCESS FILE: waits until the process has committed stages to its run file, or has ended.
# What is committed before the first stage is a quarter of this.
commits() {
	until [ -e "$2" ] && [ "$(wc -c < "$2")" -gt 1048576 ]; do
		kill -0 "$1" 2> gone || return
	done
}

# WORDS COMMAND...: status 2 and one line on stderr that holds WORDS.
refused() {
	words=$1
	shift
	"$@" > out 2> err
	[ $? -eq 2 ] || fail "$*: status is not 2"
	[ "$(wc -l < err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
	grep -q "$words" err || fail "$*: does not say \"$words\": $(cat err)"
}

finish() {
	exit $failed
}
