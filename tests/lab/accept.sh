# shellcheck shell=sh disable=SC2034 # failed is for who reads this in
# What the tests of accept on real devices share; read in by them, in the guest.
failed=0
cd "$(mktemp -d)" || exit 2
shape 2mbit || exit 2

ok() {
	echo "ok: $*"
}

not_ok() {
	echo "not ok: $*"
	failed=1
}

# The file of the lab for as many devices as there are here.
sed -e "s/^hosts_per_leaf: 4/hosts_per_leaf: $((DEVICES / LEAVES))/" \
	-e "s/^uplink_speed: 8M/uplink_speed: $((2 * DEVICES / LEAVES))M/" \
	"$SOURCE/examples/lab-8.yaml" | awk -v most="$DEVICES" '
	/place: host/{ n = $0; sub(/.*host/, "", n); n = $3; gsub(/[^0-9]/, "", n); if (n > most) next }
	{ print }' > fabric.yaml

# accept STATUS SENTENCE [OPTION...]: the output in said.
accept() {
	wanted=$1
	sentence=$2
	shift 2
	begin=$(date +%s)
	timeout 280 weft accept fabric.yaml --backend verbs --run "${RUN:-lab.run}" --verbose "$@" \
		> said 2>&1
	status=$?
	if [ $status = "$wanted" ]; then
		ok "$sentence ($(($(date +%s) - begin)) s)"
	else
		not_ok "$sentence: status $status, expected $wanted"
		cat said
	fi
}

# says SENTENCE WORDS: the last output has a line with the words.
says() {
	if grep -q "$2" said; then
		ok "$1"
	else
		not_ok "$1: no \"$2\" in:"
		head -n 60 said
	fi
}

# left: what weft has left here: processes, QPs and memory of the NICs, shared memory.
left() {
	pgrep -af 'weft agent|weft accept'
	rdma resource show qp | grep 'comm weft'
	rdma resource show mr | grep 'comm weft'
	ls -A /dev/shm
}

# no_agents SENTENCE: within 10 s.
no_agents() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left > there
		[ -s there ] || break
		sleep 1
	done
	if [ -s there ]; then
		not_ok "$1: still there: $(cat there)"
	else
		ok "$1"
	fi
}
