#!/bin/sh
# nights.sh SOURCE WEFT [NIGHTS]: NIGHTS sweeps of a small fabric on the simulator, each with
# its own seed. One link serves 0.2 % less every night, one NIC's cable loses 10 packets
# in a million more, one link gets better, four others are up to 0.4 % off and back by
# chance. By night 10 weft history names the first two; it never names anybody else as
# worse, and the third is better.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
nights=${3:-30}
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

slow=leaf1:5-spine1:1
lossy=host6-leaf2:2
better=leaf2:7-spine2:3

fail() {
	echo "$*"
	failed=1
}

# NIGHT: the fabric as it is then.
fabric() {
	grep -v '^name' "$source/examples/small-8.yaml"
	echo 'name: small-8'
	awk -v night="$1" -v slow="$slow" -v lossy="$lossy" -v better="$better" '
		function fault(kind, place, amount) {
			printf "  - {kind: %s, place: \"%s\", amount: %.6f}\n", kind, place, amount
		}
		BEGIN {
			srand(night)
			print "faults:"
			fault("rate", slow, 1 - 0.002 * night)
			fault("loss", lossy, 0.00001 * night)
			fault("rate", better, 0.935 + 0.002 * night)
			fault("rate", "leaf1:6-spine1:2", 0.996 + 0.004 * rand() - 1e-6)
			fault("rate", "leaf1:7-spine2:1", 0.996 + 0.004 * rand() - 1e-6)
			fault("rate", "leaf1:8-spine2:2", 0.996 + 0.004 * rand() - 1e-6)
			fault("rate", "leaf2:5-spine1:3", 0.996 + 0.004 * rand() - 1e-6)
		}'
}

# CHANGE: the places that weft history says changed so, one a line; not the symptoms of a
# worse link.
changed() {
	awk -v wanted="$1" '
		/"change":/ {change = $2}
		/"symptom":/ {symptom = $2}
		/"subject":/ {
			if (index(change, wanted) && index(symptom, "false")) {
				gsub(/[",]/, "", $2)
				print $2
			}
		}
	' history.json | sort -u
}

night=1
while [ "$night" -le "$nights" ]; do
	fabric "$night" > small-8.yaml
	nice "$weft" sweep --profile quick --seed "$night" --history nights --keep 3 small-8.yaml \
		> line 2> err
	[ ! -s err ] || fail "night $night: $(cat err)"
	"$weft" history --json nights > history.json 2> err
	[ ! -s err ] || fail "night $night: $(cat err)"
	worse=$(changed worse)
	others=$(echo "$worse" | grep -v -x -e "$slow" -e "$lossy" -e '')
	[ -z "$others" ] || fail "night $night names $(echo "$others" | tr '\n' ' ')"
	if [ "$night" -ge 10 ]; then
		echo "$worse" | grep -qx "$slow" || fail "night $night does not name the slow link $slow"
		echo "$worse" | grep -qx "$lossy" || fail "night $night does not name the lossy link $lossy"
		changed better | grep -qx "$better" || fail "night $night: $better is not better"
	fi
	[ "$night" -ne 10 ] || { cat line; "$weft" history nights; }
	night=$((night + 1))
done
[ "$(find nights -name '*.run' | wc -l)" -eq 3 ] || fail "--keep 3 kept $(ls nights)"
"$weft" history nights
exit $failed
