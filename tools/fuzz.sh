#!/bin/sh
# Fuzzes every fuzz target of the module for FUZZTIME, one after the other, and stops
# at the first that fails. The input that it failed on is kept in testdata/fuzz of its
# package, where every later `go test` runs it.
set -eu
go=${GO:-go}
fuzztime=${FUZZTIME:-10m}
output=$(mktemp)
trap 'rm -f "$output"' EXIT

# Go up to 1.26 may report as a failure that the time is over:
# https://go.dev/issue/75804
time_is_over() {
	tr '\n' '|' <"$output" | grep -q -e '--- FAIL: [A-Za-z0-9_]* ([0-9.]*s)|    context deadline exceeded|FAIL|exit status 1|FAIL'
}

listed=$($go test -list '^Fuzz' ./...) || { echo "$listed"; exit 1; }
echo "$listed" | awk '
	/^Fuzz/ { targets[n++] = $1 }
	/^ok/   { for (i = 0; i < n; i++) print $2, targets[i]; n = 0 }
' | while read -r package target; do
	echo "== $package $target for $fuzztime"
	# An input is made smaller in 100 tries: where the order of things differs from run
	# to run, the 60 s that Go takes for it by default are lost.
	if $go test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 100x "$package" </dev/null >"$output" 2>&1 || time_is_over; then
		grep '^fuzz: elapsed' "$output" | tail -n 1
		continue
	fi
	cat "$output"
	echo "$target of $package has failed"
	exit 1
done
