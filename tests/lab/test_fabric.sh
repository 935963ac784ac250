#!/bin/sh
# In the guest, of 2 leaves, 2 spines and 4 devices: the fabric carries RDMA over both
# spines, and each fault does what it says. perftest is the traffic: what is tested here
# is the lab.
failed=0
cd /tmp || exit 2

expect() {
	sentence=$1
	shift
	if "$@"; then
		echo "ok: $sentence"
	else
		echo "not ok: $sentence ($*)"
		failed=1
	fi
}

# says WORDS COMMAND...: the output holds the words.
says() {
	words=$1
	shift
	"$@" > said 2>&1
	grep -q "$words" said
}

# counter DEVICE NAME; all NAME, of all devices; sent SPACE PORT: packets.
counter() {
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}
all() {
	cat /sys/class/infiniband/*/ports/1/hw_counters/"$1" | awk '{ sum += $1 } END { print sum }'
}
sent() {
	ip netns exec "$1" cat "/sys/class/net/$2/statistics/tx_packets"
}

# write NAME SECONDS|MESSAGESx [OPTION...]: from rxe1 to rxe4, 16 QPs; output in write.NAME.
# After so many seconds perftest takes its QPs down with messages on their way.
write() {
	name=$1
	case $2 in
	*x) length="-n ${2%x}" ;;
	*) length="-D $2 -f 0" ;;
	esac
	shift 2
	# shellcheck disable=SC2086 # options
	timeout 40 ib_write_bw -d rxe4 -x 1 -F $length -q 16 -u 18 "$@" > server 2>&1 &
	server=$!
	sleep 2
	# shellcheck disable=SC2086 # options
	timeout 40 ib_write_bw -d rxe1 -x 1 -F $length -q 16 -u 18 "$@" 127.0.0.1 \
		> "write.$name" 2>&1
	status=$?
	kill $server 2> server.kill
	wait $server
	return $status
}

expect 'four devices are up' [ "$(rdma link | grep -c 'state ACTIVE')" = 4 ]
expect 'the RoCE MTU is 4096' says 'active_mtu:.*4096' ibv_devinfo -d rxe1

one=$(sent leaf1 spine1)
two=$(sent leaf1 spine2)
expect 'RC writes go through' write clean 200x
one=$(($(sent leaf1 spine1) - one))
two=$(($(sent leaf1 spine2) - two))
echo "packets over spine1 $one, spine2 $two"
expect 'sixteen QPs use both spines' [ $((one > 20 && two > 20)) = 1 ]
expect 'a clean fabric loses nothing' [ "$(all sent_pkts)" = "$(all rcvd_pkts)" ]

before=$(counter rxe4 out_of_seq_request)
echo "out of sequence without a fault $before"
fault loss spine1:leaf2 2%
fault loss spine2:leaf2 2%
write loss 3
fault clear spine1:leaf2
fault clear spine2:leaf2
lost=$(($(all sent_pkts) - $(all rcvd_pkts)))
gaps=$(($(counter rxe4 out_of_seq_request) - before))
echo "lost $lost, out of sequence $gaps"
expect 'what is lost was sent and did not arrive' [ "$lost" -gt 0 ]
expect 'loss shows as packets out of sequence' [ "$gaps" -gt 0 ]

for spine in 1 2; do
	fault ecn "spine$spine:leaf2" 50mbit
done
write ecn 3 --tclass 106
marked=0
for spine in 1 2; do
	says marked ip netns exec "spine$spine" tc -s qdisc show dev leaf2
	marked=$((marked + $(sed -n 's/.*marked \([0-9]*\).*/\1/p' said)))
	fault clear "spine$spine:leaf2"
done
echo "marked $marked"
expect 'a slow port with ECN marks what says that it can be marked' [ $marked -gt 0 ]

# The time of a small write, in whole microseconds.
typical() {
	timeout 40 ib_write_lat -d rxe2 -x 1 -F -n 50 > server 2>&1 &
	server=$!
	sleep 2
	timeout 40 ib_write_lat -d rxe1 -x 1 -F -n 50 127.0.0.1 > lat 2>&1
	wait $server
	awk '$1 == 2 { print int($5) }' lat
}
fault delay leaf1:nic1 20ms
delayed=$(typical)
fault clear leaf1:nic1
echo "half a round trip ${delayed} us"
expect 'a delayed link delays' [ "${delayed:-0}" -ge 10000 ]

(sleep 2; fault down spine1:leaf2; fault down spine2:leaf2) &
write down 4 -u 14
wait
expect 'ports go down in mid-run' [ "$(ip -n spine1 link show leaf2 | grep -c 'state DOWN')" = 1 ]
fault up spine1:leaf2
fault mtu leaf2:nic3 1500
expect 'an MTU is set' says 'mtu 1500' ip -n leaf2 link show nic3
expect 'the fault of the command line is there' \
	says 'delay 5ms' ip netns exec leaf1 tc qdisc show dev nic2
echo "left here" > "$OUT/left"
exit $failed
