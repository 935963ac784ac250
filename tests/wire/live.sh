#!/bin/sh
# live.sh WEFT MAKE-CAPTURE: weft pcap -i captures from an interface what passes it, and
# only RoCE and pause frames. A veth pair in a network namespace of its own, so root is
# needed, and ip.
weft=$(realpath "$1") || exit 2
send=$(realpath "$2") || exit 2
skip() {
	echo "skipped: $*"
	exit 77
}
[ "$(id -u)" = 0 ] || skip 'not root'
command -v ip > /dev/null || skip 'no ip here'
if [ "$3" != inside ]; then
	unshare --net true 2> /dev/null || skip 'no network namespace can be made here'
	exec unshare --net "$0" "$weft" "$send" inside
fi
ip link add one type veth peer name other 2> /dev/null || skip 'no veth pair can be made here'
sysctl -qw net.ipv6.conf.all.disable_ipv6=1
ip link set one up
ip link set other up
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

"$weft" pcap -i other --for 60s --json > json 2> why &
# Its socket is there, bound and filtered, before anything is sent.
tries=0
until [ "$(wc -l < /proc/net/packet)" -gt 1 ] || [ $tries = 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
sleep 1
"$send" one 100
sleep 1
kill -INT $!
wait $!
status=$?
[ $status -le 2 ] || { echo "status $status: $(cat why)"; failed=1; }

# KEY NUMBER
is() {
	found=$(sed -n "s/^ *\"$1\": \([0-9]*\),\{0,1\}$/\1/p" json | head -n 1)
	[ "$found" = "$2" ] && return
	echo "$1: expected $2, found ${found:-nothing}"
	failed=1
}
is v2 100
is ok 100
is mac_control_records 3
is other_records 0
grep -q '"format": "live"' json || { echo "not told to be live"; failed=1; }

"$weft" pcap -i nowhere --for 1s > out 2> why
[ $? = 2 ] || { echo "an interface that is not there: status is not 2"; failed=1; }
grep -q nowhere why || { echo "and is not named: $(cat why)"; failed=1; }
exit $failed
