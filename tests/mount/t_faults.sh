#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Saving when things go wrong below it: the daemon killed, the power cut, the disk full, calls that fail.
# shellcheck source=tests/mount/faults.sh
. "$(dirname "$0")/faults.sh"

errors=(ENOSPC EIO EDQUOT EROFS EACCES)

# --- the daemon is killed ---

# The key is gone, on disk and in the mount.
removed() {
    [ -z "$(on_disk)" ] && [ -z "$(cat "$key")" ]
}

# What the whole file can be after a save that was cut off, by a plain edit without a mount; and whether it is one of these, to the byte.
old_gone_and_new() {
    cp turret.anm t/old.anm
    cp turret.anm t/gone.anm
    cp turret.anm t/new.anm
    "$anm" rm t/gone.anm "$node"
    "$anm" put t/new.anm "$node" "$(line 0.125)"
}
is_one_of_them() {
    cmp -s turret.anm t/old.anm || cmp -s turret.anm t/gone.anm || cmp turret.anm t/new.anm
}

# killed_at_every_step VALUE WHAT: at the entry of each call: before this one, after the one before. Whoever had no answer may find
# either text; who had finds VALUE, the WHAT file.
killed_at_every_step() {
    local step call nth what said left new=$1 is=$2
    need strace
    start
    old_gone_and_new
    record
    unmnt x
    [ "$how" != restore ] || steps=("${steps[@]:second}") # those before are replace's
    for step in "${steps[@]}"; do
        read -r call nth what <<<"$step"
        rm -rf turret.anm .anmfs-*
        start
        trace -e inject="$call:signal=KILL:when=$nth"
        said=$(save "$how" 0.125)
        within 10 grep 'killed by SIGKILL' t/calls
        gone
        left=$(find . -maxdepth 1 -name '.anmfs-*' | wc -l)
        [ "$left" -le 1 ]
        left=${left/1/, leftover swept} left=${left/0/}
        is_one_of_them
        mnt turret.anm x
        nothing_beside
        case $said in
        "unlink 0 "*ENOTCONN* | "unlink 0 "*ECONNABORTED*) # the unlink was answered, the text that was to follow was not
            removed || alike "$new"
            row "$how" "$call $what" KILL "$said: $(removed && echo file without it || echo "$is file")$left"
            ;;
        "unlink E"*)
            removed || alike 0.5
            row unlink "$call $what" KILL "$said: $(removed && echo file without it || echo old file)$left"
            ;;
        *ENOTCONN* | *ECONNABORTED*)
            if [ "$(on_disk)" = "$(line 0.5)" ]; then
                alike 0.5
                row "$how" "$call $what" KILL "$said: old file$left"
            else
                alike "$new"
                row "$how" "$call $what" KILL "$said: $is file"
            fi
            ;;
        *) # the answer was out
            alike "$new"
            row "$how" "$call $what" KILL "$said: $is file"
            ;;
        esac
        save "$(in_one_save)" 0.75 >/dev/null
        alike 0.75
        unmnt x
    done
    killed_some "$how" "$is file"
}

# killed_some HOW WHAT: at least one row of the table says so.
killed_some() {
    grep -q "^$1 .* KILL .*$2" "$table"
}

case_killed_close() {
    how=close
    killed_at_every_step 0.125 new
    killed_some $how 'old file'
}

case_killed_fsync() {
    how=fsync
    killed_at_every_step 0.125 new
    killed_some $how 'old file'
}

case_killed_rename() {
    how=rename
    killed_at_every_step 0.125 new
    killed_some $how 'old file'
}

# Two saves: what the first removed the second brings anew.
case_killed_replace() {
    how=replace
    killed_at_every_step 0.125 new
    killed_some unlink 'old file'
    killed_some unlink 'file without it'
    killed_some $how 'file without it'
}

# The second save brings back what the first removed, and the refusal is told after that.
case_killed_restore() {
    how=restore
    killed_at_every_step 0.5 old
    killed_some $how 'file without it'
}

case_killed_after_reply() {
    local i value how
    for how in close fsync rename replace; do
        for i in 1 2 3 4 5; do
            start
            value=0.$((RANDOM % 9 + 1))5
            "$saver" "$how" "$key" "$(line "$value")"
            kill -9 "$(pid_of x)"
            gone
            eq "$(on_disk)" "$(line "$value")"
            nothing_beside
        done
    done
}

# --- the program that saves is killed ---

# program_killed_at_every_step RESULTS COMMAND...: at the entry of each of its calls that concern the key, or its backup. Its text is
# 0.125; RESULTS are those of old, gone and new that may come of it, and all of them do. The mount and the file agree, and are well.
program_killed_at_every_step() {
    local step call nth now results=$1 seen=' '
    shift
    need strace "$1"
    start
    line 0.125 >t/new
    strace -f -o t/calls -P "$key" -P "$key~" "$@" </dev/null >t/out 2>&1
    alike 0.125
    mapfile -t steps < <(awk '{ sub(/^[0-9]+ +/, "") } /^[a-z0-9_]+\(/ { call = substr($0, 1, index($0, "(") - 1); print call, ++n[call] }' t/calls)
    [ "${#steps[@]}" -ge 5 ]
    for step in "${steps[@]}"; do
        read -r call nth <<<"$step"
        line 0.5 >"$key"
        strace -f -o t/calls -P "$key" -P "$key~" -e inject="$call:signal=KILL:when=$nth" "$@" </dev/null >t/out 2>&1 || true
        grep -q 'killed by SIGKILL' t/calls
        cat x/.anmfs/status >/dev/null # behind the release
        if removed 2>/dev/null; then
            now=gone
        else
            now=$([ "$(on_disk)" = "$(line 0.5)" ] && echo old || echo new)
            alike "$([ "$now" = old ] && echo 0.5 || echo 0.125)"
        fi
        seen+="$now "
        row "$1" "killed at $call" - "$now"
        find x/frames/006 -type f ! -name keys -delete
    done
    eq "$(tr ' ' '\n' <<<"$seen" | sed '/^$/d' | sort -u | tr '\n' ' ')" "$results "
    save close 0.75 >/dev/null
    alike 0.75
}

# What it renames away is not deleted.
case_killed_vim() {
    program_killed_at_every_step 'new old' vim -u NONE -N -es -c 'set writebackup' -c 's/0\.5/0.125/' -c wq "$key"
}

# Its last call is the rename.
case_killed_sed() {
    program_killed_at_every_step old sed -i.bak 's/0\.5/0.125/' "$key"
}

# Its unlink was answered.
case_killed_install() {
    program_killed_at_every_step 'gone new old' install -m 644 t/new "$key"
}

# --- a call fails ---

# Where a failure may be survived: there is another way, or nothing is lost by it.
survives() {
    case $1 in
    "openat unnamed file" | linkat* | "close old file") return 0 ;;
    esac
    return 1
}

# One call fails once, in each of the ways.
failing_at_every_step() {
    local i call nth what error said want count=0 now=0.125 next=0.5 swap
    need strace
    start
    record
    if [ "$how" = restore ]; then
        steps=("${steps[@]:second}") second=0 # those before are replace's
        now=0.5 next=0.125
    fi
    for i in "${!steps[@]}"; do
        read -r call nth what <<<"${steps[i]}"
        case $call in
        writev) continue ;; # after the save
        close) [ "$what" != directory ] || continue ;; # only strace could make it fail, and would keep the lock
        esac
        for error in "${errors[@]}"; do
            trace -e inject="$call:error=$error:when=$nth"
            said=$(save "$how" "$next")
            untrace
            cat x/.anmfs/status >/dev/null # behind the release
            grep -q "$error.*INJECTED" t/calls
            want=${once[$how]/ERROR/$error}
            [ "$i" -ge "$second" ] || want="unlink $error open EEXIST "
            ! survives "$call $what" || want=${fine[$how]}
            eq "$call $nth $what: $said" "$call $nth $what: $want"
            if [ "${want: -3}" = " 0 " ]; then
                swap=$now now=$next next=$swap
            fi
            alike "$now"
            save "${how/restore/close}" "$next" >/dev/null
            swap=$now now=$next next=$swap
            alike "$now"
            count=$((count + 1))
            # After a failed link no unnamed file is tried again; and what strace kept open stays open.
            if [ "$call" = linkat ] || [ "$call" = close ]; then
                unmnt x
                rm turret.anm
                start
                now=0.5 next=0.125
            fi
        done
        row "$([ "$i" -ge "$second" ] && echo "$how" || echo unlink)" "$call $what" "E" "${want//$error/E}"
    done
    [ "$count" -ge $((${#errors[@]} * 12)) ]
}

case_failing_close() {
    how=close
    failing_at_every_step
}

case_failing_fsync() {
    how=fsync
    failing_at_every_step
}

case_failing_rename() {
    how=rename
    failing_at_every_step
}

# What the unlink took is back when the text that was to take its place cannot be saved.
case_failing_replace() {
    how=replace
    failing_at_every_step
}

# Nor when bringing it back fails at first.
case_failing_restore() {
    local errors=(ENOSPC EIO)
    how=restore
    failing_at_every_step
}

# A file that the animation only has when there is something in it: the unlink is saved, what follows fails and so does bringing back
# what there was. Who makes it again and fails once finds the animation as it was, to the byte.
case_failing_raw_replace() {
    local mesh=x/frames/012/gun.mesh
    need strace
    seed mesh turret.anm
    start
    cp turret.anm t/before.anm
    trace -e trace=fdatasync -e inject=fdatasync:error=EIO:when=2+
    eq "$("$saver" replace $mesh new || true)" "unlink 0 open 0 write 0 close EIO "
    cat x/.anmfs/status >/dev/null # behind the release
    untrace
    refute test -e $mesh
    trace -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1
    eq "$("$saver" replace $mesh new || true)" "unlink ENOENT open 0 write 0 close EIO "
    untrace
    cmp turret.anm t/before.anm
    "$anm" cat t/before.anm "${mesh#x/}" | cmp - $mesh
    nothing_beside
}

# --- calls with a path that are saves of their own ---

# Two lines, so that cutting the second off is a save; a bone and a frame that can go.
start_paths() {
    rm -f turret.anm
    start
    printf '%s\nturret visible yes\n' "$(line 0.5)" >"$key"
    mkdir x/bones/spare
}

# each_path ERRNO BEFORE AFTER: each call, between the commands BEFORE and AFTER, must fail with ERRNO and change nothing; then it
# must work.
each_path() {
    local want=$1 before=$2 after=$3 call
    need strace python3
    for call in "os.truncate(k, $(line 0.5 | wc -c))" "os.unlink(k)" "os.mkdir('x/frames/007')" "os.mkdir('x/bones/new')" \
        "os.rmdir('x/bones/spare')" "os.rename('x/frames/006', 'x/frames/007')" "os.rename('x/bones/gun', 'x/bones/gun2')" \
        "os.rename(k, 'x/frames/012/keys')"; do
        start_paths
        cp turret.anm t/before.anm
        cat x/keys >t/keys
        "$before"
        eq "$call: $(call_path "$call")" "$call: $want"
        "$after"
        cmp turret.anm t/before.anm
        within 2 cmp x/keys <(on_disk keys)
        nothing_beside
        eq "$call: $(call_path "$call")" "$call: 0"
        refute cmp -s turret.anm t/before.anm
        cmp x/keys <(on_disk keys)
        nothing_beside
        row "${call%%(*}" "$before" "$want" "nothing changed, works afterwards"
        unmnt x
    done
}

call_path() {
    python3 -c "
import errno, os
k = '$key'
try:
    $1
    print(0)
except OSError as e:
    print(errno.errorcode[e.errno])"
}

no_sync() {
    trace -e trace=fdatasync -e inject=fdatasync:error=ENOSPC
}

case_paths_failing() {
    each_path ENOSPC no_sync untrace
}

# The file is replaced as soon as the save has the lock.
change_under_lock() {
    cp t/before.anm t/other.anm
    "$anm" put t/other.anm frames/013/keys 'gun position 0 0.25 7'
    trace -e inject=flock:signal=STOP:when=1
    {
        within 10 grep 'stopped by SIGSTOP' t/calls
        mv t/other.anm turret.anm
        cp turret.anm t/before.anm
        kill -CONT "$(pid_of x)"
    } >/dev/null &
    changer=$!
}

changed() {
    wait "$changer"
    untrace
}

case_paths_unseen() {
    each_path EBUSY change_under_lock changed
}

# --- the disk ---

# filesystem TYPE OPTIONS SOURCE: mounts it on fs, where the animation then is. Whatever is left is unmounted at the end.
filesystem() {
    [ "$(id -u)" -eq 0 ] || skip "only root can mount a $1"
    mkdir -p fs
    mount -t "$1" -o "$2" "$3" fs 2>err || skip "no $1 can be mounted here: $(cat err)"
    seed turret fs/turret.anm
    ln -sfn fs/turret.anm turret.anm
}
no_filesystem() {
    nothing_beside
    eq "$(find fs -name '.*')" ""
    unmnt x
    umount fs
}

# To the last block.
fill() {
    dd if=/dev/zero of=fs/filler bs=4k status=none 2>err || true
    grep -q 'No space' err
}

# Each way of saving says so, and all is well when there is space again.
case_disk_full() {
    local how
    filesystem tmpfs size=256k tmpfs
    for how in close fsync rename replace; do
        start
        fill
        eq "$(save "$how" 0.125)" "${lasting[$how]//ERROR/ENOSPC}"
        alike 0.5
        within 2 grep -q 'frames/006/keys: .*No space left' x/.anmfs/errors
        rm fs/filler
        eq "$(save "$how" 0.125)" "${fine[$how]}"
        alike 0.125
        row "$how" "(a full tmpfs)" ENOSPC "${lasting[$how]//ERROR/E}: old, saved when there was space"
        unmnt x
    done
    umount fs
}

# The disk fills up between an unlink and the text that was to follow: neither this nor what the unlink took can be saved. The mount
# remembers that, for whoever tries again and is refused.
case_disk_full_after_unlink() {
    filesystem tmpfs size=256k tmpfs
    for how in replace restore; do
        start
        save_when_told replace
        fill
        touch t/go
        wait $! || true
        eq "$(tr -d '\n' <t/said)" "unlink 0 open 0 write 0 close ENOSPC "
        removed
        rm fs/filler
        [[ $(save $how 0.125) = *"${fine[$how]#unlink 0 open 0}" ]]
        alike "$([ $how = replace ] && echo 0.125 || echo 0.5)"
        row replace "(full after the unlink)" ENOSPC "$(tr -d '\n' <t/said): the next text is saved, or refused and the old one back"
        unmnt x
    done
    umount fs
}

case_disk_read_only() {
    local how
    filesystem tmpfs size=256k tmpfs
    for how in close fsync rename replace; do
        start
        mount -o remount,ro fs
        eq "$(save "$how" 0.125)" "${lasting[$how]//ERROR/EROFS}"
        alike 0.5
        mount -o remount,rw fs
        eq "$(save "$how" 0.125)" "${fine[$how]}"
        alike 0.125
        row "$how" "(remounted read-only)" EROFS "${lasting[$how]//ERROR/E}: old, saved when writable again"
        unmnt x
    done
    umount fs
}

# --- a power cut ---

# What the disk of a machine holds when the power goes: an image of it while the daemon stands still after a call. What was not
# synced is not in there. A second image is taken after another program synced a file of its own, which writes the journal: names
# that were changed are then on the disk, contents that were not synced are not. `cuts` and `journal_cuts` say what came of each.
power_cut() {
    local step call nth what how=$1
    shift
    need strace mkfs.ext4
    truncate -s 16M disk
    mkfs.ext4 -q -F -b 1024 -O ^resize_inode disk
    filesystem ext4 loop,noauto_da_alloc disk
    : >fs/other
    start "$@"
    save fsync 0.5
    record
    mkdir -p after
    cuts=' ' journal_cuts=' '
    for step in "${steps[@]}"; do
        read -r call nth what <<<"$step"
        case $call in
        openat | write | fdatasync | linkat | renameat | fsync | close) ;;
        *) continue ;;
        esac
        save fsync 0.5
        sync -f fs
        trace -e inject="$call:signal=STOP:when=$nth"
        save "$how" 0.125 >t/said &
        within 10 grep 'stopped by SIGSTOP' t/calls
        cp --sparse=always disk cut
        echo "$step" >>fs/other
        sync fs/other
        cp --sparse=always disk journal_cut
        kill -CONT "$(pid_of x)"
        wait $!
        untrace
        cuts+="$call:$(after_cut cut) "
        journal_cuts+="$call:$(after_cut journal_cut) "
        row "$how" "$call $what" "cut${1:+, ask}" "${cuts/#* $call:/}file; the journal written: ${journal_cuts/#* $call:/}file"
    done
    nothing_beside
    eq "$(find fs -name '.*')" ""
    unmnt x
    umount fs
}

# after_cut IMAGE: old, new or lost.
after_cut() {
    local text
    mount -o loop "$1" after
    text=$("$anm" cat after/turret.anm "$node" 2>&1) || true
    eq "$(find after -name '.anmfs-*' | wc -l | sed 's/^1$/0/')" 0 >&2
    umount after
    case $text in
    "$(line 0.5)") echo old ;;
    "$(line 0.125)") echo new ;;
    *) echo lost ;;
    esac
}

case_power_cut_close() {
    power_cut close
    refute grep -o 'lost' <<<"$cuts$journal_cuts"
    [[ $journal_cuts = *" renameat:new "* && $journal_cuts != *" renameat:new "*:old* ]]
}

# When the fsync has returned the new content needs no other's help.
case_power_cut_fsync() {
    power_cut fsync
    refute grep -o 'lost' <<<"$cuts$journal_cuts"
    [[ $cuts = *" renameat:old "*"fsync:new "* && $cuts != *" fsync:new "*:old* ]]
}

# The test sees a loss where there is one: without the fdatasync, as fsync=ask has it, the content is missing.
case_power_cut_unsynced() {
    power_cut close -o fsync=ask
    [[ $journal_cuts = *" renameat:lost "* ]]
}

# --- the order of a save ---

# order HOW [OPTION...]: the calls that count, of all threads, until the writer has its answer.
order() {
    local how=$1
    shift
    start "$@"
    trace -f -y
    save "$how" 0.125 >/dev/null
    within 5 grep -q renameat t/calls
    untrace
    unmnt x
    sed -E 's/^[0-9]+ +//' t/calls | awk '
        /^flock/ { print "lock" }
        /^write\(/ && /turret.anm|deleted/ { print "write" }
        /^fdatasync/ { print "fdatasync" }
        /^fsync/ { print "fsync " (/\/case_[a-z_]*>/ ? "directory" : "?") }
        /^linkat/ { print "link" }
        /^renameat/ { print "rename" }
        /^writev\([0-9]+<\/dev\/fuse>/ { print "reply" }' |
        awk '/lock/ { on = 1 } on { line = line $0 " " } on && /reply/ { print line; exit }'
}

case_order() {
    need strace
    eq "$(order close)" "lock write fdatasync link rename reply "
    eq "$(order fsync)" "lock write fdatasync link rename fsync directory reply "
    eq "$(order replace)" "lock write fdatasync link rename reply "
    eq "$(order rename)" "lock write fdatasync link rename reply "
    eq "$(order close -o fsync=ask)" "lock write link rename reply "
    eq "$(order fsync -o fsync=ask)" "lock write fdatasync link rename fsync directory reply "
}

# An fsync of what is saved already, of a key and of a directory.
case_order_of_fsync_alone() {
    local path
    need strace python3
    start
    for path in "$key" x/frames/006 x; do
        trace -f
        python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDONLY))' "$path"
        untrace
        eq "$(grep -oE '\bfsync|\bwritev' t/calls | tr '\n' ' ' | grep -o 'fsync writev')" "fsync writev"
        refute grep rename t/calls
    done
}

# --- found by these, last ---

# A limit on the size of files costs the save, not the daemon (SIGXFSZ).
case_file_size_limit() {
    local how
    need prlimit
    for how in close fsync rename; do
        start
        prlimit --pid "$(pid_of x)" --fsize=100:unlimited
        eq "$(save "$how" 0.125)" "${lasting[$how]//ERROR/EFBIG}"
        alike 0.5
        prlimit --pid "$(pid_of x)" --fsize=unlimited
        eq "$(save "$how" 0.125)" "${fine[$how]}"
        alike 0.125
        row "$how" "(ulimit -f)" EFBIG "${lasting[$how]//ERROR/E}: old, saved without the limit"
        unmnt x
    done
}

# A text that only the last release saves, when the unmount comes before the kernel could send that: each answer of the daemon
# keeps it from asking for more.
case_unmounted_before_the_release() {
    need strace python3
    [ "$(id -u)" -eq 0 ] || skip "only root may call umount(2)"
    start
    trace -e trace=writev -e inject=writev:delay_exit=300000
    python3 - x "$key" <<'END'
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p # not the module mmap: it keeps a descriptor of its own, whose close would save
fd = os.open(sys.argv[2], os.O_RDWR)
text = os.read(fd, 100).replace(b"0.5", b"0.7")
view = libc.mmap(None, ctypes.c_size_t(4096), 3, 1, fd, ctypes.c_long(0))
os.close(fd)
ctypes.memmove(view, text, len(text))
libc.munmap(ctypes.c_void_p(view), ctypes.c_size_t(4096))
assert libc.umount2(sys.argv[1].encode(), 0) == 0, os.strerror(ctypes.get_errno())
END
    ends
    untrace
    eq "$(on_disk)" "$(line 0.7)"
    row release "(unmounted before it)" - "the new text is saved"
}

# stat_fails: the daemon cannot look at anything; what close gave.
stat_fails() {
    need strace
    start
    trace -e trace=newfstatat,fstatat64 -e inject=newfstatat,fstatat64:error=EIO
    said=$(save close 0.125)
    eq "$(in_mount)" "$(line 0.5)"
    untrace
}

case_stat_failed() {
    local said
    stat_fails
    grep -qE '(write|close) E' <<<"$said"
    eq "$(save close 0.125)" "${fine[close]}"
    alike 0.125
}

case_stat_fails_as_told() {
    local said
    stat_fails
    grep -qE '(write|close) EIO' <<<"$said"
}

# The new file is in its place, but the directory cannot be synced, and nothing that comes after works either: whatever is told,
# mount and file say the same.
case_directory_sync_failed() {
    need strace
    start
    trace -e trace=fsync,fdatasync -e inject=fsync:error=EIO -e inject=fdatasync:error=EIO:when=2+
    [[ $(save fsync 0.125) = *" fsync EIO "* ]]
    untrace
    cat x/.anmfs/status >/dev/null # behind the release
    eq "$(in_mount)" "$(on_disk)"
    printf 'gun visible yes\n' >>x/frames/013/keys
    eq "$(in_mount)" "$(on_disk)"
}

run_faults "$@"
