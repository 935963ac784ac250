#!/bin/sh
# bundle.sh SOURCE OUTPUT: makes OUTPUT of charts.js and the packages that the lock file
# pins, in a folder of its own beside OUTPUT, with their licences on top. Without npm, or
# without a registry, OUTPUT is empty and the reason is said: reports then have tables
# and no charts.
source=$1
output=$(realpath -m "$2")
folder=$output.d

without() {
	echo "reports without charts: $*"
	rm -rf "$folder"
	: > "$output"
	exit 0
}

# FILE...: as one comment that minifiers keep.
licences() {
	echo '/*!'
	for file; do
		printf '%s\n\n' "${file#node_modules/}"
		sed 's|\*/|* /|g' "$file"
		echo
	done
	echo '*/'
}

command -v npm > /dev/null || without 'there is no npm'
rm -rf "$folder"
mkdir -p "$folder" || exit 1
cp "$source/package.json" "$source/package-lock.json" "$source/charts.js" "$folder" || exit 1
cd "$folder" || exit 1
npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error \
	--fetch-retries=1 --fetch-timeout=30000 > npm.log 2>&1 ||
	without "npm could not install the packages: $(tail -n 1 npm.log)"
node_modules/.bin/esbuild charts.js --bundle --minify --format=iife --target=es2019 \
	--legal-comments=none --log-level=error --outfile=bundle.js > esbuild.log 2>&1 ||
	without "esbuild could not bundle them: $(head -n 1 esbuild.log)"
licences node_modules/echarts/NOTICE node_modules/echarts/LICENSE \
	node_modules/echarts/licenses/* \
	node_modules/zrender/LICENSE node_modules/tslib/LICENSE.txt > licences.js || exit 1
cat licences.js bundle.js > "$output" || exit 1
rm -rf "$folder"
