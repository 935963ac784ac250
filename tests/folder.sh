# shellcheck shell=sh
# What tests in shell share: a folder of their own, in which they are from here on and
# which goes with them; fail WORDS...; and finish, which ends them with status 1 when
# something has failed.
folder=$(mktemp -d) || exit 2
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

fail() {
	echo "$*"
	failed=1
}

finish() {
	exit $failed
}
