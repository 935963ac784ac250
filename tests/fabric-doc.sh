#!/bin/sh
# fabric-doc.sh SOURCE WEFT: every YAML example of docs/fabric-file.md and every file
# of examples/ is a fabric that weft plan takes, in every plane; and the page names
# each key that weft knows.
source=$1
weft=$(realpath "$2") || exit 2
page=$source/docs/fabric-file.md
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
bad=0

complain() {
	echo "$1"
	bad=1
}

awk -v folder="$folder" '
	/^```yaml$/ { n++; file = sprintf("%s/example-%02d.yaml", folder, n); next }
	/^```$/ { file = ""; next }
	file { print > file }
' "$page"
count=0
for example in "$folder"/*.yaml "$source"/examples/*.yaml; do
	grep -q '^leaves:' "$example" ||
		printf 'leaves: 4\nspines: 8\nhosts_per_leaf: 8\nspeed: 100G\n' >> "$example"
	planes=$(sed -n '/^planes:/,$s/^  - name: //p' "$example")
	for plane in parameter $planes; do
		"$weft" plan --plane "$plane" "$example" > "$folder/said" 2>&1 ||
			complain "$(basename "$example"), plane $plane: $(cat "$folder/said")"
		count=$((count + 1))
	done
done
[ "$count" -ge 25 ] || complain "only $count examples found"

# The keys as the table has them: COUNT(leaves, ...), or .name = "switch".
keys=$(sed -n 's/^.*\(COUNT\|SPEED\|RATE\|BYTES\|TIME\|LENGTH\|SHARE\|YES_NO\|CHOICE\|TEXT\|MAP\|LIST\)(\([a-z_]*\),* *.*$/\2/p
	s/^.*\.name = "\([a-z]*\)".*$/\1/p' "$source/fabric/file_keys.c" | sort -u | grep -v '^field$')
[ "$(echo "$keys" | wc -l)" -ge 50 ] || complain "few keys found in fabric/file_keys.c: $keys"
for key in $keys; do
	grep -q "\`[a-z.]*\b$key\`\|^ *\(- \)*{*$key:" "$page" ||
		complain "docs/fabric-file.md does not name the key $key"
done
exit $bad
