#!/bin/sh
# Agents that tell what cannot be: the run ends, says which host is no good, and never passes.
# Here no device is needed: tests/liar.py stands in the place of the agents.
# usage: lies.sh SOURCE WEFT
source=$(realpath "$1")
weft=$(realpath "$2")
command -v python3 > where || exit 77
rm -f where
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0

sed -e 's/^hosts_per_leaf: 4/hosts_per_leaf: 2/' -e 's/^uplink_speed: 8M/uplink_speed: 4M/' \
	"$source/examples/lab-8.yaml" | grep -v 'host[5-8],' > fabric.yaml
cat > agent << END
#!/bin/sh
exec python3 "$source/tests/liar.py"
END
chmod 755 agent
PROGRAM=$("$weft" --version)
export PROGRAM

# lie LIE LAYER STATUS WORDS [LIAR]: the words stand in the report, lines joined.
lie() {
	LIE=$1 LIAR=${5:-rxe2} "$weft" accept fabric.yaml --backend verbs --launcher local --weft ./agent \
		--layer "$2" --run "$1.run" --verbose > out 2>&1
	status=$?
	tr -s '\n ' ' ' < out > said
	if [ $status = "$3" ] && grep -qF "$4" said; then
		echo "ok: $1, $2: status $3, $4"
	else
		echo "not ok: $1, $2: status $status, expected $3 with \"$4\":"
		head -n 40 out
		failed=1
	fi
}

lie none pairs 0 'PASS, with warnings'
lie none ring 0 'PASS, with warnings'
lie unreachable ring 1 'host2 (local): no way'
for layer in pairs ring; do
	lie clock $layer 2 "host2 (local): the peer's \"now_ns\" is"
	lie short $layer 2 "host2 (local): the peer's frame has no"
	lie nothing $layer 2 "host2 (local): the peer's frame has no"
	lie twice $layer 2 'host2 (local): its agent sent frame 10, expected'
	lie early $layer 2 'host2 (local): its agent sent frame 13, expected 10'
	lie deep $layer 2 'host2 (local): host2 (local) sent a frame that is no JSON'
	lie samples $layer 2 "host2 (local): its agent's counters make no sense"
done
lie huge pairs 2 'host2 (local): its agent tells of '
lie huge ring 2 'host2 (local): its agent tells of times that are not of the stage'
lie backwards pairs 2 'host2 (local): its agent tells of times that are not of the stage'
lie nan pairs 2 'sent a frame that is no JSON'
lie fraction pairs 2 "the peer's frame has no number \"posted\""
lie negative pairs 2 "the peer's frame has no number \"posted\""
lie steps-beyond ring 2 "the peer's \"taken\" is"
lie no-steps ring 2 'its agent has no steps'
lie huge pairs 2 'could not be run' all
lie clock pairs 2 'could not be run' all
exit $failed
