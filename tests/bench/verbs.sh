#!/bin/sh
# verbs.sh [ROUNDS]: in the lab's guest, weft bw and weft lat against ib_write_bw and
# ib_write_lat, in pairs, one right after the other and the other way round in every second
# round; with the same size, depth, QPs and count, and each end on a processor of its own.
# Prints each round, and of the ratios the median, the least and the most: bandwidth, CPU time
# of both ends, and typical latency.
#
# perftest measures the processor's clock when it starts, which in a guest on a busy machine
# gives anything from half of it to "inf". So its latency is taken in cycles, of the clock that the
# kernel has found, and bandwidth from outside, for both tools alike: what a run of all messages
# takes longer than one of five. Run it by
#	tests/lab/run --devices 4 --time 1800 -- sh tests/bench/verbs.sh
rounds=${1:-9}
cd "$(mktemp -d)" || exit 2
mhz=$(dmesg | sed -n 's/.*tsc: Refined TSC clocksource calibration: \([0-9.]*\) MHz.*/\1/p')
[ -n "$mhz" ] || { echo "the kernel has not calibrated the TSC" >&2; exit 2; }

# cpu: sets now to the centiseconds that the children of this shell have used; not to be
# called in a subshell, which has no children yet.
cpu() {
	times > used.times
	now=$(sed -n 2p used.times | tr 'ms' '  ' |
		awk '{ print int(($1 * 60 + $2 + $3 * 60 + $4) * 100) }')
}

# theirs TOOL OPTION...; ours COMMAND OPTION...: output in out, CPU of both ends in used, what the
# end that sends took in took, in us.
theirs() {
	tool=$1
	shift
	cpu
	before=$now
	taskset -c 0 timeout 120 "$tool" -d rxe4 -x 1 -F -u 17 --tclass 106 "$@" > server 2>&1 &
	sleep 1
	begin=$(date +%s%6N)
	taskset -c 1 timeout 120 "$tool" -d rxe1 -x 1 -F -u 17 --tclass 106 "$@" 127.0.0.1 \
		> out 2>&1
	took=$(($(date +%s%6N) - begin))
	wait
	cpu
	used=$((now - before))
}
ours() {
	command=$1
	shift
	cpu
	before=$now
	taskset -c 0 timeout 120 weft "$command" --listen 127.0.0.1 -d rxe4 > server 2>&1 &
	sleep 1
	begin=$(date +%s%6N)
	taskset -c 1 timeout 120 weft "$command" 127.0.0.1 -d rxe1 --json "$@" > out 2> err
	took=$(($(date +%s%6N) - begin))
	wait
	cpu
	used=$((now - before))
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3f\n", a / b; else print "0" }'
}

# spread FILE: the median, the least and the most of what it holds.
spread() {
	sort -n "$1" | awk '{ v[NR] = $1 }
		END { printf "%s (%s to %s)", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

# gbps SIZE QPS COUNT US: of all messages but five of each QP.
gbps() {
	awk -v s="$1" -v q="$2" -v n="$3" -v us="$4" 'BEGIN {
		if (us > 0) printf "%.4f\n", s * q * (n - 5) * 8 / us / 1000; else print 0 }'
}

their_bandwidth() {
	theirs ib_write_bw -s "$1" -q "$2" -n 5 -t 128
	alone=$took
	theirs ib_write_bw -s "$1" -q "$2" -n "$3" -t 128
	their=$(gbps "$@" $((took - alone)))
	their_cpu=$used
}
our_bandwidth() {
	ours bw -s "$1" -q "$2" -n 5 -t 128
	alone=$took
	ours bw -s "$1" -q "$2" -n "$3" -t 128
	our=$(gbps "$@" $((took - alone)))
	our_cpu=$used
}
their_latency() {
	theirs ib_write_lat -C -s "$1" -n "$2"
	their=$(awk -v s="$1" -v mhz="$mhz" '$1 == s { print $5 / mhz }' out)
}
our_latency() {
	ours lat -s "$1" -n "$2"
	our=$(sed -n 's/^ *"p50_ns": \([0-9]*\),*/\1/p' out)
	our=$(awk -v ns="${our:-0}" 'BEGIN { print ns / 1000 }')
}

# both KIND ROUND ARGUMENT...: their run and ours.
both() {
	kind=$1
	round=$2
	shift 2
	if [ $((round % 2)) = 1 ]; then
		"their_$kind" "$@"
		"our_$kind" "$@"
	else
		"our_$kind" "$@"
		"their_$kind" "$@"
	fi
}

# bandwidth SIZE QPS COUNT
bandwidth() {
	: > rates
	: > loads
	for round in $(seq "$rounds"); do
		both bandwidth "$round" "$@"
		ratio "${our:-0}" "${their:-0}" >> rates
		ratio "$our_cpu" "$their_cpu" >> loads
		echo "write $1 B, $2 QPs, round $round: ib_write_bw ${their:-none} Gb/s" \
			"$their_cpu cs CPU, weft bw ${our:-none} Gb/s $our_cpu cs CPU"
	done
	echo "write $1 B, $2 QPs: weft / ib_write_bw, median of $rounds:" \
		"bandwidth $(spread rates), CPU time $(spread loads)"
}

# latency SIZE COUNT
latency() {
	: > times_ratio
	for round in $(seq "$rounds"); do
		both latency "$round" "$@"
		ratio "$our" "${their:-0}" >> times_ratio
		echo "write $1 B, round $round: ib_write_lat ${their:-none} us, weft lat $our us"
	done
	echo "write $1 B: weft / ib_write_lat, median of $rounds: p50 $(spread times_ratio)"
}

rounds=$((rounds * 5)) # they are short, and scatter more
latency 2 1000
rounds=$((rounds / 5))
bandwidth 65536 4 400
bandwidth 4096 1 16000
