#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every real file at hand ($ANM_SAMPLES) and every seed: all texts copied onto themselves change nothing, one number changes four bytes.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

each_file() {
    local file
    for file in "$seeds"/*.anm ${ANM_SAMPLES:+"$ANM_SAMPLES"/gem/*.anm}; do
        [ -f "$file" ] && "$1" "$file"
    done
}

copied_onto_itself() {
    local before
    cp "$1" a.anm
    chmod 644 a.anm
    before=$(stat -c '%i %s %Y' a.anm)
    mnt a.anm x
    find x -type f >list
    printf '%s\n' x/.anmfs/info.json >>list
    [ ! -e x/keys ] || echo x/keys >>list # of GEM files
    while IFS= read -r file; do
        cp "$file" t
        case $file in *.json) continue ;; esac
        cp t "$file"
        cmp t "$file"
    done <list
    eq "$(cat x/.anmfs/errors)" ""
    unmnt x
    cmp "$1" a.anm
    eq "$(stat -c '%i %s %Y' a.anm)" "$before"
    rm a.anm
}

# The first position or orientation of some frame gets another number of the same kind.
one_number() {
    local frame line name
    cp "$1" a.anm
    chmod 644 a.anm
    mnt a.anm x
    frame=$(grep -lE '^[^ ]+ position ' x/frames/*/keys | head -n 1)
    if [ -n "$frame" ]; then
        cat x/bones/*/keys x/keys >/dev/null
        line=$(grep -nE '^[^ ]+ position ' "$frame" | head -n 1 | cut -d: -f1)
        name=$(sed -n "${line}s/ .*//p" "$frame")
        sed -i -E "${line}s/^([^ ]+ position) [^ ]+/\\1 77.125/" "$frame"
        eq "$(cmp -l "$1" a.anm | wc -l | awk '{ print ($1 >= 1 && $1 <= 4) }')" 1
        [ "$(cmp -l "$1" a.anm | awk 'NR == 1 { a = $1 } { b = $1 } END { print b - a }')" -lt 4 ]
        eq "$(stat -c %s "$1")" "$(stat -c %s a.anm)"
        grep -q '77.125' "x/bones/$name/keys"
        grep -q '77.125' x/keys
    fi
    unmnt x
    rm a.anm
}

case_copied_onto_itself() { each_file copied_onto_itself; }
case_one_number() { each_file one_number; }

run_cases "$@"
