#!/bin/sh
# In the guest, of 4 devices: faults between the switches fail the acceptance, which
# names the pairs that run there, and never hangs.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

fault loss spine1:leaf2 1%
accept 1 'loss of 1 % on a port of a spine fails'
says 'by the pairs from leaf1 to leaf2' 'pairs from leaf1 to leaf2  *lossless.loss'
fault clear spine1:leaf2

# holds SENTENCE QUERY: the query of the run file counts something.
holds() {
	rows=$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchone()[0])' lab.run "$2")
	if [ "${rows:-0}" -gt 0 ]; then
		ok "$1 ($rows rows)"
	else
		not_ok "$1: none"
	fi
}
holds 'what drivers tell of their netdevs is in the run file' \
	"SELECT count(*) FROM counters WHERE name = 'peer_ifindex'"
holds 'so is when losses came, within their stages' \
	"SELECT count(*) FROM samples JOIN stage ON stage.id = samples.stage
	WHERE metric IN ('out_of_sequence', 'local_ack_timeout_err')
	AND t_ns BETWEEN t0_ns AND t1_ns"

fault rate spine1:leaf2 400kbit
accept 1 'a port of a spine that is 10 times slower fails'
# The acknowledgements of the other way stand in the same queue: that way is slow as well. In which
# stage it shows depends on the ways that the QPs have drawn.
says 'by the pairs across leaves' '^1  pairs [a-z]* leaf[12] [a-z]* leaf[12]  '
fault clear spine1:leaf2

(sleep 6; fault down spine1:leaf2) &
accept 1 'a port of a spine that goes down in mid-run fails'
says 'by QPs that gave up' 'flows gave up'
says 'and between which leaves' 'pairs [a-z]* leaf[12] [a-z]* leaf[12]  *lossless.loss'
wait
no_agents 'nothing is left running'
exit $failed
