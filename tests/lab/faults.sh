#!/bin/sh
# faults.sh [RUNS [FAULT...]]: in the guest, accepts the fabric RUNS times with each fault (and
# with none: clean), one after the other, and prints how many runs named the right culprit and no
# other. What a run said that did not is left in $OUT, with its run file. For docs/lab.md:
#	tests/lab/run --time 3600 --out said -- sh tests/lab/faults.sh 10 clean
runs=${1:-3}
[ $# = 0 ] || shift
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"
uplink=$((2 * DEVICES / LEAVES))
last=$DEVICES
first=$((DEVICES / LEAVES + 1)) # of the second leaf

# inject FAULT: breaks it, and sets what is expected: the status, the first culprit, and what
# must not be named.
inject() {
	status=1
	never='link host'
	case $1 in
	clean)
		status=0
		wanted=''
		;;
	loss)
		fault loss spine1:leaf2 1%
		wanted='pairs from leaf1 to leaf2'
		;;
	slow) # acknowledgements of the other way stand in the same queue
		fault rate spine1:leaf2 $((uplink * 100))kbit
		wanted='pairs between leaf1 and leaf2'
		;;
	down) # acknowledgements are lost as well
		(sleep 20; fault down spine1:leaf2) &
		wanted='pairs between leaf1 and leaf2'
		;;
	mtu)
		fault mtu "leaf2:nic$first" 1500
		wanted="link host$first-leaf2:1"
		never="link host[^$first]"
		;;
	class)
		fault dscp nic2 0
		wanted='NIC host2'
		;;
	delay)
		fault delay "leaf2:nic$last" 600ms
		wanted="link host$last-leaf2:[0-9]*"
		never="link host[^$last]"
		;;
	*)
		echo "no fault $1" >&2
		exit 2
		;;
	esac
}

# is_right: whether the last output names what is wanted, and nothing else.
is_right() {
	sed '/^Warnings/,$d' said | grep -E '^[0-9]+  ' > culprits
	[ $got = $status ] || return
	! grep -q "^[0-9]*  $never" culprits || return
	[ $status = 0 ] || head -n 1 culprits | grep -q "^1  $wanted  "
}

# mend FAULT
mend() {
	wait
	case $1 in
	loss | slow) fault clear spine1:leaf2 ;;
	down) fault up spine1:leaf2 && restore ;;
	mtu) fault mtu "leaf2:nic$first" 4300 ;;
	class) tc qdisc del dev nic2 clsact ;;
	delay) fault rate "leaf2:nic$last" 2mbit 16000000 ;;
	esac
}

# restore: what went with the port: its neighbour, and the routes over it.
restore() {
	ip -n spine1 neigh replace 10.200.16.0 lladdr 02:02:00:02:01:01 nud permanent dev leaf2
	for host in $(seq "$first" "$last"); do
		ip -n spine1 route replace "10.1.$host.0/24" via 10.200.16.0
	done
}

[ $# -gt 0 ] || set -- clean loss slow down mtu class delay
for name; do
	right=0
	seconds=''
	for run in $(seq "$runs"); do
		inject "$name"
		begin=$(date +%s)
		timeout 280 weft accept fabric.yaml --backend verbs --run "$name.run" --verbose > said 2>&1
		got=$?
		mend "$name"
		seconds="$seconds $(($(date +%s) - begin))"
		if is_right; then
			right=$((right + 1))
		else
			cp "$name.run" "$OUT/$name.$run.run"
			{ echo "status $got"; cat said; } > "$OUT/$name.$run.said"
		fi
		cp said "$OUT/last.$name.said"
		rm -f "$name.run"
		echo "$name run $run: status $got, right so far $right, seconds:$seconds" >> "$OUT/progress"
	done
	echo "$name: $right of $runs right, seconds:$seconds"
done
