#!/bin/sh
# letters.sh WEFT: no option of perftest is unknown to weft bw or weft lat: it is taken where it means the
# same, and otherwise answered by one sentence that says what would do.
weft=$1
bad=0

# answered COMMAND OPTION...: each is known, and takes no second line to be refused.
answered() {
	command=$1
	shift
	for option; do
		said=$("$weft" "$command" "$option" 2>&1 > /dev/null)
		status=$?
		case $said in
		*'unknown option'* | *"
"* | '')
			echo "weft $command $option: status $status: $said"
			bad=1
			;;
		esac
		[ $status = 2 ] || { echo "weft $command $option: status $status"; bad=1; }
	done
}

both='-A -D -F -I -L -M -O -Q -R -S -T -V -W -X -a -b -c -d -e -f -g -i -l -m -n -o -p -q -r -s -t -u -x -z
	--CPU-freq --all --bidirectional --connection --cpu_util --dlid --dont_xchg_versions --duration
	--events --force-link --gid-index --hop_limit --ib-dev --ib-port --inline_size --ipv6 --iters
	--margin --mcg --mmap --mtu --odp --out_json --out_json_file --output --outs --perform_warm_up
	--pkey_index --port --post_list --qp --qp-timeout --rdma_cm --report-counters --report_gbits
	--retry_count --run_infinitely --rx-depth --size --sl --source_ip --tclass --tos --tx-depth
	--use-srq --use_cuda --use_cuda_dmabuf --use_hugepages --use_old_post_send --vector --version
	--flow_label --bind_source_ip --pin_cores --disable_numa --disable_pcie_relaxed'
# shellcheck disable=SC2086 # words
{
	answered bw $both -N -w -y --noPeak --limit_bw --limit_msgrate --report-both --rate_limit \
		--rate_units --rate_limit_type --burst_size --reversed --cq-mod --data_validation
	answered lat $both -C -H -U --report-cycles --report-histogram --report-unsorted --latency_gap
}
exit $bad
