#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Many writers and readers at once, texts and files beyond all bounds, and mounts that end under their writers.
# shellcheck disable=SC2119 # start takes options, or none
# shellcheck source=tests/mount/faults.sh
. "$(dirname "$0")/faults.sh"

# --- many at once ---

# check CODE: Python with all of saves.py.
check() {
    need python3
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top/tests/mount python3 -c "from saves import *
$1"
}

case_rename_1000() {
    start
    for i in $(seq 100 199); do
        echo "$i turret orientation 0 1 0"
    done | cat x/keys - >t.keys
    cp t.keys x/keys
    check '
def work(me):
    for i in range(125):
        key = 100 + random.randrange(100)
        value = me * 1000 + i + 2
        yield "x/frames/%d/keys" % key, "rename", key, value, text(value)
saves = together(8, work)
assert len(saves) == 1000 and errors(saves) == {0}, errors(saves)
for key in {s[0] for s in saves}:
    got = int(open("x/frames/%d/keys" % key).read().split()[3])
    assert got in possible(saves, key), (key, got, possible(saves, key))
    assert os.listdir("x/frames/%d" % key) == ["keys"], os.listdir("x/frames/%d" % key)
print(*("%d turret orientation 0 %s 0" % (key, open("x/frames/%d/keys" % key).read().split()[3]) for key in range(100, 200)), sep="\n")
' >want
    on_disk keys | grep -E '^1[0-9][0-9] ' >got
    cmp want got
    nothing_beside
}

# Both views of one key: a writer in each.
case_both_views() {
    start
    check '
def work(me):
    for i in range(150):
        value = me * 1000 + i + 2
        if me == 0:
            yield "x/frames/006/keys", "close", 6, value, text(value)
        else:
            yield "x/bones/turret/keys", "close", 6, value, track(value)
saves = together(2, work)
assert len(saves) == 300 and errors(saves) == {0}, (len(saves), errors(saves))
got = int(open("x/frames/006/keys").read().split()[3])
assert got in possible(saves, 6), (got, possible(saves, 6))
'
    eq "$(in_mount)" "$(on_disk)"
    nothing_beside
}

# Two writers in place: what a local file would hold in the end, or a refusal.
case_two_in_place() {
    start
    check '
def content(me, i):
    return b"turret orientation 0 %d 0%s\n" % (i + 2, b"" if me else b"\nturret position 0 %d 0" % (i + 2))
for i in range(100):
    a, b = content(0, i), content(1, i)
    def work(me):
        yield "x/frames/006/keys", "close", me, i, content(me, i)
    saves = together(2, work)
    got = open("x/frames/006/keys", "rb").read()
    assert errors(saves) <= {0, errno.EINVAL}, errors(saves)
    assert errno.EINVAL in errors(saves) or got in (a, b, b + a[len(b):]), got
    assert got.startswith(b"turret orientation 0 "), got
'
    eq "$(on_disk | sort)" "$(sort "$key")"
    nothing_beside
}

# The same in one process, so that a local file tells what there must be after each call.
case_two_in_turns() {
    need python3
    start
    python3 "$top/tests/mount/two_writers.py" "$anm" turret.anm 60
    nothing_beside
}

# Two mounts of one file: nothing of the other is lost. Who is refused tries again, as people do.
case_two_mounts() {
    start
    mnt turret.anm y
    check '
def work(me):
    path = "xy"[me % 2] + "/frames/" + ["006", "012"][me // 2] + "/keys"
    for i in range(60):
        yield path, ["close", "rename", "fsync"][i % 3], me // 2, me * 1000 + i + 2, text(me * 1000 + i + 2)
        time.sleep(random.random() / 200)
saves = together(4, work)
assert errors(saves) <= {0} | refused, errors(saves)
assert sum(s[4] == 0 for s in saves) >= 40, "hardly any save got through"
for key in 0, 1:
    print(key, *possible(saves, key))
' >t/possible
    [ "$(wc -l <t/possible)" -eq 2 ]
    eq "$(sed -n 's/^0 //p' t/possible | tr ' ' '\n' | grep -cx "$(on_disk frames/006/keys | cut -d ' ' -f 4)")" 1
    eq "$(sed -n 's/^1 //p' t/possible | tr ' ' '\n' | grep -cx "$(on_disk frames/012/keys | cut -d ' ' -f 4)")" 1
    for dir in x y; do
        within 2 reads $dir/frames/006/keys "$(on_disk frames/006/keys)"
        within 2 reads $dir/frames/012/keys "$(on_disk frames/012/keys)"
    done
    nothing_beside
}

# --- bounds ---

# peak: the most memory the daemon has had, in MiB.
peak() {
    echo $(($(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid_of x)/status") / 1024))
}

# tries CODE: Python with the names f (a key), scratch (a name beside it) and errno; what it prints.
tries() {
    need python3
    python3 -c "
import errno, os
f, scratch = '$key', '$key.scratch'
def told(call, *args):
    try:
        call(*args)
        return '0'
    except OSError as e:
        return errno.errorcode[e.errno]
$1"
}

# far and long writes end with an error, the old text shows, and memory is what one text may take (twice, while it grows).
case_text_too_long() {
    start
    eq "$(tries "
fd = os.open(f, os.O_RDWR)
print(told(os.pwrite, fd, b'1\n', 4 << 30), told(os.ftruncate, fd, 4 << 30), told(os.close, fd))")" "EFBIG EFBIG 0"
    eq "$(tries "print(told(os.truncate, f, 1 << 40))")" EFBIG
    alike 0.5
    [ "$(peak)" -lt 100 ]
    eq "$(tries "
fd = os.open(f, os.O_WRONLY)
piece, error = b'# what does not end\n' * 50000, '0'
for i in range(5000):
    error = told(os.write, fd, piece)
    if error != '0':
        break
print(error, i > 200)
os.ftruncate(fd, 0)
os.pwrite(fd, b'turret orientation 0 0.25 0\n', 0)
print(told(os.close, fd))")" $'EFBIG True\n0'
    alike 0.25
    [ "$(peak)" -lt 900 ]
    eq "$(save close 0.125)" "${fine[close]}"
    alike 0.125
}

case_scratch_too_long() {
    start
    eq "$(tries "
fd = os.open(scratch, os.O_WRONLY | os.O_CREAT)
print(told(os.ftruncate, fd, 1 << 30), told(os.pwrite, fd, b'1', 1 << 30))
piece, error = bytes(1 << 20), '0'
for i in range(1024):
    error = told(os.write, fd, piece)
    if error != '0':
        break
print(error, 100 < i <= 256, told(os.close, fd))
other = os.open(scratch + '2', os.O_WRONLY | os.O_CREAT)
print([told(os.write, other, piece) for i in range(300)][-1])")" $'EFBIG EFBIG\nEFBIG True 0\nENOSPC'
    [ "$(peak)" -lt 900 ]
    rm "$key".scratch*
    alike 0.5
    eq "$(save rename 0.125)" "${fine[rename]}"
    alike 0.125
}

case_scratch_too_many() {
    start
    eq "$(tries "
error, count = '0', 0
for count in range(100000):
    error = told(lambda: os.close(os.open(scratch + str(count), os.O_WRONLY | os.O_CREAT | os.O_EXCL)))
    if error != '0':
        break
print(error, count)")" "ENOSPC 65536"
    [ "$(peak)" -lt 200 ]
    eq "$(save close 0.25)" "${fine[close]}"
    eq "$(save rename 0.25)" "open ENOSPC rename ENOENT "
    find x/frames/006 -name '*.scratch*' -delete
    eq "$(save rename 0.125)" "${fine[rename]}"
    alike 0.125
}

# --- the end of a mount ---

# A signal ends the mount, also under a writer: what was acknowledged is in the file, what was not saved is told of, and no half of
# a text is written.
case_ends_by_signal() {
    local signal
    for signal in TERM INT HUP; do
        start
        eq "$(save close 0.25)" "${fine[close]}"
        kill -s $signal "$(pid_of x)"
        ends
        refute mountpoint -q x
        eq "$(on_disk)" "$(line 0.25)"
        start
        save_when_told close
        kill -s $signal "$(pid_of x)"
        ends
        touch t/go
        wait
        grep -qE 'close (ENOTCONN|ECONNABORTED)' t/said
        eq "$(on_disk)" "$(line 0.5)"
        grep -q "$node: not saved" x.log
        nothing_beside
        row close "SIG$signal with a dirty writer" - "$(tr -d '\n' <t/said): told of, what was saved is there"
    done
}

# Under a save whose views are read past the cache: what holds a page or a directory is answered to the end, else neither the daemon
# nor its callers could be killed any more.
case_ends_between_reads() {
    local daemon work
    need python3
    cat >script <<'END'
import os, sys
views = "x/frames/006/keys", "x/bones/turret/keys", "x/keys"
def read():
    fds = [os.open(view, os.O_RDONLY) for view in views]
    while True:
        for fd in fds:
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.pread(fd, 1 << 16, 0)
def write(value=2):
    while True:
        with open(views[0], "wb") as file:
            file.write(b"turret orientation 0 %d 0\n" % value)
        value += 1
try:
    {"read": read, "write": write}[sys.argv[1]]()
except OSError:
    pass
END
    for _ in 1 2 3 4 5; do
        start
        daemon=$(pid_of x)
        for work in read read read write; do
            python3 script $work &
        done
        sleep 0.3
        kill "$daemon"
        within 10 refute kill -0 "$daemon" || {
            umount -f x # lets them go
            return 1
        }
        ends
        wait
    done
}

case_ends_by_unmount() {
    start
    save_when_told close
    refute fusermount3 -u x 2>/dev/null # somebody writes
    eq "$(save fsync 0.25)" "${fine[fsync]}"
    eq "$(on_disk)" "$(line 0.25)"
    touch t/go
    wait $!
    eq "$(tr -d '\n' <t/said)" "${fine[close]}"
    in_mount >/dev/null
    save close 0.75 >/dev/null
    unmnt x
    eq "$(on_disk)" "$(line 0.75)"
    nothing_beside
}

# Lazily: who writes still can.
case_ends_by_lazy_unmount() {
    start
    save_when_told fsync
    fusermount3 -uz x
    kill -0 "$(pid_of x)"
    touch t/go
    wait $!
    eq "$(tr -d '\n' <t/said)" "${fine[fsync]}"
    ends
    eq "$(on_disk)" "$(line 0.125)"
    nothing_beside
}

# The terminal goes away below a mount in the foreground.
case_ends_with_terminal() {
    need python3
    seed turret
    mkdir -p x t
    python3 - "$BUILD/anmfs" "$saver" "$key" <<'END'
import os, pty, subprocess, sys, time
anmfs, saver, key = sys.argv[1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(anmfs, [anmfs, "-f", "turret.anm", "x"])
end = time.monotonic() + 20
while not os.path.exists(key):
    assert time.monotonic() < end
    time.sleep(0.02)
subprocess.run([saver, "fsync", key, "turret orientation 0 0.25 0"], check=True)
writer = subprocess.Popen([saver, "close", key, "turret orientation 0 0.125 0", "t/go"], stdout=subprocess.PIPE, text=True)
assert writer.stdout.readline() == "open 0 write 0 \n"
os.close(terminal)
pid, status = os.waitpid(pid, 0)
assert status == 0, status
open("t/go", "w").close()
writer.wait()
END
    refute mountpoint -q x
    eq "$(on_disk)" "$(line 0.25)"
    nothing_beside
}

# A mount in the background outlives the terminal it was made from, also under a writer.
case_outlives_terminal() {
    need python3
    seed turret
    mkdir -p x t
    python3 - "$BUILD/anmfs" <<'END'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "turret.anm", "x"])
assert os.waitpid(pid, 0)[1] == 0
os.close(terminal)
END
    save_when_told close
    touch t/go
    wait $!
    eq "$(tr -d '\n' <t/said)" "${fine[close]}"
    alike 0.125
    eq "$(save rename 0.25)" "${fine[rename]}"
    fusermount3 -u x
    eq "$(on_disk)" "$(line 0.25)"
    nothing_beside
}

# --- found by these, last ---

# What an unlink keeps to take it back is the text, not the whole document.
case_unlinks_do_not_pile_up() {
    local before after
    "$BUILD/bench-big" big.anm
    mnt big.anm x
    ls -lR x >/dev/null
    rm x/frames/0001/keys 2>/dev/null || rm x/frames/001/keys
    before=$(awk '/VmRSS/ { print $2 }' "/proc/$(pid_of x)/status")
    find x/frames/0* -name keys -delete
    after=$(awk '/VmRSS/ { print $2 }' "/proc/$(pid_of x)/status")
    [ $((after - before)) -lt 30000 ]
}

# Who reads one view while the other is saved sees the text before or the text after, not the one cut to the length of the other.
case_read_while_saving() {
    start
    check '
import mmap
reads = mmap.mmap(-1, 1) # how many, modulo 256; both processes have it
def work(me):
    for i in range(400):
        if me == 0:
            yield "x/bones/turret/keys", "close", 6, 10 ** (i % 6), track(10 ** (i % 6))
            # A save that overtakes the question for the size after the one before is beyond any daemon: that reader comes to its end.
            begun = reads[0]
            while (reads[0] - begun) % 256 < 2 and time.monotonic() < end:
                time.sleep(0.0005)
    while me and time.monotonic() < end:
        fd = os.open("x/frames/006/keys", os.O_RDONLY)
        words = os.read(fd, 4096).decode().split()
        os.close(fd)
        if len(words) != 5 or words[4] != "0":
            yield "/", "close", 7, 0, b"" # an error to be seen below
            print("read:", words)
            break
        reads[0] = (reads[0] + 1) % 256
end = time.monotonic() + 3
saves = together(2, work)
assert errors(saves) == {0}, errors(saves)
'
}

run_faults "$@"
