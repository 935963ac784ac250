#!/bin/sh
# In the guest, of 4 devices: sweeps on real devices go on where the last one stopped, and
# leave hosts alone of which nobody says that they are free.
# shellcheck source=tests/lab/accept.sh disable=SC1091,SC2154
. "$SOURCE/tests/lab/accept.sh"

# sweep STATUS SENTENCE [OPTION...]
sweep() {
	wanted=$1
	sentence=$2
	shift 2
	weft sweep fabric.yaml --backend verbs --history nights --time 20s "$@" > said 2>&1
	status=$?
	if [ $status = "$wanted" ]; then
		ok "$sentence"
	else
		not_ok "$sentence: status $status, expected $wanted: $(cat said)"
	fi
}

sweep 2 'hosts that may be busy'
says 'are told of' 'it is not known whether they are busy'
sweep 0 'a first night' --busy-if false
sweep 0 'a second one' --busy-if false
says 'which the history counts' '2 whole runs'
set -- nights/*.run
weft report --csv stages "$1" | awk -F, '$4 == "complete" { print $2 }' > one
weft report --csv stages "$2" | awk -F, '$4 == "complete" { print $2 }' > two
if [ -s one ] && [ -s two ] && ! grep -qxFf one two; then
	ok 'which runs what had not run'
else
	not_ok "the second night ran $(tr '\n' ' ' < two) after $(tr '\n' ' ' < one)"
fi
no_agents 'nothing is left running'
exit "$failed"
