#!/bin/sh
# Hosts behind ssh that do not answer as they should, with a stand-in for ssh: each has one line
# that says why, none harms another, and nothing is left running.
# usage: ssh.sh SOURCE WEFT
weft=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

mkdir bin
cat > bin/ssh << END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
host=\$2
case \$host in
late*) echo >> "\$0.late"; sleep 10 0.0$$; echo "ssh: connect to host \$host port 22: Connection timed out" >&2; exit 255 ;;
deaf*) echo "ssh: connect to host \$host port 22: Connection refused" >&2; exit 255 ;;
greeter*) echo "Welcome to \$host" ;;
banner*) echo "Unauthorized use is prohibited." >&2 ;;
without*) echo "bash: line 1: weft: command not found" >&2; exit 127 ;;
other*) printf 'WF\001\001\000\000\000\052{"program": "weft 0.0.1", "host": "other"}'; exec cat > "\$0.\$host" ;;
torn*) printf 'WF\001\001\000\000\000\052{"prog'; exit 0 ;;
large*) printf 'WF\001\001\177\000\000\000'; exec cat > "\$0.\$host" ;;
dies*) kill -9 \$\$ ;;
esac
exec "$weft" agent
END
chmod 755 bin/ssh
PATH=$folder/bin:$PATH

# says FILE HOST WORDS: one line of the file has this host and these words.
says() {
	if [ "$(grep -c "^weft [a-z]*: $2[: ]" "$1")" = 1 ] && grep "^weft [a-z]*: $2[: ]" "$1" | grep -qF "$3"; then
		echo "ok: $2: $3"
	else
		echo "not ok: $2: no \"$3\" in:"
		head -n 12 "$1"
		failed=1
	fi
}

# unknown WHAT STATUS
unknown() {
	[ "$2" = 2 ] && return
	echo "not ok: $1: exit status $2, expected 2"
	failed=1
}

bad='late1 deaf1 greeter1 without1 other1 torn1 large1 dies1'
good=$(seq -f node%g 60)
# shellcheck disable=SC2086 # hosts
"$weft" discover $bad banner1 $good > file 2> said
unknown discover $?

# all_say FILE [END]: END is what follows the host.
all_say() {
	says "$1" "late1$2" 'Connection timed out'
	says "$1" "deaf1$2" 'Connection refused'
	says "$1" "greeter1$2" '"Welcome to greeter1" was printed where its agent should answer'
	says "$1" "without1$2" 'command not found: install weft there, or say where it is with --weft'
	says "$1" "other1$2" 'weft 0.0.1 runs there'
	says "$1" "torn1$2" 'its agent is gone and said nothing'
	says "$1" "large1$2" 'the limit is'
	says "$1" "dies1$2" 'its agent is gone and said nothing'
}
all_say said
if [ "$(grep -c 'did not answer' file)" = 8 ] && [ "$(wc -l < said)" = 8 ]; then
	echo 'ok: hosts that do not answer take no other with them'
else
	echo 'not ok: other hosts are missing, too:'
	cat said file
	failed=1
fi

# Fewer open files than agents are asked at a time: whatever that leaves, it ends.
# shellcheck disable=SC2086 # hosts
prlimit --nofile=48:1024 "$weft" discover $good > file 2> said
if [ ! -s said ]; then
	echo 'ok: the limit of open files is raised for discover'
else
	echo 'not ok: discover with few open files:'
	cat said
	failed=1
fi
prlimit --nofile=24:24 timeout 30 "$weft" discover node1 > file 2> said
unknown 'discover that cannot wait' $?
says said node1 'waiting for its agent'

# What an agent starts has no part of its channel.
cat > bin/lldpcli << END
#!/bin/sh
ls -l /proc/self/fd > "$folder/descriptors"
END
chmod 755 bin/lldpcli
"$weft" discover local > file 2> said
if grep -q ' 0 -> /dev/null' descriptors && ! grep -q socket descriptors; then
	echo 'ok: what an agent starts has no part of its channel'
else
	echo 'not ok: what an agent starts has its channel:'
	cat descriptors said
	failed=1
fi

# The same of accept: no host here has a device, and that is the only thing that good ones lack.
{
	echo 'leaves: 1'
	echo 'spines: 1'
	echo "hosts_per_leaf: 69"
	echo 'speed: 100G'
	echo 'hosts:'
	number=0
	for host in $bad banner1 $good; do
		number=$((number + 1))
		echo "- {place: host$number, host: $host, nic: nosuch0}"
	done
} > fabric.yaml
# Of open files there are fewer than they take, until the limit is raised.
prlimit --nofile=48:1024 "$weft" accept fabric.yaml --backend verbs > out 2> said
unknown accept $?
sed 's/: host[0-9]* (\([a-z0-9]*\)):/: \1:/' said > plain
all_say plain
if [ "$(grep -c 'RDMA device' said)" = 61 ]; then
	echo 'ok: accept tells of each host, and only of its own trouble'
else
	echo 'not ok: accept:'
	cat said
	failed=1
fi

# A terminal that closes may send more than one SIGHUP.
{
	echo 'leaves: 1'
	echo 'spines: 1'
	echo 'hosts_per_leaf: 2'
	echo 'speed: 100G'
	echo 'hosts:'
	echo '- {place: host1, host: late1, nic: nosuch0}'
	echo '- {place: host2, host: late2, nic: nosuch0}'
} > late.yaml
rm -f bin/ssh.late
env --default-signal=HUP "$weft" accept late.yaml --backend verbs > out 2> said &
accept=$!
until [ -s bin/ssh.late ]; do sleep 0.1; done
kill -HUP $accept
sleep 0.1
kill -HUP $accept
wait $accept
unknown 'accept after SIGHUP' $?
if [ "$(cat said)" = 'weft accept: interrupted before all agents were there' ]; then
	echo 'ok: the second SIGHUP takes nothing away'
else
	echo 'not ok: after two SIGHUPs:'
	cat said
	failed=1
fi

# The agents, the stand-ins, and what these sleep in.
if pgrep -af "^$weft agent|$folder/bin/ssh|^sleep 10 0\\.0$$\$" > left; then
	echo "not ok: these are left: $(cat left)"
	failed=1
else
	echo 'ok: nothing is left running'
fi
exit $failed
