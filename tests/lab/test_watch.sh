#!/bin/sh
# In the guest: weft watch on network cards for tests, through the real kernel: each thing
# that is not as it should be is found and named, and what was not seen is no pass.
cd /tmp || exit 2
failed=0

# shown N: waits until the watch has shown N more intervals; the guest may be slow.
shown() {
	until=$(($(grep -c " s $1 " seen) + $2))
	for _ in $(seq 300); do
		[ "$(grep -c " s $1 " seen)" -lt $until ] || return
		sleep 0.1
	done
	echo "not ok: the watch stands still"
	cat seen err
	exit 1
}

# during ACTION INTERVALS CARD [ARGUMENT...]: weft watch runs; after its first interval ACTION
# is done, and after so many more it is stopped as by ^C.
during() {
	action=$1
	intervals=$2
	shift 2
	: > seen
	weft watch --interval 250ms "$@" > seen 2> err &
	shown "$1" 1
	eval "$action"
	shown "$1" "$intervals"
	kill -INT $!
	wait $!
	status=$?
}

# found NAME STATUS WORDS: the last watch ended so and said so.
found() {
	if [ "$status" != "$2" ] || [ -s err ] || ! tr -s '\n ' ' ' < seen | grep -q -- "$3"; then
		echo "not ok: $1: status $status, not $2, or no \"$3\""
		cat seen err
		failed=1
	else
		echo "ok: $1"
	fi
}

not_found() {
	if grep -q -- "$2" seen; then
		echo "not ok: $1: says \"$2\""
		cat seen
		failed=1
	fi
}

# is NAME SEEN EXPECTED
is() {
	if [ "$2" != "$3" ]; then
		echo "not ok: $1: $2, not $3"
		failed=1
	fi
}

# card NIC KIND [rdma]: with PFC on priority 3 and some traffic.
card() {
	nic new "$@"
	ip link set "$1" up mtu 4200
	dcb pfc set dev "$1" prio-pfc 3:on
	[ "$2" = mlx5 ] || return
	for counter in rx_bytes_phy tx_bytes_phy rx_prio3_bytes tx_prio3_bytes; do
		nic grow "$1" $counter 1000000000
	done
}

card mlx0 mlx5 rdma
card mlx1 mlx5 rdma
card bn0 bnxt
during true 1 mlx0 mlx1
found 'cards on which nothing happens pass' 0 ' s mlx0 tx [78].*prio 3 held 0.0% holds 0.0%.*PASS 2 NICs'

# The counters of a card, one after the other: each grows, is seen, and stands still again.
during 'nic grow mlx0 rx_prio3_pause_duration 1000000' 2 mlx0
found 'a pause without a break, from the network' 1 'pause.storm.held held by the other end on priority 3'
not_found 'one direction only' pause.storm.holds
nic grow mlx0 rx_prio3_pause_duration 0
during 'nic grow mlx0 tx_prio3_pause_duration 300000' 12 mlx0
found 'this host holds the network a third of the time' 1 'pause.share.holds'
not_found 'with breaks' pause.storm
nic grow mlx0 tx_prio3_pause_duration 0
during 'nic grow bn0 pfc_pri3_tx_duration_us 1000000' 2 bn0
found 'the same under the names of bnxt' 1 'pause.storm.holds .*pfc_pri3_tx_duration_us'
nic grow bn0 pfc_pri3_tx_duration_us 0
nic grow mlx0 rx_prio3_bytes 0
nic grow mlx0 tx_prio3_bytes 0
nic grow mlx0 rx_prio3_pause_duration 1000000
during 'nic grow mlx0 tx_prio3_pause_duration 1000000' 2 mlx0
found 'paused both ways and nothing gets through' 1 'pause.deadlock priority 3 is paused in both'
nic grow mlx0 rx_prio3_pause_duration 0
nic grow mlx0 tx_prio3_pause_duration 0

during 'nic add mlx0 tx_pause_storm_error_events 1' 2 mlx0
found 'the watchdog of the card' 1 'pause.watchdog'
during 'nic grow mlx0 np_ecn_marked_roce_packets 1000' 2 mlx0
found 'CE marks without a CNP' 1 'cnp.missing .*np_ecn_marked_roce_packets.*np_cnp_sent'
nic grow mlx0 np_cnp_sent 500
during true 2 mlx0
found 'CE marks with CNPs' 0 'PASS'
during 'nic grow mlx1 rp_cnp_handled 100' 2 mlx0 mlx1 --both-ends
found 'CNPs that were sent and not handled' 1 'all cnp.unhandled'
during 'nic add mlx0 rp_cnp_ignored 3' 2 mlx0
found 'CNPs that were ignored' 1 'cnp.ignored'
during 'nic add mlx0 rx_prio0_discards 5; nic add mlx0 rx_discards_phy 5' 2 mlx0
found 'drops in a class that may drop' 0 'drop 5'
during 'nic add mlx0 rx_prio3_discards 5' 2 mlx0
found 'drops in a lossless class' 1 'drop.class drops on arrival by priority: 5 in'
during 'nic add bn0 rx_stat_discard 5' 2 bn0
found 'drops of which the driver does not tell the class' 1 'drop.port'
during 'ip link set mlx0 carrier off; ip link set mlx0 carrier on' 2 mlx0
found 'a link that flaps' 1 'link.flap'
during 'nic grow mlx0 local_ack_timeout_err 50' 2 mlx0
found 'time-outs' 1 'error.timeout .*local_ack_timeout_err.*limit 1 /s (NVSentinel'
nic grow mlx0 local_ack_timeout_err 0
during 'nic add mlx0 fec_uncorrectable 2' 2 mlx0
found 'frames lost on the wire' 1 'error.fec'
during 'nic add mlx0 rnr_nak_retry_err 2' 2 mlx0
found 'a receiver that is not ready is not the network' 1 'error.rnr .*not the network'
during 'nic add mlx0 packet_seq_err 2' 2 mlx0 --alarms storm,flap
found 'only the alarms that were asked for' 0 'retry 2'

nic set mlx0 rx_prio3_bytes 5000000000000
during 'nic reset mlx0' 2 mlx0
found 'counters that are reset in mid-window are no number' 2 'went down from .* it was reset, and [0-9]* others'
not_found 'no huge number' '[0-9]\{15\}'
nic bits mlx0 32
nic set mlx0 out_of_sequence 4294967290
during 'nic add mlx0 out_of_sequence 10' 2 mlx0
found 'a counter that wraps at 32 bits' 2 'out_of_sequence went down from 4294967290 to 4: it wrapped at 32 bits'
nic bits mlx0 64

nic dcb mlx0 0
during true 1 mlx0
found 'a driver without dcbnl' 2 'which priorities are lossless is not known'
during true 1 mlx0 --prio 3
found 'the lossless priorities given by hand' 0 PASS
nic dcb mlx0 1
during 'nic deny mlx0 1' 2 mlx0
found 'permission is denied in mid-watch' 2 'driver statistics: denied'
during true 1 mlx0
found 'permission is denied from the beginning' 2 'mlx0: storm, .*: driver statistics: denied'
nic deny mlx0 0
during 'dcb pfc set dev mlx0 prio-pfc 3:on 4:on; nic add mlx0 rx_prio4_pause 7' 2 mlx0
found 'counters that come while it watches' 0 'the lossless priorities were 3 and are now 3,4'
during 'nic remove mlx1; card mlx1 mlx5 rdma' 7 mlx0 mlx1
found 'a card that goes away' 1 'mlx1 nic.gone the NIC went away'
found 'and comes back' 1 'mlx1: it is back after'
found 'with its counters' 1 'mlx1: it is back .* s mlx1 tx [0-9]'

# Outputs.
weft watch --for 2s --json --textfile metrics --record watch.run mlx0 > seen 2> err
status=$?
found 'an object for each interval and one for the end' 0 '^{"type": *"interval".*}.{"type": *"end".*"verdict": *"pass"'
is 'the metrics are whole' "$(tail -n 1 metrics)" '# EOF'
is 'and hold the pause' "$(grep -c '^weft_nic_pause_ratio{nic="mlx0".*priority="3"' metrics)" 2
is 'half a file of metrics is not left' "$(echo metrics*)" metrics
weft report watch.run > seen 2> err
status=$?
found 'the recording judged again' 0 '^PASS 1 NIC'
during 'nic grow mlx0 rx_prio3_pause_duration 1000000' 2 mlx0 --record watch.run
nic grow mlx0 rx_prio3_pause_duration 0
sed -n '/^FAIL/,$p' seen | sed 1d > live
weft report watch.run > seen 2> err
status=$?
found 'and an alarm of it' 1 '^FAIL 1 NIC .*pause.storm.held'
is 'is the same as it was live' "$(sed 1d seen)" "$(cat live)"
weft watch --for 1s --hz 200 --counters rx_prio3_bytes,np_cnp_sent mlx0 > seen 2> err
status=$?
found 'chosen counters, often' 0 'rx_prio3_bytes [0-9]* largest [0-9]*'
weft watch --for 1s --counters no_such_counter mlx0 > seen 2> err
status=$?
found 'a counter that is not there' 2 'this NIC has no such counter'
weft watch --for 1s nosuch > seen 2> err
is 'no such NIC' "$?$(grep -c 'nosuch: no RDMA device and no interface' err)" 21

# Soft-RoCE: what it counts is watched, what it does not count is no pass.
rdma link add rxe0 type rxe netdev bn0
weft watch --for 1s rxe0 > seen 2> err
status=$?
found 'Soft-RoCE on a card' 2 'cnp: no counters of CE marks'
during true 1 nic2 --alarms flap,error
found 'a Soft-RoCE device without traffic' 0 PASS
weft bw --listen 127.0.0.1 -d rxe3 > /dev/null 2>&1 &
fault loss leaf2:nic3 5%
during 'timeout 60 weft bw 127.0.0.1 -d rxe1 -D 4 --lossy > /dev/null 2>&1' 2 nic3 nic1 --alarms flap,error
found 'loss between two Soft-RoCE devices' 1 'nic[13] error.sequence sequence gaps'
if dmesg | grep -i 'bug:\|call trace\|general protection'; then
	echo 'not ok: the kernel complains'
	failed=1
fi
exit $failed
