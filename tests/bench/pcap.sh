#!/bin/sh
# pcap.sh WEFT MAKE [PACKETS]: how fast weft pcap is, for a capture of 128-byte
# snap length in the page cache.
#   packets a second    the best of five runs, one core, user and system time
#   instructions        a packet, by callgrind: the figure to guard, it has no noise
#   against tshark      two-pass field extraction of the same file in the same run
# The last line is JSON. Status 1 when instructions a packet pass the limit.
weft=$1
make=$2
packets=${3:-3000000}
limit=475
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT

"$make" "$folder/long.pcap" "$packets" 64 128 || exit 2
"$make" "$folder/short.pcap" 200000 64 128 || exit 2
"$make" "$folder/shorter.pcap" 100000 64 128 || exit 2

# FILE COMMAND...: user and system seconds of the command on the file.
seconds() {
	file=$1
	shift
	cat "$file" > /dev/null
	{ /usr/bin/env bash -c 'TIMEFORMAT="%U %S"; time "$@" > /dev/null 2>&1' - "$@" "$file"; } \
		2>&1 | awk '{ print $1 + $2 }'
}

best=
for run in 1 2 3 4 5; do
	took=$(seconds "$folder/long.pcap" "$weft" pcap)
	echo "run $run: $took s for $packets packets"
	best=$(printf '%s\n%s\n' "$took" "${best:-$took}" | sort -g | head -n 1)
done
rate=$(awk "BEGIN { printf \"%.2f\", $packets / $best / 1e6 }")
echo "$rate million packets a second"

ratio=null
if command -v tshark > /dev/null; then
	tshark_s=$(seconds "$folder/short.pcap" tshark -2 -T fields -e frame.time_epoch -e ip.src \
		-e ip.dst -e infiniband.bth.opcode -e infiniband.bth.destqp \
		-e infiniband.bth.psn -e infiniband.aeth.syndrome -r)
	ratio=$(awk "BEGIN { printf \"%.0f\", ($tshark_s / 200000) / ($best / $packets) }")
	echo "tshark: $tshark_s s for 200000 packets; weft is $ratio times as fast"
else
	echo "tshark is not installed: no comparison"
fi

# What starting and ending cost goes out with the difference of two lengths.
count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$weft" pcap "$1" 2>&1 > /dev/null |
		sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}
instructions=null
if command -v valgrind > /dev/null; then
	long=$(count "$folder/short.pcap")
	short=$(count "$folder/shorter.pcap")
	instructions=$(((long - short) / 100000))
	echo "$instructions instructions a packet"
else
	echo "valgrind is not installed: instructions not counted"
fi
echo "{\"bench\": \"pcap\", \"mpps\": $rate, \"times_tshark\": $ratio, \"instructions_per_packet\": $instructions}"
[ "$instructions" = null ] || [ "$instructions" -le "$limit" ]
