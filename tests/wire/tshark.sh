#!/bin/sh
# tshark.sh WEFT SOURCE: another program reads the simulator's captures as we do: as
# many RoCE v2 packets by opcode, CE marks, NAKs and PFC frames, and nothing malformed.
weft=$(realpath "$1") || exit 2
fabric=$(realpath "$2/examples/small-8.yaml") || exit 2
command -v tshark > /dev/null || { echo "no tshark here: skipped"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

# WHAT OURS THEIRS
same() {
	[ "$2" = "$3" ] && return
	echo "$1: weft pcap says $2, tshark $3"
	failed=1
}

# FIELD VALUE: in how many packets of the file tshark shows this value.
shown() {
	awk -F, -v field="$1" -v value="$2" '$field == value { n++ } END { print n + 0 }' table
}

# A number under a key of weft pcap --json, whose keys stand on lines of their own.
ours() {
	sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}$/\1/p" json | head -n 1
}

# STAGE PORT: runs, captures whole packets, compares.
try() {
	"$weft" sim --stage "$1" --pcap "$2" --snaplen 65535 --run "$1.run" "$fabric" \
		> /dev/null || exit 2
	file=$1-$(echo "$2" | tr : -).pcap
	"$weft" pcap --json "$file" > json
	tshark -r "$file" --disable-protocol tftp -T fields -E separator=, -e udp.dstport \
		-e infiniband.bth.opcode -e macc.opcode -e macc.cbfc.enbv -e ip.dsfield.ecn \
		-e _ws.malformed -e macc.dst_address_invalid > table 2> /dev/null
	same "$1 records" "$(ours records)" "$(wc -l < table)"
	same "$1 RoCE v2" "$(ours v2)" "$(shown 1 4791)"
	same "$1 right ICRC" "$(ours v2)" "$(ours ok)"
	same "$1 PFC" "$(ours mac_control_records)" "$(shown 3 0x0101)"
	same "$1 PFC of priority 3" "$(ours mac_control_records)" "$(shown 4 0x0008)"
	for opcode in 0x06 0x07 0x08 0x0a 0x11 0x81; do
		count=$(ours $opcode)
		same "$1 opcode $opcode" "${count:-0}" "$(shown 2 $((opcode)))"
	done
	same "$1 well formed" "$(ours records)" "$(shown 6 '')"
	same "$1 well addressed" "$(ours records)" "$(shown 7 '')"
}

try incast-3-ect-1 leaf1:3
same "CE" "$(sed -n 's/^ *"ce_data": \([0-9]*\).*/\1/p' json | awk '{ n += $1 } END { print n }')" \
	"$(shown 5 3)"
[ "$(ours 0x81)" -gt 0 ] || { echo "no CNP: this proves nothing"; failed=1; }
try incast-3-not-ect-1 spine1:1
[ "$(ours mac_control_records)" -gt 0 ] || { echo "no pause: this proves nothing"; failed=1; }
exit $failed
