# SPDX-License-Identifier: MIT
"""Many processes that save at once: who saved what and when, and what can be the last of it."""

import errno
import os
import random
import time

refused = {errno.ESTALE, errno.EBUSY}

def text(value):
    return b"turret orientation 0 %d 0\n" % value

def save(path, how, content):
    """0 or the errno of the first call that failed."""
    target = path + ".%d.new" % os.getpid() if how == "rename" else path
    try:
        fd = os.open(target, os.O_WRONLY | os.O_TRUNC | (os.O_CREAT if how == "rename" else 0), 0o644)
        try:
            os.write(fd, content)
            if how == "fsync":
                os.fsync(fd)
        finally:
            os.close(fd)
        if how == "rename":
            os.rename(target, path)
    except OSError as e:
        if how == "rename":
            try:
                os.unlink(target)
            except OSError:
                pass
        return e.errno
    return 0

rest = open("x/bones/turret/keys", "rb").read()

def track(value):
    """The track of the bone with another value at frame 6."""
    return b"".join(b"6 orientation 0 %d 0\n" % value if l.startswith(b"6 ") else l for l in rest.splitlines(True))

def together(count, work):
    """Runs work(me), which yields (path, how, key, value, content), in processes of its own: all (key, value, began, ended, error)."""
    readers = []
    for me in range(count):
        r, w = os.pipe()
        if os.fork() == 0:
            random.seed(me)
            with os.fdopen(w, "w") as out:
                for path, how, key, value, content in work(me):
                    began = time.monotonic_ns()
                    error = save(path, how, content)
                    print(key, value, began, time.monotonic_ns(), error, file=out)
            os._exit(0)
        os.close(w)
        readers.append(os.fdopen(r))
    saves = [tuple(map(int, l.split())) for r in readers for l in r]
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return saves

def possible(saves, key):
    """The values that a serial run can leave: no save of this key that returned 0 began after theirs had ended."""
    done = [s for s in saves if s[0] == key and s[4] == 0]
    latest = max((s[2] for s in done), default=0)
    return {s[1] for s in done if s[3] >= latest}

def errors(saves):
    return {s[4] for s in saves}
