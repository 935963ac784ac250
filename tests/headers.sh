#!/bin/sh
# headers.sh SOURCE COMPILER...: every header compiles alone.
cd "$1" || exit 2
shift
bad=0
for header in cmd/*.h fabric/*.h pfc/*.h reports/*.h lib/*.h; do
	printf '#include "%s"\nextern const int alone;\nconst int alone = 1;\n' "$header" |
		"$@" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Werror -I. -x c \
			-fsyntax-only - || { echo "$header does not compile alone"; bad=1; }
done
exit $bad
