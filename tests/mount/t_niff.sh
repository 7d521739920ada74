#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# NIFF files on a live mount: the tree, edits by the programs people use, sizes and links that follow.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

walk=$(cd "$(dirname "$0")" && pwd)/niff_walk.py

agrees() {
    python3 "$walk" a.niff
}

# changes COUNT: so many bytes of a.niff differ from before.niff, which is as long.
changes() {
    agrees
    eq "$(stat -c %s a.niff)" "$(stat -c %s before.niff)"
    eq "$(cmp -l before.niff a.niff | wc -l)" "$1"
}

# start [-o OPTIONS]: a NIFF 2.0 of three groups.
start() {
    cp "$seeds/plain-2.niff" a.niff
    cp "$seeds/plain-2.niff" before.niff
    mnt a.niff x "$@"
}

case_tree() {
    start
    eq "$(ls x | tr '\n' ' ')" "bones format frames header "
    eq "$(cat x/format)" "niff 2.0"
    eq "$(ls x/bones/turret_anim | tr '\n' ' ')" "group keys "
    eq "$(ls x/raw | tr '\n' ' ')" "bones extension lists "
    python3 -m json.tool <x/.anmfs/info.json >/dev/null
    eq "$(cat x/bones/*/keys | wc -l)" "$(cat x/frames/*/keys | wc -l)"
    fails 'No such file' ls x/frames/1
    grep -q . x/.anmfs/pose/001
}

case_copied_onto_itself() {
    local file
    find "$seeds" ${ANM_SAMPLES:+"$ANM_SAMPLES/niff"} \( -name '*.nif' -o -name '*.niff' \) >files
    while IFS= read -r file; do
        copied_onto_itself "$file"
    done <files
}

case_values() {
    start
    sed -i 's/^1 translate .*/1 translate 0 0.25 0/' x/bones/turret_anim/keys
    agrees
    eq "$(stat -c %s a.niff)" "$(stat -c %s before.niff)"
    [ "$(cmp -l before.niff a.niff | wc -l)" -le 4 ]
    grep -q '^turret_anim translate 0 0.25 0$' x/frames/001/keys
    exits 4 sed -i 's/^1 scale .*/1 scale 1 1/' x/bones/turret_anim/keys
    grep -q 'bones/turret_anim/keys:6:[0-9]*: expected three numbers, x y z' x/.anmfs/errors
    sed -i 's/^1 translate .*/1 translate 0 0.2 0/' x/bones/turret_anim/keys
    changes 0
}

# A key more: the sizes of record, table, list, header and file follow.
case_keys() {
    start
    printf '4 translate 1 2 3\n4 rotate 0 90deg 0\n4 scale 1 1 1\n' >>x/bones/turret_anim/keys
    agrees
    eq "$(stat -c %s a.niff)" "$(($(stat -c %s before.niff) + 52))"
    eq "$(grep -c turret x/frames/004/keys)" 3
    rm -r x/frames/004
    changes 0
    fails 'Invalid argument' rm x/frames/001/keys
    grep -q 'without a gap' x/.anmfs/errors
    cp -r x/frames/015 x/frames/050
    agrees
    eq "$(cat x/frames/050/keys)" "$(cat x/frames/015/keys)"
    mv x/frames/050 x/frames/040
    rm -r x/frames/040
    changes 0
}

case_groups() {
    start
    sed -i 's/^loop .*/loop 3/' x/bones/wheel_anim/group
    changes 1
    sed -i 's/^loop .*/loop endless/' x/bones/wheel_anim/group
    mv x/bones/wheel_anim x/bones/hose
    agrees
    grep -q '^user obj wheel$' x/bones/hose/group
    mkdir x/bones/spare
    cp x/bones/hose/keys t
    fails 'Invalid argument' cp t x/bones/spare/keys # of type static
    sed '/^user/d' x/bones/hose/group >x/bones/spare/group
    cp t x/bones/spare/keys
    agrees
    cmp x/bones/hose/keys x/bones/spare/keys
    rm -r x/bones/spare
    agrees
    cp -r x/bones/hose x/bones/copy
    agrees
    cmp x/bones/hose/keys x/bones/copy/keys
    grep -q '^user obj wheel$' x/bones/copy/group
    refute grep -q user x/bones/hose/group
    rm -r x/bones/turret_anim
    agrees
    eq "$("$anm" cat a.niff bones/copy/group)" "$(cat x/bones/copy/group)"
}

case_versions() {
    cp "$seeds/plain-1.niff" a.niff
    cp "$seeds/plain-1.niff" before.niff
    mnt a.niff x
    echo niff 2.0 >x/format
    agrees
    echo '1 rotate_x hermite 0.5 slope 0.01' >>x/bones/body_anim/keys
    agrees
    grep -q '^body_anim rotate_x hermite 0.5 slope 0.01$' x/frames/001/keys
    fails 'Invalid argument' cp /dev/stdin x/format <<<'niff 1.0'
    grep -q '1 channel keys of 1 groups' x/.anmfs/errors
    sed -i '/rotate_x/d' x/bones/body_anim/keys
    echo niff 1.0 >x/format
    changes 0
}

case_degrees() {
    start -o degrees
    sed -i 's/^1 rotate .*/1 rotate 0 90deg 0/' x/bones/turret_anim/keys
    eq "$("$anm" cat a.niff bones/turret_anim/keys | grep '^1 rotate')" "1 rotate 0 1.5707964 0"
    eq "$(grep 'turret_anim rotate' x/frames/001/keys)" "turret_anim rotate 0deg 90deg 0deg"
}

# The acceptance of a real file: named by its group, deleted, every object keeps what it had.
case_samples() {
    [ -e "${ANM_SAMPLES:-}/niff/pump.nif" ] || {
        echo "# skipped: no samples (ANM_SAMPLES)"
        return 0
    }
    cp "$ANM_SAMPLES/niff/pump.nif" a.niff
    chmod 644 a.niff
    cp a.niff before.niff
    mnt a.niff x
    printf '31 translate 1 2 3\n31 rotate 0 0 0\n31 scale 1 1 1\n' >>x/bones/Animation_for_pumpGroup/keys
    agrees
    eq "$(stat -c %s a.niff)" "$(($(stat -c %s before.niff) + 52))"
    rm -r x/frames/031
    changes 0
    mv x/bones/Animation_for_tube x/bones/hose
    agrees
    ls x/bones/hose/keys
    unmnt x
    cp "$ANM_SAMPLES/niff/dragon.nif" a.niff
    chmod 644 a.niff
    mnt a.niff x
    grep -H '^user' x/bones/*/group | grep -v Lwing_Group >users
    rm -r x/bones/Animation_for_Lwing_Group
    agrees
    grep -H '^user' x/bones/*/group >after
    cmp users after
}

run_cases "$@"
