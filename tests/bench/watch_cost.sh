#!/bin/sh
# watch_cost.sh WEFT [ROUNDS]: what weft watch costs on this machine's own kernel, as root, in
# network and mount namespaces of its own: 8 veth interfaces with 64 queues each, so that
# ethtool -S answers with some hundred values, and in place of hw_counters 16 files of the
# kernel's interface statistics under the names of mlx5_ib. Prints the processor's time for a
# reading (user and system, getrusage, from its own report) and the share of a core that
# follows from it at the rate asked for; with valgrind there, the instructions of weft itself
# for a reading. What a driver or firmware does to answer is in none of it. Needs iproute2,
# unshare; 77 where namespaces may not be had.
weft=$1
rounds=${2:-3}
if [ "$3" != inside ]; then
	unshare -n -m true 2> /dev/null || {
		echo "no namespaces of its own: run as root" >&2
		exit 77
	}
	exec unshare -n -m "$0" "$weft" "$rounds" inside
fi
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder/w" "$folder/out"' EXIT

names='np_cnp_sent rp_cnp_handled rp_cnp_ignored np_ecn_marked_roce_packets out_of_sequence
packet_seq_err implied_nak_seq_err local_ack_timeout_err rnr_nak_retry_err out_of_buffer
duplicate_request roce_adp_retrans roce_slow_restart rx_icrc_encapsulated
req_transport_retries_exceeded rx_write_requests'
set -e
mkdir "$folder/sys"
mount -t sysfs sysfs "$folder/sys"
for i in 0 1 2 3 4 5 6 7; do
	ip link add "nic$i" numtxqueues 64 numrxqueues 64 type veth peer name "peer$i"
	ip link set "nic$i" up
	ip link set "peer$i" up
done
mkdir "$folder/new"
mount -t tmpfs tmpfs "$folder/new"
mkdir -p "$folder/new/class/net" "$folder/new/devices"
mount --bind "$folder/sys/class/net" "$folder/new/class/net"
mount --bind "$folder/sys/devices" "$folder/new/devices"
for i in 0 1 2 3 4 5 6 7; do
	port=$folder/new/class/infiniband/dev$i/ports/1
	mkdir -p "$port/gid_attrs/ndevs" "$port/hw_counters" "$port/counters"
	echo "nic$i" > "$port/gid_attrs/ndevs/0"
	for name in $names; do
		ln -s /sys/class/net/lo/statistics/rx_packets "$port/hw_counters/$name"
	done
done
mount --rbind "$folder/new" /sys
set +e

number() {
	sed -n "s/.*\"$1\": *\([0-9.e-]*\).*/\1/p" "$folder/out" | tail -n 1
}

# spent SECONDS HZ ARGUMENT...: processor's time in s, readings, missed readings.
spent() {
	seconds=$1
	hz=$2
	shift 2
	"$weft" watch --json --hz "$hz" --for "${seconds}s" "$@" > "$folder/out"
	number cpu_s
	number samples
	number missed_samples
}

# cost NAME HZ ARGUMENT...: the difference of a long and a short run; what both do once, at
# the start, falls out.
cost() {
	name=$1
	hz=$2
	shift 2
	for round in $(seq "$rounds"); do
		# shellcheck disable=SC2046 # words
		echo $(spent 2 "$hz" "$@") $(spent 14 "$hz" "$@") |
			awk -v name="$name" -v round="$round" -v hz="$hz" '{
				each = ($4 - $1) / ($5 - $2)
				printf "%s, round %d: %.1f us of processor a reading, %.2f %% of a core at %d Hz (%d readings, %d missed)\n",
					name, round, 1e6 * each, 100 * each * hz, hz, $5, $6 }'
	done
}

# instructions READINGS HZ ARGUMENT...: of weft itself.
instructions() {
	readings=$1
	hz=$2
	shift 2
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$weft" watch --json --hz "$hz" \
		--for "${readings}s" "$@" 2>&1 > "$folder/out" | sed -n 's/.*Collected : *//p'
	number samples
}

# user NAME HZ SHORT LONG ARGUMENT...: the difference likewise.
user() {
	name=$1
	hz=$2
	short=$3
	long=$4
	shift 4
	# shellcheck disable=SC2046 # two words
	set -- $(instructions "$short" "$hz" "$@") $(instructions "$long" "$hz" "$@")
	awk -v name="$name" -v i="$1" -v n="$2" -v j="$3" -v m="$4" 'BEGIN {
		printf "%s: %.0f instructions of weft a reading\n", name, (j - i) / (m - n) }'
}

wanted=$(echo "$names" | tr -s '\n ' ',,')
cost '8 NICs, all counters' 10 nic0 nic1 nic2 nic3 nic4 nic5 nic6 nic7
cost '16 counters of one NIC' 1000 --counters "${wanted%,}" nic0
command -v valgrind > /dev/null || exit 0
user '8 NICs, all counters' 10 4 12 nic0 nic1 nic2 nic3 nic4 nic5 nic6 nic7
user '16 counters of one NIC' 100 4 12 --counters "${wanted%,}" nic0
