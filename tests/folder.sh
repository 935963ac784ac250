# shellcheck shell=sh
# What tests in shell share: a folder of their own, in which they are from here on and
# which goes with them; fail WORDS...; commits PROCESS FILE; and finish, which ends them with status 1 when
# something has failed.
folder=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

fail() {
	echo "$*"
	failed=1
}

# PROCESS FILE: waits until the process has committed to its run file more than once, or
# has ended.
commits() {
	until [ -s "$2" ]; do kill -0 "$1" 2> gone || return; done
	once=$(wc -c < "$2")
	until [ "$(wc -c < "$2")" -gt "$once" ]; do kill -0 "$1" 2> gone || return; done
}

finish() {
	exit $failed
}
