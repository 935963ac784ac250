#!/bin/sh
# In the guest, of 4 devices: faults between the switches fail the acceptance, which
# names the pairs that run there, and never hangs.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

fault loss spine1:leaf2 1%
accept 1 'loss of 1 % on a port of a spine fails'
says 'by the pairs from leaf1 to leaf2' 'pairs from leaf1 to leaf2  *lossless.loss'
fault clear spine1:leaf2

fault rate spine1:leaf2 400kbit
accept 1 'a port of a spine that is 10 times slower fails'
# The acknowledgements of the other way stand in the same queue: that way is slow as well.
says 'by the pairs across leaves' 'pairs across leaves stay below'
fault clear spine1:leaf2

(sleep 6; fault down spine1:leaf2) &
accept 1 'a port of a spine that goes down in mid-run fails'
says 'by QPs that gave up' 'flows gave up'
wait
no_agents 'nothing is left running'
exit $failed
