#!/bin/sh
# turns.sh SOURCE WEFT: what is said across runs. A failure is fixed only when its place was
# under load again, and a night that did not look changes nothing; runs that were drawn
# otherwise are compared where they mean the same; the line of a sweep says what failed.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

cp "$source/examples/small-8.yaml" good.yaml
lossy=host6-leaf2:2
{
	grep -v '^name' good.yaml
	echo 'name: small-8'
	echo 'faults:'
	echo "  - {kind: loss, place: \"$lossy\", amount: 0.001}"
} > bad.yaml

# STATUS FABRIC OPTIONS...: one night more, which ends so.
night() {
	wanted=$1
	fabric=$2
	shift 2
	nice "$weft" sweep --profile quick --history nights "$@" "$fabric" > line 2> err
	status=$?
	[ $status -eq "$wanted" ] || fail "$fabric $*: status $status, not $wanted: $(cat line err)"
}

# WORDS: what the line says.
says() {
	grep -q -- "$1" line || fail "the line does not say \"$1\": $(cat line err)"
}

# --- a night that does not look ---

# shellcheck disable=SC2016 # for the other shell
without_host6='test "$1" = host6'
night 1 bad.yaml
says "^FAIL small-8 (SIMULATION): link.loss at link $lossy; 40 of 40 stages"
says '1 new, 0 persisting, 0 fixed; too early for drift: 1 whole run;'
"$weft" history nights > out 2> err
[ $? -eq 1 ] || fail "history of one night that failed: $(cat out err)"
if grep ' $' out; then fail "lines of a history end in blanks"; fi
if grep 'Drift:' out; then fail "a test of no figure is explained"; fi
night 2 bad.yaml --busy-if "$without_host6"
says "^UNKNOWN small-8 (SIMULATION): link.loss at link $lossy failed before, and now nothing was sent over it;"
says '0 new, 0 persisting, 0 fixed, 1 unseen'
bad=$(find nights -name '*.run' | sort | head -1)
other=$(find nights -name '*.run' | sort | tail -1)
"$weft" compare "$bad" "$other" > out 2> err
[ $? -eq 2 ] || fail "compare with a run that did not look: $(cat out err)"
grep -q "unseen *link.loss *link $lossy *nothing was sent over it" out || fail "compare: $(cat out)"

# Interrupted, with whatever it had done by then. Signals are taken from before the file is made.
nice "$weft" sweep --profile full --threads 1 --history nights bad.yaml > line 2> err &
child=$!
while [ "$(find nights -name '*.part' | wc -l)" -eq 0 ]; do sleep 0.05; done
kill $child
wait $child
says '^[A-Z]* small-8 (SIMULATION): interrupted; '
says 'too early for drift: 2 whole runs;'
night 1 bad.yaml
says '0 new, 1 persisting, 0 fixed'
night 0 good.yaml
says '0 new, 0 persisting, 1 fixed'
says '^PASS small-8 (SIMULATION): 40 of 40 stages'
good=$(find nights -name '*.run' | sort | tail -1)
"$weft" compare "$bad" "$good" > out 2> err || fail "compare with a run that looked: $(cat out err)"
"$weft" history --json nights > out 2> err
grep -q '"runs": 5' out || fail "history: $(cat out err)"
grep -q '"runs_whole": 4' out || fail "an interrupted night counts: $(grep runs out)"

# Of version 1: what it looked at is in the run file, and without that not known.
old() {
	sed -e 's/"version": 2/"version": 1/' -e '/^  "loads"/,$d' "${1%.run}.json" | sed '$s/,$//' > "$2"
	echo '}' >> "$2"
}
mkdir old
old "$bad" old/1.json
old "$good" old/2.json
"$weft" compare old/1.json old/2.json > out 2> err
[ $? -eq 2 ] || fail "version 1 alone: $(cat out err)"
grep -q "unseen *link.loss .*not known" out || fail "version 1 alone: $(cat out err)"
cp "$bad" old/1.run
cp "$good" old/2.run
"$weft" compare old/1.json old/2.json > out 2> err || fail "version 1 beside its run: $(cat out err)"
grep -q 'fixed *link.loss' out || fail "version 1 beside its run: $(cat out err)"

# --- an old baseline ---

"$weft" history --baseline "$(basename "$bad" .run)" --age 5 nights > out 2> err
grep -q 'runs behind it' out && fail "a baseline of 4 runs is old at 5: $(cat out)"
for i in $(seq 10 40); do # it has 35 runs behind it, of which 30 are looked at
	cp "${good%.run}.json" "nights/20990101T0000${i}Z.json"
done
"$weft" history nights > out 2> err
tr '\n' ' ' < out | grep -q 'has 35 runs behind it, 30 or more' || fail "an old baseline: $(cat out err)"
"$weft" history --json nights > out 2> err
grep -q '"baseline_runs_behind": 35' out || fail "an old baseline, in JSON: $(cat out err)"
grep -q '"baseline_advice": "The baseline' out || fail "an old baseline, in JSON: $(cat out err)"

# --- long names ---

long=$(printf 'a%.0s' $(seq 50))
deep=$PWD/$long/$long
mkdir -p "$deep"
sed "s/^name: small-8/name: $long/" bad.yaml > long.yaml
nice "$weft" sweep --profile quick --traffic 100MiB --history "$deep" long.yaml > line 2> err
says "^[A-Z]* aaaa*\\.\\.\\. (SIMULATION): "
says "; \\.\\.\\./$long/2[0-9TZ]*\\.run\$"
[ "$(wc -c < line)" -lt 300 ] || fail "a long line: $(cat line)"

# --- other draws ---

for name in small-8 leafspine-32; do
	for draw in 'quick 1' 'quick 2' 'full 1'; do
		[ "$name $draw" != 'leafspine-32 full 1' ] || continue # minutes
		# shellcheck disable=SC2086 # two words
		set -- $draw
		nice "$weft" accept --profile "$1" --seed "$2" --run "$name-$1-$2.run" \
			"$source/examples/$name.yaml" > out 2> err || fail "$name $draw: $(cat out err)"
	done
done

# BEFORE AFTER WORDS: two clean runs of other draws, and why not all is compared.
apart() {
	"$weft" compare "$1" "$2" > out 2> err
	[ $? -eq 2 ] || fail "compare $1 $2: not unknown: $(cat out err)"
	tr '\n' ' ' < out | grep -q "$3" || fail "compare $1 $2 does not say \"$3\": $(cat out)"
	grep -q 'links *rate *[1-9]' out || fail "compare $1 $2: no links compared: $(cat out)"
	"$weft" compare --json "$1" "$2" > out 2> err
	grep -q '"worse": 0' out || fail "compare --json $1 $2: $(cat out err)"
	grep -q '"not_comparable": [1-9]' out || fail "compare --json $1 $2: $(cat out err)"
}
apart small-8-quick-2.run small-8-quick-1.run 'two seeds, 2 and 1'
apart small-8-quick-1.run small-8-quick-2.run 'two seeds, 1 and 2'
apart leafspine-32-quick-1.run leafspine-32-quick-2.run 'two seeds, 1 and 2'
apart leafspine-32-quick-2.run leafspine-32-quick-1.run 'two seeds, 2 and 1'
apart small-8-full-1.run small-8-quick-1.run 'two profiles, full and quick'
"$weft" compare small-8-quick-1.run small-8-quick-1.run > out 2> err || fail "a run and itself: $(cat out err)"
apart "$good" "$other" 'other stages or hosts took part'

# What is really worse is found under another draw as well.
sed 's/kind: loss/kind: rate/; s/amount: .*}/amount: 0.96}/' bad.yaml > slow.yaml
nice "$weft" accept --profile quick --seed 2 --run slow.run slow.yaml > out 2> err
"$weft" compare small-8-quick-1.run slow.run > out 2> err
[ $? -eq 1 ] || fail "a link that is 4 % slower, by another seed: $(cat out err)"
grep -q "^ *link $lossy *rate " out || fail "a link that is 4 % slower is not named: $(cat out err)"
finish
