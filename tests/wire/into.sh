#!/bin/sh
# into.sh WEFT SOURCE: a capture read into its run is told by weft report, and agrees;
# reading it again changes nothing; a run of which the capture is not, and what is no run
# file, stay as they are.
weft=$(realpath "$1") || exit 2
source=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

cat "$source/examples/small-8.yaml" - > fabric.yaml <<'END'
faults:
- {kind: loss, place: "leaf1:5-spine1:1", amount: 0.01}
END
"$weft" sim --stage permutation-1-4qp --pcap host1,host5,host6,leaf1:5 fabric.yaml \
	--run sim.run > before 2>&1
grep -q 'wire\.' before && fail "captures before there was one"

for file in sim-host1 sim-host5 sim-host6 sim-leaf1-5; do
	"$weft" pcap --into sim.run $file.pcap > /dev/null
	[ $? -le 2 ] || fail "--into sim.run $file.pcap did not end by itself"
done
"$weft" report --verbose sim.run > once
tr -s ' \n' '  ' < once | grep -q 'wire and counters tell the same of [0-9]* pairs of NICs at 4 taps' ||
	fail "wire and counters do not agree: $(grep -A4 wire.counters once)"
grep -q 'wire.loss.before\|wire.loss.behind' once || fail "the loss on the wire is not told"
"$weft" pcap --into sim.run sim-host5.pcap > /dev/null
"$weft" report --verbose sim.run > twice
cmp -s once twice || fail "the same capture twice is not the same as once"

# refuses WORDS CAPTURE: the capture is not of sim.run, which stays as it is.
refuses() {
	cp sim.run copy.run
	"$weft" pcap --into sim.run "$2" > /dev/null 2> why
	[ $? = 2 ] || fail "$2 of another run: status is not 2"
	grep -q "$1" why || fail "$2 of another run: $(cat why)"
	cmp -s sim.run copy.run || fail "$2 of another run changed sim.run"
}

"$weft" sim --stage permutation-1-4qp --seed 2 --pcap host1 --run seed.run fabric.yaml > seed.log 2>&1
refuses 'is of another run: 10.0.0.[0-9]* -> 10.0.0.[0-9]* from UDP port [0-9]* ' seed-host1.pcap
"$weft" sim --stage incast-3-ect-1 --pcap host3 --run stage.run fabric.yaml > stage.log 2>&1
refuses 'no flow of a stage that ran then' stage-host3.pcap
# The same flows, ports and times but for what a fault did: nothing was sent again there.
cp sim.run kept.run
"$weft" sim --stage permutation-1-4qp --run sim.run "$source/examples/small-8.yaml" > clean.log 2>&1
refuses 'more than the run did\|no flow of a stage' sim-host5.pcap
mv kept.run sim.run

"$weft" pcap --into none.run sim-host1.pcap > /dev/null 2> why
[ $? = 2 ] || fail "no run file: status is not 2"
grep -q 'none.run does not exist' why || fail "no run file: $(cat why)"
[ ! -e none.run ] || fail "none.run was made"
echo text > text.run
"$weft" pcap --into text.run sim-host1.pcap > /dev/null 2> why
[ $? = 2 ] || fail "a text: status is not 2"
[ "$(cat text.run)" = text ] || fail "a text was written over"
finish
