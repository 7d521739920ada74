# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the tests of faults share: a key and the ways to save it, the daemon seen and disturbed by strace, changes from outside,
# and the table of what was done and what came of it, which is printed before the counts.
# shellcheck disable=SC2034,SC2119,SC2120,SC2154 # names and parameters for those who source this, and the `how` of theirs
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

saver=$BUILD/saver
table=$work.table
key=x/frames/006/keys
node=frames/006/keys

# What saver says of a save that is well.
declare -A fine=(
    [close]="open 0 write 0 close 0 "
    [fsync]="open 0 write 0 fsync 0 close 0 "
    [rename]="open 0 write 0 close 0 rename 0 "
    [replace]="unlink 0 open 0 write 0 close 0 "
    [restore]="unlink 0 open 0 write 0 close EINVAL " # and what the unlink took is back
)
# To replace is two saves, the unlink's and the new text's. `restore` is to replace by a text that is refused, so that the second save
# brings back what the unlink took. What has to be one save is done by `close` there.
two_saves() {
    [ "$how" = replace ] || [ "$how" = restore ]
}
in_one_save() {
    if two_saves; then echo close; else echo "$how"; fi
}
# A call that fails once (after a failed fsync the close tries again), and one that fails for as long as one looks.
declare -A once=(
    [close]="open 0 write 0 close ERROR "
    [fsync]="open 0 write 0 fsync ERROR close 0 "
    [rename]="open 0 write 0 close 0 rename ERROR "
    [replace]="unlink 0 open 0 write 0 close ERROR " # in the second of its two saves
    [restore]="${fine[restore]}"
)
declare -A lasting=(
    [close]="${once[close]}"
    [fsync]="open 0 write 0 fsync ERROR close ERROR "
    [rename]="${once[rename]}"
    [replace]="unlink ERROR open EEXIST "
)

# --- the animation and its saves ---

line() {
    echo "turret orientation 0 $1 0"
}

# What the file on disk says, and what both views of the mount say. A copy is asked: anm removes what a killed save has left, which
# is to be seen here.
on_disk() {
    cp turret.anm t/look.anm
    "$anm" cat t/look.anm "${1:-$node}"
}
in_mount() {
    local text
    text=$(cat "$key")
    eq "$(sed -n 's/^6 /turret /p' x/bones/turret/keys)" "$text" >&2
    echo "$text"
}

# alike VALUE: disk and mount hold the value, and nothing lies beside the file.
alike() {
    eq "$(on_disk)" "$(line "$1")"
    eq "$(in_mount)" "$(line "$1")"
    nothing_beside
}
nothing_beside() {
    eq "$(find . -maxdepth 1 -name '.*' ! -name .)" ""
}
reads() {
    [ "$(cat "$1")" = "$2" ]
}

# save HOW VALUE: what each call of the program gave.
save() {
    case $1 in
    restore) "$saver" replace "$key" "$(line zero)" || true ;;
    *) "$saver" "$1" "$key" "$(line "$2")" || true ;;
    esac
}

# A mount whose caches are warm and which holds 0.5.
start() {
    mkdir -p t # not in the watched directory: each event there costs the daemon a call
    [ -e turret.anm ] || seed turret
    mnt turret.anm x "$@"
    cat "$key" x/bones/turret/keys >/dev/null
    "$saver" close "$key" "$(line 0.25)" >/dev/null
    "$saver" close "$key" "$(line 0.5)" >/dev/null
    in_mount >/dev/null
}

# After its daemon was killed.
gone() {
    wait "$(pid_of x)" 2>/dev/null || true
    fusermount3 -u x
    mounts=() pids=()
}

# The daemon ends by itself, and with success.
ends() {
    local pid
    pid=$(pid_of x)
    mounts=() pids=()
    wait "$pid"
}

# save_when_told HOW: a program has written, and goes on when t/go is there.
save_when_told() {
    rm -f t/go t/said
    "$saver" "$1" "$key" "$(line 0.125)" t/go >t/said &
    within 5 grep 'write 0' t/said
}

# --- strace ---

# trace [OPTION...]: attaches to the daemon's main thread; the calls go to the file t/calls.
trace() {
    rm -f t/calls t/attached
    cat x/.anmfs/status >/dev/null # answered after the events of the save before, so that counting starts from the same state
    strace -o t/calls "$@" -p "$(pid_of x)" 2>t/attached &
    tracer=$!
    within 10 grep -q attached t/attached || skip "strace cannot attach to the daemon: $(cat t/attached)"
}
untrace() {
    kill "$tracer" 2>/dev/null || true
    wait "$tracer" 2>/dev/null || true
}

# record: the calls of one save, from the lock of the directory to the first after the reply, into the array `steps`: CALL, the
# how manieth of its name since strace came, and what it is about. A save in the same state of the mount does the same. Left out
# is what has to do with memory and threads only, and reading requests and events. The second of two saves begins with number `second`.
record() {
    local saves=1
    ! two_saves || saves=2
    trace
    save "$how" 0.125 >/dev/null
    within 5 awk -v saves=$saves '/^flock/ { f++; r = 0 } /^renameat/ { r = 1 } f == saves && r && /^read\(/ { p = 1 } END { exit !p }' t/calls
    untrace
    mapfile -t steps < <(awk -v saves=$saves '
        /^[a-z0-9_]+\(/ {
            name = substr($0, 1, index($0, "(") - 1)
            n[name]++
            what = ""
            if (/O_TMPFILE/) what = "unnamed file"
            else if (/O_EXCL/) what = "temporary file"
            else if (name ~ /^open/) what = /O_DIRECTORY/ ? "directory" : "old file"
            else if (name == "close") what = ($0 ~ "^close\\(" temp "\\)") ? "new file" : ($0 ~ "^close\\(" dir "\\)") ? "directory" : "old file"
            else if (name ~ /stat/) what = /\.anmfs-/ ? "temporary name" : /AT_EMPTY_PATH/ ? "descriptor" : "name"
            if (/O_TMPFILE|O_EXCL/) temp = $NF
            if (/O_DIRECTORY/) dir = $NF
            if (/O_DIRECTORY/) on = 1
            if (/O_DIRECTORY/ && !done) count = 0
            if (on && name !~ /^(brk|mmap|munmap|madvise|futex|read)$/) list[count++] = name " " n[name] " " what
            if (name == "renameat" || name == "renameat2") renamed = 1
            if (!renamed || name != "read") next
            on = renamed = 0
            if (++done == saves) exit
            begins = count
        }
        END {
            print begins + 0
            for (i = 0; i < count; i++) print list[i]
        }' t/calls)
    second=${steps[0]}
    steps=("${steps[@]:1}")
    [ "${#steps[@]}" -ge $((15 * saves)) ]
}

row() {
    printf '%-11s %-34s %-9s %s\n' "$@" >>"$table"
}

# --- changes from outside ---

# other VALUE: the same animation with another value, beside the watched directory.
other() {
    cp turret.anm t/other.anm
    "$anm" put t/other.anm "$node" "$(line "$1")"
}

# What people and programs do to a file.
outside() {
    case $1 in
    replace) mv t/other.anm turret.anm ;;
    in_place) dd if=t/other.anm of=turret.anm conv=notrunc status=none ;;
    rewrite) cat t/other.anm >turret.anm ;;
    delete) rm turret.anm ;;
    truncate) truncate -s 100 turret.anm ;;
    empty) : >turret.anm ;;
    move) mv turret.anm t/moved.anm ;;
    esac
}

# --- running them ---

run_faults() {
    local line
    rm -f "$table"
    run_cases "$@" | while IFS= read -r line; do
        [[ $line =~ ^[0-9]+\ passed ]] && [ -e "$table" ] && uniq "$table"
        printf '%s\n' "$line"
    done
    return "${PIPESTATUS[0]}"
}
