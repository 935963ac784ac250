#!/bin/sh
# names.sh SOURCE WEFT: no run file takes the place of another one's that is of something
# else: fabrics of any language, and one layer beside the whole.
source=$(realpath "$1") || exit 2
weft=$(realpath "$2") || exit 2
# shellcheck source=tests/folder.sh disable=SC1091
. "$source/tests/folder.sh"

# NAME RUN ARGUMENT...: accept of a fabric of that name writes RUN.
writes() {
	name=$1
	run=$2
	shift 2
	sed "s|^name: .*|name: \"$name\"|" "$source/examples/small-8.yaml" > fabric.yaml
	"$weft" accept "$@" fabric.yaml > out || fail "$name: accept fails: $(head -1 out)"
	[ -f "$run" ] || fail "$name $*: wrote no $run; there are: $(ls ./*.run)"
	mv "$run" seen
	for left in ./*.run; do
		[ ! -e "$left" ] || fail "$name $*: wrote $left too"
	done
}

writes 机房 机房.run
writes 北京 北京.run
writes Zürich-2 Zürich-2.run
writes small-8 small-8.run
writes small-8 small-8-layer-burst.run --layer burst
# As ever.
writes 'a b/c:d' a-b-c-d.run
writes .hidden _hidden.run
finish
