/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics that cannot be: sizes, policies, links, cables, hosts, planes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "refused.h"

static const struct refused cases[] = {
	REFUSED("an Ethernet MTU", SOUND "mtu: 9000\n",
		"5: mtu 9000: expected a RoCE MTU, the payload of a packet: 256, 512, 1024, "
		"2048 or 4096"),
	REFUSED("a link's speed in links and in hosts",
		SOUND "links: [{link: host1-leaf1, speed: 40G}]\nhosts: [{place: host1, speed: "
		      "25G}]\n",
		"6: hosts: the link of host1 is given in line 5 already, in links: expected "
		"its "
		"speed and length in one of the two"),
	REFUSED("an MTU that no QP has", SOUND "mtu: 1500\n",
		"5: mtu 1500: expected a RoCE MTU, the payload of a packet: 256, 512, 1024, "
		"2048 or 4096"),
	REFUSED("more hosts than there may be",
		"leaves: 1024\nspines: 2\nhosts_per_leaf: 65\nspeed: 100G\n",
		"3: 66560 hosts in all: expected at most 65536"),
	REFUSED("more cables than there may be",
		"leaves: 1024\nspines: 1000\nhosts_per_leaf: 4\nspeed: 100G\n",
		"3: 1028096 cables in all: expected at most 262144"),
	REFUSED("leaves that are no whole groups", SOUND "rails: 3\n",
		"5: rails 3 with 4 leaves: expected leaves in whole groups of one for each "
		"rail"),
	REFUSED("a leaf with more ports than a switch", SOUND "switch_ports: 5\n",
		"5: a leaf needs 6 ports (4 hosts, 2 uplinks) and a switch has 5: expected "
		"fewer hosts or spines, or more switch_ports"),
	REFUSED("a spine with more ports than a switch",
		"leaves: 40\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\nswitch_ports: 32\n",
		"5: a spine needs 40 ports (40 leaves, 1 to each) and a switch has 32: "
		"expected fewer leaves or cables, or more switch_ports"),
	REFUSED("a DSCP out of range", SOUND "policy: {dscp: 64}\n",
		"5: policy.dscp: \"64\": expected a whole number, 0 to 63"),
	REFUSED("a priority out of range", SOUND "policy: {priority: 8}\n",
		"5: policy.priority: \"8\": expected a whole number, 0 to 7"),
	REFUSED("CNPs in the priority of the data", SOUND "policy: {cnp_priority: 3}\n",
		"5: policy.cnp_priority 3: the priority of the data: expected another, so that "
		"CNPs do not wait behind it"),
	REFUSED("data in the priority of the CNPs", SOUND "policy: {priority: 6}\n",
		"5: policy.cnp_priority 6: the priority of the data: expected another, so that "
		"CNPs do not wait behind it"),
	REFUSED("CNPs with the DSCP of the data", SOUND "policy: {dscp: 48}\n",
		"5: policy.cnp_dscp 48: the DSCP of the data: expected another, so that "
		"switches can tell CNPs apart"),
	REFUSED("kmin above kmax", SOUND "policy:\n  ecn: {kmin: 2MiB, kmax: 1MiB}\n",
		"6: policy.ecn.kmin 2097152 bytes: expected at most ecn.kmax, 1048576 bytes"),
	REFUSED("kmin above the default kmax", SOUND "policy:\n  ecn: {kmax: 100KiB}\n",
		"6: policy.ecn.kmin 400000 bytes: expected at most ecn.kmax, 102400 bytes"),
	REFUSED("pmax above 1", SOUND "policy: {ecn: {pmax: 1.5}}\n",
		"5: policy.ecn.pmax: \"1.5\": expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("kilobytes", SOUND "policy: {buffer: 32MB}\n",
		"5: policy.buffer: \"32MB\": expected bytes such as 4096, 16KiB or 32MiB, 1MiB "
		"to 1GiB"),
	REFUSED("an alpha that is no power of two", SOUND "policy: {alpha: 1/3}\n",
		"5: policy.alpha: \"1/3\": expected one of 1|1/2|1/4|1/8|1/16|1/32|1/64|1/128"),
	REFUSED("a buffer that its headroom fills",
		SOUND "policy:\n  buffer: 1MiB\n  headroom: 500KiB\n",
		"6: policy.buffer 1048576 bytes: the headroom of the ports of leaf1 alone "
		"takes 3072000: expected a larger buffer, less headroom or shorter cables"),
	REFUSED("headroom larger than the buffer",
		SOUND "policy: {buffer: 1MiB, headroom: 2MiB}\n",
		"5: policy.headroom 2097152 bytes: expected less than the buffer, 1048576 "
		"bytes"),
	REFUSED("XON below zero", SOUND "policy: {xoff: 2KiB}\n",
		"5: policy.xon_offset 3072 bytes: expected less than xoff, 2048 bytes"),
	REFUSED("a transport that does not exist", SOUND "policy: {transport: tcp}\n",
		"5: policy.transport: \"tcp\": expected one of go-back-n|selective-repeat"),
	REFUSED("DCQCN steps out of order", SOUND "policy: {dcqcn: {rai: 2G, rhai: 1G}}\n",
		"5: policy.dcqcn.rhai 1000000000 b/s: expected at least dcqcn.rai, 2000000000 "
		"b/s"),
	REFUSED("neither yes nor no", SOUND "policy: {pfc: maybe}\n",
		"5: policy.pfc: \"maybe\": expected yes or no"),
	REFUSED("a share above one", SOUND "limits: {bandwidth: 95}\n",
		"5: limits.bandwidth: \"95\": expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("a share that is NaN", SOUND "limits: {bandwidth: .nan}\n",
		"5: limits.bandwidth: \".nan\": expected a fraction such as 0.001 or 0.1 %, "
		"0.000000001 to 1"),
	REFUSED("a share finer than it is kept", SOUND "limits: {loss: 1e-12}\n",
		"5: limits.loss: \"1e-12\": expected a fraction such as 0.001 or 0.1 %, 0 to "
		"1"),
	REFUSED("a link that is not there",
		SOUND "links:\n- link: leaf1-spine3\n  speed: 40G\n",
		"6: links.link \"leaf1-spine3\": no such link in this fabric: expected two "
		"ends that a cable joins"),
	REFUSED("a link between two leaves", SOUND "links: [{link: leaf1-leaf2}]\n",
		"5: links.link \"leaf1-leaf2\": no such link in this fabric: expected two ends "
		"that a cable joins"),
	REFUSED("a link that is one word", SOUND "links: [{link: leaf1}]\n",
		"5: links.link \"leaf1\": not a link: expected two ends such as leaf1-spine2 "
		"or leaf1:9-spine2:1"),
	REFUSED("one of two parallel links",
		SOUND "links_per_spine: 2\nlinks: [{link: leaf1-spine1}]\n",
		"6: links.link \"leaf1-spine1\": several cables join the two: expected one by "
		"its ports, such as leaf1:5-spine1:1"),
	REFUSED("a link given twice",
		SOUND "links:\n- {link: leaf1-spine1}\n- {link: leaf1:5-spine1:1}\n",
		"7: links.link \"leaf1:5-spine1:1\": given in line 6 already: expected each "
		"link once"),
	REFUSED("a links entry without a link", SOUND "links:\n- speed: 40G\n",
		"6: links: an entry without a link: expected one such as link: leaf1-spine2"),
	REFUSED("a link of an odd speed", SOUND "links: [{link: leaf1-spine1, speed: 99G}]\n",
		"5: links.speed 99G: no port has this speed: expected 1G, 10G, 25G, "
		"40G, 50G, "
		"100G, 200G, 400G, 800G or 1.6T"),
	REFUSED("all uplinks of a leaf absent",
		SOUND "links:\n- {link: leaf3-spine1, absent: yes}\n- {link: leaf3-spine2, "
		      "absent: yes}\n",
		"1: no path between leaf1 and leaf3: expected cables that join all leaves with "
		"hosts"),
	REFUSED("all hosts absent",
		"leaves: 1\nspines: 2\nhosts_per_leaf: 1\nspeed: 100G\nhosts: [{place: host1, "
		"absent: yes}]\n",
		"1: no host has a cable: expected at least one that is not absent"),
	REFUSED("a cable to nowhere", SOUND "cables:\n- {from: leaf1:7, to: leaf9:1}\n",
		"6: cables.to \"leaf9:1\": a cable to nowhere: expected a port of this fabric "
		"such as leaf1:9 or host3"),
	REFUSED("a cable to a port without a number",
		SOUND "cables: [{from: leaf1, to: spine1:5}]\n",
		"5: cables.from \"leaf1\": a cable to nowhere: expected a port of this fabric "
		"such as leaf1:9 or host3"),
	REFUSED("a cable with one end", SOUND "cables: [{from: leaf1:7}]\n",
		"5: cables: an entry without to: expected a port such as leaf1:9"),
	REFUSED("a cable in a port that is taken",
		SOUND "cables: [{from: leaf1:1, to: spine1:5}]\n",
		"5: cables.from \"leaf1:1\": the port holds the cable host1-leaf1:1 already: "
		"expected a free port, or that link as absent"),
	REFUSED("two cables in one port",
		SOUND
		"cables:\n- {from: leaf1:7, to: spine1:5}\n- {from: leaf2:7, to: spine1:5}\n",
		"7: cables.to \"spine1:5\": the port holds the cable leaf1:7-spine1:5 already: "
		"expected a free port, or that link as absent"),
	REFUSED("a cable to itself", SOUND "cables: [{from: leaf1:7, to: leaf1:8}]\n",
		"5: cables: from leaf1:7 to leaf1:8, the same device: expected two devices"),
	REFUSED("a NIC on a spine",
		SOUND
		"hosts: [{place: host1, absent: yes}]\ncables: [{from: host1, to: spine1:5}]\n",
		"6: cables: from host1 to spine1:5: expected the cable of a NIC to end at a "
		"leaf"),
	REFUSED("a NIC to a NIC",
		SOUND "hosts: [{place: host1, absent: yes}, {place: host2, absent: "
		      "yes}]\ncables: [{from: host1, to: host2}]\n",
		"6: cables: from host1 to host2: expected the cable of a NIC to end at a leaf"),
	REFUSED("a cable past the radix",
		SOUND "switch_ports: 8\ncables: [{from: leaf1:9, to: spine1:5}]\n",
		"6: cables.from \"leaf1:9\": a cable to nowhere: expected a port of this "
		"fabric such as leaf1:9 or host3"),
	REFUSED("a host that is not there", SOUND "hosts: [{place: host17}]\n",
		"5: hosts.place \"host17\": no such host or NIC: expected one such as host3 or "
		"host3:2, up to host16"),
	REFUSED("a hosts entry without a place", SOUND "hosts: [{host: node01}]\n",
		"5: hosts.place \"\": no such host or NIC: expected one such as host3 or "
		"host3:2, up to host16"),
	REFUSED("a host given twice", SOUND "hosts:\n- {place: host1}\n- {place: host1}\n",
		"7: hosts.place \"host1\": given in line 6 already: expected each host and NIC "
		"once"),
	REFUSED("one device for two NICs",
		SOUND "rails: 2\nhosts: [{place: host1, nic: mlx5_0}]\n",
		"6: hosts.nic \"mlx5_0\": host1 has 2 NICs: expected the place of one, such as "
		"host1:1"),
	REFUSED("a plane without a name", SOUND "planes:\n- leaves: 2\n",
		"6: planes: an entry without a name: expected name: sample, or another"),
	REFUSED("a plane of the name of the first", SOUND "planes: [{name: parameter}]\n",
		"5: planes.name \"parameter\": expected another name, as the keys on top are "
		"the parameter plane"),
	REFUSED("two planes of one name", SOUND "planes:\n- name: sample\n- name: sample\n",
		"7: planes.name \"sample\": given in line 6 already: expected another name"),
	REFUSED("a plane whose name is too long",
		SOUND "planes: [{name: pppppppppppppppppppppppppppppppp}]\n",
		"5: planes.name \"pppppppppppppppppppp...\": expected at most 31 bytes"),
	REFUSED("a plane in a plane", SOUND "planes: [{name: sample, planes: []}]\n",
		"5: planes: unknown key \"planes\": expected name, leaves, spines, "
		"hosts_per_leaf, speed, rails, links_per_spine, uplink_speed, switch_ports, "
		"mtu, proof, cable, latency, policy, limits, links, cables, hosts, faults"),
};

int main(void)
{
	return test_refusals("file_build", cases, COUNT_OF(cases));
}
