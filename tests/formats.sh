#!/bin/sh
# formats.sh SOURCE WEFT DRAW: JUnit XML, metrics and CSV of made runs are what readers of
# those formats take, and say as many things as the JSON; a file appears whole or not at all.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
draw=$(realpath "$3") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

for kind in pass fail unknown interrupted cut empty hostile; do
	for form in json junit openmetrics markdown html; do
		"$draw" "$kind" "$form" > "$kind.$form" || fail "$kind: no $form"
	done
	tail -1 "$kind.html" | grep -q '</html>' || fail "$kind: the HTML has no end"
	grep -q '<[a-z]' "$kind.markdown" && fail "$kind: markup in the Markdown"
	if command -v promtool > /dev/null; then
		promtool check metrics < "$kind.openmetrics" > promtool.txt 2>&1 ||
			fail "$kind: promtool: $(cat promtool.txt)"
	fi
done
command -v promtool > /dev/null || echo 'no promtool here: metrics are checked for repeats only'
python3 "$source/tests/formats.py" ./*.junit || fail 'JUnit: see above'

"$draw" fail run || fail 'no run made'
"$weft" report --json made.run > made.json
for table in findings stages lossless ring nics cables pairs; do
	"$weft" report --csv "$table" made.run > "$table.csv" 2> err || [ $? -eq 1 ] ||
		fail "--csv $table: $(cat err)"
done
python3 "$source/tests/formats.py" made.json findings.csv stages.csv lossless.csv ring.csv \
	nics.csv cables.csv pairs.csv || fail 'tables: see above'
"$weft" report --csv nothing made.run > out 2> err
[ $? -eq 2 ] || fail '--csv nothing: status is not 2'
grep -q 'expected one of findings' err || fail "--csv nothing: $(cat err)"

# NAME WORDS: nothing is written there, the run's own failure is the status, and one sentence.
refused() {
	"$weft" report --junit "$1" made.run > out 2> err
	[ $? -eq 1 ] || fail "--junit $1: status is not 1"
	[ "$(wc -l < err)" -eq 1 ] || fail "--junit $1: not one line"
	grep -q "$2" err || fail "--junit $1: $(cat err)"
}
mkdir there
refused there 'there is a folder; expected the name of a file'
refused nowhere/x.xml 'No such file'
refused /dev/full 'No space left'
"$weft" report --junit here.xml --markdown - made.run > out
grep -q '^## FAIL' out || fail '--markdown -: no Markdown on stdout'
grep -q '^FAIL' out && fail '--markdown -: the screen as well'
[ -s here.xml ] || fail 'no here.xml'
for part in *.part; do
	[ ! -e "$part" ] || fail "left behind: $part"
done
finish
