#!/bin/sh
# In the guest: datagrams, connections by the RDMA connection manager, pacing and bursts,
# starts at an absolute time, and what is said of clocks and processors.
# shellcheck source=tests/lab/pair.sh
. "$SOURCE/tests/lab/pair.sh"

# number KEY: the value of the first such key in the client's JSON.
number() {
	sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p" client | head -n 1
}

# least SENTENCE VALUE LIMIT
least() {
	if [ "${2:-0}" -ge "$3" ]; then
		echo "ok: $1"
	else
		echo "not ok: $1: ${2:-nothing}, expected $3 or more"
		failed=1
	fi
}

ud='-c UD --op send'
# shellcheck disable=SC2086 # words
{
	pair 0 bw $ud -n 100 -q 2 -s 1000 -t 32 --rate 10M --check --lossy
	said 'datagrams are told from connections' '^UD  *MTU 4096, nothing is sent again'
	said 'what arrived of them is counted' '[0-9]* of 200 datagrams arrived'
	said 'and what arrived is whole' 'messages compared, 0 differ'
	pair 0 bw $ud -n 20 -s 4096 -b --check --lossy
	# The listener begins later, so the other end has sent all when the last of its come.
	pair 0 bw $ud -n 400 -s 1000 --rate 4M -b
	said 'both ways are counted to the end' '^pass: every datagram arrived'
	said 'at the listener, too' '^pass: every datagram arrived' server
	pair 2 bw $ud -s 4097
	said 'a datagram is no larger than the MTU' 'holds at most the MTU, 4096 bytes'
	ip link set nic4 mtu 1500
	pair 2 bw $ud -s 2048
	said "nor than the listener's MTU" 'says: -s 2048: a datagram holds at most the MTU, 1024 bytes'
	ip link set nic4 mtu 4300
	pair 0 lat $ud -n 20
	said 'their latency is measured' 'mean [0-9.]* of 20'
	fault loss leaf2:nic4 100%
	pair 1 bw $ud -n 50 -s 100 -t 32
	said 'lost datagrams fail' '^fail: 50 of 50 datagrams from rxe1 did not arrive at rxe4'
	said 'and had a place to go to' 'which had receives posted all the time'
	pair 0 bw $ud -n 50 -s 100 -t 32 --lossy
	said 'unless that is no matter' '^warn: 50 of 50 datagrams'
	fault clear leaf2:nic4
}

for op in write send read; do
	pair 0 bw --cm --op $op -n 30 -q 4 --check --lossy
	said "$op over the connection manager" 'connected by the RDMA connection manager'
	said "$op over it is whole" 'messages compared, 0 differ'
done
pair 0 bw --cm -n 10 --family ipv6 --lossy
pair 0 lat --cm -n 20 --lossy
timeout 60 weft bw --listen 127.0.0.1 -d rxe4 > server 2>&1 &
timeout 60 weft bw 127.0.0.1 -d rxe1 --cm -q 3 -n 40 -s 1000 --rate 100000b/s > client 2>&1 &
connected=0
for _ in $(seq 100); do
	connected=$(rdma resource show cm_id | grep -c 'state CONNECT.*comm weft')
	[ "$connected" -lt 6 ] || break
	sleep 0.2
done
wait
least 'the kernel knows a connection for each end of each QP' "$connected" 6
fault loss leaf2:nic4 100%
pair 1 bw --cm -n 10
said 'where nobody answers, connecting ends with a sentence' \
	'the connection manager \(heard nothing\|finds no way\)'
fault clear leaf2:nic4

pair 0 bw -n 51 -s 1000 --rate 1M --json --lossy
least 'no message leaves before it is due' "$(number window_ns)" 400000000
pair 0 bw -n 16 -q 2 -s 1000 --burst 7500 --period 100ms --lossy
said 'bursts are whole messages' '^pace  *8 messages ([0-9.]* KiB) every 100 ms'
pair 0 bw -n 16 -q 2 -s 1000 --burst 8000 --period 100ms --json --lossy
least 'bursts are a period apart' "$(number window_ns)" 300000000
pair 0 bw -D 1 --rate 2M -s 1000 -b --lossy
said 'both ends can be paced' '^from the other'

at=$(($(date +%s) + 4))
pair 0 bw -n 10 --at $at --lossy
said 'a start at an absolute time is told' "^start  *$at.000000 s since 1970, and "
least 'and kept' "$(date +%s)" $at
pair 2 bw --at 5
said 'one that has passed is refused' 'expected a time within the next hour'

pair 0 bw -D 1 -Q 4 --lossy
said 'completions are asked for as often as is wished' 'a completion per 4'
said 'Soft-RoCE tells no completion times' "by the host's clock: rxe1 tells no completion"
said 'nor a NUMA node' 'not bound, rxe1 belongs to no NUMA node'
said 'what is left out is said' '1 s counted after 0.5 s of warm-up, what ends later not'
exit $failed
