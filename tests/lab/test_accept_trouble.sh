#!/bin/sh
# In the guest, of 4 devices: hosts, agents, disk and ssh that are in trouble: the run ends,
# says what it lacks, with status 2, and nothing is left running.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

# One agent in each part of the run: while pairs run, permutations, and what comes after.
(
	for seconds in 4 14; do
		sleep $seconds
		pgrep -f 'weft agent' | head -n 1 | xargs -r kill -9
	done
) &
accept 2 'agents that are killed make the run unknown'
says 'and are told of' 'its agent is gone and said nothing'
wait
no_agents 'nothing is left running of it'

timeout 60 weft accept fabric.yaml --backend verbs > said 2>&1 &
weft=$!
sleep 5
pkill -9 -f 'weft accept'
wait $weft
no_agents 'a coordinator that is killed leaves no agent and no QP'

mkdir small
mount -t tmpfs -o size=200k tmpfs small
RUN=small/lab.run accept 2 'a full disk'
says 'is told of' 'No space left\|disk'
umount small
no_agents 'nothing is left running of it'

# A stand-in for ssh that meets a host which wants a password: there is no sshd here.
mkdir bin
cat > bin/ssh << 'END'
#!/bin/sh
case "$*" in
*BatchMode=yes*) echo "root@node02: Permission denied (publickey,password)." >&2; exit 255 ;;
esac
read -r password < /dev/tty
END
chmod 755 bin/ssh
PATH="$PWD/bin:$PATH" accept 2 'ssh that asks for a password' --launcher ssh
says 'is told of' 'host1 (local): root@node02: Permission denied'
sed -i 's/host: local/host: nosuch.invalid/' fabric.yaml
accept 2 'a host that does not exist'
says 'is told of' 'host4 (nosuch.invalid): '
no_agents 'nothing is left running of these'
exit $failed
