#!/bin/sh
# In the guest: weft bw and weft lat between two devices, clean and with faults.
# shellcheck source=tests/lab/pair.sh
. "$SOURCE/tests/lab/pair.sh"

pair 0 bw -D 1 -q 4
said 'a timed run of writes passes' '^bandwidth .*b/s of payload'
said 'the listener reports the same' '^bandwidth .*b/s of payload' server
said 'the class of the default policy is printed' '^traffic class   106 (DSCP 26, ECT(0))'
said 'an IPv4 GID is chosen' 'GID 1 10.1.1.1 (RoCE v2, the first of IPv4)'
said 'the MTU is the ports'"'" 'MTU 4096'
said 'the retry count on rxe is not for ever' '6 retries'

for op in write write-imm send read; do
	pair 0 bw -n 100 -q 2 --op $op --check --lossy
	said "the payload of $op is checked" 'messages compared, 0 differ'
done
pair 0 bw -n 60 -s 100001 -b --check -t 8
said 'both ends send' '^from the other'
pair 0 bw -n 1 -s 1 --tclass 0 -m 1024 --family ipv6
said 'an IPv6 GID is chosen when asked for' 'fd00:1:1::1'
said 'the MTU asked for is used' 'MTU 1024'
said 'the class asked for is used' '^traffic class   0 (DSCP 0, not ECT)'
pair 0 bw -n 2 -q 256 -s 64
for _ in 1 2; do
	pair 0 bw -n 20 -s 2
	said 'a run of milliseconds has its counters' '^rxe1 .*sent_pkts +'
done
pair 1 bw -n 10 --min 400G
said 'too little bandwidth fails' '^fail: .* is less than the 400.000 Gb/s'

alone bw -n 20
said 'the other end is started' '^other end  *rxe4 port 1, GID 1 10.1.4.1'
alone lat -a -s 4MiB -n 3
said 'and measures all sizes' '^ *8.00 MiB  *3 '

pair 0 bw -n 20 --json
said 'JSON tells the bandwidth' '"gbps"'

for op in write send read; do
	pair 0 lat -n 40 --op $op
	said "latency of $op has its quantiles" 'p99.9 [0-9.]*, most [0-9.]*, mean [0-9.]* of 40'
done

ip link set nic4 mtu 1500
pair 0 bw -n 20 -t 20 -c UD --op send
said 'datagrams follow the smaller MTU of both ends' 'messages of 1.00 KiB'
pair 0 bw -n 20 -t 20 -c UD --op send -a -s 512
said 'and so do all sizes' '^pass: all 2 sizes' server
LISTENER=rxe1 CALLER=rxe4
pair 0 bw -n 20 -t 20 -c UD --op send
said 'of this end, too' 'messages of 1.00 KiB'
LISTENER='' CALLER=''
ip link set nic4 mtu 4300

before=$(counter rxe4 out_of_seq_request)
fault loss leaf2:nic4 1%
pair 1 bw -n 200 -q 2
said 'loss is told by the counters of the receiver' '^rxe4 .*out_of_seq_request +'
said 'and fails the test' '^fail: rxe4 counts'
after=$(counter rxe4 out_of_seq_request)
if [ "$after" -le "$before" ]; then
	echo "not ok: out_of_seq_request of rxe4 is $after, and was $before"
	failed=1
fi
pair 0 bw -n 200 -q 2 --check --lossy
said 'what is lost is sent again, whole' 'messages compared, 0 differ'
fault clear leaf2:nic4

fault loss leaf2:nic4 100%
pair 1 bw -n 10 -u 12 --retry 2
said 'a black hole ends with a sentence' '10.1.4.1 does not acknowledge: .* 3 times'
said 'which the listener repeats' 'says: 10.1.4.1 does not acknowledge' server
fault clear leaf2:nic4

(sleep 3; fault down leaf1:nic1) &
pair 1 bw -D 20 -u 12 --retry 2
said 'so does a link that goes down in mid-run' 'does not acknowledge\|went down in mid-run'
fault up leaf1:nic1
exit $failed
