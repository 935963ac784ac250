#!/bin/sh
# report.sh SOURCE WEFT DRAW CONFORMS: weft report on files that are no whole run: one
# sentence and status 2 each, or what there is of the run and never a pass.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
draw=$(realpath "$3") || exit 2
conforms=$(realpath "$4") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

# NAME WORDS: status 2, nothing on stdout, one line on stderr that holds WORDS.
refused() {
	"$weft" report "$1" > out 2> err
	[ $? -eq 2 ] || fail "$1: status is not 2"
	[ ! -s out ] || fail "$1: stdout is not empty"
	[ "$(wc -l < err)" -eq 1 ] || fail "$1: not one line: $(cat err)"
	grep -q "^weft report: .*$2" err || fail "$1: $(cat err)"
}

# NAME WORDS: status 2, and a report that holds WORDS.
unknown() {
	"$weft" report "$1" > out 2> err
	[ $? -eq 2 ] || fail "$1: status is not 2"
	[ ! -s err ] || fail "$1: $(cat err)"
	head -1 out | grep -q '^UNKNOWN .*SIMULATION' || fail "$1: $(head -1 out)"
	tr '\n' ' ' < out | grep -q "$2" || fail "$1: says nothing of: $2"
	"$weft" report --json "$1" > out.json || [ $? -eq 2 ] || fail "$1: --json: status is not 2"
	"$conforms" "$source/docs/report.schema.json" out.json || fail "$1: breaks the schema"
}

refused nowhere.run 'does not exist'
refused . 'is a folder'
: > empty.run
refused empty.run 'is empty'
head -c 100000 /dev/zero > zero.run
refused zero.run 'not a run file'
echo 'leaves: 4' > fabric.yaml
refused fabric.yaml 'not a run file'

"$draw" cut run || fail "no run made"
mv made.run cut.run
unknown cut.run 'The run was cut off'
cp cut.run whole.run
"$weft" report --json whole.run > first.json
"$weft" report --json whole.run > second.json
cmp first.json second.json || fail "two reports of one run differ"
cmp cut.run whole.run || fail "the report has changed the run file"

"$draw" interrupted run
mv made.run interrupted.run
unknown interrupted.run 'The run was interrupted'
"$draw" empty run
mv made.run nothing.run
unknown nothing.run 'SIMULATION'

# The version of the layout is SQLite's user_version: byte 60 of the file on.
cp cut.run version.run
printf '\000\000\000\143' | dd of=version.run bs=1 seek=60 conv=notrunc 2> dd.log
refused version.run 'version'
head -c 9000 cut.run > short.run
refused short.run '.'
mkfifo pipe.run
refused pipe.run '.'
if [ "$(id -u)" -ne 0 ]; then
	cp cut.run closed.run
	chmod 0 closed.run
	refused closed.run '.'
fi

"$weft" report > out 2> err
[ $? -eq 2 ] || fail "no argument: status is not 2"
"$weft" report cut.run interrupted.run > out 2> err
[ $? -eq 2 ] || fail "two arguments: status is not 2"
"$weft" report cut.run > /dev/full 2> err
[ $? -eq 2 ] || fail "full device: status is not 2"

# What failed has failed, wherever its report goes; a pass that nobody saw is none.
"$draw" fail run || fail "no run made"
mv made.run fail.run
"$draw" pass run || fail "no run made"
mv made.run pass.run
for words in '' --json '--csv findings' '--html -' '--html /dev/full' --verbose; do
	# shellcheck disable=SC2086 # words of a command line
	"$weft" report $words fail.run > /dev/full 2> err
	[ $? -eq 1 ] || fail "a failure to a full device, $words: status is not 1"
	# shellcheck disable=SC2086
	"$weft" report $words pass.run > /dev/full 2> err
	[ $? -eq 2 ] || fail "a pass to a full device, $words: status is not 2"
done
printf '== hostA: ethtool -S ens1f0, 10 s delta ==\nrx_prio3_pause: 1200\n== env ==\nNCCL_IB_TC=106\n' > pasted
"$weft" explain pasted > /dev/full 2> err
[ $? -eq 2 ] || fail "an unknown to a full device: status is not 2"
finish
