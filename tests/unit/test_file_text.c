/* SPDX-License-Identifier: Apache-2.0 */
/* What is no fabric file at all: text, YAML, keys and figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/units.h"
#include "refused.h"

static const struct refused cases[] = {
	REFUSED("nothing at all", "", "1: an empty file: expected \"key: value\" lines"),
	REFUSED("nothing but a comment", "# to do\n",
		"2: an empty file: expected \"key: value\" lines"),
	REFUSED("a word", "leafspine\n",
		"1: not a block of keys: expected \"key: value\" lines"),
	REFUSED("a list", "- leaves: 4\n",
		"1: not a block of keys: expected \"key: value\" lines"),
	REFUSED("a byte order mark",
		"\357\273\277leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: begins with a byte order mark: save it as UTF-8 without one"),
	REFUSED("a NUL byte", "leaves: 4\000\n",
		"1: byte 0x00, not a text file: expected YAML in UTF-8"),
	REFUSED("a byte that is not UTF-8", "leaves: 4\nname: \377\n",
		"2: byte 0xff is not UTF-8: expected YAML in UTF-8"),
	REFUSED("a tab as indentation", SOUND "policy:\n\tdscp: 26\n",
		"6: a tab in the indentation: expected spaces"),
	REFUSED("two documents",
		SOUND "---\nleaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"5: a second document: expected one in a file"),
	REFUSED("an anchor", SOUND "faults: &all []\n",
		"5: faults: an anchor (&name) is not taken: write the value out"),
	REFUSED("an alias", SOUND "name: *other\n",
		"5: name: an alias (*name) is not taken: write the value out"),
	REFUSED("a cyclic anchor", "a: &a [*a]\n",
		"1: an anchor (&name) is not taken: write the value out"),
	REFUSED("a tag", "leaves: !!int 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: a tag (!name) is not taken: write the value alone"),
	REFUSED("a bracket left open", SOUND "faults: [\n",
		"6: not YAML: did not find expected node content: expected \"key: value\" "
		"lines, indented by spaces"),
	REFUSED("a colon without a blank", "leaves:4\nspines: 2\n",
		"1: not a block of keys: expected \"key: value\" lines"),
	REFUSED("a key as a list", SOUND "? [a]\n: b\n",
		"5: a key that is not a word: expected \"key: value\""),
	REFUSED("a key given twice", SOUND "leaves: 8\n",
		"5: leaves: given twice: expected it once"),
	REFUSED("an unknown key, nearly right", SOUND "hosts_per_leave: 4\n",
		"5: unknown key \"hosts_per_leave\": did you mean \"hosts_per_leaf\""),
	REFUSED("an unknown key", SOUND "colour: blue\n",
		"5: unknown key \"colour\": expected name, leaves, spines, hosts_per_leaf, "
		"speed, rails, links_per_spine, uplink_speed, switch_ports, mtu, proof, cable, "
		"latency, policy, limits, links, cables, hosts, faults, planes"),
	REFUSED("an unknown key of the policy", SOUND "policy:\n  dcsp: 26\n",
		"6: policy: unknown key \"dcsp\": did you mean \"dscp\""),
	REFUSED("an unknown key of ECN", SOUND "policy:\n  ecn: {low: 3}\n",
		"6: policy.ecn: unknown key \"low\": expected kmin, kmax, pmax, off"),
	REFUSED("a number as a word",
		"leaves: four\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: \"four\": expected a whole number, 1 to 1024"),
	REFUSED("a number as a list",
		"leaves: [4]\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: a list: expected one value"),
	REFUSED("a number as a block",
		"leaves: {count: 4}\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: a block of keys: expected one value"),
	REFUSED("a block as a number", SOUND "policy: 26\n",
		"5: policy: one value or a list: expected a block of keys"),
	REFUSED("a list as a block", SOUND "faults: {kind: loss}\n",
		"5: faults: not a list: expected entries that begin with \"- \""),
	REFUSED("a list of words", SOUND "faults: [loss]\n",
		"5: faults: an entry that is not a block of keys: expected \"- key: value\""),
	REFUSED("a number with a fraction",
		"leaves: 4.5\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: \"4.5\": expected a whole number, 1 to 1024"),
	REFUSED("a hexadecimal number",
		"leaves: 0x10\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: \"0x10\": expected a whole number, 1 to 1024"),
	REFUSED("a negative number", "leaves: -4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: \"-4\": expected a whole number, 1 to 1024"),
	REFUSED("zero", "leaves: 4\nspines: 0\nhosts_per_leaf: 4\nspeed: 100G\n",
		"2: spines: \"0\": expected a whole number, 1 to 1024"),
	REFUSED("a huge number",
		"leaves: 99999999999999999999999999\nspines: 2\nhosts_per_leaf: 4\nspeed: "
		"100G\n",
		"1: leaves: \"99999999999999999999999999\": expected a whole number, 1 to "
		"1024"),
	REFUSED("an empty value", "leaves: \nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: leaves: \"\": expected a whole number, 1 to 1024"),
	REFUSED("no leaves", "#\nspines: 2\nhosts_per_leaf: 4\nspeed: 100G\n",
		"2: no key \"leaves\": expected one such as leaves: 4"),
	REFUSED("no spines", "leaves: 4\n#\nhosts_per_leaf: 4\nspeed: 100G\n",
		"1: no key \"spines\": expected one such as spines: 8"),
	REFUSED("no hosts", "leaves: 4\nspines: 2\n#\nspeed: 100G\n",
		"1: no key \"hosts_per_leaf\": expected one such as hosts_per_leaf: 8"),
	REFUSED("no speed", "leaves: 4\nspines: 2\nhosts_per_leaf: 4\n#\n",
		"1: no key \"speed\": expected one such as speed: 100G"),
	REFUSED("a speed without a unit",
		"leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100\n",
		"4: speed: \"100\": expected a speed such as 100G, 1M to 1600G"),
	REFUSED("a speed that no port has",
		"leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 33G\n",
		"4: speed 33G: no port has this speed: expected 1G, 10G, 25G, 40G, "
		"50G, 100G, "
		"200G, 400G, 800G or 1.6T"),
	REFUSED("a speed in bytes", "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: 100GiB\n",
		"4: speed: \"100GiB\": expected a speed such as 100G, 1M to 1600G"),
	REFUSED("NaN as a speed", "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: nan\n",
		"4: speed: \"nan\": expected a speed such as 100G, 1M to 1600G"),
	REFUSED("an infinite speed", "leaves: 4\nspines: 2\nhosts_per_leaf: 4\nspeed: .inf\n",
		"4: speed: \".inf\": expected a speed such as 100G, 1M to 1600G"),
	REFUSED("an uplink speed that no port has", SOUND "uplink_speed: 30G\n",
		"5: uplink_speed 30G: no port has this speed: expected 1G, 10G, "
		"25G, 40G, 50G, "
		"100G, 200G, 400G, 800G or 1.6T"),
	REFUSED("a length without a unit", SOUND "cable: {host: 5}\n",
		"5: cable.host: \"5\": expected a length such as 20m, 0m to 10000m"),
	REFUSED("a length that is too long", SOUND "cable: {uplink: 400km}\n",
		"5: cable.uplink: \"400km\": expected a length such as 20m, 0m to 10000m"),
	REFUSED("a time without a unit", SOUND "latency: {switch: 600}\n",
		"5: latency.switch: \"600\": expected a time such as 500ns, 20us or 1ms, 0ns "
		"to 1ms"),
	REFUSED("a name that is too long",
		SOUND
		"name: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\n",
		"5: name: \"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn...\": expected 1 to 63 "
		"bytes of text"),
	REFUSED("a control character in a name", SOUND "name: \"a\\x1b[2J\"\n",
		"5: name: a control character in the value: expected plain text"),
};

int main(void)
{
	return test_refusals("file_text", cases, COUNT_OF(cases));
}
