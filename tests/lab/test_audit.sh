#!/bin/sh
# In the guest: weft audit --prove on two network cards for tests that are wired to one
# another, with Soft-RoCE on them: bytes are sent and found in the class, found in another
# where a map is wrong at either end, and proved nowhere without counters by priority. Both
# hosts of the file are this guest; ssh here is a script that runs the command.
cd /tmp || exit 2
failed=0
for device in $(seq "$DEVICES"); do
	rdma link delete "rxe$device"
done

mkdir -p bin
cat > bin/ssh << 'EOF'
#!/bin/sh
while [ "$1" != -- ]; do
	shift
done
shift 2
[ ! -e /tmp/slow ] || sleep 9
exec "$@"
EOF
chmod +x bin/ssh
PATH=/tmp/bin:$PATH

# lab DEVICE DEVICE: the fabric file.
lab() {
	cat > lab.yaml << EOF
name: lab
leaves: 2
spines: 1
hosts_per_leaf: 1
speed: 200G
policy: {dscp: 26, priority: 3}
hosts:
  - {place: host1, host: one, nic: $1}
  - {place: host2, host: two, nic: $2}
EOF
}

# card NIC N: trusts DSCP, 26 is in priority 3; what goes to the other leaves by it.
card() {
	nic new "$1" mlx5
	ip link set "$1" up mtu 4200
	ip addr add "10.9.2.$2/24" dev "$1"
	ip rule add pref "30$2" oif "$1" lookup "30$2"
	ip route add 10.9.2.0/24 dev "$1" table "30$2"
	nic trust "$1" dscp
	dcb app add dev "$1" dscp-prio 26:3
}

# proved NAME VERDICT WORDS: weft audit --prove says of the class: clear, found or unknown.
proved() {
	weft audit --json --prove 1MiB --launcher local --window 0s lab.yaml > answer 2> err
	status=$?
	tr -s '\n ' ' ' < answer > line
	right=no
	case $2 in
	clear) grep -q '"clear": \[[^]]*"AUDIT_CLASS_PROOF"' line && right=yes ;;
	unknown) [ $status != 0 ] && grep -q '"unknown": \[[^]]*"AUDIT_CLASS_PROOF"' line &&
		right=yes ;;
	found) [ $status = 1 ] && grep -q "\"code\": \"AUDIT_CLASS_PROOF\"[^}]*$3" line &&
		right=yes ;;
	esac
	if [ $right = yes ] && [ ! -s err ]; then
		echo "ok: $1"
	else
		echo "not ok: $1: status $status, not $2 $3"
		cat answer err
		failed=1
	fi
}

card cardA 1
card cardB 2
nic wire cardA cardB
rdma link add rxeA type rxe netdev cardA
rdma link add rxeB type rxe netdev cardB
lab rxeA rxeB
proved 'bytes are counted in the class at both ends' clear
touch slow
proved 'hosts that take longer than agents wait in silence' clear
rm slow
dcb app replace dev cardB dscp-prio 26:5
proved 'the other end has another map' found 'two cardB sent [0-9]* bytes and counted 0'
dcb app replace dev cardB dscp-prio 26:3
nic trust cardA pcp
proved 'the sender does not go by DSCP' found 'one cardA sent [0-9]* bytes and counted 0'
rdma link delete rxeA
rdma link delete rxeB
rdma link add rxe1 type rxe netdev nic1
rdma link add rxe2 type rxe netdev nic2
lab rxe1 rxe2
proved 'a NIC without counters by priority' unknown
exit $failed
