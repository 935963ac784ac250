#!/bin/sh
# json.sh SOURCE DRAW CONFORMS: the JSON of every made run keeps to the schema, the
# same run gives the same bytes, and documents that break the schema are refused.
source=$(realpath "$1") || exit 2
draw=$(realpath "$2") || exit 2
conforms=$(realpath "$3") || exit 2
schema=$source/docs/report.schema.json
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

for kind in pass fail unknown interrupted cut empty hostile; do
	"$draw" "$kind" json > "$kind.json" || fail "$kind: draw failed"
	"$draw" "$kind" json > again.json || fail "$kind: draw failed the second time"
	cmp "$kind.json" again.json || fail "$kind: two drawings differ"
	"$conforms" "$schema" "$kind.json" || fail "$kind: does not keep to the schema"
done

# Each breaks one rule: enum, const, minimum, type, required, and a key unheard of.
refuse() {
	sed "$1" fail.json > broken.json
	cmp -s fail.json broken.json && fail "sed '$1' changes nothing"
	"$conforms" "$schema" broken.json 2> why && fail "accepted after sed '$1'"
	[ -s why ] || fail "no reason after sed '$1'"
}
refuse 's/"verdict": "fail"/"verdict": "failed"/'
refuse 's/"version": 1/"version": 2/'
refuse 's/"seed": 1/"seed": -1/'
refuse 's/"measured": 0.000988/"measured": "0.000988"/'
refuse '/"backend"/d'
refuse 's/"backend"/"back_end"/'
refuse 's/"status": "skipped"/"status": "left out"/'

grep -l -i nan ./*.json && fail "NaN in JSON"
finish
