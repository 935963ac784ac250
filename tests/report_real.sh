#!/bin/sh
# report_real.sh SOURCE WEFT CONFORMS: on a real run of a small fabric: weft report prints
# what weft accept printed, as text and as JSON; the JSON keeps to the schema; a run that
# is killed can still be reported on, and is no pass.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
conforms=$(realpath "$3") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"
small=$source/examples/small-8.yaml
schema=$source/docs/report.schema.json

"$weft" accept "$small" --run a.run > accept.txt 2> err
status=$?
[ ! -s err ] || fail "$(cat err)"
"$weft" report a.run > report.txt 2> err
[ $? -eq $status ] || fail "report and accept end differently"
diff accept.txt report.txt || fail "report and accept print different texts"

"$weft" accept "$small" --run a.run --json > accept.json 2> err
[ $? -eq $status ] || fail "--json changes the status"
"$weft" report --json a.run > report.json
diff accept.json report.json || fail "report and accept print different JSON"
"$conforms" "$schema" accept.json || fail "the JSON of weft accept breaks the schema"
for stage in bw incast burst ring; do
	"$weft" $stage --fabric "$small" --json --run hand.run > hand.json 2> err
	"$conforms" "$schema" hand.json || fail "the JSON of weft $stage breaks the schema"
done

# A fabric of so many spines that their names stand upright.
printf 'name: wide\nleaves: 2\nspines: 32\nhosts_per_leaf: 2\nspeed: 100G\n' > wide.yaml
"$weft" bw --fabric wide.yaml --run wide.run > out 2> err
"$weft" report --html wide.html wide.run > out 2> err
for spine in $(seq 32); do
	grep -q "<text [^>]*rotate(-90)[^>]*>spine$spine</text>" wide.html ||
		fail "the drawing of 32 spines does not name spine$spine"
done

# Nothing is cut on a screen of 60 columns.
"$weft" accept "$source/examples/leafspine-32-faulty.yaml" --run faulty.run > out 2> err
if command -v script > /dev/null; then
	NO_COLOR=1 script -qec "stty cols 60; '$weft' report faulty.run" typed > out < /dev/null
	grep -q '^ *3533.181-' out || fail "a screen of 60 columns lacks a window: $(cat out)"
	grep '\.\..\{0,1\}$' out && fail "a screen of 60 columns cuts lines"
fi

# Killed at some stage: what had been committed is reported, as unknown. A failure may
# have been seen by then, but not on a fabric that passes.
large=$source/examples/leafspine-32.yaml
"$weft" accept "$large" --profile full --threads 1 --run killed.run > /dev/null 2> err &
pid=$!
commits $pid killed.run
kill -9 $pid
wait $pid 2> ended
"$weft" report killed.run > killed.txt 2> err
[ $? -eq 2 ] || fail "a killed run does not end with 2: $(head -1 killed.txt) $(cat err)"
grep -q 'cut off' killed.txt || fail "a killed run is not said to be cut off: $(cat err)"
"$weft" report --json killed.run > killed.json
"$conforms" "$schema" killed.json || fail "the JSON of a killed run breaks the schema"
finish
