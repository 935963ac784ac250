#!/bin/sh
# trouble.sh SOURCE WEFT: what goes wrong round an acceptance. Each gets one clear
# sentence and status 2, loses nothing that was measured, and touches no file that is
# not its own.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"
# shellcheck disable=SC2154 # set by what was read in
trap 'umount "$folder/disk" 2> /dev/null; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
small=$source/examples/small-8.yaml

# NAME STATUS WORDS: the last command ended with status 2 and one line on stderr that
# holds WORDS.
one_sentence() {
	[ "$2" -eq 2 ] || fail "$1: status $2, not 2"
	[ "$(wc -l < err)" -eq 1 ] || fail "$1: not one line: $(cat err)"
	grep -q "^weft [a-z]*: .*$3" err || fail "$1: says nothing of \"$3\": $(cat err)"
}

# NAME WORDS ARGUMENT...: weft accept with these; one sentence with WORDS, nothing on
# stdout.
refused() {
	name=$1
	words=$2
	shift 2
	"$weft" accept "$@" > out 2> err
	one_sentence "$name" $? "$words"
	[ ! -s out ] || fail "$name: stdout is not empty: $(head -3 out)"
}

# NAME RUN WORDS: the run file is whole and its report is unknown and says WORDS.
kept() {
	"$weft" report "$2" > out 2> err
	status=$?
	[ $status -eq 2 ] || fail "$1: report: status $status, not 2"
	head -1 out | grep -q '^UNKNOWN' || fail "$1: report: $(head -1 out) $(cat err)"
	tr -s '\n ' ' ' < out | grep -q "$3" || fail "$1: report says nothing of \"$3\""
}

# NAME RUN: at least one stage is in the run file as complete.
measured() {
	"$weft" report --json "$2" 2> err | grep -q '"status": *"complete"' ||
		fail "$1: nothing measured was kept"
}

# --- the file, the options ---
refused "no such fabric" 'nowhere.yaml' nowhere.yaml
: > empty.yaml
refused "an empty fabric" 'empty.yaml' empty.yaml
head -c 5000 /dev/urandom > binary.yaml
refused "a binary fabric" 'binary.yaml' binary.yaml
refused "an unknown profile" 'expected quick|full' --profile slow "$small"
refused "an unknown plane" 'plane' --plane sample "$small"
refused "a folder for a report" '\. is a folder; expected the name of a file' --html . "$small"
refused "no folder for a report" 'nowhere/a.md cannot be written: No such file' \
	--html a.html --markdown nowhere/a.md "$small"
refused "no thread" 'expected 1..64' --threads 0 "$small"
[ "$(find . -name '*.run')" = '' ] || fail "a refused run left a run file"

# --- where the run file goes ---
mkdir folder.run
refused "a folder as run file" 'folder.run' --run folder.run "$small"
echo 'my thesis' > thesis.txt
refused "a file that is no run" 'thesis.txt' --run thesis.txt "$small"
[ "$(cat thesis.txt)" = 'my thesis' ] || fail "a file that is no run was written to"
refused "no such folder" 'nowhere/x.run' --run nowhere/x.run "$small"
if [ "$(id -u)" -eq 0 ]; then
	refused "a folder that takes no files" '/sys/x.run' --run /sys/x.run "$small"
else
	mkdir locked
	chmod a-w locked
	refused "a read-only folder" 'locked/x.run' --run locked/x.run "$small"
fi

"$weft" accept --run whole.run "$small" > first 2> err || fail "small-8 does not pass: $(cat err)"
cp whole.run other.run
printf '\0\0\0\143' | dd of=other.run bs=1 seek=60 conv=notrunc 2> /dev/null
cp other.run before.run
refused "a run file of another version" 'version 99' --run other.run "$small"
cmp other.run before.run || fail "a run file of another version was changed"
"$weft" report other.run > out 2> err
one_sentence "report of another version" $? 'version 99'

# --- the same again ---
"$weft" accept --threads 3 --run whole.run "$small" > second 2> err
cmp first second || fail "the same file and seed gave another output"

# --- stdout that is full, and one that nobody reads ---
if [ -c /dev/full ]; then
	"$weft" accept --run full.run "$small" > /dev/full 2> err
	status=$?
	[ $status -eq 2 ] || fail "a full stdout: status $status, not 2"
	[ "$(wc -l < err)" -eq 1 ] || fail "a full stdout: not one line: $(cat err)"
	"$weft" report full.run > out || fail "a full stdout has lost the run"
fi

# --- a disk that is full ---
(
	ulimit -f 1200 # of 512 bytes
	"$weft" accept --run limited.run "$small" > out 2> err
)
one_sentence "a limit on files" $? 'limited.run'
kept "a limit on files" limited.run 'cut off'
measured "a limit on files" limited.run
mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=600k tmpfs disk 2> /dev/null; then
	"$weft" accept --run disk/x.run "$small" > out 2> err
	one_sentence "a full disk" $? 'disk/x.run'
	cp disk/x.run full-disk.run
	kept "a full disk" full-disk.run 'cut off'
	measured "a full disk" full-disk.run
	mount -o remount,ro disk
	refused "a disk that is read-only" 'disk/y.run' --run disk/y.run "$small"
fi

# --- interrupted, at whatever it was doing ---
for wait in 0.05 0.1 0.2 0.3 0.5 0.8; do
	for signal in INT TERM HUP; do
		"$weft" accept --profile full --threads 1 --run cut.run \
			"$source/examples/leafspine-32.yaml" > out 2> err &
		pid=$!
		while ! [ -s cut.run ] && kill -0 $pid 2> /dev/null; do sleep 0.01; done
		sleep $wait
		kill -$signal $pid
		wait $pid
		one_sentence "SIG$signal after $wait s" $? 'interrupted'
		grep -q 'cut.run' err || fail "SIG$signal: does not name the run file"
		[ ! -s out ] || fail "SIG$signal: stdout is not empty"
		kept "SIG$signal after $wait s" cut.run 'interrupted'
		rm -f cut.run
	done
done

# --- killed ---
"$weft" accept --profile full --threads 1 --run killed.run "$source/examples/leafspine-32.yaml" \
	> out 2> err &
pid=$!
commits $pid killed.run
kill -KILL $pid
wait $pid 2> /dev/null
kept "SIGKILL" killed.run 'cut off'

# --- two at once on one run file ---
"$weft" accept --profile full --threads 1 --run both.run "$source/examples/leafspine-32.yaml" \
	> out.1 2> err.1 &
pid=$!
commits $pid both.run
refused "a run file in use" 'both.run' --run both.run "$small"
grep -q 'another' err || fail "a run file in use: does not say by whom: $(cat err)"
kill -INT $pid
wait $pid
kept "the first of two" both.run 'interrupted'

# --- outputs that would be written over an input, or over each other ---

# WORDS FILE COMMAND...: refused with WORDS, before anything is run: FILE is as it was.
saves() {
	words=$1
	file=$2
	shift 2
	cp "$file" saved
	before=$(find . -type f ! -name out ! -name err ! -name saved | sort)
	"$weft" "$@" > out 2> err
	one_sentence "$*" $? "$words"
	[ ! -s out ] || fail "$*: stdout is not empty: $(head -3 out)"
	cmp "$file" saved || fail "$*: $file was written to"
	after=$(find . -type f ! -name out ! -name err ! -name saved | sort)
	[ "$before" = "$after" ] || fail "$*: files came or went: $after"
}

cp "$small" s2.yaml
ln -s s2.yaml link.yaml
cp whole.run small-8.run
mkdir -p deep
saves 'the file of the run' whole.run report --html whole.run whole.run
saves 'the file of the run' whole.run report --markdown "$PWD/deep/../whole.run" whole.run
saves 'the file of the run' small-8.run accept --html small-8.run "$small"
saves 'the file of the run' s2.yaml accept --html new.run --run ./new.run "$small"
saves 'the file of the fabric' s2.yaml accept --junit link.yaml s2.yaml
saves 'the file of the fabric' s2.yaml sweep --metrics s2.yaml s2.yaml
saves 'the file of --junit' whole.run report --html a --junit ./a whole.run
saves 'the file of --metrics' s2.yaml sweep --openmetrics m.prom --metrics m.prom s2.yaml
saves 'both go to stdout' whole.run report --csv pairs --json whole.run
saves 'both go to stdout' whole.run report --html - --json whole.run
saves 'both go to stdout' s2.yaml sweep --metrics - --json s2.yaml
"$weft" report --html /dev/null --junit /dev/null whole.run > out 2> err ||
	fail "two reports to /dev/null: $(cat err)"

# --- outputs that are no regular file stay what they are ---
mkfifo pipe
for form in --html --markdown; do
	timeout 60 cat pipe > piped &
	"$weft" report $form pipe whole.run > out 2> err || fail "$form into a pipe: $(cat err)"
	wait $!
	[ -p pipe ] || fail "$form replaced a pipe"
	[ -s piped ] || fail "$form wrote nothing into a pipe"
done
timeout 60 cat pipe > piped &
"$weft" sweep --profile quick --history night --metrics pipe "$small" > out 2> err ||
	fail "--metrics into a pipe: $(cat err)"
wait $!
[ -p pipe ] || fail '--metrics replaced a pipe'
grep -q '^# EOF' piped || fail "--metrics wrote into a pipe: $(cat piped)"
ln -s aim.html aims
"$weft" report --html aims whole.run > out 2> err || fail "--html to a link: $(cat err)"
if ! [ -L aims ] || ! [ -s aim.html ]; then fail '--html replaced a link'; fi
if mknod full c 1 7 2> /dev/null && ! (: > full) 2> /dev/null; then
	rm -f full # a device that this file system does not open
fi
if [ -c full ]; then
	"$weft" sweep --profile quick --history night --metrics full "$small" > out 2> err
	one_sentence '--metrics to a full device' $? 'full cannot be written: No space left'
	[ -c full ] || fail '--metrics replaced a device'
fi
"$weft" sweep --profile quick --history night --metrics - "$small" > out 2> err ||
	fail "--metrics -: $(cat err)"
grep -q '^weft_sweep_status' out || fail '--metrics -: no metrics on stdout'
grep -q '^PASS' err || fail "--metrics -: no line on stderr: $(cat err)"
[ ! -e - ] || fail '--metrics - made a file of that name'

# --- what was found is told even where a file of it cannot be written ---
"$weft" report --html . --markdown beside.md whole.run > out 2> err
one_sentence 'a report to a folder' $? '\. is a folder'
[ "$(head -1 out | cut -c 1-4)" = PASS ] || fail "--html .: not printed: $(head -1 out)"
[ -s beside.md ] || fail '--html .: what comes after it was not written'
{ cat "$small"; echo 'faults: [{kind: loss, place: leaf1-host1, amount: 0.01}]'; } > wrong.yaml
"$weft" accept --profile quick --run wrong.run wrong.yaml > out 2> err
[ $? -eq 1 ] || fail "a lossy link: not found: $(cat err)"
"$weft" report --html . wrong.run > out 2> err
[ $? -eq 1 ] || fail '--html . hides that the run failed'
grep -q 'is a folder' err || fail "--html . of a failure: $(cat err)"
"$weft" sweep --profile quick --history night --html . "$small" > out 2> err
one_sentence 'a sweep with a report to a folder' $? '\. is a folder'
[ "$(head -1 out | cut -c 1-4)" = PASS ] || fail "sweep --html .: not told: $(head -1 out)"

# --- single stages ---
for command in bw incast burst ring; do
	"$weft" $command > out 2> err
	one_sentence "$command without a fabric" $? '--fabric FILE'
	"$weft" $command --fabric "$small" --run hand.run > out 2> err ||
		fail "$command on small-8: status $?: $(cat err)"
done
"$weft" bw --fabric "$small" --src host9 > out 2> err
one_sentence "an unknown NIC" $? 'expected a NIC: host1 .. host8'
"$weft" bw --fabric "$small" --src host1 --dst host1 > out 2> err
one_sentence "a NIC to itself" $? 'expected two NICs'
"$weft" incast --fabric "$small" --senders 5 > out 2> err
one_sentence "too many senders" $? 'expected at most 4'
"$weft" ring --fabric "$small" --ranks 9 > out 2> err
one_sentence "too many ranks" $? 'expected 2..8'
"$weft" ring --fabric "$small" --bytes 30 > out 2> err
one_sentence "a part of an element" $? 'a multiple of 4'

finish
