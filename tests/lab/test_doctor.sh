#!/bin/sh
# In the guest: weft doctor and weft audit on network cards for tests, through the real
# kernel: each wrong setting and each way in which a reading can fail is found and named,
# and none is a pass.
cd /tmp || exit 2
failed=0
for device in $(seq "$DEVICES"); do
	rdma link delete "rxe$device"
done
# What the job asks for: DSCP 26, ECT(0).
export NCCL_IB_TC=106

cat > lab.yaml << EOF
name: lab
leaves: 2
spines: 1
hosts_per_leaf: 1
speed: 200G
cable: {host: 5m}
hosts:
  - {place: host1, host: host1, nic: mlx5_0}
EOF

# judged COMMAND...: its codes, and its status.
judged() {
	"$@" > answer 2> err
	status=$?
	sed -n 's/.*"code": *"\([A-Z_0-9]*\)".*/\1/p' answer | sort -u > codes
}

# doctor WINDOW: what it says of the host as it is; audit: of what was read last.
doctor() {
	weft doctor --facts --name host1 --window "$1" > facts.json 2> err || cat err
	judged weft doctor --json --from facts.json
}

audit() {
	judged weft audit --json --from facts.json lab.yaml
}

# found NAME CODE: the last doctor has it, and is no pass.
found() {
	if grep -qx "$2" codes && [ $status != 0 ] && [ ! -s err ]; then
		echo "ok: $1: $2"
	else
		echo "not ok: $1: status $status, no $2 in: $(tr '\n' ' ' < codes)"
		cat err
		failed=1
	fi
}

not_found() {
	if grep -qx "$2" codes; then
		echo "not ok: $1: $2"
		failed=1
	fi
}

# card: as the lossless policy wants it: priority 3 with PFC and a buffer of its own, and DSCP
# 26 in it.
card() {
	nic new mlx0 mlx5 rdma
	ip link set mlx0 up mtu 4200
	ip addr add 10.9.1.1/24 dev mlx0
	dcb pfc set dev mlx0 prio-pfc 3:on
	dcb app add dev mlx0 dscp-prio 26:3
	dcb app add dev mlx0 dscp-prio 48:6
	nic trust mlx0 dscp
	dcb ets set dev mlx0 tc-tsa all:strict 0:ets 3:ets tc-bw all:0 0:50 3:50 \
		prio-tc 0:0 1:1 2:2 3:3 4:4 5:5 6:6 7:7
	dcb buffer set dev mlx0 prio-buffer all:0 3:1 buffer-size 0:100000 1:162016
}

card
doctor 1s
for code in DSCP_NOT_LOSSLESS TRUST_PCP_WITH_DSCP PFC_OFF HEADROOM_ZERO HEADROOM_SHORT \
	COUNTER_RESET DCB_NOT_OFFERED READING_DENIED DEVICE_GONE; do
	not_found 'a card as it should be' $code
done
audit
for code in AUDIT_TRUST AUDIT_DSCP_MAP AUDIT_PFC AUDIT_BUFFER; do
	not_found 'and as the fabric file says' $code
done
dcb pfc set dev mlx0 prio-pfc 3:off 4:on
doctor 0s
found 'PFC on the wrong priority' DSCP_NOT_LOSSLESS
audit
found 'which is not that of the fabric file' AUDIT_PFC
dcb pfc set dev mlx0 prio-pfc 4:off
doctor 0s
found 'PFC on no priority' PFC_OFF
dcb pfc set dev mlx0 prio-pfc 3:on
nic trust mlx0 pcp
doctor 0s
found 'trust is missing' TRUST_PCP_WITH_DSCP
audit
found 'as the fabric file sees it' AUDIT_TRUST
nic trust mlx0 dscp
dcb app replace dev mlx0 dscp-prio 26:5
doctor 0s
found 'a wrong DSCP map' DSCP_NOT_LOSSLESS
audit
found 'as the fabric file sees it' AUDIT_DSCP_MAP
dcb app replace dev mlx0 dscp-prio 26:3
dcb buffer set dev mlx0 buffer-size 1:0
doctor 0s
found 'no buffer for the lossless priority' HEADROOM_ZERO
dcb buffer set dev mlx0 buffer-size 1:9000
doctor 0s
found 'a buffer that is too small' HEADROOM_SHORT
audit
found 'by the bytes of the fabric file' AUDIT_BUFFER
dcb buffer set dev mlx0 buffer-size 1:162016

# during ACTION: between the two readings of the counters.
during() {
	weft doctor --facts --name host1 --window 8s > facts.json 2> err &
	sleep 5
	eval "$1"
	wait $!
	judged weft doctor --json --from facts.json
}
nic set mlx0 rx_prio3_bytes 5000000000000
during 'nic reset mlx0'
found 'counters that are reset in mid-window' COUNTER_RESET
nic bits mlx0 32
nic set mlx0 out_of_sequence 4294967290
during 'nic add mlx0 out_of_sequence 10'
not_found 'a counter that wraps at 32 bits' COUNTER_RESET
nic bits mlx0 64
during 'nic remove mlx0'
found 'a card that goes away between two readings' DEVICE_GONE
card

nic dcb mlx0 0
doctor 0s
found 'a driver without dcbnl' DCB_NOT_OFFERED
not_found 'which is not PFC off' PFC_OFF
nic dcb mlx0 1
nic deny mlx0 1
doctor 1s
found 'permission is denied' READING_DENIED
nic deny mlx0 0

# On Soft-RoCE: no dcbnl, no PFC; not known, not passed.
nic remove mlx0
rdma link add rxe1 type rxe netdev nic1
doctor 1s
found 'Soft-RoCE' SOFTWARE_DEVICE
rdma link delete rxe1
doctor 0s
found 'no device at all' NO_RDMA_DEVICE
exit $failed
