#!/bin/sh
# In the guest: what can be wrong with a host gets one sentence each, and status 2.
# shellcheck source=tests/lab/pair.sh
. "$SOURCE/tests/lab/pair.sh"

# lines FILE: one sentence, and no more.
lines() {
	[ "$(wc -l < "$1")" = 1 ] || { echo "not ok: not one line:"; cat "$1"; failed=1; }
}

pair_refused() {
	pair 2 bw -n 1 "$@"
	lines client
	lines server
}

CALLER=rxe99 pair_refused
said 'no such device' 'no RDMA device rxe99: there are rxe1'
LISTENER=rxe99 pair_refused
said 'nor at the other end' 'the weft at 127.0.0.1 says: no RDMA device rxe99'
pair_refused -i 2
said 'no such port' 'rxe1 has 1 ports'
pair_refused -x 77
said 'an empty GID' 'GID 77 is empty'
pair_refused -m 4096 -s 1GiB -q 256
said 'too much memory' 'MiB of memory, the limit is'
pair_refused -t 4096 -q 256
said 'more than a queue holds, or the device' '^weft bw: '

ip link set nic1 down
pair_refused
said 'a port that is down' 'rxe1 port 1 is down: bring its NIC up'
ip link set nic1 up

ip address del 10.1.4.1/24 dev nic4
sleep 1
pair_refused
said 'no IPv4 GID' 'rxe4 port 1 has no RoCE v2 GID of an IPv4 address' server

# Another user: no right to the device, and then no right to lock memory.
user='setpriv --reuid 65534 --regid 65534 --clear-groups'
chmod 600 /dev/infiniband/uverbs*
timeout 60 weft bw --listen 127.0.0.1 -d rxe3 > server 2>&1 &
# shellcheck disable=SC2086 # words
$user timeout 60 "$BUILD/weft" bw 127.0.0.1 -d rxe2 -n 1 > client 2>&1
[ $? = 2 ] || failed=1
wait
said 'no permission on uverbs' 'rxe2: not allowed to open /dev/infiniband/uverbs'
chmod 666 /dev/infiniband/uverbs*
timeout 60 weft bw --listen 127.0.0.1 -d rxe3 > server 2>&1 &
# shellcheck disable=SC2086 # words
prlimit --memlock=65536:65536 $user timeout 60 "$BUILD/weft" bw 127.0.0.1 -d rxe2 -n 1 -s 1MiB \
	> client 2>&1
[ $? = 2 ] || failed=1
wait
said 'no memlock' 'cannot be locked for the NIC, the limit of this user is 64 KiB'

weft bw 127.0.0.1 -d rxe1 --wait 1s > client 2>&1
[ $? = 2 ] || failed=1
said 'no peer' 'no weft answers at 127.0.0.1 port 18515 within 1 s'
weft bw --listen 127.0.0.1 -d rxe1 --wait 1s > client 2>&1
[ $? = 2 ] || failed=1
said 'nobody comes' 'nobody came to 127.0.0.1 port 18515 within 1 s'

timeout 60 weft bw --listen 127.0.0.1 -d rxe3 > server 2>&1 &
weft bw 127.0.0.1 -d rxe2 -D 30 > client 2>&1 &
client=$!
sleep 3
kill -9 $client
wait
said 'a peer that dies ends the other one' 'has gone' server

# The other way round it is no matter of the network either.
for command in bw lat; do
	weft $command --listen 127.0.0.1 -d rxe3 > server 2>&1 &
	listener=$!
	timeout 60 weft $command 127.0.0.1 -d rxe2 -D 30 > client 2>&1 &
	client=$!
	sleep 3
	kill -9 $listener
	wait $client
	[ $? = 2 ] || { echo "not ok: weft $command, whose listener died: not status 2"; failed=1; }
	said "a listener that dies ends weft $command" 'has gone'
	lines client
done

# Both send, and the start is far off: the other end is missed long before.
timeout 60 weft bw --listen 127.0.0.1 -d rxe3 > server 2>&1 &
weft bw 127.0.0.1 -d rxe2 -b --at $(($(date +%s) + 50)) > client 2>&1 &
client=$!
sleep 3
kill -9 $client
wait
said 'a peer that dies before the start is missed at once' 'has gone' server

for host in $(seq "$DEVICES"); do
	rdma link delete "rxe$host"
done
weft bw --listen 127.0.0.1 --wait 10s > server 2>&1 &
weft bw 127.0.0.1 > client 2>&1
[ $? = 2 ] || failed=1
wait
said 'no device at all' 'this host has no RDMA device'
exit $failed
