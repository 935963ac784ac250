# shellcheck shell=sh disable=SC2034 # failed is for who reads this in
# What the tests of bw and lat share; read in by them, in the guest.
failed=0
cd "$(mktemp -d)" || exit 2

# pair STATUS COMMAND [OPTION...]: rxe4 listens, rxe1 connects; output in client and
# server. Both must end with STATUS.
pair() {
	wanted=$1
	command=$2
	shift 2
	timeout 90 weft "$command" --listen 127.0.0.1 -d "${LISTENER:-rxe4}" > server 2>&1 &
	timeout 90 weft "$command" 127.0.0.1 -d "${CALLER:-rxe1}" "$@" > client 2>&1
	status=$?
	wait $!
	server_status=$?
	if [ $status != "$wanted" ] || [ $server_status != "$wanted" ]; then
		echo "not ok: weft $command $*: status $status, listener $server_status," \
			"expected $wanted"
		cat client
		echo "listener:"
		cat server
		failed=1
	fi
}

# alone COMMAND [OPTION...]: rxe1 starts the other end at rxe4 itself; passes.
alone() {
	command=$1
	shift
	timeout 60 weft "$command" --ssh local -d rxe1 --peer-device rxe4 "$@" > client 2>&1
	status=$?
	if [ $status != 0 ]; then
		echo "not ok: weft $command --ssh local $*: status $status, expected 0"
		cat client
		failed=1
	fi
}

# said SENTENCE WORDS [FILE]
said() {
	if grep -q "$2" "${3:-client}"; then
		echo "ok: $1"
	else
		echo "not ok: $1: no \"$2\" in:"
		cat "${3:-client}"
		failed=1
	fi
}

counter() {
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}
