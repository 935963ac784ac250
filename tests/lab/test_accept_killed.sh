#!/bin/sh
# In the guest: an agent that is killed at any moment of any kind of stage. The run goes on
# without it, ends, says what it lacks, with status 2, and nothing is left behind.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

# killed LAYER STAGE MOMENT HOST WHAT: the agent of a host that sends dies in this stage of its
# own; the first one, which is not kept, counts.
killed() {
	WEFT_TEST_DIE=rxe$4.$2.$3 accept 2 "$5" --layer "$1"
	says "$5: it says so" "host$4 (local): "
	no_agents "$5: nothing is left"
}

killed pairs 1 prepare 2 'killed before its QPs are there'
killed pairs 2 prepare 2 'killed when a stage that counts is prepared'
killed pairs 2 probe 2 'killed when its class probes have left'
killed pairs 2 traffic 2 'killed while pairs run'
killed pairs 2 payload 2 'killed before the payload of pairs is compared'
killed nonblocking 2 traffic 2 'killed in a permutation'
killed lossless 2 traffic 7 'killed while what an incast would harm runs alone'
killed lossless 3 traffic 1 'killed in an incast'
killed burst 2 traffic 2 'killed in a burst'
killed ring 2 traffic 2 'killed in a ring'
killed ring 2 steps 2 'killed before the steps of a ring are told'
exit $failed
