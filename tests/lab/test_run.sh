#!/bin/sh
# test_run.sh RUN BUILD: status, output and files come out of the guest, nothing that was
# written elsewhere reaches the host, and no command can keep the guest for ever.
run=$1
build=$2
# shellcheck source=tests/folder.sh disable=SC1091
. "$(dirname "$0")/../folder.sh"

# shellcheck disable=SC2016 # the guest's variables
"$run" --build "$build" --leaves 1 --spines 1 --devices 2 --out out -- sh -c '
	echo "to stdout it'\''s"; echo to stderr >&2; echo file > "$OUT/a file"
	echo lost > here; echo lost > /usr/here; exit 3' > stdout 2> stderr
status=$?
[ $status != 77 ] || { cat stderr; exit 77; }
[ $status = 3 ] || fail "the status is not the command's: $status: $(cat stderr)"
[ "$(cat stdout)" = "to stdout it's" ] || fail "stdout: $(cat stdout)"
grep -qx 'to stderr' stderr || fail "stderr: $(cat stderr)"
[ "$(cat 'out/a file')" = file ] || fail 'the file did not come out'
[ ! -e here ] || fail 'the guest has written to the current folder of the host'
[ ! -e /usr/here ] || fail 'the guest has written to the root of the host'

"$run" --build "$build" --leaves 1 --spines 1 --devices 2 --time 5 -- sleep 1000 > stdout 2> stderr
status=$?
[ $status = 124 ] || fail "a command over its time: $status: $(cat stderr)"

# What is asked of run itself is answered at once.
refused() {
	words=$1
	shift
	"$run" --build "$build" "$@" > stdout 2> stderr
	[ $? = 125 ] || fail "$*: status is not 125"
	grep -q "$words" stderr || fail "$*: $(cat stderr)"
}
refused 'no command' --leaves 2
refused 'expected 1..64' --devices 65 -- true
refused 'no number' --devices -1 -- true
refused 'unknown option' --nosuch 1 -- true
finish
