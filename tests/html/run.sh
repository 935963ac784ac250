#!/bin/sh
# run.sh SOURCE FOLDER WEFT DRAW WIDE: HTML reports of runs that fail, pass, skip layers, were cut off, have
# hostile names, or 1,024 hosts, opened in headless Chromium by check.mjs. Its packages
# come from npm, pinned, into FOLDER. Status 77 with the reason where something is missing.
source=$(realpath "$1") || exit 2
mkdir -p "$2" || exit 2
folder=$(realpath "$2") || exit 2
weft=$(realpath "$3") || exit 2
draw=$(realpath "$4") || exit 2
wide=$(realpath "$5") || exit 2
failed=0

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "$*"
	failed=1
}

command -v node > /dev/null || skip 'there is no node'
command -v python3 > /dev/null || skip 'there is no python3'
command -v npm > /dev/null || skip 'there is no npm'
chromium=$(command -v chromium) || skip 'there is no chromium'
cd "$folder" || exit 2
if ! cmp -s "$source/tests/html/package-lock.json" installed.json; then
	cp "$source/tests/html/package.json" "$source/tests/html/package-lock.json" .
	npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1 \
		--fetch-timeout=30000 > npm.log 2>&1 ||
		skip "npm could not install puppeteer-core and axe-core: $(tail -n 1 npm.log)"
	cp "$source/tests/html/package-lock.json" installed.json
fi
cp "$source/tests/html/check.mjs" .

# NAME RUN: draws RUN as NAME.html; the status is that of the verdict.
html() {
	"$weft" report --html "$1.html" "$2" > text.txt 2> err.txt
	[ $? -ne 2 ] || grep -q '^UNKNOWN' text.txt || fail "$1: $(cat err.txt)"
	[ -s "$1.html" ] || fail "$1: no report"
}

# RUN: the burst layer's counters, for check.mjs, read from the run file without weft.
cells() {
	python3 - "$1" << 'END' || fail "$1: no counters of bursts"
import json, sqlite3, sys

run = sqlite3.connect(sys.argv[1])
stages = {}
for stage, name in run.execute('SELECT id, name FROM plan WHERE layer = 4'):
    def counter(what, like):
        return run.execute(f'SELECT {what} FROM counters WHERE stage = ? AND name GLOB ?',
                           (stage, like)).fetchone()[0]
    peak = counter('max(last)', 'tx_prio[0-9]_queue_peak_bytes')
    marked = run.execute('SELECT sum(ce_packets) FROM flows WHERE stage = ?', (stage,)).fetchone()[0]
    stages[name] = None if peak is None else [
        peak, marked, counter('sum(last - first)', 'tx_prio[0-9]_pause'),
        counter('sum(last - first)', '[rt]x_*discards')]
json.dump(stages, open(sys.argv[1].replace('.run', '.cells.json'), 'w'))
END
}

cat > faulty.yaml <<'END'
leaves: 2
spines: 2
hosts_per_leaf: 4
speed: 100G
links_per_spine: 2
faults:
  - {kind: loss, place: 'leaf1:5-spine1:1', amount: 0.002}
  - {kind: slow-receiver, place: host6, amount: 0.4, from: 500ms, to: 4s}
END
cat > hostile.yaml <<'END'
name: "</script><img src=x onerror=throw(1)>\u2028&lt;"
leaves: 2
spines: 1
hosts_per_leaf: 2
speed: 100G
END
"$weft" accept faulty.yaml --keep-going --run faulty.run --html accepted.html > accepted.txt 2> err.txt
[ $? -eq 1 ] || fail "the faulty fabric does not fail: $(cat err.txt)"
"$weft" accept hostile.yaml --run hostile.run > hostile.txt 2> err.txt
html faulty faulty.run
cmp faulty.html accepted.html || fail 'weft accept and weft report draw differently'
html hostile hostile.run
cells faulty.run
"$weft" accept faulty.yaml --run skipped.run > skipped.txt 2> err.txt
html skipped skipped.run
cells skipped.run
cells hostile.run
grep -q '<img' hostile.html && fail 'a name became markup'
"$draw" cut run && mv made.run cut.run && html cut cut.run

# 1,024 hosts: under 5 MB. Judging and drawing them should take 2 s of processor time; that
# is told, not tested.
[ -s wide.run ] || "$wide" wide.run || fail 'no wide run made'
html wide wide.run
[ "$(wc -c < wide.html)" -lt 5000000 ] || fail "wide: $(wc -c < wide.html) bytes"
seconds=$(sh -c '"$1" report --html wide.html wide.run > wide.txt; times' sh "$weft" |
	sed -n '2s/[^0-9.]*0m\([0-9.]*\)s 0m\([0-9.]*\)s/\1 \2/p' | awk '{print $1 + $2}')
echo "wide: $seconds s of processor time, $(wc -c < wide.html) bytes"

grep -q 'built without the charts' faulty.html && skip 'this weft was built without the charts'
node check.mjs "$chromium" faulty.html skipped.html hostile.html cut.html wide.html || failed=1
exit $failed
