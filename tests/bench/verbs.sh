#!/bin/sh
# verbs.sh [ROUNDS]: in the lab's guest, weft bw and weft lat against ib_write_bw and
# ib_write_lat, by turns in one run: with the same size, depth, QPs and count. Prints each
# round, and the median of the ratios: bandwidth and its inverse in CPU time of the sender,
# and typical latency. Run it by
#	tests/lab/run --devices 4 --time 900 -- sh tests/bench/verbs.sh
rounds=${1:-5}
cd "$(mktemp -d)" || exit 2

# cpu: sets now to the centiseconds that the children of this shell have used; not to be
# called in a subshell, which has no children yet.
cpu() {
	times > used.times
	now=$(sed -n 2p used.times | tr 'ms' '  ' |
		awk '{ print int(($1 * 60 + $2 + $3 * 60 + $4) * 100) }')
}

# theirs TOOL OPTION...; ours COMMAND OPTION...: output in out, CPU of both ends in used.
theirs() {
	tool=$1
	shift
	cpu
	before=$now
	timeout 120 "$tool" -d rxe4 -x 1 -F -u 17 --tclass 106 "$@" > server 2>&1 &
	sleep 1
	timeout 120 "$tool" -d rxe1 -x 1 -F -u 17 --tclass 106 "$@" 127.0.0.1 > out 2>&1
	wait
	cpu
	used=$((now - before))
}
ours() {
	command=$1
	shift
	cpu
	before=$now
	timeout 120 weft "$command" --listen 127.0.0.1 -d rxe4 > server 2>&1 &
	timeout 120 weft "$command" 127.0.0.1 -d rxe1 --json "$@" > out 2> err
	wait
	cpu
	used=$((now - before))
}

ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.3f\n", a / b; else print "0" }'
}

median() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# bandwidth SIZE QPS COUNT
bandwidth() {
	: > rates
	: > loads
	for round in $(seq "$rounds"); do
		theirs ib_write_bw -s "$1" -q "$2" -n "$3" -t 128 --report_gbits
		their=$(awk -v s="$1" '$1 == s { print $4 }' out)
		their_cpu=$used
		ours bw -s "$1" -q "$2" -n "$3" -t 128
		our=$(sed -n 's/^  "gbps": \([0-9.e-]*\),*/\1/p' out)
		ratio "${our:-0}" "${their:-0}" >> rates
		ratio "$used" "$their_cpu" >> loads
		echo "write $1 B, $2 QPs, round $round: ib_write_bw ${their:-none} Gb/s" \
			"$their_cpu cs CPU, weft bw ${our:-none} Gb/s $used cs CPU"
	done
	echo "write $1 B, $2 QPs: weft / ib_write_bw, median of $rounds:" \
		"bandwidth $(median rates), CPU time $(median loads)"
}

# latency SIZE COUNT
latency() {
	: > times_ratio
	for round in $(seq "$rounds"); do
		theirs ib_write_lat -s "$1" -n "$2"
		their=$(awk -v s="$1" '$1 == s { print $5 }' out)
		ours lat -s "$1" -n "$2"
		our=$(sed -n 's/^ *"p50_ns": \([0-9]*\),*/\1/p' out)
		our=$(awk -v ns="${our:-0}" 'BEGIN { print ns / 1000 }')
		ratio "$our" "${their:-0}" >> times_ratio
		echo "write $1 B, round $round: ib_write_lat ${their:-none} us, weft lat $our us"
	done
	echo "write $1 B: weft / ib_write_lat, median of $rounds: p50 $(median times_ratio)"
}

bandwidth 65536 4 100
bandwidth 4096 1 1500
latency 2 300
