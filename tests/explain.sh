#!/bin/sh
# explain.sh SOURCE WEFT: docs/checks.md ends with what the tables say (GOLDEN_UPDATE=1
# renews it), and names every check that a judge of run files reports; text of any
# size and kind is answered within a bound of time and memory, with one sentence
# where it cannot be read.
source=$1
weft=$2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
bad=0

complain() {
	echo "$1"
	bad=1
}

doc=$source/docs/checks.md
first='## Alarms of weft watch'
"$weft" explain --rules > "$folder/rules.md" || complain 'explain --rules failed'
[ -z "$GOLDEN_UPDATE" ] || {
	sed "/^$first/,\$d" "$doc" > "$folder/doc" && cat "$folder/doc" "$folder/rules.md" > "$doc"
}
sed -n "/^$first/,\$p" "$doc" | diff -u - "$folder/rules.md" ||
	complain "docs/checks.md is not up to date: GOLDEN_UPDATE=1 tests/explain.sh . build/weft"

checks='"(plan|link|port|switch|nic|ecmp|pairs|nonblocking|lossless|burst|ring|scope|stage|run|class|wire)\.[a-z._-]+"'
for check in $(grep -hoE "$checks" "$source"/fabric/judge*.c "$source"/pfc/wire_judge*.c | tr -d '"' | sort -u); do
	grep -qF "\`$check\`" "$doc" || complain "docs/checks.md does not name $check"
done

# answers NAME STATUSES SENTENCES: explain NAME ends in time and memory with one of
# the statuses and at most so many lines on stderr.
answers() {
	(
		# The address sanitizer reserves more than any limit.
		# shellcheck disable=SC3045 # dash and bash both know ulimit -v
		ldd "$weft" | grep -q libasan || ulimit -v 1500000
		timeout 200 "$weft" explain "$folder/$1" > "$folder/out" 2> "$folder/err"
	)
	status=$?
	case " $2 " in
	*" $status "*) ;;
	*) complain "$1: exit status $status, expected one of $2" ;;
	esac
	[ "$(wc -l < "$folder/err")" -le "$3" ] || complain "$1: more than $3 lines on stderr"
}

{
	echo '== hostA: ethtool -S ens1f0, 10 s delta =='
	awk 'BEGIN { for (i = 0; i < 380000; i++) printf "rx_prio%d_packets: %d\n", i % 8, i }'
} > "$folder/counters"
answers counters "0 1 2" 1
awk 'BEGIN { print "== pair bandwidth =="; for (i = 0; i < 100000; i++) printf "n%d n%d %d.5\n", i, i * 7, i % 50 }' \
	> "$folder/pairs"
answers pairs "0 1 2" 1
awk 'BEGIN { for (i = 0; i < 40000; i++) printf "host%d:1:%d [0] NCCL INFO Channel %02d/0 : %d[0] -> %d[0] [send] via NET/IB/0/GDRDMA\n", i % 64, i, i % 16, i, i + 1 }' \
	> "$folder/log"
answers log "0 1 2" 1
head -c 5000000 /dev/zero | tr '\0' 'a' > "$folder/line"
answers line 2 1
head -c 10000000 /dev/urandom > "$folder/binary"
answers binary 2 1
head -c 20000000 /dev/zero | tr '\0' '\n' > "$folder/long"
answers long 2 1
: > "$folder/empty"
answers empty 2 1
answers nowhere 2 1
answers . 2 1
exit $bad
