#!/bin/sh
# watch.sh SOURCE WEFT: intervals of weft watch last as long as was asked for on average, be
# there no whole number of readings in them.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

port=root/sys/class/infiniband/mlx5_0/ports/1
mkdir -p $port/hw_counters $port/gid_attrs/ndevs root/sys/class/net/eth0/statistics
echo Ethernet > $port/link_layer
echo '4: ACTIVE' > $port/state
echo eth0 > $port/gid_attrs/ndevs/0
echo 0 > $port/hw_counters/np_cnp_sent
echo 0 > root/sys/class/net/eth0/statistics/rx_bytes

# Ten of 240 ms at ten readings a second; each cut to 200 ms would end after 2 s. A machine that
# is busy makes it longer only.
"$weft" watch --root root --interval 240ms --count 10 --json > out 2> err ||
	[ $? -eq 2 ] || fail "weft watch: $(cat err)"
[ "$(grep -c '"type": "interval"' out)" -eq 10 ] || fail "not ten intervals: $(cat out err)"
took=$(sed -n 's/^{"type": "end","elapsed_s": \([0-9.]*\),.*/\1/p' out)
awk -v took="$took" 'BEGIN {exit !(took > 2.3)}' || fail "ten intervals of 240 ms took $took s"
finish
