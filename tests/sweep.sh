#!/bin/sh
# sweep.sh SOURCE WEFT [KILLS]: a sweep killed at any point leaves a valid history, and the
# next one goes on; two at once: the second says so; budgets, busy hosts, hook, retention,
# baseline; files of another version are refused with one sentence.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
kills=${3:-25}
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"
fabric=$source/examples/small-8.yaml

# FOLDER ENDING: how many files, and the names of all in order.
count() {
	find "$1" -name "*.$2" | wc -l
}

names() {
	find "$1" -name "*.$2" | sort
}

sweep() {
	nice "$weft" sweep --profile quick "$@" "$fabric" > out 2> err
}

# --- killed ---

# Every run and every digest in the history can be read.
check_all() {
	for run in kill/*.run; do
		[ -e "$run" ] || continue
		"$weft" report "$run" > out 2> err
		[ ! -s err ] || fail "$run: $(cat err)"
	done
	for digest in kill/*.json; do
		[ -e "$digest" ] || continue
		"$weft" compare "$digest" "$digest" > out 2> err
		[ ! -s err ] || fail "$digest: $(cat err)"
	done
}

# Moments over the whole length that a sweep has on this machine.
met=0
began=$(date +%s%N)
sweep --history length || fail "a sweep alone: status $?: $(cat out err)"
length=$(($(date +%s%N) - began))
moments=$(awk -v n="$kills" -v length_ns="$length" \
	'BEGIN{srand(7); for (; n > 0; n--) printf "%.3f\n", rand() * 1.1 * length_ns / 1e9}')
for moment in $moments; do
	nice "$weft" sweep --profile quick --history kill "$fabric" > killed.out 2> killed.err &
	child=$!
	sleep "$moment"
	kill -9 $child 2> /dev/null
	wait $child 2> /dev/null
	ls kill/*.part > /dev/null 2>&1 && met=1
	[ ! -s killed.err ] || fail "killed after $moment s, it had said: $(cat killed.err)"
	[ -d kill ] || continue
	"$weft" history kill > out 2> err
	if [ -s err ] && ! grep -q 'holds no run' err; then
		fail "after a kill at $moment s: $(cat err)"
	fi
done
# However fast it is: one that has stages left when its run file is there.
nice "$weft" sweep --profile full --threads 1 --history kill "$fabric" > killed.out 2> killed.err &
child=$!
while [ "$(count kill part 2> find.err)" -eq 0 ]; do kill -0 $child 2> gone || break; done
kill -9 $child
wait $child 2> /dev/null
ls kill/*.part > /dev/null 2>&1 && met=1
[ $met -eq 1 ] || fail "no kill met a run that was not whole: the test shows little"
sweep --history kill || fail "after all kills: status $?: $(cat out err)"
ls kill/*.part* > /dev/null 2>&1 && fail "left behind: $(ls kill)"
check_all
[ "$(count kill run)" -eq "$(count kill json)" ] || fail "runs without digest: $(ls kill)"
[ "$(count kill run)" -gt 5 ] || fail "few of $kills kills left a run: $(ls kill)"

# What the killed one had run is not run again first: nothing is left that never ran.
sweep --history kill --json || fail "--json: status $?"
grep -q '"stages_never_run": 0' out || fail "stages that never ran after $kills sweeps"

# --- two at once ---

# The first asks a host, which says nothing before the gate is opened.
mkfifo gate
# shellcheck disable=SC2016 # for the other shell
nice "$weft" sweep --profile quick --history two \
	--busy-if '[ "$1" != host1 ] || read -r _ < gate; exit 1' "$fabric" > first.out 2> first.err &
child=$!
exec 3> gate # waits for who reads there
refused "another sweep is at work in two, process $child" \
	"$weft" sweep --profile quick --history two "$fabric"
exec 3>&-
wait $child || fail "the first of two: status $?: $(cat first.out first.err)"
sweep --history two || fail "after two at once: status $?: $(cat out err)"

# --- interrupted ---

# Many minutes long. Signals are taken from before the file is made.
large=$source/examples/leafspine-1024.yaml
nice "$weft" sweep --threads 1 --history cut "$large" > first.out 2> first.err &
child=$!
while [ "$(count cut part 2> find.err)" -eq 0 ]; do sleep 0.05; done
kill $child
wait $child
[ $? -eq 2 ] || fail "an interrupted sweep: status is not 2"
grep -q '^UNKNOWN leafspine-1024 (SIMULATION): interrupted; ' first.out ||
	fail "an interrupted sweep says: $(cat first.out first.err)"
ls cut/*.part > /dev/null 2>&1 && fail "an interrupted sweep leaves: $(ls cut)"
"$weft" sweep --traffic 64MiB --history cut "$large" > out 2> err ||
	fail "after an interrupted one: status $?: $(cat out err)"

# --- budgets, hosts, hook, retention, baseline ---

sweep --history budget --traffic 1500MiB --json --hook 'cat > hooked.json' || fail "--traffic: $(cat err)"
cmp out hooked.json || fail "the hook was given another document than --json printed"
[ "$(sed -n 's/^  "bytes": \([0-9]*\),/\1/p' out)" -le 1572864000 ] || fail "--traffic 1500MiB: $(cat out)"
for _ in 1 2 3 4 5; do
	sweep --history budget --traffic 1500MiB || fail "--traffic again: $(cat out err)"
done
sweep --history budget --traffic 1500MiB --json
grep -q '"stages_never_run": 0' out || fail "with 1500 MiB a night some stage has not had its turn"
refused 'expected more' "$weft" sweep --history budget --traffic 1 "$fabric"
# shellcheck disable=SC2016 # for the other shell
sweep --history busy --busy-if '[ "$1" = host3 ] && [ "$WEFT_HOST" = host3 ]'
grep -q ', 1 of 8 hosts busy' out || fail "--busy-if: $(cat out err)"
if grep 'host3->\|->host3"' busy/*.json; then fail "a busy host was sent to"; fi
sweep --history busy --busy-if 'exit 7' && fail "who does not know whether hosts are busy sends all the same"
grep -q 'of 8 of 8 hosts it is not known .*; host1: --busy-if ended with status 7' err || fail "--busy-if exit 7: $(cat err)"
# shellcheck disable=SC2016 # for the other shell
sweep --history busy --busy-if 'case $1 in host1) exit 0 ;; host2) echo no route >&2; exit 255 ;; esac; exit 1'
[ $? -eq 2 ] || fail "one host may be busy: status is not 2: $(cat out err)"
grep -q '^UNKNOWN .*: host2: no route; .*, 1 of 8 hosts busy, 1 of 8 hosts not known to be free; ' out ||
	fail "one host may be busy: $(cat out err)"
sweep --history busy --hook 'exit 3' || fail "a failed hook changes the status"
grep -q 'ended with status 3' err || fail "a failed hook is not told of: $(cat err)"

first=$(basename "$(names kill run | head -1)" .run)
"$weft" history --baseline "$first" kill > out 2> err
grep -q "Baseline $first" out || fail "--baseline: $(cat out err)"
sweep --history kill --keep 2 || fail "--keep: $(cat err)"
[ "$(count kill run)" -eq 3 ] || fail "--keep 2 and the baseline: $(ls kill)"
[ -e "kill/$first.run" ] || fail "the baseline was removed"
[ "$(count kill json)" -gt 5 ] || fail "digests were removed"
"$weft" history --baseline best kill > out 2> err
grep -q 'Baseline 2' out || fail "--baseline best: $(cat out err)"
"$weft" history --baseline none kill > out 2> err
grep -q 'Baseline' out && fail "--baseline none: $(cat out)"
refused 'no such run' "$weft" history --baseline nobody kill
"$weft" compare --golden kill "$(names kill run | tail -1)" > out 2> err ||
	fail "--golden: status $?: $(cat out err)"
"$weft" history --baseline "$first" kill > out 2> err
rm "kill/$first.run" "kill/$first.json"
refused 'is not there any more' "$weft" history kill

# --- other versions ---

old=$(find busy -name '*.json' | sort | head -n 1)
sed -i -e 's/"version": 2/"version": 1/' -e '/^  "loads"/,$d' "$old"
sed -i '$s/,$/\n}/' "$old"
sweep --history busy || fail "beside a digest of version 1: $(cat out err)"
grep -q '"loads"' "$old" || fail "a digest of version 1 beside its run file is not made anew"

last=$(basename "$(names budget run | tail -1)" .run)
sed -i 's/"version": 2/"version": 0/' "budget/$last.json"
"$weft" history budget > out 2> err
[ ! -s err ] || fail "a digest of an old version, its run file there: $(cat err)"
rm "budget/$last.run"
refused 'is a digest of version 0' "$weft" history budget
rm "budget/$last.json"
last=$(basename "$(names budget run | tail -1)" .run)
rm "budget/$last.json"
# The version of the layout is SQLite's user_version: byte 60 of the file on.
printf '\000\000\000\143' | dd of="budget/$last.run" bs=1 seek=60 conv=notrunc 2> dd.log
refused 'version 99' "$weft" history budget
refused 'version 99' "$weft" compare "budget/$last.run" "budget/$last.run"
refused 'version 99' "$weft" sweep --history budget "$fabric"
cp -r two mixed
for digest in busy/*.json; do
	sed 's/"fabric": "small-8"/"fabric": "other"/' "$digest" > "mixed/$(basename "$digest")"
done
refused 'expected a folder for each' "$weft" history mixed
finish
