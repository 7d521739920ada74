#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every live-mount test (or those named: run.sh basic editors) and adds up their counts.
set -u
cd "$(dirname "$0")/../.." || exit 1

tests=("${@/%/.sh}")
tests=("${tests[@]/#/tests/mount/t_}")
[ $# -gt 0 ] || tests=(tests/mount/t_*.sh)

passed=0 failed=0 skipped=0
for test in "${tests[@]}"; do
    # The counts are the last line; what came before is shown at once.
    last=
    while IFS= read -r line; do
        [ -z "$last" ] || printf '%s\n' "$last"
        last=$line
    done < <("$test")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
        passed=$((passed + BASH_REMATCH[1]))
        failed=$((failed + BASH_REMATCH[2]))
        skipped=$((skipped + BASH_REMATCH[3]))
    else
        printf '%s\nnot ok - %s ended early\n' "$last" "$test"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
