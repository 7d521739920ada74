#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The speed of a mount as ratios, client and daemon pinned to one CPU (between two CPUs of a virtual machine the wake-ups are
# all that would be measured), each the median of interleaved rounds: grep -r over the tree of a big animation against the same
# text on tmpfs, cold and warm; one saved key against writing the same bytes; the time until the mount is ready.
set -eu
BUILD=${BUILD:-build}
ROUNDS=${ROUNDS:-5}
dir=$BUILD/bench
rm -rf "$dir"
mkdir -p "$dir/x"
plain=$(mktemp -d /dev/shm/anmfs-bench.XXXXXX)
trap 'fusermount3 -uz "$dir/x" 2>/dev/null || true; rm -rf "$plain" "$dir"' EXIT
"$BUILD/bench-big" "$dir/big.anm"

# clocked COMMAND...: microseconds.
clocked() {
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    echo $((${EPOCHREALTIME/./} - ${start/./}))
}
look() { taskset -c 0 grep -r no_such_text "$1" || true; }
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
start_mount() { taskset -c 0 "$BUILD/mount.anmfs" "$dir/big.anm" "$dir/x" -o "$1"; }
stop_mount() {
    local pid
    pid=$(pgrep -nf "mount.anmfs $dir/big.anm")
    fusermount3 -u "$dir/x"
    tail --pid="$pid" -f /dev/null
}

start_mount ro
cp -r "$dir/x/." "$plain/"
stop_mount
look "$plain" >/dev/null
for _ in $(seq "$ROUNDS"); do
    clocked look "$plain" >>"$dir/tmpfs"
    for mode in rw ro; do
        clocked start_mount "$mode" >>"$dir/ready"
        clocked look "$dir/x" >>"$dir/$mode-cold"
        clocked look "$dir/x" >>"$dir/$mode-warm"
        clocked look "$dir/x" >>"$dir/$mode-warm"
        stop_mount
    done
done
start_mount rw
read -r plain_us key_us < <(taskset -c 0 "$BUILD/bench-save" "$dir/big.anm" "$dir/x/frames/700/keys" 21)
stop_mount

base=$(median <"$dir/tmpfs")
row() { awk -v n="$1" -v a="$2" -v b="$3" -v limit="$4" 'BEGIN { printf "%-34s %9d us %8.2fx   (at most %s)\n", n, a, a / b, limit }'; }
printf 'big.anm: %d bytes, %d files; grep -r on tmpfs: %d us\n' "$(stat -c %s "$dir/big.anm")" "$(find "$plain" -type f | wc -l)" "$base"
row 'grep -r, read-write, cold' "$(median <"$dir/rw-cold")" "$base" 6.5
row 'grep -r, read-write, warm' "$(median <"$dir/rw-warm")" "$base" 4
row 'grep -r, read-only, cold' "$(median <"$dir/ro-cold")" "$base" 6
row 'grep -r, read-only, warm' "$(median <"$dir/ro-warm")" "$base" 1.8
row 'one key saved / same bytes written' "$key_us" "$plain_us" 1.3
printf 'mount ready after %d us (at most 100000)\n' "$(median <"$dir/ready")"
{
    printf '{"tmpfs_us": %d, "ready_us": %d, "plain_us": %d, "key_us": %d' "$base" "$(median <"$dir/ready")" "$plain_us" "$key_us"
    for name in rw-cold rw-warm ro-cold ro-warm; do
        printf ', "%s_us": %d' "$name" "$(median <"$dir/$name")"
    done
    echo '}'
} >"$BUILD/bench.json"
