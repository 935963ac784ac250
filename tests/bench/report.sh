#!/bin/sh
# report.sh WEFT WIDE: what it takes to open, judge and draw the run of 1,024 hosts that WIDE makes up,
# as a screen and as HTML.
#   seconds             user and system time, the best of five
#   instructions        by callgrind: the figure to guard, it has no noise
# The last line is JSON. Status 1 when the instructions pass the limit.
weft=$1
wide=$2
limit=5100
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

"$wide" "$folder/wide.run" || exit 2
best=
for run in 1 2 3 4 5; do
	took=$(sh -c '"$1" report --html "$2/wide.html" "$2/wide.run" > "$2/wide.txt"; times' \
		sh "$weft" "$folder" | tail -n 1 | tr 'ms' '  ' |
		awk '{ print $1 * 60 + $2 + $3 * 60 + $4 }')
	echo "run $run: $took s"
	best=$(printf '%s\n%s\n' "$took" "${best:-$took}" | sort -g | head -n 1)
done
[ -s "$folder/wide.html" ] || { echo "no report was drawn"; exit 2; }

millions=null
if command -v valgrind > /dev/null; then
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$weft" report \
		--html "$folder/wide.html" "$folder/wide.run" 2> "$folder/counted" > /dev/null
	[ $? -le 1 ] || { echo "weft report failed:"; cat "$folder/counted"; exit 2; }
	instructions=$(sed -n 's/.*Collected : \([0-9]*\)$/\1/p' "$folder/counted")
	[ -n "$instructions" ] || { echo "valgrind counted nothing"; exit 2; }
	millions=$((instructions / 1000000))
	echo "$millions million instructions"
else
	echo "valgrind is not installed: instructions not counted"
fi
echo "{\"bench\": \"report\", \"seconds\": $best, \"million_instructions\": $millions}"
[ "$millions" = null ] || [ "$millions" -le "$limit" ]
