#!/bin/sh
# In the guest: an acceptance on 8 real devices of a fabric without a fault passes, though the
# clocks of the hosts are 5 s apart; and one flipped bit is named.
# shellcheck source=tests/lab/accept.sh
. "$SOURCE/tests/lab/accept.sh"

# Agents whose clocks are 5 s apart, one in two.
cat > ahead << END
#!/bin/sh
[ \$((\$\$ % 2)) = 0 ] || exec "$BUILD/weft" agent
exec unshare --time --monotonic 5 --fork --kill-child "$BUILD/weft" agent
END
chmod 755 ahead
./ahead < /dev/null > warm # read from disk once
accept 0 'a fabric without a fault passes, whatever the clocks' --weft ./ahead
says 'what is not measured is told' 'not measured: pause at switches'
says 'every chunk of every step was compared' 'ring.sums  *4 times, found 0 chunks'
no_agents 'nothing is left running'
cp lab.run "$OUT/" 2> cp.err

WEFT_TEST_FLIP=3.9 accept 1 'one flipped bit fails' --layer ring
says 'rank, chunk and step are named' 'rank 3, host4: chunk 1 came in wrong in step 10 of all-reduce 1'

weft discover local > found.yaml 2> found.err || not_ok "weft discover: $(cat found.err)"
if weft plan --brief found.yaml > said 2>&1 && grep -q 'place: host1:8, host: "local", nic: "rxe8"' found.yaml; then
	ok 'weft discover writes a file of the 8 devices that weft plan takes'
else
	not_ok 'weft discover:'
	cat found.yaml said
fi
exit $failed
