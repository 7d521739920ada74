#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Where caches, stages and names could part company: one case for each kind of fault that was found here.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

key=x/frames/006/keys
old='turret orientation 0 0.38268343 0'

start() {
    seed "$1"
    mnt "$1.anm" x "${@:2}"
}

# python CODE: with os, sys, errno and a function that names the errno of a call.
python() {
    timeout 20 python3 -c "
import errno, os, sys
def of(call, *args):
    try:
        call(*args)
        return 'fine'
    except OSError as e:
        return errno.errorcode[e.errno]
$1" "${@:2}"
}

# A write that finds the file changed must not wait for an invalidation: the kernel holds the page until it is answered.
case_write_is_answered_at_once() {
    start turret
    eq "$(python '
other = open("turret.anm", "r+b")
fd = os.open("x/bones/turret/keys", os.O_WRONLY)
bytes = other.read()
other.seek(0); other.write(bytes); other.flush(); os.fsync(other.fileno())
print(of(os.write, fd, b"0 none\n"), of(os.close, fd))')" "ESTALE fine"
    grep -q 'bones/turret/keys: the file was changed outside' x/.anmfs/errors
}

# Every way of removing or adding a mesh shows in all views, which had all been read before.
case_meshes_and_keys_agree() {
    start mesh
    cat x/frames/*/keys x/bones/*/keys x/keys x/frames/012/gun.mesh >gun.mesh
    cp x/frames/012/gun.mesh gun.mesh
    rm x/frames/012/gun.mesh
    refute grep 'gun mesh' x/frames/012/keys x/keys
    refute grep '^12 mesh' x/bones/gun/keys
    cp gun.mesh x/frames/012/.t
    mv x/frames/012/.t x/frames/012/hatch.mesh
    grep -q 'hatch mesh' x/frames/012/keys
    grep -q '^12 mesh' x/bones/hatch/keys
    cmp gun.mesh x/frames/012/hatch.mesh
    sed -i '/hatch mesh/d' x/frames/012/keys
    refute test -e x/frames/012/hatch.mesh
    refute grep mesh x/keys
}

# The kernel caches small listings, from the first page on: it is made then, not at opendir.
case_listing_is_of_its_first_page() {
    start turret
    python '
fd = os.open("x/bones", os.O_RDONLY)
with open("x/bonemap", "a") as f: f.write("newbone\n")
assert "newbone" in os.listdir(fd)
assert "newbone" in os.listdir("x/bones")'
    eq "$(find x/bones -name newbone)" x/bones/newbone
}

case_failed_truncate_leaves_nothing() {
    start turret
    cat x/bones/turret/keys >/dev/null
    eq "$(python 'print(of(os.truncate, "x/bones/turret/keys", 1 << 40))')" EFBIG
    sed -i 's/0.38268343/0.5/' "$key"
    grep -qx '6 orientation 0 0.5 0' x/bones/turret/keys
}

case_remounted_by_the_kernel() {
    start turret -o ro
    cat x/header >/dev/null
    mount -i -o remount,rw x || skip "the kernel does not remount here"
    refute sh -c 'echo length 30 >>x/header' 2>/dev/null
    eq "$(cat x/header)" "length 25"
}

# What is written to a node that the document lost is lost, and that is said.
case_writer_of_a_vanished_node_is_told() {
    start turret
    "$anm" put turret.anm frames/006/keys '# nothing'
    seed turret without.anm
    "$anm" rm -r without.anm frames/006
    within 5 test -e "$key"
    eq "$(python '
import time
fd = os.open(sys.argv[1], os.O_WRONLY)
os.write(fd, b"turret orientation 0 0.5 0\n")
os.rename("without.anm", "turret.anm")
while os.path.exists(sys.argv[1]): time.sleep(0.02)
print(of(os.write, fd, b"\n"), of(os.fsync, fd), of(os.close, fd))' "$key")" "ESTALE ESTALE ESTALE"
    grep -q 'changed outside' x/.anmfs/errors
}

case_refused_rename_over_an_unlinked_name() {
    start turret
    echo 'no such thing' >x/frames/006/.keys.tmp
    rm "$key"
    fails "cannot move" mv x/frames/006/.keys.tmp "$key"
    eq "$(cat "$key")" "$old"
    eq "$(ls x/frames/006)" keys
    eq "$("$anm" cat turret.anm frames/006/keys)" "$old"
}

# What comes back is what was saved, not what another writer had in hand when the name went.
case_unlink_under_a_writer() {
    start turret
    python '
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"half a text")
os.unlink(sys.argv[1])
new = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(new, b"no such thing")
os.write(fd, b" and more")
assert of(os.close, new) == "EINVAL"
assert of(os.close, fd) == "fine"' "$key"
    eq "$(cat "$key")" "$old"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$old"
}

# Two names removed: making one again must not bring back the other.
case_unlinks_are_undone_one_by_one() {
    start turret
    cp x/frames/013/keys t
    rm "$key" x/frames/013/keys
    mkdir x/frames/014
    rm -f x/frames/014/keys
    cp t x/frames/013/keys
    eq "$(cat x/frames/013/keys)" "$(cat t)"
    eq "$("$anm" cat turret.anm frames/006/keys)" ""
}

# What came by another path after an unlink is not overwritten by what that took.
case_unlink_and_another_view() {
    start turret
    python '
os.unlink(sys.argv[1])
new = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_EXCL)
os.write(new, b"no such thing")
with open("x/bones/turret/keys", "a") as track: track.write("6 orientation 0 0.5 0\n")
assert of(os.close, new) == "EINVAL"' "$key"
    eq "$(cat "$key")" "turret orientation 0 0.5 0"
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
}

case_truncate_by_path_says_busy() {
    start turret
    eq "$(python '
other = open("turret.anm", "r+b")
fd = os.open("x/bones/turret/keys", os.O_WRONLY)
bytes = other.read()
other.seek(0); other.write(bytes); other.flush(); os.fsync(other.fileno())
print(of(os.truncate, "x/bones/turret/keys", 30))')" EBUSY
}

# On a read-only mount files are not opened, and what is derived must still be new.
case_status_of_a_read_only_mount() {
    local count before=0
    start turret -o ro
    for _ in 1 2 3 4 5; do
        count=$(sed -n 's/.*"GETATTR":[^0-9]*\([0-9]*\).*/\1/p' x/.anmfs/status)
        [ "${count:-0}" -gt "$before" ]
        before=$count
    done
}

case_made_and_never_written() {
    start turret
    rm x/bones/hatch/keys
    python 'os.close(os.open("x/bones/hatch/keys", os.O_RDONLY | os.O_CREAT, 0o644))'
    python 'os.close(os.open("x/comment", os.O_WRONLY | os.O_CREAT, 0o644))'
    eq "$(cat x/format)" "gem 6.0 frm2 gem3"
    python 'os.close(os.open("x/frames/006/keys.new", os.O_RDONLY | os.O_CREAT, 0o644))'
    eq "$(stat -c %s x/bones/hatch/keys)" 0
}

case_mounted_twice() {
    start turret
    seed mesh
    fails "mounted there already" "$BUILD/mount.anmfs" mesh.anm x
}

case_times() {
    start turret
    touch -a -d '2001-01-01' "$key"
    eq "$(stat -c %x "$key" | cut -c1-10)" 2001-01-01
    touch -m -d '2002-02-02' "$key"
    eq "$(stat -c %y "$key" | cut -c1-10)" 2002-02-02
    eq "$(stat -c %x "$key" | cut -c1-10)" 2001-01-01
}

# What a save changed has its time, also when nobody had looked at it before; the rest has that of the file.
case_times_of_what_is_named_later() {
    seed turret
    touch -d '2003-03-03' turret.anm
    mnt turret.anm x
    sed -i 's/0.38268343/0.5/' "$key"
    eq "$(stat -c %y x/bones/turret/keys | cut -c1-4)" "$(date +%Y)"
    eq "$(stat -c %y x/bones/gun/keys x/frames/013/keys x/header | cut -c1-4 | uniq)" 2003
}

# A frame moved, a bone renamed: everything below follows, and what was read before is not stale.
case_moves_are_seen_below() {
    start turret
    cat x/frames/*/keys x/bones/*/keys x/keys >/dev/null
    mv x/frames/006 x/frames/007
    eq "$(cat x/frames/007/keys)" "$old"
    grep -qx '7 orientation 0 0.38268343 0' x/bones/turret/keys
    mv x/bones/turret x/bones/tower
    eq "$(cat x/frames/007/keys)" "tower orientation 0 0.38268343 0"
    grep -q '^tower ' x/frames/000/keys
    grep -qx '7 orientation 0 0.38268343 0' x/bones/tower/keys
    sed -i 's/0.38268343/0.5/' x/frames/007/keys
    grep -qx '7 orientation 0 0.5 0' x/bones/tower/keys
}

# Half a text is not saved, even when half of it would parse.
case_half_a_text_at_sigterm() {
    start turret
    cp turret.anm before.anm
    python '
import signal, time
fd = os.open("x/keys", os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"0 body position 0 0 0\n")
os.kill(int(sys.argv[1]), signal.SIGTERM)
time.sleep(0.5)
print(of(os.write, fd, b"x"))' "$(pid_of x)"
    within 5 refute mountpoint -q x
    mounts=() pids=()
    cmp before.anm turret.anm
    grep -q 'keys: not saved' x.log
}

case_file_moved_away_and_back() {
    start turret
    mv turret.anm away
    within 5 grep -q 'No such file' x/.anmfs/errors
    fails "" cp x/frames/013/keys x/frames/014.tmp
    mv away turret.anm
    echo 'turret orientation 0 0.5 0' >t
    within 5 cp t "$key"
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
}

# Nothing may be called saved while something else is on disk.
case_same_text_over_garbage() {
    start turret
    cp "$key" t
    echo garbage >g
    mv g turret.anm
    within 5 grep -q 'shorter than' x/.anmfs/errors
    fails "Stale file handle" cp t "$key"
    eq "$(cat turret.anm)" garbage
}

# cp -r goes by inode numbers: they are in the order of the listing, whatever was looked at first or made last.
case_inodes_are_in_listing_order() {
    start mesh
    cat x/frames/012/keys x/bonemap x/format >/dev/null
    cp x/frames/012/gun.mesh x/frames/012/turret.mesh
    eq "$(ls -i x/frames/012 | sort -n | awk '{ print $2 }' | tail -n 1)" keys
    cp -r x/frames/012 x/frames/040
    diff -r x/frames/012 x/frames/040
    eq "$(ls -i x | sort -n | awk '{ print $2 }' | tr '\n' ' ')" "$(ls -U x | tr '\n' ' ')"
    eq "$(find x -printf '%i\n' | sort | uniq -d)" ""
}

case_empty_over_empty_is_nothing() {
    start turret
    mkdir x/bones/new
    : >x/bones/new/.keys.tmp
    mv x/bones/new/.keys.tmp x/bones/new/keys
    eq "$(cat x/bones/new/keys)" ""
    : >x/frames/006/.keys.tmp
    fails "cannot move" mv x/frames/006/.keys.tmp "$key"
    eq "$(cat "$key")" "$old"
}

case_comment_removed_and_made_again() {
    start turret
    echo hi >x/comment
    cp x/comment x/comment.new
    rm x/comment
    mv x/comment.new x/comment
    eq "$("$anm" cat turret.anm comment)" hi
}

case_control_characters_go_nowhere() {
    start turret
    fails "Operation not permitted" touch x/frames/006/$'a\nb: c'
    fails "Operation not permitted" mkdir x/frames/$'a\x1b[31m'
    fails "Operation not permitted" mv x/frames/006 x/frames/$'\n'
    refute grep '^b: ' x/.anmfs/errors
    refute grep -P '\x1b' x/.anmfs/errors x.log
}

run_cases "$@"
