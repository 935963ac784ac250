#!/bin/sh
# run-file-doc.sh SOURCE: docs/run-file.md speaks of every table and column there is.
cd "$1" || exit 2
sed -n 's/^\t[A-Z0-9]*([a-z_]*, \([a-z_0-9]*\).*/\1/p;
	s/.*TABLE("\([a-z_]*\)".*/\1/p' lib/run_tables.c | sort -u | {
	bad=0
	while read -r word; do
		grep -qw "$word" docs/run-file.md && continue
		echo "docs/run-file.md does not speak of $word"
		bad=1
	done
	exit $bad
}
