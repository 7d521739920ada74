#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posix.py TABLE SECTION DIR: makes the calls of one section of the table below DIR and compares what they answer.

A line is the answer expected (0 or the name of an errno), the call, and its arguments, quoted as for a shell; a path is
relative to DIR, x*300 is three hundred x. What a section has done stays for its later lines. Calls that only look
("text", "size", "mode", "owner", "mtime") are given what they must find. Exits with 1 after telling every line that differs.
"""
import ctypes
import errno
import os
import re
import shlex
import stat
import sys
import time

NOREPLACE, EXCHANGE = 1, 2
libc = ctypes.CDLL(None, use_errno=True)


def rename_with(flags):
    def call(old, new):
        if libc.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags):
            raise OSError(ctypes.get_errno(), "renameat2")

    return call


def do_open(path, flags, mode="0644"):
    bits = 0
    for word in flags.split("|"):
        bits |= getattr(os, word)
    os.close(os.open(path, bits | os.O_CLOEXEC, int(mode, 8)))


def do_write(path, text):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        os.write(fd, text.encode().decode("unicode_escape").encode())
    finally:
        os.close(fd)


class Differs(Exception):
    pass


def same(found, wanted):
    if found != wanted:
        raise Differs(f"found {found!r}, expected {wanted!r}")


def text_is(path, wanted):
    # What a close leaves undecided is decided by the release, which nobody waits for.
    wanted = wanted.encode().decode("unicode_escape").encode()
    end = time.monotonic() + 5
    while True:
        with open(path, "rb") as file:
            found = file.read()
        if found == wanted or time.monotonic() > end:
            return same(found, wanted)
        time.sleep(0.02)


CALLS = {
    "open": do_open,
    "write": do_write,
    "truncate": lambda path, size: os.truncate(path, int(size)),
    "rename": os.rename,
    "rename_noreplace": rename_with(NOREPLACE),
    "rename_exchange": rename_with(EXCHANGE),
    "unlink": os.unlink,
    "mkdir": lambda path: os.mkdir(path, 0o755),
    "rmdir": os.rmdir,
    "stat": os.stat,
    "readdir": os.listdir,
    "readlink": os.readlink,
    "chmod": lambda path, mode: os.chmod(path, int(mode, 8)),
    "chown": lambda path, uid, gid: os.chown(path, int(uid), int(gid)),
    "utimens": lambda path, seconds: os.utime(path, (int(seconds), int(seconds))),
    "utimens_now": os.utime,
    "link": os.link,
    "symlink": os.symlink,
    "mkfifo": os.mkfifo,
    "mknod": lambda path: os.mknod(path, stat.S_IFREG | 0o644),
    "setxattr": lambda path, name: os.setxattr(path, name, b"value"),
    "getxattr": os.getxattr,
    "listxattr": os.listxattr,
    "removexattr": os.removexattr,
    "text": text_is,
    "size": lambda path, size: same(os.stat(path).st_size, int(size)),
    "mode": lambda path, mode: same(oct(stat.S_IMODE(os.stat(path).st_mode)), oct(int(mode, 8))),
    "owner": lambda path, uid, gid: same((os.stat(path).st_uid, os.stat(path).st_gid), (int(uid), int(gid))),
    "mtime": lambda path, seconds: same(os.stat(path).st_mtime, float(seconds)),
}


def expand(argument):
    return re.sub(r"x\*(\d+)", lambda match: "x" * int(match[1]), argument)


def answer(call, arguments):
    try:
        CALLS[call](*arguments)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    except Differs as difference:
        return str(difference)
    return "0"


def section_lines(table, section):
    inside = False
    with open(table, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("["):
                inside = line.strip() == f"[{section}]"
            elif inside and line.strip() and not line.startswith("#"):
                yield number, line.strip()


def main():
    table, section, top = sys.argv[1:]
    lines = list(section_lines(os.path.abspath(table), section))
    os.chdir(top)
    failed = 0
    for number, line in lines:
        wanted, call, *arguments = shlex.split(line, comments=True)
        found = answer(call, [expand(argument) for argument in arguments])
        # Linux gives ENOTSUP and EOPNOTSUPP one number.
        if found.replace("ENOTSUP", "EOPNOTSUPP") != wanted:
            print(f"{table}:{number}: {line}: {found}")
            failed += 1
    print(f"{section}: {len(lines)} calls, {failed} differ")
    sys.exit(failed > 0 or not lines)


main()
