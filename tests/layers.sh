#!/bin/sh
# layers.sh SOURCE: never sideways, never back. Fails when a folder includes one
# that it must not know, when a foreign library's header leaves lib/, or when a
# test is in the tree and not in meson.build.
cd "$1" || exit 2
bad=0

# knows FOLDER PATTERN: what FOLDER includes must lie in a folder of PATTERN.
knows() {
	if grep -n '#include "' "$1"/*.[ch] /dev/null | grep -v "\"\($2\)/"; then
		echo "the above: $1 knows only $2"
		bad=1
	fi
}
knows lib 'lib'
knows pfc 'pfc\|lib'
knows fabric 'fabric\|pfc\|lib'
knows reports 'reports\|lib'
knows cmd 'cmd\|fabric\|pfc\|reports\|lib'

foreign='infiniband/\|rdma/\|pcap\|netlink/\|jansson\|yaml\|cyaml\|sqlite'
if grep -n "#include <\($foreign\)" cmd/*.[ch] pfc/*.[ch] fabric/*.[ch] reports/*.[ch]; then
	echo "the above: headers of foreign libraries are for lib/ alone"
	bad=1
fi

# A wrapper's header hides its library; run_sql.h is private to lib/run*.c.
if grep -n "#include <\($foreign\)" lib/*.h | grep -v '^lib/run_sql.h:'; then
	echo "the above: a wrapper's header must not show the library"
	bad=1
fi
if grep -n '"lib/run_sql.h"' ./*/*.[ch] | grep -v '^./lib/run'; then
	echo "the above: lib/run_sql.h is private to lib/run*.c"
	bad=1
fi

# Nothing below cmd/ prints to the terminal or ends the program, but the one
# place where memory has run out.
if grep -nw 'stderr\|stdout\|exit\|_exit\|perror\|printf' lib/*.c pfc/*.c fabric/*.c \
	reports/*.c /dev/null | grep -v '^lib/grow.c:\|format(printf'; then
	echo "the above: only cmd/ prints to the terminal and exits"
	bad=1
fi

# A judge that knew what was injected would prove nothing.
if grep -n '[>.]faults\|fault_count\|FAULT_' fabric/judg*.[ch] fabric/evidence.[ch] fabric/tally.[ch] \
	fabric/chance.[ch] fabric/ringtime.[ch] fabric/lookup.[ch] pfc/*.[ch]; then
	echo "the above: judges must not look at the list of injected faults"
	bad=1
fi

# listed FILES-PREFIX SUFFIX WHERE-TO: each file's name is a key in tests/meson.build.
listed() {
	for file in "$1"*"$2"; do
		[ -e "$file" ] || continue
		name=${file#"$1"}
		if ! grep -q "^ *'${name%"$2"}':" tests/meson.build; then
			echo "$file is not in tests/meson.build"
			bad=1
		fi
	done
}
listed tests/unit/test_ .c
listed tests/golden/ .txt
listed tests/fuzz/corpus/ ''

exit $bad
