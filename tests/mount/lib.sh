# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What the live-mount tests share. A test file t_NAME.sh sources this, defines functions case_SOMETHING, and calls
# run_cases. Each case runs in a subshell with `set -e`, in an empty directory of its own below the build directory (editors
# and tools treat /tmp specially); whatever it mounted is unmounted afterwards, and a daemon that then does not exit with 0
# fails the case.
set -u

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=$(cd "$top" && cd "${BUILD:-build}" && pwd)
test_name=$(basename "$0" .sh)
seeds=$BUILD/mount-tests/seeds
work=$BUILD/mount-tests/$test_name
export LC_ALL=C
export anm=$BUILD/anm
read -ra run <<<"${ANM_RUN:-}" # what the daemon runs under, valgrind for one

# --- inside a case ---

# skip REASON: ends the case.
skip() {
    echo "skip: $*"
    exit 77
}

# need COMMAND...: skips the case when one is missing.
need() {
    local command
    for command; do
        command -v "$command" >/dev/null || skip "$command is not installed"
    done
}

# eq GOT WANT: fails when they differ.
eq() {
    [ "$1" = "$2" ] && return
    printf 'got:      "%s"\nexpected: "%s"\n' "$1" "$2"
    return 1
}

# fails MESSAGE COMMAND...: the command must fail and say MESSAGE.
fails() {
    local message=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "succeeded: $*"
        return 1
    fi
    case $output in
    *"$message"*) ;;
    *)
        printf 'failed with: "%s"\nexpected:    "%s"\n' "$output" "$message"
        return 1
        ;;
    esac
}

# exits STATUS COMMAND...: fails unless the command ends with that status; what it said is in the files out and err.
exits() {
    local want=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    eq "$* $status" "$* $want"
}

# refute COMMAND...: fails when the command succeeds (`set -e` overlooks `! command`).
refute() {
    if "$@"; then
        echo "succeeded: $*"
        return 1
    fi
}

# within SECONDS COMMAND...: the command succeeds before so much time is over (five times as much where everything is slower).
within() {
    local end=$((${EPOCHREALTIME/./} + $1 * 1000000 * (${#run[@]} ? 5 : 1)))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "${EPOCHREALTIME/./}" -lt "$end" ] || return 1
        sleep 0.02
    done
}

# mnt FILE DIR [OPTION...]: mounts FILE on DIR and returns when it is there. The daemon stays in the foreground as a child
# of the case, its messages go to DIR.log.
mnt() {
    local file=$1 dir=$2
    shift 2
    mkdir -p "$dir"
    "${run[@]}" "$BUILD/anmfs" -f "$@" "$file" "$dir" >"$dir.log" 2>&1 &
    local pid=$!
    mounts+=("$dir")
    pids+=("$pid")
    local end=$((SECONDS + 20))
    until mountpoint -q "$dir"; do
        if ! kill -0 "$pid" 2>/dev/null || [ "$SECONDS" -ge "$end" ]; then
            echo "not mounted: $file"
            cat "$dir.log"
            return 1
        fi
        sleep 0.02
    done
}

# pid_of DIR: the daemon's process id.
pid_of() {
    local i
    for i in "${!mounts[@]}"; do
        [ "${mounts[i]}" = "$1" ] && echo "${pids[i]}"
    done
}

# left_open LOG: what memcheck says the daemon opened and left open, where it ran under it.
left_open() {
    awk '/== Open / { open = $0; next } open && !/<inherited/ { print open; print } { open = "" }' "$1"
}

# unmnt DIR: unmounts and waits for the daemon, whose exit status is the result.
unmnt() {
    local dir=$1 i pid status=0
    within 5 fusermount3 -u "$dir" # a program that is just ending may still hold a file
    for i in "${!mounts[@]}"; do
        [ "${mounts[i]}" = "$dir" ] || continue
        pid=${pids[i]}
        unset "mounts[i]" "pids[i]"
        wait "$pid" || status=$?
        [ "$status" -ne 0 ] || eq "$(left_open "$dir.log")" "" || status=1
        [ "$status" -eq 0 ] || cat "$dir.log"
        return "$status"
    done
}

# seed NAME [AS]: copies one of the animations of make-seeds here.
seed() {
    cp "$seeds/$1.anm" "${2:-$1.anm}"
}

# --- running them ---

# unmount_below DIR: what a killed run or a failed case left mounted there is let go, whoever still has it open; the innermost
# first.
unmount_below() {
    local i left
    mapfile -t left < <(awk -v top="$1/" 'index($2, top) == 1 { print $2 }' /proc/mounts)
    for ((i = ${#left[@]} - 1; i >= 0; i--)); do
        fusermount3 -uz "${left[i]}" 2>/dev/null || umount -l "${left[i]}"
    done
}

# remove DIR: with all in it, but never what is in a mount: those files are somebody's animation.
remove() {
    unmount_below "$1"
    rm -rf --one-file-system "$1"
}

case_end() {
    local dir
    for dir in "${mounts[@]}"; do
        unmnt "$dir"
    done
}

# The last resort, also after a failure: nothing stays mounted, no daemon stays.
case_clean() {
    local i
    for i in "${!mounts[@]}"; do
        fusermount3 -uz "${mounts[i]}" 2>/dev/null
        kill -9 "${pids[i]}" 2>/dev/null
        echo "--- ${mounts[i]}.log"
        cat "${mounts[i]}.log"
    done
}

why_no_mount() {
    if [ ! -e /dev/fuse ]; then
        echo "/dev/fuse is missing"
    elif ! (: <>/dev/fuse) 2>/dev/null; then
        echo "/dev/fuse cannot be opened"
    elif [ "$(id -u)" -eq 0 ] && ((!(0x$(awk '/^CapEff/ { print $2 }' /proc/self/status) >> 21 & 1))); then
        echo "root may not mount here (no CAP_SYS_ADMIN)"
    elif ! command -v fusermount3 >/dev/null; then
        echo "fusermount3 is not installed"
    fi
}

# Runs the file's cases in their order, or those named on the command line. Cases that mount nothing set mounts_nothing=yes.
run_cases() {
    local passed=0 failed=0 skipped=0 cases case log status reason
    cases=("${@/#/case_}")
    [ $# -gt 0 ] || mapfile -t cases < <(grep -o '^case_[a-z0-9_]*' "$0")
    remove "$work"
    mkdir -p "$work" "$seeds"
    reason=
    [ "${mounts_nothing:-no}" = yes ] || reason=$(why_no_mount)
    "$BUILD/make-seeds" "$seeds" || exit 1
    for case in "${cases[@]}"; do
        log=$work/$case.log
        if [ -n "$reason" ]; then
            skipped=$((skipped + 1))
            echo "skip - $test_name ${case#case_}: $reason"
            continue
        fi
        # Not in an `if`: that would switch `set -e` off inside.
        (
            set -eE
            mounts=() pids=()
            trap case_clean EXIT
            trap 'echo "line $LINENO: $BASH_COMMAND"' ERR
            mkdir "$work/$case"
            cd "$work/$case"
            "$case"
            case_end
        ) >"$log" 2>&1 </dev/null
        status=$?
        if [ "$status" -eq 0 ]; then
            passed=$((passed + 1))
            echo "ok - $test_name ${case#case_}"
        elif [ "$status" -eq 77 ]; then
            skipped=$((skipped + 1))
            echo "skip - $test_name ${case#case_}: $(sed -n 's/^skip: //p' "$log")"
        else
            failed=$((failed + 1))
            echo "not ok - $test_name ${case#case_}"
            sed 's/^/    /' "$log"
        fi
    done
    unmount_below "$work"
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# copied_onto_itself FILE: every file of its tree copied onto itself writes nothing.
copied_onto_itself() {
    local before file
    cp "$1" a.bin
    chmod 644 a.bin
    before=$(stat -c '%i %s %Y' a.bin)
    mnt a.bin x -o raw
    find x -type f >list
    while IFS= read -r file; do
        cp "$file" t
        cp t "$file"
        cmp t "$file"
    done <list
    grep -q . list
    eq "$(cat x/.anmfs/errors)" ""
    unmnt x
    cmp "$1" a.bin
    eq "$(stat -c '%i %s %Y' a.bin)" "$before"
}
