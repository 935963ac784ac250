#!/bin/sh
# safe.sh SOURCE WEFT: what is in a history stays: a sweep of something else is refused
# before it touches it, files that are not weft's are left alone, no run goes whose digest
# cannot be read, a baseline is replaced or kept, and tonight's run is the last one; and no
# hook or probe holds a sweep up.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"
fabric=$source/examples/small-8.yaml

# HISTORY OPTION...: a short sweep.
sweep() {
	history=$1
	shift
	nice "$weft" sweep --profile quick --traffic 100MiB --history "$history" "$@" > out 2> err
}

# HISTORY: its files and what they hold.
state() {
	find "$1" -type f ! -name .lock -exec cksum {} + | sort
}

newest() {
	find "$1" -name "2*.$2" | sort | tail -1
}

# --- of something else ---

sed 's/^name: .*/name: other/' "$fabric" > other.yaml
cat "$fabric" - > planes.yaml << 'END'
planes:
- name: storage
  leaves: 2
  spines: 2
  hosts_per_leaf: 4
  speed: 100G
END
sweep mine "$fabric" || fail "a first sweep: status $?: $(cat out err)"
state mine > before
refused 'mine holds runs of small-8 (plane parameter, sim), and this is one of other' \
	sweep mine other.yaml
refused '(plane storage, sim): expected a folder for each' sweep mine --plane storage planes.yaml
refused '(plane parameter, verbs): expected a folder for each' sweep mine --backend verbs "$fabric"
state mine > after
cmp before after || fail "a refused sweep left: $(ls mine)"
"$weft" history mine > out 2> err
[ ! -s err ] || fail "the history after refused sweeps: $(cat err)"
"$weft" sweep --profile quick --traffic 100MiB --plane storage planes.yaml > out 2> err
[ -d small-8-storage-history ] || fail "another plane has no folder of its own: $(ls)"

# --- files of others ---

echo 'my film' > mine/film.part
echo 'my film' > mine/20261130T001500Z.part
: > mine/20261130T001501Z.part
echo '{' > mine/20261130T001502Z.json.2.new
true &
gone=$!
wait $gone
for name in 20261130T001503Z.json baseline; do echo '{' > "mine/$name.$gone.new"; done
echo 'mine' > "mine/notes.json.$gone.new"
sweep mine "$fabric" || fail "a sweep beside files of others: $(cat out err)"
[ "$(cat mine/film.part)" = 'my film' ] || fail "a foreign file has gone: $(ls mine)"
[ "$(cat mine/20261130T001500Z.part)" = 'my film' ] || fail "a foreign run has gone: $(ls mine)"
[ "$(grep -c 'mine/20261130T001500Z.part is left alone: .*is not a run file' err)" -eq 1 ] ||
	fail "what is left alone is not told of: $(cat err)"
[ "$(wc -l < err)" -eq 1 ] || fail "more is told of than what is left alone: $(cat err)"
[ ! -e mine/20261130T001501Z.part ] || fail "an empty file of ours is left: $(ls mine)"
[ -e "mine/notes.json.$gone.new" ] || fail "a foreign file has gone: $(ls mine)"
[ ! -e "mine/20261130T001503Z.json.$gone.new" ] || fail "half a digest is left: $(ls mine)"
[ ! -e "mine/baseline.$gone.new" ] || fail "half a baseline is left: $(ls mine)"
rm -f mine/*.part

# --- no run goes for a digest that cannot be read ---

first=$(find mine -name '2*.run' | sort | head -1)
cp "${first%.run}.json" kept.json
sed -i 's/"version": [0-9]*,/"version": 99,/' "${first%.run}.json"
sweep mine --keep 1 "$fabric" || fail "--keep 1: $(cat out err)"
[ -e "$first" ] || fail "a run has gone whose digest is of a newer version: $(ls mine)"
head -c 100 kept.json > "${first%.run}.json"
sweep mine --keep 1 "$fabric" || fail "--keep 1: $(cat out err)"
[ -e "$first" ] || fail "a run has gone whose digest is damaged: $(ls mine)"
cp kept.json "${first%.run}.json"
sweep mine --keep 1 "$fabric" || fail "--keep 1: $(cat out err)"
[ ! -e "$first" ] || fail "--keep 1 keeps: $(ls mine)"

# --- a baseline is replaced or kept ---

cp -r mine chosen
: > chosen/baseline
refused 'chosen/baseline names no run: .*--baseline none does without' "$weft" history chosen
refused 'chosen/baseline names no run' sweep chosen "$fabric"
rm chosen/baseline
mkdir chosen/baseline
refused 'chosen/baseline names no run' "$weft" history chosen
rmdir chosen/baseline
head -c 5000 "$(find chosen -name '*.run' | head -n 1)" > chosen/20361130T000000Z.run
refused '20361130T000000Z.run is damaged .*; a history is read as a whole, once this is moved away' "$weft" history chosen
cksum chosen/20361130T000000Z.run > before
sweep chosen --keep 1 --metrics damaged.prom "$fabric"
[ $? -eq 2 ] || fail "a sweep beside a damaged run: status is not 2: $(cat out err)"
grep -q '^UNKNOWN .*20361130T000000Z.run is damaged.*; 1 damaged run of before left out' out ||
	fail "a sweep beside a damaged run says: $(cat out err)"
grep -q '^weft_history_damaged_runs.* 1$' damaged.prom || fail "the metrics know no damaged run"
cksum chosen/20361130T000000Z.run > after
cmp before after || fail "a damaged run has gone: $(ls chosen)"
[ -e "chosen/20361130T000001Z.run" ] || fail "no run beside a damaged one: $(ls chosen)"
echo 20361130T000000Z > chosen/baseline
refused '20361130T000000Z.run is damaged' sweep chosen "$fabric"
rm -r chosen

mkdir failing
sed 's/"verdict": "pass"/"verdict": "fail"/' "$(newest mine json)" > failing/20261130T001500Z.json
echo 20261130T001500Z > failing/baseline
refused 'none of the 1 runs of failing passed' "$weft" history --baseline best failing
[ "$(cat failing/baseline)" = 20261130T001500Z ] || fail "a baseline is lost: $(ls failing)"

# --- tonight's run is the last ---

cp "$(newest mine json)" mine/20991231T235959Z.json
cp "$(newest mine json)" mine/zebra.json
sweep mine --json "$fabric" || fail "after the clock was set back: status $?: $(cat out err)"
grep -q '"run": "21000101T000000Z"' out || fail "tonight's run is called $(grep '"run":' out)"
grep -q '"stages_run": [1-9]' out || fail "tonight's run is not what is told of: $(cat out)"

# --- names ---

ln -s mine link
sweep link// "$fabric" || fail "a history with slashes behind it: $(cat out err)"
grep -q '; link/2[^/]*Z.run$' out || fail "a history with slashes is called: $(cat out)"
(
	ulimit -f 600 # of 512 bytes
	"$weft" sweep --profile quick --history limited "$fabric" > out 2> err
)
[ $? -eq 2 ] || fail "a limit on files: status is not 2"
grep -q 'limited/2[^/]*Z.run' err || fail "a limit on files: names no run: $(cat err)"
grep -q '\.part' err && fail "a limit on files names what is not there: $(cat err)"
for name in baseline .lock 20261130T001500Z.run report.json a.part; do
	state mine > before
	refused "link/../mine/$name would be taken for a part of the history mine" \
		sweep mine --html "link/../mine/$name" "$fabric"
	refused "would be taken for a part of the history new" sweep new --metrics "new/$name" "$fabric"
	state mine > after
	cmp before after || fail "a refused --html has left: $(ls mine)"
done
[ ! -e new ] || fail "a refused sweep has made its folder"
sweep mine --html mine/tonight.html "$fabric" || fail "a report beside the runs: $(cat err)"

# --- other programs ---

sweep mine --json --hook 'echo spoken' "$fabric" || fail "a hook that speaks: $(cat err)"
grep -q spoken out && fail "a hook speaks on our stdout: $(cat out)"
grep -q spoken err || fail "what a hook says is lost: $(cat err)"
sweep mine --hook 'echo $$ > pid; trap "" TERM; sleep 1000' --hook-time 1s "$fabric" ||
	fail "a hook without an end changes the status: $(cat out err)"
grep -q 'not done within 1 s, so it was killed' err || fail "a hook without an end: $(cat err)"
kill -0 "$(cat pid)" 2> gone && fail "a hook without an end is still there"
# shellcheck disable=SC2016 # for the other shell
sweep mine --busy-if '[ "$1" != host1 ] || { trap "" TERM; sleep 1000; }; exit 1' "$fabric"
[ $? -eq 2 ] || fail "a probe without an end: $(cat out err)"
grep -q '^UNKNOWN .*: host1: no answer within 30 s; .*, 1 of 8 hosts not known to be free' out ||
	fail "a probe without an end: $(cat out err)"
refused 'the fabric file does not say which machine host1 is' \
	sweep real --backend verbs "$fabric"
PATH="$source/cmd:$PATH" WEFT_BUSY_ROOT=$PWD/nowhere \
	refused 'it is not known .*local: no counters of RDMA ports in .*nowhere' \
	sweep real --backend verbs "$source/examples/lab-8.yaml"
finish
