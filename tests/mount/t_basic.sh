#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The first promises: what is shown, what a save does to the .anm, what an unmount leaves.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

case_tree() {
    seed turret
    mnt turret.anm x
    eq "$(ls -U x | tr '\n' ' ')" "format header bonemap frames bones "
    eq "$(ls x/frames | tr '\n' ' ')" "000 006 012 013 015 024 "
    eq "$(ls x/bones | tr '\n' ' ')" "body flash gun hatch turret "
    eq "$(cat x/format)" "gem 6.0 frm2"
    eq "$(cat x/header)" "length 25"
    eq "$(tr '\n' ' ' <x/bonemap)" "body turret gun flash hatch "
    eq "$(cat x/frames/006/keys)" "turret orientation 0 0.38268343 0"
    eq "$(grep '^1' x/bones/gun/keys)" $'13 position 0 0.25 1.2\n15 position 0 0.25 1.5'
}

# Everything that can be listed reads, and the sizes that stat tells are the sizes read.
case_sizes() {
    local file
    seed mesh
    mnt mesh.anm x
    find x -type f | while IFS= read -r file; do
        eq "$file $(wc -c <"$file")" "$file $(stat -c %s "$file")"
    done
    eq "$(find x -name '*.mesh')" "x/frames/012/gun.mesh"
}

case_not_listed() {
    seed turret
    mnt turret.anm x
    eq "$(ls -A x | tr '\n' ' ')" "bonemap bones format frames header "
    eq "$(head -n 1 x/keys)" "0 body position 0 0 0"
    grep -q '"family":.*"gem"' x/.anmfs/info.json
    eq "$(grep '^turret orientation' x/.anmfs/pose/013)" "turret orientation 0 0.70710677 0"
    eq "$(cat x/.anmfs/errors)" ""
}

# One number edited with sed -i: both views show it, and just its four bytes changed on disk.
case_edit() {
    seed turret
    seed turret before.anm
    mnt turret.anm x
    sed -i 's/0.38268343/0.5/' x/frames/006/keys
    eq "$(cat x/frames/006/keys)" "turret orientation 0 0.5 0"
    eq "$(grep '^6 ' x/bones/turret/keys)" "6 orientation 0 0.5 0"
    eq "$(grep '^6 ' x/keys)" "6 turret orientation 0 0.5 0"
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
    eq "$(stat -c %s turret.anm)" "$(stat -c %s before.anm)"
    [ "$(cmp -l before.anm turret.anm | wc -l)" -le 4 ]
    eq "$(ls -A x/frames/006)" keys
    # And back through the other view: the file is what it was.
    sed -i 's/^6 .*/6 orientation 0 0.38268343 0/' x/bones/turret/keys
    eq "$(cat x/frames/006/keys)" "turret orientation 0 0.38268343 0"
    cmp before.anm turret.anm
}

case_append() {
    seed turret
    mnt turret.anm x
    echo '18 position 0 1.5 0' >>x/bones/turret/keys
    eq "$(cat x/frames/018/keys)" "turret position 0 1.5 0"
    echo 'turret visible no' >>x/frames/018/keys
    eq "$(tail -n 2 x/frames/018/keys)" $'turret position 0 1.5 0\nturret visible no'
    eq "$("$anm" cat turret.anm frames/018/keys)" $'turret position 0 1.5 0\nturret visible no'
}

case_directories() {
    seed turret
    mnt turret.anm x
    mkdir x/frames/030
    eq "$("$anm" cat turret.anm header)" "length 31"
    rmdir x/frames/030
    mv x/frames/013 x/frames/014
    eq "$("$anm" cat turret.anm frames/014/keys | head -n 1)" "gun position 0 0.25 1.2"
    mv x/bones/gun x/bones/cannon
    eq "$(sed -n 3p x/bonemap)" cannon
    eq "$(head -n 1 x/frames/014/keys)" "cannon position 0 0.25 1.2"
    rm -r x/bones/flash
    refute grep flash x/keys
    eq "$("$anm" cat turret.anm bonemap | tr '\n' ' ')" "body turret cannon hatch "
    fails "Operation not permitted" mkdir x/anything
    fails "Invalid argument" mkdir x/frames/7
}

# A text that is wrong: the writer is told, the file keeps its bytes, the reason can be read.
case_refused() {
    seed turret
    seed turret before.anm
    mnt turret.anm x
    printf 'turret orientation 0 0.5 0\nturret position 1 2\n' >bad
    fails "Invalid argument" cp bad x/frames/006/keys
    cmp before.anm turret.anm
    eq "$(cat x/frames/006/keys)" "turret orientation 0 0.38268343 0"
    grep -q 'frames/006/keys:2:' x/.anmfs/errors
}

# Nothing changed: the file is not written again.
case_same() {
    local before
    seed turret
    before=$(stat -c '%i %Y %Z' turret.anm)
    mnt turret.anm x
    touch x/frames/006/keys
    cat x/keys >copy
    cp copy x/keys
    sed -i 's/nothing/such/' x/frames/012/keys
    unmnt x
    eq "$(stat -c '%i %Y %Z' turret.anm)" "$before"
}

case_read_only() {
    seed turret
    mnt turret.anm x -o ro
    fails "Read-only file system" sed -i s/0/1/ x/frames/006/keys
    fails "Read-only file system" rmdir x/frames/006
    eq "$(cat x/frames/006/keys)" "turret orientation 0 0.38268343 0"
}

# The helper returns when the tree is there, and after the unmount nothing is left but the animation.
case_background() {
    seed turret
    mkdir x
    "$BUILD/mount.anmfs" turret.anm x
    eq "$(cat x/format)" "gem 6.0 frm2"
    fusermount3 -u x
    eq "$(ls -A)" $'turret.anm\nx'
    eq "$(ls -A x)" ""
}

# What a killed run of these tests left mounted is let go before its directory is removed, also when its daemon is dead or somebody
# looks at it; the animation behind it stays.
case_removed_around_mounts() {
    seed turret
    mkdir top
    mnt turret.anm top/x
    mnt turret.anm top/dead
    kill -9 "$(pid_of top/dead)"
    exec 7<top/x/frames/006/keys
    remove "$PWD/top"
    exec 7<&-
    refute test -e top
    cmp turret.anm "$seeds/turret.anm"
    within 5 refute kill -0 "$(pid_of top/x)"
    mounts=() pids=()
}

run_cases "$@"
