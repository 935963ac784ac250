/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that make no sense where or how they are given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "refused.h"

static const struct refused cases[] = {
	REFUSED("a fault without a kind", SOUND "faults:\n- place: leaf1\n",
		"6: faults: an entry without a kind: expected one such as kind: loss"),
	REFUSED("a fault without a place", SOUND "faults:\n- kind: loss\n",
		"6: faults: an entry without a place: expected one such as place: "
		"leaf1-spine2"),
	REFUSED("a fault of an unknown kind", SOUND "faults: [{kind: gremlin, place: leaf1}]\n",
		"5: faults.kind \"gremlin\": expected one of "
		"loss|rate|down|flap|pfc-off|dscp-map|ecn-off|slow-receiver|pause-storm|"
		"burst-loss|corrupt|cnp-loss|delay|swap|mtu|xoff|headroom|alpha|ecn|scheduler|"
		"watchdog|watchdog-off|policer|drop-size|drop-flows|black-hole|same-hash|"
		"pair-hash|spray|cnp-map|route-missing|route|cc-off|cnp-off|cnp-period|"
		"cc-step|timeout|back-to-zero|slow-recovery|slow-post|stall|"
		"rising-loss|watchdog-forward|rnr|loopback|slow-restart"),
	REFUSED("a flap of a whole switch", SOUND "faults: [{kind: flap, place: spine1}]\n",
		"5: faults.place \"spine1\" of flap: a whole switch: expected a link such as "
		"leaf1-spine2, or a port or NIC of it"),
	REFUSED("bursts of something else",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, burst: 4}]\n",
		"5: faults.burst 4: loss takes no burst: expected the key left out"),
	REFUSED("a swap with nothing", SOUND "faults: [{kind: swap, place: leaf1-spine1}]\n",
		"5: faults: swap without a link to swap with: expected one such as with: "
		"leaf2-spine2"),
	REFUSED("a swap with itself",
		SOUND "faults: [{kind: swap, place: leaf1-spine1, with: leaf1-spine1}]\n",
		"5: faults.with \"leaf1-spine1\": the link itself: expected another one"),
	REFUSED("a swap for a while",
		SOUND "faults: [{kind: swap, place: leaf1-spine1, with: leaf2-spine1, from: "
		      "1ms}]\n",
		"5: faults: swap holds all the time: expected neither from nor to"),
	REFUSED("a second link of something else",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, with: leaf2-spine1}]\n",
		"5: faults.with: loss takes no second link: expected the key left out"),
	REFUSED("a route to nowhere", SOUND "faults: [{kind: route, place: \"leaf1:5\"}]\n",
		"5: faults: route without a leaf that it leads to: expected one such as "
		"towards: leaf2"),
	REFUSED("a route to its own leaf",
		SOUND "faults: [{kind: route, place: \"leaf1:5\", towards: leaf1}]\n",
		"5: faults.towards \"leaf1\": expected another leaf, such as leaf2"),
	REFUSED("a route through a host",
		SOUND "faults: [{kind: route, place: \"leaf1:1\", towards: leaf2}]\n",
		"5: faults.place \"leaf1:1\" of route: a port towards a host: expected a port "
		"between two switches, such as leaf1:9"),
	REFUSED("a direction of something else",
		SOUND "faults: [{kind: loss, place: \"leaf1:5\", towards: leaf2}]\n",
		"5: faults.towards: loss leads nowhere: expected the key left out"),
	REFUSED("too short a timeout",
		SOUND "faults: [{kind: timeout, place: host1, amount: 0}]\n",
		"5: faults.amount \"0\" of timeout: expected a whole number, 1 to 31"),
	REFUSED("an MTU of a time", SOUND "faults: [{kind: mtu, place: host1, amount: 1ms}]\n",
		"5: faults.amount \"1ms\" of mtu: expected bytes such as 4096, 16KiB or "
		"32MiB, 256 to 65535"),
	REFUSED("a fault at an unknown place",
		SOUND "faults: [{kind: ecn-off, place: leaf5}]\n",
		"5: faults.place \"leaf5\" of ecn-off: no such place in this fabric: expected "
		"a switch such as leaf1, or one of its ports such as leaf1:9"),
	REFUSED("a fault at an unknown link",
		SOUND "faults: [{kind: loss, place: leaf1-spine3}]\n",
		"5: faults.place \"leaf1-spine3\": no such link in this fabric: expected two "
		"ends that a cable joins"),
	REFUSED("loss at a whole switch", SOUND "faults: [{kind: loss, place: leaf1}]\n",
		"5: faults.place \"leaf1\" of loss: a whole switch: expected a link such as "
		"leaf1-spine2, a port such as leaf1:9, or a NIC"),
	REFUSED("loss at a host with two NICs",
		SOUND "rails: 2\nfaults: [{kind: loss, place: host1}]\n",
		"6: faults.place \"host1\" of loss: host1 has 2 NICs: expected one of them, "
		"such as host1:1"),
	REFUSED("loss at a port with no cable",
		SOUND "cables: [{from: leaf1:9, to: spine1:9}]\nfaults: [{kind: loss, place: "
		      "leaf1:8}]\n",
		"6: faults.place \"leaf1:8\" of loss: nothing is plugged in there: expected a "
		"link such as leaf1-spine2, a port such as leaf1:9, or a NIC"),
	REFUSED("loss without end",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, amount: 1.1}]\n",
		"5: faults.amount \"1.1\" of loss: expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("loss of nothing",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, amount: 0}]\n",
		"5: faults.amount \"0\" of loss: expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("loss of not a number",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, amount: nan}]\n",
		"5: faults.amount \"nan\" of loss: expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("loss for a time",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, amount: 1ms}]\n",
		"5: faults.amount \"1ms\" of loss: expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("a rate of all",
		SOUND "faults: [{kind: rate, place: leaf1-spine1, amount: 1}]\n",
		"5: faults.amount \"1\" of rate: expected a fraction such as 0.001 or 0.1 %, "
		"0.001 to 0.999999999"),
	REFUSED("down by an amount",
		SOUND "faults: [{kind: down, place: leaf1-spine1, amount: 0.5}]\n",
		"5: faults.amount \"0.5\": down takes no amount: expected the key left out"),
	REFUSED("a flap by a share",
		SOUND "faults: [{kind: flap, place: leaf1-spine1, amount: 0.5}]\n",
		"5: faults.amount \"0.5\" of flap: expected a time such as 500ns, 20us or 1ms, "
		"1us to 3600s"),
	REFUSED("a flap longer than its period",
		SOUND "faults: [{kind: flap, place: leaf1-spine1, amount: 5ms, period: 5ms}]\n",
		"5: faults.period 5ms: expected more than the time down, the amount"),
	REFUSED("a flap longer than the default period",
		SOUND "faults: [{kind: flap, place: leaf1-spine1, amount: 20ms}]\n",
		"5: faults.amount 20ms: expected less than the period, 10ms when it is not "
		"given"),
	REFUSED("a period of something steady",
		SOUND "faults: [{kind: loss, place: leaf1-spine1, period: 5ms}]\n",
		"5: faults.period \"5ms\": loss takes no period: expected the key left out"),
	REFUSED("PFC off at a NIC", SOUND "faults: [{kind: pfc-off, place: host1}]\n",
		"5: faults.place \"host1\" of pfc-off: a NIC: expected a switch such as leaf1, "
		"or one of its ports such as leaf1:9"),
	REFUSED("PFC off at a link", SOUND "faults: [{kind: pfc-off, place: leaf1-spine1}]\n",
		"5: faults.place \"leaf1-spine1\" of pfc-off: a link: expected a switch such "
		"as leaf1, or one of its ports such as leaf1:9"),
	REFUSED("a DSCP map at a port", SOUND "faults: [{kind: dscp-map, place: leaf1:5}]\n",
		"5: faults.place \"leaf1:5\" of dscp-map: a port of a switch: expected a "
		"switch such as leaf1, or a NIC such as host3"),
	REFUSED("a DSCP map to the lossless priority",
		SOUND "faults: [{kind: dscp-map, place: leaf1, priority: 3}]\n",
		"5: faults.priority 3: the policy puts the traffic there already: expected "
		"another priority"),
	REFUSED("a priority at a NIC",
		SOUND "faults: [{kind: dscp-map, place: host1, priority: 1}]\n",
		"5: faults.priority 1: dscp-map at a NIC, which sends with DSCP 0, takes no "
		"priority: expected the key left out"),
	REFUSED("a priority of something else",
		SOUND "faults: [{kind: loss, place: host1, priority: 1}]\n",
		"5: faults.priority 1: loss takes no priority: expected the key left out"),
	REFUSED("ECN off at a NIC", SOUND "faults: [{kind: ecn-off, place: host1}]\n",
		"5: faults.place \"host1\" of ecn-off: a NIC: expected a switch such as leaf1, "
		"or one of its ports such as leaf1:9"),
	REFUSED("a slow receiver that is a switch",
		SOUND "faults: [{kind: slow-receiver, place: leaf1}]\n",
		"5: faults.place \"leaf1\" of slow-receiver: a whole switch: expected a NIC "
		"such as host3 or host3:2"),
	REFUSED("a slow receiver that is a port",
		SOUND "faults: [{kind: slow-receiver, place: leaf1:5}]\n",
		"5: faults.place \"leaf1:5\" of slow-receiver: a port of a switch: expected a "
		"NIC such as host3 or host3:2"),
	REFUSED("a slow receiver of two",
		SOUND "rails: 2\nfaults: [{kind: slow-receiver, place: host1}]\n",
		"6: faults.place \"host1\" of slow-receiver: host1 has 2 NICs: expected one of "
		"them, such as host1:1"),
	REFUSED("a pause storm of a link",
		SOUND "faults: [{kind: pause-storm, place: host1-leaf1}]\n",
		"5: faults.place \"host1-leaf1\" of pause-storm: a link: expected a NIC such "
		"as host3 or host3:2"),
	REFUSED("a pause storm by an amount",
		SOUND "faults: [{kind: pause-storm, place: host1, amount: 0.5}]\n",
		"5: faults.amount \"0.5\": pause-storm takes no amount: expected the key left "
		"out"),
	REFUSED("a fault that ends before it begins",
		SOUND "faults: [{kind: down, place: host1, from: 2ms, to: 1ms}]\n",
		"5: faults.to 1ms: expected a time after from, 2ms"),
	REFUSED("a fault that ends at once",
		SOUND "faults: [{kind: down, place: host1, to: 0}]\n",
		"5: faults.to: \"0\": expected a time such as 500ns, 20us or 1ms, 1ns to "
		"3600s"),
};

int main(void)
{
	return test_refusals("file_faults", cases, COUNT_OF(cases));
}
