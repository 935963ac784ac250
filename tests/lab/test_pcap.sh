#!/bin/sh
# In the guest: captures at both ends of a path are judged right against what was
# injected: clean, what the tap itself missed, loss, ECN marks, reordering. The truth is
# what the kernel counts: of queues (tc), of Soft-RoCE, and how many packets the messages
# that were sent are.
. "$SOURCE/tests/lab/pair.sh"

qps=4
messages=${1:-60}
whole=$((qps * messages * 16)) # 64 KiB at an MTU of 4096

# capture COMMAND...: with tcpdump at nic1, which sends, and at nic4; files NIC.pcap, and
# what is in them as NIC.json and both.json.
capture() {
	for nic in nic1 nic4; do
		tcpdump -Z root -i $nic -s 128 -B 32768 -w $nic.pcap --time-stamp-precision=nano \
			'udp dst port 4791' 2> $nic.tcpdump &
		eval "$nic=$!"
	done
	until grep -q listening nic1.tcpdump && grep -q listening nic4.tcpdump; do sleep 0.2; done
	"$@"
	sleep 1
	# shellcheck disable=SC2154 # set by eval
	kill -INT "$nic1" "$nic4"
	wait "$nic1" "$nic4"
	grep -q '^0 packets dropped' nic1.tcpdump && grep -q '^0 packets dropped' nic4.tcpdump ||
		echo "tcpdump itself dropped packets: $(cat nic1.tcpdump nic4.tcpdump)"
	for nic in nic1 nic4; do
		weft pcap --json $nic.pcap > $nic.json
	done
	weft pcap --json nic1.pcap nic4.pcap > both.json
}

# shellcheck disable=SC2317 # called by capture
traffic() {
	pair 0 bw -n "$messages" -q "$qps" --lossy
}

# sum FILE KEY: of a key over all flows. total FILE KEY: as "connections" adds it up.
sum() {
	awk -v key="\"$2\":" '$1 == key { sum += $2 } END { print sum + 0 }' "$1"
}
total() {
	awk -v key="\"$2\":" '/"connections"/ { on = 1 } on && $1 == key { print $2 + 0; exit }' "$1"
}

# is SENTENCE NUMBER OP NUMBER
is() {
	if test "$2" "$3" "$4"; then
		echo "ok: $1 ($2)"
	else
		echo "not ok: $1: $2 $3 $4"
		failed=1
	fi
}

# finds SENTENCE VERDICT CHECK FILE: the worst verdict of a check, or "none".
finds() {
	verdict=$(awk -v check="\"$3\"," '$1 == "\"check\":" { on = $2 == check }
		on && $1 == "\"verdict\":" { gsub(/[",]/, "", $2); print $2; exit }' "$4")
	is "$1" "${verdict:-none}" = "$2"
}

# counted WORD: of the queues towards leaf2, by tc.
counted() {
	for spine in spine1 spine2; do
		ip netns exec $spine tc -s qdisc show dev leaf2
	done | sed -n "s/.*[( ]$1 \([0-9]*\).*/\1/p" | awk '{ sum += $1 } END { print sum + 0 }'
}
spines() {
	kind=$1
	shift
	fault "$kind" spine1:leaf2 "$@" && fault "$kind" spine2:leaf2 "$@"
}
mend() {
	fault clear spine1:leaf2
	fault clear spine2:leaf2
}

echo '--- clean'
capture traffic
is 'every packet is there, at the sender' "$(sum nic1.json requests)" -eq $whole
is 'and at the receiver' "$(sum nic4.json requests)" -eq $whole
is 'nothing is sent again' "$(sum nic1.json retransmitted)" -eq 0
is 'both directions of each QP are joined' "$(total nic1.json joined)" -eq $((2 * qps))
finds 'nothing is lost between the two' pass wire.between both.json
is 'nobody lost anything' "$(($(total nic1.json lost_network) + $(total nic1.json lost_behind_tap)))" -eq 0

echo '--- the tap misses some'
# Middle packets whose PSN ends in 7, of 32.
tcpdump -Z root -r nic1.pcap -w thin.pcap 'not (udp[8] = 7 and udp[19] & 31 = 7)' 2> thin.tcpdump
weft pcap --json thin.pcap > thin.json
thin=$((whole - $(sum thin.json requests)))
is 'some are missing' $thin -gt 50
is 'the tap is said to have lost them' "$(total thin.json lost_capture)" -eq $thin
is 'and not the network' "$(($(total thin.json lost_network) + $(total thin.json lost_behind_tap)))" -eq 0
finds 'in a finding' warn wire.tap_loss thin.json

echo '--- loss of 1 %'
seq_err=$(counter rxe1 rcvd_seq_err)
out_of_seq=$(counter rxe4 out_of_seq_request)
spines loss 1%
capture traffic
dropped=$(counted dropped)
mend
seq_err=$(($(counter rxe1 rcvd_seq_err) - seq_err))
out_of_seq=$(($(counter rxe4 out_of_seq_request) - out_of_seq))
sent=$(sum nic1.json requests)
is 'some were dropped' "$dropped" -gt 0
is 'the two ends differ by what the queues dropped' $((sent - $(sum nic4.json requests))) -eq "$dropped"
is 'what was sent again is what is more than the messages' "$(sum nic1.json retransmitted)" -eq $((sent - whole))
is 'NAKs are those that the receiver counted' "$(sum nic4.json psn_sequence)" -eq "$out_of_seq"
is 'and all of them reach the sender' "$(sum nic1.json psn_sequence)" -eq "$out_of_seq"
# rxe leaves out a NAK for what it is at already.
is 'which counts no more' "$seq_err" -le "$out_of_seq"
is 'at the sender, packets are lost behind the tap' "$(total nic1.json lost_behind_tap)" -gt 0
is 'and none before it' "$(total nic1.json lost_network)" -eq 0
is 'at the receiver they are lost before it' "$(total nic4.json lost_network)" -gt 0
# The kernel counts what its queues dropped; a guest that is late may drop one more by itself.
is 'and next to none behind it' "$(total nic4.json lost_behind_tap)" -le $((dropped / 10))
is 'the capture lost none' "$(($(total nic1.json lost_capture) + $(total nic4.json lost_capture)))" -eq 0
finds 'two taps name what lies between them' fail wire.between both.json
grep -q '"culprit": "nic1.pcap -> nic4.pcap"' both.json
is 'in the direction of the data' $? -eq 0

echo '--- a slow port that marks'
spines ecn 100mbit
capture traffic
marked=$(counted marked)
overflow=$(counted dropped)
mend
ce=$(sum nic4.json ce_data)
echo "marked $marked, dropped $overflow"
is 'packets are marked' "$marked" -gt 0
is 'every mark arrives' "$ce" -eq "$marked"
is 'none is marked before the slow port' "$(sum nic1.json ce_data)" -eq 0
finds 'marks that no CNP answers are found' warn wire.ecn.no_cnp nic4.json

echo '--- reordering'
spines reorder 2ms 3%
capture traffic
is 'nothing was dropped' "$(counted dropped)" -eq 0
mend
finds 'packets are out of order' warn wire.reordering nic4.json
# One tap cannot tell a packet that was late from one that was lost and sent again.
finds 'and two taps tell that none is lost' pass wire.between both.json
exit $failed
