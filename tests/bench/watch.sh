#!/bin/sh
# watch.sh [ROUNDS]: in the lab's guest, what weft watch costs: 8 NICs at 10 readings a
# second, and 16 counters at 1000. Prints the share of a core that it says it used (its own
# user and system time, getrusage), and the longest reading of one NIC. Emulation makes all of it
# slower than a real machine: so the time of a loop of a million shell steps, which can be
# compared with the same loop outside, is printed as well. Run it by
#	tests/lab/run --devices 2 --labnic --time 600 -- sh tests/bench/watch.sh
rounds=${1:-3}
cd "$(mktemp -d)" || exit 2

number() {
	sed -n "s/.*\"$1\": *\([0-9.e-]*\).*/\1/p" "$2" | tail -n 1
}

# cost NAME ARGUMENT...
cost() {
	name=$1
	shift
	for round in $(seq "$rounds"); do
		weft watch --json "$@" > out
		awk -v name="$name" -v round="$round" -v cpu="$(number cpu_s out)" \
			-v elapsed="$(number elapsed_s out)" -v samples="$(number samples out)" \
			-v missed="$(number missed_samples out)" 'BEGIN {
			printf "%s, round %d: %.3f %% of a core, %d samples in %.1f s, %d missed\n",
				name, round, 100 * cpu / elapsed, samples, elapsed, missed }'
	done
}

cards=''
for i in 0 1 2 3 4 5 6 7; do
	nic new mlx$i mlx5 rdma
	ip link set mlx$i up
	dcb pfc set dev mlx$i prio-pfc 3:on
	nic grow mlx$i tx_bytes_phy 1000000000
	cards="$cards mlx$i"
done
# shellcheck disable=SC2086 # words
cost '8 NICs at 10 Hz' --for 20s $cards
# Eight of the driver's statistics and eight files, of one NIC.
cost '16 counters at 1 kHz' --for 10s --hz 1000 --counters \
rx_prio3_pause,tx_prio3_pause,rx_prio3_pause_duration,tx_prio3_pause_duration,rx_prio3_bytes,\
tx_prio3_bytes,rx_discards_phy,rx_prio3_discards,np_cnp_sent,rp_cnp_handled,out_of_sequence,\
packet_seq_err,np_ecn_marked_roce_packets,local_ack_timeout_err,duplicate_request,carrier_changes mlx0
cost '8 files at 1 kHz' --for 10s --hz 1000 --counters \
np_cnp_sent,rp_cnp_handled,out_of_sequence,packet_seq_err,np_ecn_marked_roce_packets,\
local_ack_timeout_err,duplicate_request,carrier_changes mlx0
loop='BEGIN { for (i = 0; i < 10000000; i++) x += i % 7 }'
times > before
awk "$loop"
times > after
echo "a loop of 10 million steps of awk: $(sed -n 2p before) before, $(sed -n 2p after) after"
