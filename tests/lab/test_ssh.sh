#!/bin/sh
# In the guest: weft bw and weft lat start their other end, here or by a real ssh; what can go wrong with
# that ends with one sentence and status 2, and nothing is left running.
# shellcheck source=tests/lab/pair.sh
. "$SOURCE/tests/lab/pair.sh"

# started STATUS COMMAND OPTION...: output in client.
started() {
	wanted=$1
	shift
	timeout 60 weft "$@" > client 2>&1
	status=$?
	[ $status = "$wanted" ] && return
	echo "not ok: weft $*: status $status, expected $wanted"
	cat client
	failed=1
}

# refused SENTENCE WORDS COMMAND OPTION...: one line with these words, status 2, nothing left.
refused() {
	sentence=$1
	words=$2
	shift 2
	started 2 "$@"
	said "$sentence" "$words"
	one_line
	gone "$sentence: nothing is left running"
}

one_line() {
	[ "$(wc -l < client)" = 1 ] || { echo "not ok: not one line:"; cat client; failed=1; }
}

# gone SENTENCE: within 10 s no weft, no QP and no session of ssh is left.
gone() {
	for _ in $(seq 50); do
		pgrep -x weft > /dev/null || pgrep -x ssh > /dev/null ||
			rdma resource show qp | grep -q 'comm weft' || break
		sleep 0.2
	done
	if pgrep -x weft || pgrep -x ssh || rdma resource show qp | grep 'comm weft'; then
		echo "not ok: $1"
		failed=1
		pkill -9 -x weft
		pkill -9 -x ssh
	fi
}

grep -q '^sshd:' /etc/passwd || echo 'sshd:x:990:65534::/run/sshd:/usr/sbin/nologin' >> /etc/passwd
mkdir -p /run/sshd /root/.ssh keys
chmod 700 /root/.ssh
ssh-keygen -q -t ed25519 -N '' -f keys/host
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
# A name of its own for each thing that can be wrong with a host.
cat > /root/.ssh/config << END
Host nokey
  IdentityFile /nowhere
  IdentitiesOnly yes
Host nohost
  UserKnownHostsFile /dev/null
Host node02 nokey nohost
  HostName 127.0.0.1
  Port 2222
  UserKnownHostsFile $PWD/keys/known
END
echo "[127.0.0.1]:2222 $(cat keys/host.pub)" > keys/known
cat > keys/config << END
Port 2222
ListenAddress 127.0.0.1
HostKey $PWD/keys/host
PidFile none
StrictModes no
UsePAM no
UseDNS no
KexAlgorithms curve25519-sha256
SetEnv PATH=$BUILD:/usr/bin:/bin
END
LD_LIBRARY_PATH="$KERNEL/sshd/usr/lib/x86_64-linux-gnu" "$KERNEL/sshd/usr/sbin/sshd" \
	-f "$PWD/keys/config" -E "$PWD/keys/log"
timeout 60 ssh -o BatchMode=yes node02 weft --version || { cat keys/log; echo 'not ok: no ssh'; exit 1; }

started 0 bw --ssh node02 -d rxe1 --peer-device rxe4 -n 50 -q 2
said 'the other end is started through ssh' '^bandwidth .*b/s of payload'
said 'on the device that is named' '^other end  *rxe4 port 1, GID 1 10.1.4.1'
said 'and its counters come along' '^rxe4 '
if grep '^devices' client; then
	echo 'not ok: what was named is explained'
	failed=1
fi
started 0 lat --ssh node02 -d rxe1 --peer-device rxe3 -n 20
said 'latency too' 'mean [0-9.]* of 20'
started 0 bw --ssh local -d rxe2 --peer-device rxe3 -n 20 -b --check --peer-gid 2 -x 2
said 'and here, without ssh' '^other end  *rxe3 port 1, GID 2 fd00:1:3::1 (RoCE v2, chosen by -x)'
started 0 bw --ssh local -d rxe1 --peer-device rxe4 -n 20 --cm --json
said 'JSON is of both ends' '"device": "rxe4"'
refused 'no device is taken by chance' 'choose with -d of rxe1 10.1.1.1.* and --peer-device of rxe1' \
	bw --ssh local -d rxe1 -n 1
ip address add 10.9.0.1/24 dev nic1
ip address add 10.9.0.3/24 dev nic3
sleep 1
# The leaves know no way between them, but who was to talk to whom shows.
started 1 bw --ssh node02 -n 1 -u 12 --retry 1
said 'two devices in one subnet find each other' '^weft bw: 10.9.0.3 does not acknowledge'
ip address del 10.9.0.1/24 dev nic1
ip address del 10.9.0.3/24 dev nic3
gone 'a run that has ended leaves nothing'

# All sizes, over the one connection.
started 0 bw -a -s 1MiB -n 5 --ssh node02 -d rxe1 --peer-device rxe4
said 'each size has a row' '^ *1.00 MiB  *5  *[0-9.]*  *[0-9]*$'
said 'the largest too' '^ *8.00 MiB '
said 'and there is a verdict of the whole' '^pass: all 4 sizes'
started 1 bw -a -s 2MiB -n 5 --min 400G --ssh local -d rxe1 --peer-device rxe4
said 'which fails if one fails' '^fail: 3 of 3 sizes failed'
started 0 lat -a -n 5 -s 4MiB --json --ssh local -d rxe1 --peer-device rxe4
said 'JSON has all sizes' '"bytes": 8388608'
started 0 bw -a -n 5 -s 512 -c UD --op send --ssh local -d rxe1 --peer-device rxe4 --lossy
said 'datagrams end at the MTU' '^ *4.00 KiB '
said 'and with it the test' '^pass: all 4 sizes'
timeout 60 weft bw --listen 127.0.0.1 -d rxe4 > server 2>&1 &
started 0 bw -a -s 4MiB -n 3 127.0.0.1 -d rxe1
wait
said 'the end that listens has the same table' '^pass: all 2 sizes' server

refused 'no such device there' 'the weft at node02 says: no RDMA device rxe99: there are rxe1' \
	bw --ssh node02 -d rxe1 --peer-device rxe99
refused 'no such device here' 'weft bw: no RDMA device rxe99' bw --ssh node02 -d rxe99
refused 'ssh that asks for a password' \
	'ssh to nokey: .*Permission denied .*expected that ssh -o BatchMode=yes nokey weft --version' \
	bw --ssh nokey -d rxe1 --peer-device rxe4
refused 'an unknown host' 'ssh to nohost: Host key verification failed' bw --ssh nohost -d rxe1
refused 'a host that does not exist' 'ssh to nosuch.invalid: .*resolve hostname' \
	lat --ssh nosuch.invalid -d rxe1
refused 'no weft there' 'node02 cannot run /opt/weft (.*): install the same weft there' \
	bw --ssh node02 --weft /opt/weft -d rxe1
refused 'nor here' '/opt/weft cannot be started' bw --ssh local --weft /opt/weft -d rxe1
sed 's/weft \([0-9]\)\.\([0-9]*\)\.\([0-9]*\)/weft \1.\2.x/' "$BUILD/weft" > other
chmod 755 other
"$PWD/other" bw --ssh node02 -d rxe1 > client 2>&1
[ $? = 2 ] || { echo 'not ok: another version: not status 2'; failed=1; }
said 'another version there' \
	'says: weft [0-9.]*x asks, and weft [0-9.]* runs here: install the same on both hosts'
one_line
printf '#!/bin/sh\necho welcome\nexec weft "$@"\n' > chatty
chmod 755 chatty
refused 'a shell that greets' 'node02 prints "welcome" before weft speaks' \
	bw --ssh node02 --weft "$PWD/chatty" -d rxe1
printf '#!/bin/sh\nexec sleep 100\n' > silent
chmod 755 silent
refused 'one that says nothing' 'node02 has not answered within 2 s' \
	bw --ssh node02 --weft "$PWD/silent" -d rxe1 --wait 2s
refused 'where two ways are named' 'expected one of --ssh HOST' bw --ssh node02 --listen 127.0.0.1
refused 'a port without a use' 'no port of weft.s own' bw --ssh node02 -p 1234

# dies SENTENCE PATTERN WORDS COMMAND OPTION...: what has such a command line is killed in mid-run, when
# the QPs of both ends are connected. The
# end that was started by hand, where it lives, ends within 10 s, with status 2 and one line.
dies() {
	sentence=$1
	pattern=$2
	words=$3
	shift 3
	timeout 60 weft "$@" --ssh node02 -d rxe1 --peer-device rxe4 -D 40 > client 2>&1 &
	weft=$!
	for _ in $(seq 100); do
		[ "$(rdma resource show qp | grep -c 'state RTS.*comm weft')" -lt 2 ] || break
		sleep 0.2
	done
	sleep 1
	pkill -9 -f "$pattern" || { echo "not ok: $sentence: nothing to kill"; failed=1; cat client; }
	begin=$(date +%s)
	wait $weft
	status=$?
	took=$(($(date +%s) - begin))
	if [ -n "$words" ]; then
		said "$sentence" "$words"
		one_line
		if [ $status != 2 ] || [ $took -gt 10 ]; then
			echo "not ok: $sentence: status $status after $took s"
			failed=1
		fi
	fi
	gone "$sentence: nothing is left running"
}

there='^weft .* --listen -'
here='^weft .* --peer-device'
ud='-c UD --op send -s 1000'
# shellcheck disable=SC2086 # words
{
	dies 'ssh dies' '^ssh ' 'ssh to node02 was ended by signal 9' bw
	dies 'ssh dies while datagrams are sent' '^ssh ' 'ssh to node02 was ended by signal 9' bw $ud
	dies 'ssh dies while latency is measured' '^ssh ' 'ssh to node02 was ended by signal 9' lat
	dies 'the other end dies' "$there" 'ssh to node02, or the weft there, ended in mid-run' bw -b
	dies 'the other end dies in lat' "$there" 'or the weft there, ended in mid-run' lat --op send
	dies 'this end dies' "$here" '' bw -b
	dies 'this end dies in lat' "$here" '' lat
	dies 'this end dies while it sends alone' "$here" '' bw $ud
}
exit $failed
