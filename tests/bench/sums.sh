#!/bin/sh
# sums.sh BENCH-SUMS [--guard]: how fast a ring all-reduce on real NICs checks and adds what comes
# in, by type of element.
#   GB/s     of what comes in, 4 MiB at a time, one core, processor time; the best of five runs
#            (--guard: not taken)
#   instr    instructions an element by callgrind, from the difference of two numbers of rounds
# Status 1 when a type takes more instructions than its limit, what was measured and a tenth; 77
# (skipped) without valgrind.
bench=$1
[ -x "$bench" ] || { echo "usage: tests/bench/sums.sh BENCH-SUMS [--guard]" >&2; exit 2; }
command -v valgrind > /dev/null || exit 77

# Type, elements of 4 MiB, the limit in hundredths.
types() {
	cat <<- 'END'
	int32 1048576 417
	int64  524288 828
	fp32  1048576 499
	bf16  2097152 597
	END
}

# TYPE ROUNDS: instructions of so many rounds of 40,000 elements.
count() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$bench" "$1" 40000 "$2" 2>&1 |
		sed -n 's/.*Collected : \([0-9]*\)$/\1/p'
}

worst=0
types | {
	while read -r type elements limit; do
		best=-
		for _ in 1 2 3 4 5; do
			[ "$2" != --guard ] || break
			rate=$("$bench" "$type" "$elements" 100 | sed -n 's/.* gbytes_s //p')
			best=$(printf '%s\n%s\n' "$rate" "$best" | sort -g | tail -n 1)
		done
		instr=$((($(count "$type" 30) - $(count "$type" 10)) * 100 / (20 * 40000)))
		echo "$type: $best GB/s, $instr hundredths of an instruction an element, limit $limit"
		[ "$instr" -le "$limit" ] || worst=1
	done
	exit "$worst"
}
