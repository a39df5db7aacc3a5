#!/bin/sh
# Runs every tests/*.test and says which failed.
cd "$(dirname "$0")/.." || exit 1
failed=0
for test in tests/*.test; do
    if sh "$test"; then
        echo "ok   $test"
    else
        echo "FAIL $test"
        failed=1
    fi
done
exit "$failed"
