# SPDX-License-Identifier: MIT
"""two_writers.py ANM FILE ROUNDS: two writers of one key in turns of all kinds, call by call the same on the key and on a local file.
While one of them has the key open both must hold the same; a close or an fsync that gives 0 has saved that, one that is refused has
changed nothing, and is refused just when that is no text. Exits with 1 and the calls of the round when something differs."""

import errno
import os
import random
import shutil
import subprocess
import sys

node, local = "frames/006/keys", "local"
key = "x/" + node
refusals = {"close": errno.EINVAL, "fsync": errno.EIO}

def text():
    """One line or two; all numbers of one length, so that one text over another is often a text."""
    lines = [b"turret orientation 0 %d 0\n" % random.randrange(1111, 9999, 2)]
    if random.random() < 0.5:
        lines.append(b"turret position 0 %d 0\n" % random.randrange(1111, 9999, 2))
    return b"".join(lines)

def writer():
    """The calls of one writer, which has a text of its own, writes it in pieces, and may cut what is behind."""
    content = text()
    middle = random.randrange(len(content))
    yield "open", os.O_RDWR | random.choice([0, os.O_TRUNC])
    pieces = [(0, content[:middle]), (middle, content[middle:])]
    random.shuffle(pieces)
    for at, piece in pieces:
        yield "write", piece, at
    if random.random() < 0.5:
        yield "ftruncate", len(content)
    if random.random() < 0.3:
        yield "fsync",
    yield "close",

class File:
    def __init__(self, path):
        self.path = path
        self.fds = {}

    def content(self):
        with open(self.path, "rb") as file:
            return file.read()

    def call(self, who, name, *args):
        """0 or an errno."""
        try:
            if name == "open":
                self.fds[who] = os.open(self.path, *args)
            elif name == "close":
                os.close(self.fds.pop(who))
            else:
                {"write": os.pwrite, "ftruncate": os.ftruncate, "fsync": os.fsync}[name](self.fds[who], *args)
        except OSError as e:
            return e.errno
        return 0

def turns():
    """The calls of both writers, each in its order, mixed."""
    calls = {who: list(writer()) for who in "ab"}
    while calls:
        who = random.choice(list(calls))
        yield who, *calls[who].pop(0)
        if not calls[who]:
            del calls[who]

def accepted(anm, file, content):
    """Whether a plain edit without a mount takes that text."""
    shutil.copy(file, "t/like.anm")
    return subprocess.run([anm, "put", "t/like.anm", node], input=content, stderr=-1).returncode == 0

def play(there, here, saved, done, may_save):
    """One round; the text that is saved at its end, and whether anything was refused."""
    refused = False
    for who, name, *args in turns():
        done.append((who, name, *args))
        assert here.call(who, name, *args) == 0
        error = there.call(who, name, *args)
        assert error in (0, refusals.get(name)), errno.errorcode[error]
        refused |= error != 0
        if name in refusals and here.content():
            assert may_save(here.content()) == (error == 0), (here.content(), error)
        if there.fds:
            assert there.content() == here.content(), (there.content(), here.content())
        if name in refusals and not error and here.content():
            saved = here.content()
    return saved, refused

def main():
    anm, file, rounds = sys.argv[1:]
    there, here = File(key), File(local)
    saved = there.content()
    count = 0
    for seed in range(int(rounds)):
        random.seed(seed)
        with open(local, "wb") as copy:
            copy.write(saved)
        done = []
        try:
            saved, refused = play(there, here, saved, done, lambda content: accepted(anm, file, content))
            File("x/.anmfs/status").content() # behind the release
            assert there.content() == saved, (there.content(), saved)
            on_disk = subprocess.run([anm, "cat", file, node], stdout=-1, check=True).stdout
            assert sorted(on_disk.splitlines()) == sorted(saved.splitlines()), (on_disk, saved)
        except AssertionError:
            print("round", seed, *done, sep="\n")
            raise
        count += refused
    assert 0 < count < int(rounds), count

main()
