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
says 'and are told of' 'its agent is gone'
wait
no_agents 'nothing is left running of it'

timeout 60 weft accept fabric.yaml --backend verbs > said 2>&1 &
weft=$!
sleep 5
pkill -9 -f 'weft accept'
wait $weft
no_agents 'a coordinator that is killed leaves no agent and no QP'

# frame KIND BODY: to an agent that is driven by hand.
frame() {
	printf '%b' "WF\\0001\\0$1\\0000\\0000$(printf '\\0%03o\\0%03o' $((${#2} / 256)) $((${#2} % 256)))$2"
}

# A coordinator whose host goes down in mid-run: nothing is heard, and nothing ends. The stage
# would begin in 9.9 s.
mkfifo questions
timeout 60 weft agent < questions > answers 2> said &
agent=$!
exec 3> questions
frame 002 '{"devices": ["rxe1"]}' >&3
frame 005 '{"ends": []}' >&3
frame 007 '{"ends": []}' >&3
frame 004 '{"id": 1}' >&3
for _ in $(seq 50); do
	grep -aq now_ns answers && break
	sleep 0.2
done
now=$(sed -n 's/.*"now_ns": *\([0-9]*\).*/\1/p' answers)
frame 011 "{\"at_ns\": $((now + 9900000000)), \"deadline_ns\": 60000000000}" >&3
wait $agent
says 'an agent whose coordinator falls silent in a stage ends' \
	'said nothing for 8 s'
exec 3>&-
no_agents 'nothing is left of it'

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
long=a_device_whose_name_is_as_long_as_names_of_devices_may_be_
for host in 1 2 3 4; do rdma dev set rxe$host name $long$host; done
accept 2 'devices with long names'
says 'a sentence that is too long for a frame is told in part' 'no RDMA device rxe1: there are a_dev'
for host in 1 2 3 4; do rdma dev set $long$host name rxe$host; done
sed -i 's/host: local/host: nosuch.invalid/' fabric.yaml
accept 2 'a host that does not exist'
says 'is told of' 'host4 (nosuch.invalid): '
no_agents 'nothing is left running of these'
exit $failed
