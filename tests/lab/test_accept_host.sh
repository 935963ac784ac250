#!/bin/sh
# In the guest, of 4 devices: faults at the link of one host fail the acceptance, which names
# that link.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

fault dscp nic2 0
accept 1 'a host that sends with another traffic class fails'
says 'and is named' 'host2  *nic.dscp-map'
tc qdisc del dev nic2 clsact

fault mtu leaf2:nic3 1500
accept 1 'an MTU of 1500 at a port of a leaf fails'
says 'by the link of its host' 'host3-leaf2:1  *lossless.loss'
fault mtu leaf2:nic3 4300

fault delay leaf2:nic3 600ms
accept 1 'a link that delays fails'
says 'by the link of its host' 'host3-leaf2:1  *pairs.bandwidth'
fault rate leaf2:nic3 2mbit 16000000
WEFT_TEST_SPOIL=rxe3 accept 1 'a payload that comes in wrong fails' --layer pairs
says 'by the link of its host' 'host3-leaf2:1  *payload.check'
no_agents 'nothing is left running'
exit $failed
