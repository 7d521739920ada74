#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The file is changed behind the mount: readers see it, a save that knows nothing of it is refused and overwrites nothing.
# shellcheck disable=SC2119 # start takes options, or none
# shellcheck source=tests/mount/faults.sh
. "$(dirname "$0")/faults.sh"

# A change that can be read is seen within two seconds (most within milliseconds), by those who have read before, too; the next
# save is made upon it.
case_outside_seen() {
    local change value=1
    start
    for change in replace in_place rewrite; do
        value=$((value + 1))
        other $value
        "$anm" put t/other.anm frames/013/keys "gun position 0 0.25 $value"
        outside $change
        within 2 reads "$key" "$(line $value)"
        alike $value
        eq "$(save close 0.$value)" "${fine[close]}"
        alike 0.$value
        eq "$(on_disk frames/013/keys)" "gun position 0 0.25 $value"
        row - "outside: $change" clean "seen, the next save holds both"
    done
}

# Who has the key open reads what came by the same descriptor.
case_outside_seen_by_open_readers() {
    local change value=1
    need python3
    start
    save close $value >/dev/null
    exec 7<"$key"
    for change in replace in_place rewrite; do
        open_reads "$(line $value)"
        value=$((value + 1))
        other $value
        outside $change
        within 2 open_reads "$(line $value)"
        row - "outside: $change" open "read by the same descriptor"
    done
    exec 7<&-
}
open_reads() {
    [ "$(python3 -c 'import os; os.write(1, os.pread(7, 4096, 0))')" = "$1" ]
}

# The file is what it was after the change from outside, or is still missing.
untouched() {
    if [ -e t/outside.anm ]; then
        cmp turret.anm t/outside.anm
    else
        refute test -e turret.anm
    fi
}

# dirty HOW CHANGE WANT: the change comes while a writer holds what it wrote, before its save: that is refused, what came stays.
dirty() {
    local said
    other 3
    save_when_told "$1"
    outside "$2"
    cp turret.anm t/outside.anm 2>/dev/null || rm -f t/outside.anm
    touch t/go
    wait $! || true
    said=$(tr -d '\n' <t/said)
    eq "$1 $2: $said" "$1 $2: $3"
    untouched
    nothing_beside
    row "$1" "outside: $2" dirty "$said: what came stays"
}

case_outside_dirty() {
    local change
    start
    for change in replace in_place rewrite; do
        dirty close $change "open 0 write 0 close ESTALE "
        within 2 reads "$key" "$(line 3)"
        alike 3
        eq "$(save close 0.5)" "${fine[close]}"
        dirty fsync $change "open 0 write 0 fsync ESTALE close ESTALE "
        within 2 reads "$key" "$(line 3)"
        alike 3
        eq "$(save close 0.5)" "${fine[close]}"
        alike 0.5
        dirty replace $change "unlink 0 open 0 write 0 close ESTALE "
        within 2 reads "$key" "$(line 3)"
        alike 3
        eq "$(save close 0.5)" "${fine[close]}"
        alike 0.5
    done
}

# A writer that goes on writing hears of it there.
case_outside_while_writing() {
    need python3
    start
    other 3
    python3 - "$key" <<'END'
import errno, os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"turret orientation 0 ")
os.rename("t/other.anm", "turret.anm")
for call in (lambda: os.write(fd, b"0.125 0\n"), lambda: os.fsync(fd), lambda: os.close(fd)):
    try:
        call()
        sys.exit("no error")
    except OSError as e:
        assert e.errno == errno.ESTALE, e
END
    within 2 reads "$key" "$(line 3)"
    alike 3
}

# unseen HOW WANT: the file is replaced while the daemon is in the save and has the lock, before it looks a last time.
unseen() {
    local step call nth what said how=$1 count=0
    need strace
    start
    record
    unmnt x
    for step in "${steps[@]}"; do
        read -r call nth what <<<"$step"
        case $call in
        flock | openat | write | fdatasync | linkat) ;;
        *) continue ;;
        esac
        rm -f turret.anm
        start
        other 3
        cp t/other.anm outside.anm
        trace -e inject="$call:signal=STOP:when=$nth"
        save "$how" 0.125 >t/said &
        within 10 grep 'stopped by SIGSTOP' t/calls
        cp -p outside.anm t/other.anm
        outside replace
        kill -CONT "$(pid_of x)"
        wait $!
        untrace
        said=$(cat t/said)
        eq "$call: $said" "$call: $2"
        cmp turret.anm outside.anm
        within 2 reads "$key" "$(line 3)"
        alike 3
        eq "$(save "$how" 0.5)" "${fine[$how]}"
        alike 0.5
        row "$how" "outside after $call $what" unseen "$said: what came stays"
        unmnt x
        count=$((count + 1))
    done
    [ "$count" -ge 6 ]
}

case_outside_unseen_close() {
    unseen close "open 0 write 0 close ESTALE "
}

case_outside_unseen_rename() {
    unseen rename "open 0 write 0 close 0 rename EBUSY "
}

# sed -i hears of it and says so by its exit status.
case_outside_unseen_sed() {
    local status=0
    need strace
    start
    other 3
    trace -e inject=flock:signal=STOP:when=1
    sed -i 's/0.5/0.125/' "$key" 2>err &
    within 10 grep 'stopped by SIGSTOP' t/calls
    outside replace
    kill -CONT "$(pid_of x)"
    wait $! || status=$?
    untrace
    [ "$status" -ne 0 ]
    grep -q 'busy' err
    within 2 reads "$key" "$(line 3)"
    alike 3
    eq "$(ls x/frames/006)" keys
}

# What cannot be read: the last good content shows, a save is refused, nothing is written. When the file is well again, so is all.
unreadable() {
    local change=$1 good
    start
    cp turret.anm t/good.anm
    dirty close "$change" "open 0 write 0 close ESTALE "
    within 2 grep '^/: ' x/.anmfs/errors
    eq "$(in_mount)" "$(line 0.5)"
    [[ $(save close 0.25) =~ (write|close)\ ESTALE ]]
    eq "$(save rename 0.25)" "open 0 write 0 close 0 rename EBUSY "
    untouched
    good=$("$anm" cat t/good.anm "$node")
    eq "$good" "$(line 0.5)"
    "$anm" put t/good.anm "$node" "$(line 4)"
    cp t/good.anm turret.anm
    within 2 reads "$key" "$(line 4)"
    eq "$(save close 0.25)" "${fine[close]}"
    alike 0.25
}

# The same while nobody writes: told at once, and over when a file that can be read is there again.
case_outside_unreadable_clean() {
    local change
    for change in delete move truncate empty; do
        rm -f turret.anm
        start
        other 4
        outside $change
        within 2 grep '^/: ' x/.anmfs/errors
        eq "$(in_mount)" "$(line 0.5)"
        [[ $(save close 0.25) =~ (write|close)\ ESTALE ]]
        outside replace
        within 2 reads "$key" "$(line 4)"
        eq "$(save close 0.25)" "${fine[close]}"
        alike 0.25
        row close "outside: $change" clean "the old content shows; ESTALE until the file is back"
        unmnt x
    done
}

case_outside_delete() {
    unreadable delete
}

case_outside_move() {
    unreadable move
}

case_outside_truncate() {
    unreadable truncate
}

case_outside_empty() {
    unreadable empty
}

# The very same file goes and comes back: moved away and here again, or only its name could not be looked up.
case_outside_moved_back() {
    start
    outside move
    within 2 grep '^/: ' x/.anmfs/errors
    mv t/moved.anm turret.anm
    within 2 reads "$key" "$(line 0.5)"
    eq "$(save close 0.125)" "${fine[close]}"
    alike 0.125
}

run_faults "$@"
