#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Requests are what a FUSE filesystem costs, and they can be counted exactly: a budget for every kind.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# counts: "KIND NUMBER" lines out of .anmfs/status.
counts() {
    sed -n '/"requests"/,/}/s/^[^"]*"\([A-Z2]*\)":[^0-9]*\([0-9]*\).*/\1 \2/p' x/.anmfs/status
}

# spent COMMAND...: the requests it took, "KIND NUMBER" a line, without those that reading the counts takes.
spent() {
    counts >before # the first one may have to learn what is not implemented
    counts >before
    counts >again
    "$@" >/dev/null 2>&1 || true
    counts >after
    awk 'FILENAME == "before" { a[$1] = $2; next }
         FILENAME == "again" { own[$1] = $2 - a[$1]; b[$1] = $2; next }
         { n = $2 - b[$1] - own[$1]; if (n != 0) print $1, n }' before again after | grep -v FORGET >spent || true
}

# took KIND: how many of the last spent.
took() { awk -v kind="$1" '$1 == kind { n = $2 } END { print n + 0 }' spent; }

# at_most KIND NUMBER
at_most() {
    if [ "$(took "$1")" -gt "$2" ]; then
        echo "$(took "$1") $1, at most $2 expected:"
        cat spent
        return 1
    fi
}

# best COMMAND: a kernel that takes cached pages away in between (some do where memory is free, too) asks for them again, so it is
# enough that the command succeeds once in ten times.
best() {
    local i
    for ((i = 1; i < 10; i++)); do
        ! "$@" || return 0
        sleep 0.2
    done
    "$@"
}

start() {
    "$BUILD/bench-big" big.anm
    mnt big.anm x "$@"
    # 44 bones, 1,400 frames with a text each, 60 meshes; the texts of the root.
    files=$((3 + 1400 + 61 + 44)) dirs=$((1 + 2 + 1400 + 44 + 1)) # grep opens the root twice
}

case_cold_read_write() {
    start
    spent grep -r no_such_text x
    eq "$(took OPEN) $(took RELEASE)" "$files $files"
    # 61 meshes of 34 KB and tracks up to 60 KB come in more than one READ.
    at_most READ $((files + 61 + 44))
    eq "$(took OPENDIR) $(took RELEASEDIR)" "$dirs $dirs"
    at_most READDIRPLUS $((2 * dirs + 30))
    at_most LOOKUP 100
    at_most GETATTR 100
    eq "$(took FLUSH)" 0
}

warm() {
    spent grep -r no_such_text x
    eq "$(took OPEN) $(took RELEASE)" "$files $files" &&
        eq "$(took READ) $(took LOOKUP) $(took FLUSH) $(took READDIR)" "0 0 0 0" &&
        eq "$(took OPENDIR) $(took RELEASEDIR)" "$dirs $dirs" &&
        at_most GETATTR $((files + 3)) && # and the three large directories
        at_most READDIRPLUS $((2 * dirs))
}

case_warm_read_write() {
    start
    grep -r no_such_text x || true
    best warm
}

nothing_read() {
    spent grep -r no_such_text x
    eq "$(cat spent)" ""
}

case_warm_read_only() {
    start -o ro
    grep -r no_such_text x || true
    best nothing_read
}

listed() {
    spent ls -lR x
    eq "$(took OPEN) $(took READ) $(took LOOKUP)" "0 0 0" && at_most GETATTR 10
}

case_stat_and_list() {
    start
    ls -lR x >/dev/null
    best listed
}

# start_mod COUNT [OPTION...]: a directory mount of as many animations, read once.
start_mod() {
    local count=$1
    shift
    mkdir mod
    "$BUILD/make-mod" mod "$count"
    mnt mod x "$@"
    grep -r no_such_text x || true
    files=$(find x -type f | wc -l) dirs=$(find x -type d | wc -l)
    [ "$files" -gt $((50 * count)) ]
}

# What the second time costs in a directory mount.
warm_mod() {
    spent grep -r no_such_text x
    # grep opens the folders that hold animations twice. And directories that are too large for the kernel to keep their listing are
    # asked for their attributes.
    eq "$(took OPEN) $(took RELEASE)" "$files $files" &&
        eq "$(took READ) $(took LOOKUP) $(took FLUSH) $(took READDIR)" "0 0 0 0" &&
        at_most OPENDIR $((dirs + $(find mod -type d | wc -l))) &&
        eq "$(took RELEASEDIR)" "$(took OPENDIR)" &&
        at_most GETATTR $((files + $(find x -mindepth 1 -printf '%h\n' | sort | uniq -c | awk '$1 > 8' | wc -l))) &&
        at_most READDIRPLUS $((2 * dirs))
}

case_mod_read_write() {
    start_mod 8
    best warm_mod
}

# The same where no document is kept: none is read again for it.
warm_without_loads() {
    local loads
    loads=$(grep '"loads"' x/.anmfs/status)
    warm_mod && eq "$(grep '"loads"' x/.anmfs/status)" "$loads"
}

case_mod_without_memory() {
    start_mod 8 -o memory=1K
    best warm_without_loads
}

case_mod_read_only() {
    start_mod 8 -o ro
    best nothing_read
}

# Resident memory stays within memory= and 64 MiB whatever was read.
case_mod_memory() {
    mkdir mod
    "$BUILD/make-mod" mod 300
    mnt mod x -o memory=32M
    grep -r no_such_text x || true
    grep -r no_such_text x || true
    [ "$(sed -n 's/.*"dropped":[^0-9]*\([0-9]*\).*/\1/p' x/.anmfs/status)" -gt 0 ]
    [ "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid_of x)/status")" -lt $((96 * 1024)) ]
}

# A save: what the caller does, nothing more; the views that it changed are asked for once each.
case_save() {
    start
    cat x/frames/700/keys x/bones/*/keys >/dev/null
    spent dd if=/dev/null of=x/frames/700/keys bs=1 conv=notrunc oflag=append
    at_most SETATTR 0
    sed -n 1,2p x/frames/700/keys >t
    spent cp t x/frames/700/keys
    eq "$(took OPEN) $(took WRITE) $(took FLUSH) $(took RELEASE)" "1 1 1 1"
    at_most LOOKUP 0
    at_most GETXATTR 1
}

# What is not offered is asked for once.
case_extended_attributes() {
    need python3
    seed turret
    mnt turret.anm x
    cat >script <<'END'
import errno, os
key = "x/frames/006/keys"
for call, *more in (os.setxattr, "user.a", b"b"), (os.getxattr, "user.a"), (os.listxattr,), (os.removexattr, "user.a"):
    try:
        call(key, *more)
        print("fine")
    except OSError as e:
        assert e.errno == errno.EOPNOTSUPP, (call, e)
END
    spent python3 script
    eq "$(took SETXATTR) $(took GETXATTR) $(took LISTXATTR) $(took REMOVEXATTR)" "1 1 1 1"
    spent python3 script
    eq "$(took SETXATTR) $(took GETXATTR) $(took LISTXATTR) $(took REMOVEXATTR)" "0 0 0 0"
    exits 0 python3 script
}

run_cases "$@"
