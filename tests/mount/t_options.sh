#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command line, as far as nothing is mounted.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# Every option that --help shows is in the manual.
case_manual() {
    local word page=$top/man/mount.anmfs.8 name
    for name in mount.anmfs anmfs; do
        "$BUILD/$name" --help >help
        sed '1,/^Options for -o/d' help | sed -n 's/^  \([a-z_]*\)=\{0,1\} .*/\1/p' >words
        [ "$(wc -l <words)" -gt 10 ]
        while IFS= read -r word; do
            grep -q "^\.It.* $word\( \|$\)" "$page" || eq "$word in the manual" ""
        done <words
        grep -o -e '--[a-z]*' help | sort -u >words
        while IFS= read -r word; do
            grep -q "^\.It.*Fl -${word#--}\( \|$\)" "$page" || eq "$word in the manual" ""
        done <words
    done
}

case_exit_status() {
    seed turret
    mkdir x
    local name
    for name in mount.anmfs anmfs; do
        exits 0 "$BUILD/$name" --version
        exits 0 "$BUILD/$name" -h
        exits 1 "$BUILD/$name"
        exits 1 "$BUILD/$name" turret.anm
        exits 1 "$BUILD/$name" turret.anm x -Z
        exits 1 "$BUILD/$name" turret.anm x -o fynsc=ask
        grep -q "did you mean 'fsync" err
        exits 1 "$BUILD/$name" turret.anm x -o umask=999
        exits 32 "$BUILD/$name" missing.anm x
        grep -q '^[a-z.]*: missing.anm: ' err
        exits 32 "$BUILD/$name" turret.anm missing
    done
    refute mountpoint -q x
}

# What cannot be read says where and why, before anything goes to the background.
case_no_animation() {
    seed turret
    mkdir x
    head -c 100 turret.anm >cut.anm
    exits 32 "$BUILD/mount.anmfs" cut.anm x
    grep -q 'cut.anm: offset [0-9]*: ' err
    echo 'version https://git-lfs.github.com/spec/v1' >pointer.anm
    exits 32 "$BUILD/mount.anmfs" pointer.anm x
    grep -q 'Git LFS' err
    exits 32 "$BUILD/mount.anmfs" x x
    mkfifo fifo.anm
    exits 32 timeout 5 "$BUILD/mount.anmfs" fifo.anm x
    refute mountpoint -q x
}

# mount(8)'s -f is not the -f of FUSE programs: it checks, and mounts nothing.
case_fake() {
    seed turret
    mkdir x
    exits 0 "$BUILD/mount.anmfs" turret.anm x -f -o rw
    refute mountpoint -q x
    head -c 100 turret.anm >cut.anm
    exits 32 "$BUILD/mount.anmfs" cut.anm x -f -o rw
}

# What mount(8) passes on from /etc/fstab.
case_words_of_mount() {
    seed turret
    mkdir x
    exits 0 "$BUILD/mount.anmfs" turret.anm x -f \
        -o rw,noexec,nosuid,nodev,user,noauto,_netdev,nofail,relatime,x-systemd.automount,comment=mine
    exits 0 "$BUILD/mount.anmfs" turret.anm x -f -s -v -n -o rw,unheard_of
    exits 0 "$BUILD/mount.anmfs" turret.anm x -f -t anmfs.gem -o rw
}

mounts_nothing=yes
run_cases "$@"
