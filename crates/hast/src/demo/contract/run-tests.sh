#!/bin/sh
# Runs every tests/*.test and prints TAP.
cd "$(dirname "$0")/.." || exit 1
number=0
failed=0
for test in tests/*.test; do
    number=$((number + 1))
    if sh "$test"; then
        echo "ok $number - $test"
    else
        echo "not ok $number - $test"
        failed=1
    fi
done
exit "$failed"
