#!/bin/sh
# alerts.sh SOURCE WEFT CONFORMS: examples/weft-alerts.yml and examples/grafana-weft.json ask for
# metrics that a sweep writes, in expressions that Prometheus takes; the rules fire when
# they should and only then; and promtool finds the metrics in order.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
conforms=$(realpath "$3") || exit 2
command -v promtool > /dev/null || { echo "no promtool: install prometheus"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cp "$source/examples/weft-alerts.yml" "$source/tests/data/alerts/test.yml" "$folder"
cd "$folder" || exit 2
dashboard=$source/examples/grafana-weft.json
failed=0

fail() {
	echo "$*"
	failed=1
}

# Names of weft's metrics in a file, one a line.
names() {
	grep -o 'weft_[a-z_]*' "$1" | sort -u
}

nice "$weft" sweep --profile quick --traffic 100MiB --metrics weft.prom --openmetrics run.prom \
	"$source/examples/small-8.yaml" > out 2> err || fail "weft sweep: $(cat out err)"
[ "$(tail -1 weft.prom)" = '# EOF' ] || fail "the metrics do not end in # EOF"
for metrics in weft.prom run.prom; do
	promtool check metrics < $metrics > said 2>&1 || fail "promtool check metrics: $metrics: $(cat said)"
done
cat weft.prom run.prom | grep '^# TYPE' | cut -d' ' -f3 | sort > written

promtool check rules weft-alerts.yml > said 2>&1 || fail "promtool check rules: $(cat said)"
promtool test rules test.yml > said 2>&1 || fail "promtool test rules: $(cat said)"
names weft-alerts.yml > asked
grep -o '"expr": ".*"\|label_values([a-z_]*' "$dashboard" > panels
names panels >> asked
sort -u asked | comm -23 - written > nowhere
[ ! -s nowhere ] || fail "asked for and written by no sweep: $(cat nowhere)"
[ "$(wc -l < asked)" -gt 8 ] || fail "hardly any metric is asked for"

# The dashboard is JSON, and each of its expressions is one to Prometheus.
echo '{"type": "object"}' > object.json
"$conforms" object.json "$dashboard" || fail "$dashboard is no JSON object"
{
	echo 'groups: [{name: dashboard, rules: ['
	sed -n 's/^ *"expr": \("\(.*\)"\),$/{record: a, expr: \1},/p' "$dashboard"
	echo ']}]'
} > dashboard.yml
promtool check rules --lint=none dashboard.yml > said 2>&1 || fail "the dashboard's expressions: $(cat said)"
grep -q 'SUCCESS: [1-9][0-9]* rules' said || fail "no expressions in the dashboard: $(cat said)"
exit $failed
