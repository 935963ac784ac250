#!/bin/sh
# run.sh SOURCE GOLDEN PROGRAM ARGUMENT...: stdout, exit status and what was said on stderr
# must match the golden file. GOLDEN_UPDATE=1 rewrites it instead; the diff is then
# yours to review. The command runs in an empty folder in which examples/ and data/
# (tests/data/) are there, so that what it writes is gone afterwards.
source=$1
golden=$2
program=$(realpath "$3") || exit 2
shift 3
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
ln -s "$source/examples" "$folder/examples"
ln -s "$source/tests/data" "$folder/data"
(cd "$folder" && TZ=UTC LC_ALL=C.UTF-8 "$program" "$@" > got 2> err; echo "exit status $?" > status)
{
	cat "$folder/got" "$folder/status"
	[ ! -s "$folder/err" ] || { echo "--- stderr"; cat "$folder/err"; }
} > "$folder/all"
if [ -n "$GOLDEN_UPDATE" ]; then
	cp "$folder/all" "$golden"
fi
diff -u "$golden" "$folder/all"
