#!/bin/sh
# busy.sh SOURCE: weft-busy tells busy hosts from free ones by their counters and by Slurm,
# and says so when it does not know.
busy=$(realpath "$1/cmd/weft-busy") || exit 2
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 2
failed=0
ports=root/sys/class/infiniband/mlx5_0/ports/1/counters
mkdir -p "$ports" bin

# STATUS WHAT: what weft-busy says of host1.
says() {
	PATH="$folder/bin:$PATH" WEFT_BUSY_ROOT=$folder/root "$busy" host1 > out 2>&1
	status=$?
	[ $status -eq "$1" ] || { echo "$2: status $status, not $1: $(cat out)"; failed=1; }
}

# The second in which weft-busy waits is when the counters move.
cat > bin/sleep << EOF
#!/bin/sh
cp $folder/next $folder/$ports/port_xmit_data
EOF
chmod +x bin/sleep

# SENT: words of four bytes in that second.
moves() {
	echo 1000 > $ports/port_xmit_data
	echo 5000 > $ports/port_rcv_data
	echo $((1000 + $1)) > next
}

says 2 "no counters"
moves 0
says 1 "nothing sent"
moves 20000000
says 1 "80 MB in a second"
moves 40000000
says 0 "160 MB in a second"
moves -500
says 2 "a counter that went down"
printf '#!/bin/sh\necho 4711\n' > bin/squeue
chmod +x bin/squeue
says 0 "a Slurm job"
printf '#!/bin/sh\nexit 0\n' > bin/squeue
moves 0
says 1 "no Slurm job, nothing sent"
printf '#!/bin/sh\nexit 1\n' > bin/squeue
says 2 "Slurm does not answer"
exit $failed
