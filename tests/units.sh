#!/bin/sh
# units.sh WEFT SERVICE TIMER: systemd finds nothing wrong in the units, as installed with
# this weft, and calls the service's exposure OK or better.
weft=$(realpath "$1") || exit 2
service=$2
timer=$3
command -v systemd-analyze > /dev/null || { echo "no systemd-analyze: install systemd"; exit 77; }
folder=$(mktemp -d) || exit 2
trap 'rm -rf "$folder"' EXIT
failed=0

sed "s|^ExecStart=[^ ]*|ExecStart=$weft|" "$service" > "$folder/weft-sweep@.service"
cp "$timer" "$folder/weft-sweep@.timer"
cd "$folder" || exit 2
for unit in weft-sweep@pod1.service weft-sweep@pod1.timer; do
	SYSTEMD_UNIT_PATH="$folder:" systemd-analyze verify --man=no "$unit" > said 2>&1 || {
		echo "$unit: systemd-analyze verify fails"
		failed=1
	}
	# what other units on this machine are like is not ours
	if grep 'weft' said; then failed=1; fi
done
systemd-analyze security --offline=yes --threshold=30 "$folder/weft-sweep@.service" > said 2>&1 || {
	tail -40 said
	failed=1
}
exit $failed
