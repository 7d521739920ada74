#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A directory is mounted: its animations and folders are made, copied, renamed and removed through the mount.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

mod() {
    mkdir -p mod/units/deep
    seed turret mod/turret.anm
    seed mesh mod/units/mesh.anm
}

# on_disk: what is in the source.
on_disk() { find mod -mindepth 1 -printf '%P\n' | sort | tr '\n' ' '; }

# quiet: whatever was done, the log says nothing of it.
quiet() { eq "$(cat x.log)" ""; }

case_rename() {
    local inode
    mod
    mnt mod x
    inode=$(stat -c %i x/turret.anm/frames/006/keys)
    mv x/turret.anm "x/other name.ANM"
    eq "$(stat -c %i "x/other name.ANM/frames/006/keys")" "$inode"
    refute test -e x/turret.anm
    sed -i 's/0.38268343/0.5/' "x/other name.ANM/frames/006/keys"
    mv "x/other name.ANM" x/units/deep/a.anm
    eq "$(on_disk)" "units units/deep units/deep/a.anm units/mesh.anm "
    eq "$(cat x/units/deep/a.anm/frames/006/keys)" "turret orientation 0 0.5 0"
    sed -i 's/0.5/0.25/' x/units/deep/a.anm/frames/006/keys
    eq "$("$anm" cat mod/units/deep/a.anm frames/006/keys)" "turret orientation 0 0.25 0"
    # Without a look at it before.
    mv x/units/mesh.anm x/mesh.anm
    eq "$(stat -c %s x/mesh.anm/frames/012/gun.mesh)" "$("$anm" cat mod/mesh.anm frames/012/gun.mesh | wc -c)"
    quiet
}

# A rename while somebody writes: the save goes to the file under its new name.
case_rename_while_writing() {
    mod
    mnt mod x
    exec 7>x/turret.anm/frames/006/keys
    echo 'turret orientation 0 0.125 0' >&7
    mv x/turret.anm x/units/b.anm
    exec 7>&-
    eq "$("$anm" cat mod/units/b.anm frames/006/keys)" "turret orientation 0 0.125 0"
    eq "$(on_disk)" "units units/b.anm units/deep units/mesh.anm "
    quiet
}

case_rename_replaces_what_is_empty() {
    mod
    seed turret mod/full.anm
    seed empty mod/empty.anm
    mnt mod x
    fails "not empty" mv -T x/turret.anm x/full.anm
    fails "Not a directory" mv -T x/units x/full.anm
    fails "" mv -T x/turret.anm x/units
    mv -T x/turret.anm x/empty.anm
    cmp mod/empty.anm "$seeds/turret.anm"
    refute test -e x/turret.anm
    eq "$(grep -c orientation x/empty.anm/frames/006/keys)" 1
}

case_rename_refused() {
    mod
    echo text >mod/taken.anm.txt
    mnt mod x
    fails "not permitted" mv x/turret.anm x/turret.txt
    grep -q 'would not be shown' x/.anmfs/errors
    fails "not permitted" mv x/turret.anm x/units/mesh.anm/frames
    fails "not permitted" mv x/turret.anm/frames x/frames
    ln mod/taken.anm.txt mod/.taken
    eq "$(on_disk)" ".taken taken.anm.txt turret.anm units units/deep units/mesh.anm "
}

case_folders() {
    mod
    mnt mod x
    mkdir -p x/new/er/still
    mv x/units x/new/er/moved
    eq "$(on_disk)" "new new/er new/er/moved new/er/moved/deep new/er/moved/mesh.anm new/er/still turret.anm "
    eq "$(cat x/new/er/moved/mesh.anm/format)" "gem 6.0 frm2"
    sed -i 's/ 0 / 7 /' x/new/er/moved/mesh.anm/bones/gun/keys
    fails "not empty" rmdir x/new/er
    rmdir x/new/er/still x/new/er/moved/deep
    cp "$seeds/turret.anm" mod/new/er/moved/late.anm
    within 1 test -e x/new/er/moved/late.anm/frames/006/keys
    touch mod/new/er/moved/unseen.txt
    rm -r x/new/er/moved/mesh.anm x/new/er/moved/late.anm
    fails "not empty" rmdir x/new/er/moved
    quiet
}

case_mkdir() {
    mod
    mnt mod x
    mkdir x/new.anm
    eq "$("$anm" cat mod/new.anm format)" "gem 6.0 frm2"
    eq "$(ls -A x/new.anm)" ""
    echo body >x/new.anm/bonemap
    mkdir -p x/new.anm/frames/003
    echo 'body position 1 2 3' >x/new.anm/frames/003/keys
    eq "$("$anm" cat mod/new.anm keys)" "3 body position 1 2 3"
    fails "exists" mkdir x/new.anm
    eq "$(stat -c %a mod/new.anm)" 644
    (umask 077 && mkdir x/private.anm)
    eq "$(stat -c %a mod/private.anm)" 600
    fails "exists" mkdir x/turret.anm
    echo text >mod/file.txt
    fails "exists" mkdir x/file.txt
    unmnt x
    mnt mod x -o "version=gem 4.0 frmn"
    mkdir x/old.anm
    eq "$("$anm" cat mod/old.anm format)" "gem 4.0 frmn"
    eq "$(ls -A mod)" "$(ls mod)"
}

case_bad_version() {
    mod
    mkdir x
    fails "version=gem 9.9" "$BUILD/anmfs" -o "version=gem 9.9" mod x
}

# cp -r inside the mount gives an animation of the same bytes, where the file's order is what a load would choose.
case_copy() {
    local name other
    mod
    for name in empty gem1 gem3 mesh turret psx psx-fixed; do
        seed $name mod/$name.anm
    done
    cp "$seeds/psx.tsq" mod/psx.tsq
    mnt mod x
    for name in empty.anm gem3.anm mesh.anm turret.anm psx.anm psx-fixed.anm psx.tsq; do
        other=copy-$name
        cp -r "x/$name" "x/$other"
        diff -r "x/$name" "x/$other"
        cmp "mod/$name" "mod/$other"
    done
    cp -r x/turret.anm x/units/deep
    cmp mod/units/deep/turret.anm mod/turret.anm
    cp -r x/units x/twice
    diff -r x/units x/twice
    quiet
}

case_rmdir() {
    mod
    seed empty mod/empty.anm
    mnt mod x
    fails "not empty" rmdir x/turret.anm
    rmdir x/empty.anm
    rm -r x/turret.anm/frames/* x/turret.anm/bones/*
    rmdir x/turret.anm
    eq "$(on_disk)" "units units/deep units/mesh.anm "
    mkdir x/turret.anm
    rmdir x/turret.anm
    quiet
}

# rm -r: all or nothing.
case_remove() {
    mod
    seed psx mod/psx.anm
    cp "$seeds/psx.tim" mod/psx.tim
    cp "$seeds/turret.anm" mod/foreign.txt
    mnt mod x
    rm -r x/turret.anm x/psx.anm x/psx.tim
    eq "$(on_disk)" "foreign.txt units units/deep units/mesh.anm "
    rm -rf x/units
    eq "$(on_disk)" "foreign.txt "
    cp "$seeds/turret.anm" mod/turret.anm
    within 1 test -e x/turret.anm/frames/006/keys
    quiet
}

# What was removed only in part is back: after ten seconds, or as soon as somebody writes; the file was never touched.
case_remove_in_part() {
    local inode
    mod
    mnt mod x
    inode=$(stat -c %i mod/turret.anm)
    rm x/turret.anm/format
    rm -r x/turret.anm/bones x/turret.anm/frames/006
    eq "$(ls x/turret.anm)" $'bonemap\nframes\nheader'
    refute test -e x/turret.anm/frames/006/keys
    fails "not empty" rmdir x/turret.anm
    within 13 test -e x/turret.anm/bones/turret/keys
    eq "$(ls x/turret.anm)" $'bonemap\nbones\nformat\nframes\nheader'
    eq "$(stat -c %i mod/turret.anm)" "$inode"
    rm x/turret.anm/format
    rm -r x/turret.anm/frames
    echo 'body visible no' >>x/turret.anm/bonemap || true
    rm x/turret.anm/header
    echo '6 orientation 0 0.5 0' >x/turret.anm/bones/turret/keys
    eq "$(cat x/turret.anm/frames/006/keys)" "turret orientation 0 0.5 0"
    eq "$(ls x/turret.anm)" $'bonemap\nbones\nformat\nframes\nheader'
    # A file that is made again ends it, too: tar and git replace so.
    rm x/turret.anm/format
    rm -r x/turret.anm/bones
    echo 'gem 6.0 frm2' >x/turret.anm/format
    eq "$(ls x/turret.anm)" $'bonemap\nbones\nformat\nframes\nheader'
}

# Where nothing may be changed, nothing seems to be.
case_place_not_writable() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    command -v chattr >/dev/null || skip "chattr is not installed"
    mod
    chattr +i mod 2>/dev/null || skip "no immutable files here"
    mnt mod x
    status=0
    {
        fails "" mkdir x/new.anm && fails "" mkdir x/new && fails "" mv x/turret.anm x/b.anm &&
            fails "" rm -r x/turret.anm && fails "" rm -r x/units/deep/../../turret.anm
    } || status=1
    chattr -i mod
    eq "$status" 0
    eq "$(ls x)" $'turret.anm\nunits'
    within 2 test -e x/turret.anm/format
    eq "$(on_disk)" "turret.anm units units/deep units/mesh.anm "
}

run_cases "$@"
