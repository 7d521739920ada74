#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A directory is mounted, and things happen in it outside: all of it shows within a second, also to those who have looked before.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

mod() {
    mkdir -p mod/units/deep
    seed turret mod/turret.anm
    seed mesh mod/units/mesh.anm
}

# shows PATHS: what is in the mount, down to the animations.
shows() { eq "$(cd x && find . -mindepth 1 \( -name '*.anm' -prune -o -true \) -printf '%P ' | tr ' ' '\n' | sort | tr '\n' ' ' | sed 's/^ //')" "$1"; }

# A change of every kind, of files and folders that were looked at and of others.
case_entries() {
    mod
    mnt mod x
    shows "turret.anm units units/deep units/mesh.anm "
    seed turret mod/new.anm
    within 1 shows "new.anm turret.anm units units/deep units/mesh.anm "
    mkdir mod/folder
    seed mesh mod/folder/mesh.anm
    within 1 shows "folder folder/mesh.anm new.anm turret.anm units units/deep units/mesh.anm "
    rm mod/new.anm
    within 1 shows "folder folder/mesh.anm turret.anm units units/deep units/mesh.anm "
    mv mod/turret.anm mod/units/deep/other.anm
    within 1 shows "folder folder/mesh.anm units units/deep units/deep/other.anm units/mesh.anm "
    mv mod/folder mod/units/moved
    within 1 shows "units units/deep units/deep/other.anm units/mesh.anm units/moved units/moved/mesh.anm "
    rm -r mod/units
    within 1 shows ""
    cp -r "$seeds/." mod/units
    rm mod/units/*.t?? mod/units/*.niff
    within 1 test -e x/units/gem3.anm/format
    ln -s units/gem3.anm mod/link.anm
    within 1 test -e x/link.anm/format
    mv mod/link.anm mod/linked.txt
    within 1 refute test -e x/link.anm
    touch mod/temporary && mv mod/temporary mod/units/plain.txt
    rm mod/units/*.anm
    seed turret mod/units/last.anm
    within 1 shows "linked.txt units units/last.anm "
    eq "$(cat x.log)" ""
}

# edited FILE: each way to change a file shows in an animation that was read, and in one that was not.
case_edits() {
    local value=1 how
    mod
    seed turret mod/unread.anm
    mnt mod x
    cat x/turret.anm/*/*/keys >/dev/null
    for how in replace in_place append; do
        value=$((value + 1))
        cp "$seeds/turret.anm" other.anm
        "$anm" put other.anm frames/006/keys "turret orientation 0 0.5 $value"
        case $how in
        replace) cp other.anm mod/.other && mv mod/.other mod/turret.anm ;;
        in_place) cat other.anm >mod/turret.anm ;;
        append) "$anm" put mod/turret.anm frames/006/keys "turret orientation 0 0.5 $value" ;;
        esac
        within 1 grep -qx "turret orientation 0 0.5 $value" x/turret.anm/frames/006/keys
        eq "$(grep '^6 ' x/turret.anm/bones/turret/keys)" "6 orientation 0 0.5 $value"
    done
    cp "$seeds/mesh.anm" mod/unread.anm
    within 1 test -e x/unread.anm/frames/012/gun.mesh
    # The same file under another name is still what it is.
    mv mod/turret.anm mod/renamed.anm
    within 1 grep -qx "turret orientation 0 0.5 $value" x/renamed.anm/frames/006/keys
    # Another in its place.
    mv mod/unread.anm mod/renamed.anm
    within 1 test -e x/renamed.anm/frames/012/gun.mesh
    refute test -e x/unread.anm
}

# What somebody was writing when it changed is refused, what came stays; where it went, too.
case_writers() {
    local what
    need python3
    for what in "shutil.copy('other.anm', 'top/mod/turret.anm')" "os.unlink('top/mod/turret.anm')" \
        "os.rename('top/mod/turret.anm', 'top/mod/other.anm')" "os.rename('top/mod', 'top/gone')"; do
        mod
        mkdir top
        mv mod top
        seed turret other.anm
        "$anm" put other.anm frames/006/keys "turret orientation 0 0.5 7"
        mnt top x
        python3 - "$what" <<'END'
import errno, os, shutil, sys
fd = os.open("x/mod/turret.anm/frames/006/keys", os.O_WRONLY | os.O_TRUNC)
reader = os.open("x/mod/turret.anm/frames/012/keys", os.O_RDONLY)
before = os.pread(reader, 100, 0)
os.write(fd, b"turret orientation 0 0.125 0\n")
exec(sys.argv[1])
for call in (lambda: os.fsync(fd), lambda: os.close(fd)):
    try:
        call()
        sys.exit("no error: " + sys.argv[1])
    except OSError as e:
        assert e.errno == errno.ESTALE, e
if "copy" not in sys.argv[1]:
    assert os.pread(reader, 100, 0) == before
END
        unmnt x
        eq "$(find top -name '.anmfs*')" ""
        refute grep -r 0.125 top
        rm -r top
    done
}

# More at once than the kernel's queue holds: events are lost, nothing else is.
case_lost_events() {
    local i
    mod
    mnt mod x
    find x >/dev/null
    kill -STOP "$(pid_of x)"
    for ((i = 0; i < 3000; i++)); do
        echo >mod/units/t$i.txt
        echo >mod/units/t$i.txt
        mv mod/units/t$i.txt mod/units/u$i.txt
        rm mod/units/u$i.txt
    done
    seed turret mod/units/new.anm
    rm mod/turret.anm
    kill -CONT "$(pid_of x)"
    within 2 test -e x/units/new.anm/frames/006/keys
    within 2 refute test -e x/turret.anm
}

# Where changes cannot be watched, folders are looked at when they are asked for; that is said once.
case_unwatched() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    mod
    limit=$(cat /proc/sys/fs/inotify/max_user_watches)
    trap 'echo "$limit" >/proc/sys/fs/inotify/max_user_watches; case_clean' EXIT
    echo 1 >/proc/sys/fs/inotify/max_user_watches
    mnt mod x
    find x >/dev/null
    eq "$(grep -c 'changes made outside show after a second' x.log)" 1
    seed turret mod/units/deep/new.anm
    within 3 test -e x/units/deep/new.anm/frames/006/keys
    "$anm" put mod/units/deep/new.anm frames/006/keys "turret orientation 0 0.5 7"
    within 3 grep -qx "turret orientation 0 0.5 7" x/units/deep/new.anm/frames/006/keys
    echo "turret orientation 0 0.5 8" >x/units/deep/new.anm/frames/006/keys
    eq "$("$anm" cat mod/units/deep/new.anm frames/006/keys)" "turret orientation 0 0.5 8"
    rm mod/units/deep/new.anm
    within 3 refute test -e x/units/deep/new.anm
    mv mod/units/deep mod/units/deeper
    within 3 test -d x/units/deeper
}

run_cases "$@"
