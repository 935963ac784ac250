#!/bin/sh
# In the guest, of 4 devices: a gateway that ARP does not find takes the flows of its host, and
# no others.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

# host3 alone cannot find its leaf: connecting its QPs fails, on both ends of its flows here.
ip netns exec leaf2 ip link set nic3 arp off
ip neigh del 10.1.3.254 dev nic3
accept 1 'a host whose gateway does not answer fails'
says 'it is named' '^1  NIC host3'
if grep -q 'could not be run\|refuses' said; then
	not_ok 'the stages were run without it:'
	cat said
else
	ok 'the stages were run without it'
fi
no_agents 'nothing is left running of it'
exit $failed
