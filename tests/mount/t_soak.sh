#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Readers, writers and changes from outside at the same time, over many animations, with little memory, for SOAK_SECONDS (20). At the end
# every file is whole, every save that was acknowledged is there, and the daemon has not grown.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

case_soak() {
    need python3
    mkdir mod
    "$BUILD/make-mod" mod 200
    mnt mod x -o memory=8M
    python3 "$top/tests/mount/soak.py" "$anm" mod x "$(pid_of x)" "${SOAK_SECONDS:-20}"
}

run_cases "$@"
