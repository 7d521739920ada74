#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What calls answer, written down in posix.table; and random ones on a raw node and a scratch file, compared with memory (fsx).
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# table SECTION [OPTION...]: the section's calls on a fresh mount, which takes them all without a word of trouble.
table() {
    local section=$1
    shift
    need python3
    seed mesh
    cp mesh.anm before.anm
    mnt mesh.anm x "$@"
    python3 "$top/tests/mount/posix.py" "$top/tests/mount/posix.table" "$section" x
    refute grep -qi 'sanitizer' x.log
    "$anm" info mesh.anm >/dev/null
}

case_open() {
    table open
    cmp mesh.anm before.anm
}

case_truncating_open() {
    table truncating_open
    eq "$("$anm" cat mesh.anm frames/006/keys)" 'turret visible yes'
    eq "$("$anm" cat mesh.anm frames/012/gun.mesh)" abc
}

case_truncate() {
    table truncate
    eq "$("$anm" cat mesh.anm frames/012/gun.mesh | wc -c)" 0
    eq "$("$anm" cat mesh.anm frames/006/keys)" 'turret orientation 0 0.38268343 0'
}

case_rename() {
    table rename
    eq "$("$anm" cat mesh.anm frames/006/keys)" 'turret visible no'
    eq "$("$anm" cat mesh.anm bonemap | tr '\n' ' ')" 'body turret cannon flash hatch '
}

case_unlink() {
    table unlink
    refute "$anm" cat mesh.anm frames/012/gun.mesh
    eq "$("$anm" cat mesh.anm bones/hatch/keys)" ''
}

case_mkdir() {
    table mkdir
    eq "$("$anm" ls mesh.anm frames | tr '\n' ' ')" '000/ 006/ 007/ 012/ 013/ 015/ 024/ '
    "$anm" ls mesh.anm bones | grep -qx '%2e.%2fx/'
}

case_rmdir() {
    table rmdir
    eq "$("$anm" ls mesh.anm frames | tr '\n' ' ')" '000/ 012/ 013/ 015/ 024/ '
}

case_attributes() {
    table attributes
    cmp mesh.anm before.anm
}

case_links() {
    table links
    cmp mesh.anm before.anm
}

case_read_only() {
    table read_only -o ro
    cmp mesh.anm before.anm
}

# random FILE: some thousand steps in a few rounds, each round with another seed and length.
random() {
    local round
    for round in 1 2 3; do
        "$BUILD/fsx" -s "$round" -n 400 -l $((round * 9001)) "$1"
    done
    "$BUILD/fsx" -s 4 -n 60 -l 700001 "$1"
}

# Any bytes are a mesh; what was last written is in the .anm.
case_fsx_raw_node() {
    seed mesh
    mnt mesh.anm x
    random x/frames/012/gun.mesh
    "$anm" cat mesh.anm frames/012/gun.mesh | cmp - x/frames/012/gun.mesh
    eq "$(wc -l <x/.anmfs/errors)" 0
    unmnt x
    mnt mesh.anm x
    "$anm" cat mesh.anm frames/012/gun.mesh | cmp - x/frames/012/gun.mesh
}

case_fsx_scratch() {
    seed mesh
    cp mesh.anm before.anm
    mnt mesh.anm x
    : >x/frames/012/keys~
    random x/frames/012/keys~
    cmp mesh.anm before.anm
}

# The checker itself: it is content with an ordinary file, and finds a byte that changed behind its back.
case_fsx_finds() {
    : >file
    random file
    (while :; do printf '\1' | dd of=file bs=1 seek=1 conv=notrunc status=none; done) &
    local pid=$! status=0
    "$BUILD/fsx" -n 100000 file >out 2>err || status=$?
    kill "$pid"
    eq "$status" 1
    grep -q 'file: ' err
}

case_long_names() {
    table long_names
}

case_derived() {
    table derived
}

case_spelling() {
    table spelling
}

run_cases "$@"
