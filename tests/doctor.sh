#!/bin/sh
# doctor.sh WEFT: a recorded host is read and named thing by thing: what is there,
# absent, denied, gone; hosts of a fabric file are asked over ssh side by side, and one
# that is silent makes the whole unknown. ssh here is a script that finds each host in a
# recorded root.
weft=$(realpath "$1") || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
bad=0

complain() {
	echo "$1"
	bad=1
}

# put FILE TEXT: a file of the recorded host $root.
put() {
	mkdir -p "$(dirname "$root/$1")"
	printf '%s\n' "$2" > "$root/$1"
}

# host NAME STATE ADDRESS: one RoCE port.
host() {
	root=$folder/$1
	port=sys/class/infiniband/mlx5_0/ports/1
	put $port/state "4: $2"
	put $port/link_layer Ethernet
	put $port/rate '400 Gb/sec (4X NDR)'
	put $port/gids/0 'fe80:0000:0000:0000:0000:5eff:fe00:5310'
	put $port/gid_attrs/types/0 'IB/RoCE v1'
	put $port/gid_attrs/ndevs/0 ens1f0np0
	put $port/gids/1 "$3"
	put $port/gid_attrs/types/1 'RoCE v2'
	put $port/gid_attrs/ndevs/1 ens1f0np0
	put $port/gids/2 '0000:0000:0000:0000:0000:0000:0000:0000'
	put $port/gid_attrs/types/2.errno 22
	put $port/counters/symbol_error 'N/A (no PMA)'
	put $port/counters/port_xmit_packets 5
	put $port/hw_counters.errno 19
	put sys/class/infiniband/mlx5_0/device.link 0000:17:00.0
	put sys/class/infiniband/mlx5_0/device/driver.link mlx5_core
	put sys/class/infiniband/mlx5_0/fw_ver 28.39.1002
	put sys/bus/pci/devices/0000:17:00.0/current_link_width 8
	put sys/bus/pci/devices/0000:17:00.0/max_link_width 16
	put sys/bus/pci/devices/0000:17:00.0/config.errno 13
	put sys/class/net/ens1f0np0/mtu 9000
	put sys/class/net/ens1f0np0/operstate up
	put sys/class/net/ens1f0np0/qos/trust dscp
	put verbs/mlx5_0-1 4096
	put netlink/dcb-ens1f0np0.errno 95
	put netlink/rdma-devices.errno 19
}

vlan() {
	put "proc/net/vlan/$1" "$1  VID: 100	 REORDER_HDR: 1  dev->priv_flags: 1021
Device: $2
INGRESS priority mappings: 0:0  1:0  2:0  3:0  4:0  5:0  6:0 7:0
 EGRESS priority mappings: 0:0 4:3 "
}

host node1 ACTIVE '0000:0000:0000:0000:0000:ffff:0a01:0101'
vlan ens1f0np0 ens1f0
host node2 DOWN '0000:0000:0000:0000:0000:ffff:0a01:0102'

"$weft" doctor --root "$folder/node1" --name node1 --all > "$folder/out" 2> "$folder/err"
[ $? = 1 ] || complain "doctor: a device that is gone is no fail"
# says WORDS: a line of the answer has them.
says() {
	grep -q -- "$1" "$folder/out" || complain "doctor does not say: $1"
}
says 'DEVICE_GONE'
says 'READING_DENIED'
says 'PCIE_DEGRADED'
says 'DCB_NOT_OFFERED'
says 'denied .*0000:17:00.0'
says 'not supported .*ens1f0np0'
says 'mlx5_0 .*ACTIVE .*400  4096 ?'
[ ! -s "$folder/err" ] || complain "doctor: stderr is not empty"

# What is recorded again reads the same.
"$weft" doctor --root "$folder/node1" --name node1 --facts --record "$folder/again" > "$folder/one"
"$weft" doctor --root "$folder/again" --name node1 --facts > "$folder/two"
tr -d '\n ' < "$folder/one" | grep -q '"key":"VLAN_EGRESS",[^}]*"subject":"ens1f0np0","name":"4",[^}]*"number":3' ||
	complain "the egress map of a VLAN is not read"
cmp -s "$folder/one" "$folder/two" || complain "a recorded host does not read the same"
"$weft" doctor --from "$folder/one" > "$folder/judged"
"$weft" doctor --root "$folder/node1" --name node1 > "$folder/out"
cmp -s "$folder/judged" "$folder/out" || complain "--from does not judge as the host itself does"

cat > "$folder/ssh" << END
#!/bin/sh
while [ "\$1" != -- ]; do shift; done
shift
host=\$1
echo "\$host" >> "$folder/asked"
shift 2
[ "\$host" != node3 ] || { echo "no route to node3" >&2; exit 255; }
[ "\$host" != node4 ] || exec sleep 60
exec "$weft" "\$@" --root "$folder/\$host"
END
chmod +x "$folder/ssh"
cat > "$folder/fabric.yaml" << 'END'
leaves: 2
spines: 1
hosts_per_leaf: 2
speed: 400G
hosts:
  - {place: host1, host: node1, nic: mlx5_0}
  - {place: host2, host: node2, nic: mlx5_0}
  - {place: host3, host: node3, nic: mlx5_0}
  - {place: host4, host: node4, nic: mlx5_0}
END
PATH=$folder:$PATH "$weft" doctor --window 0s --limit 4s "$folder/fabric.yaml" > "$folder/out" 2>&1
[ $? = 1 ] || complain "doctor of a fabric: a port that is down is no fail"
says 'node3 did not answer: no route to node3'
says 'node4 did not answer: not within the time limit'
says 'node2 mlx5_0 is DOWN'
says '4 hosts: FAIL'
PATH=$folder:$PATH "$weft" audit --window 0s --limit 4s "$folder/fabric.yaml" > "$folder/out" 2>&1
says 'node3 did not answer'
says 'node1 .*dscp .*26 -> 3\*'

# The host "local" is this one, as for accept: whatever it has, it answers, and ssh is not asked.
sed 's/node3/local/; /node[24]/d' "$folder/fabric.yaml" > "$folder/local.yaml"
for command in doctor audit; do
	: > "$folder/asked"
	PATH=$folder:$PATH "$weft" $command --window 0s "$folder/local.yaml" > "$folder/out" 2>&1
	[ "$(cat "$folder/asked")" = node1 ] || complain "$command: ssh to $(cat "$folder/asked")"
	! grep 'did not answer' "$folder/out" || complain "$command: this host does not answer"
	[ $command = audit ] || says '^== local: '
done
exit $bad
