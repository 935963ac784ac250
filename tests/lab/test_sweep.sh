#!/bin/sh
# In the guest, of 4 devices: sweeps on real devices go on where the last one stopped, and
# leave hosts alone of which nobody says that they are free.
# shellcheck source=tests/lab/accept.sh disable=SC1091,SC2154
. "$SOURCE/tests/lab/accept.sh"

time=20s
# sweep STATUS SENTENCE [OPTION...]
sweep() {
	wanted=$1
	sentence=$2
	shift 2
	weft sweep fabric.yaml --backend verbs --history nights --time "$time" "$@" > said 2>&1
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
# Of four agents the first that gets there says no.
cat > one-less << END
#!/bin/sh
mkdir "$PWD/refused" 2> /dev/null && { echo "no room here" >&2; exit 1; }
exec weft "\$@"
END
chmod 755 one-less
time=60s
sweep 2 'a host whose agent does not answer' --busy-if false --weft "$PWD/one-less"
says 'is told of' 'weft sweep: host[1-4] (local): .*no room here'
says 'and left out of a night that is unknown' \
	'^UNKNOWN .*: host[1-4] (local): .*no room here; [1-9].*, 1 of 4 hosts not known to be free'
silent=$(sed -n 's/^UNKNOWN [^:]*: \(host[1-4]\) .*/\1/p' said)
for night in nights/*.run; do :; done
weft report --csv nics "$night" > nics.csv
if awk -F, -v silent="$silent" '
	$1 == silent { seen = 1; used = $2 + $3 }
	$1 ~ /^host/ && $1 != silent { others += $2 > 0 || $3 > 0 }
	END { exit !(seen && !used && others >= 2) }' nics.csv; then
	ok 'the others were tried'
else
	not_ok "with \"$silent\" left out: $(cut -d, -f1-3 nics.csv | tr '\n' ' ')"
fi
no_agents 'nothing is left running'
exit "$failed"
