#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""soak.py ANM MOD MOUNT PID SECONDS: disturbs a directory mount for a while, and looks whether it held.

Each animation has one owner. Writers own theirs through the mount: they save keys by close, fsync, rename, and through tracks, and note
what was acknowledged. The outsider owns others on disk: it replaces, edits, renames and removes them behind the mount's back. Readers
read everything and may find any state but a broken one. At the end the mount and the disk must agree with the notes."""

import os
import random
import re
import subprocess
import sys
import threading
import time

anm, mod, mount, pid, seconds = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5])
end = time.monotonic() + seconds
failures = []
counts = {"reads": 0, "saves": 0, "outside": 0}
OWN = "soak"  # the bone that writers' keys belong to


def fail(text):
    failures.append(text)


def resident():
    """The daemon's resident memory, in KiB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1))


def animations():
    found = []
    for top, _, files in os.walk(mod):
        found += [os.path.relpath(os.path.join(top, name), mod) for name in files if name.endswith(".anm")]
    return sorted(found)


class Writer(threading.Thread):
    def __init__(self, mine, seed):
        super().__init__()
        self.mine, self.dice, self.saved = mine, random.Random(seed), {}

    def run(self):
        try:
            for path in self.mine:
                os.mkdir(os.path.join(mount, path, "bones", OWN))
            while time.monotonic() < end:
                self.save(self.dice.choice(self.mine), self.dice.randrange(40), self.dice.random())
        except Exception as error:  # pylint: disable=broad-except
            fail(f"writer: {error!r}")

    def save(self, path, frame, value):
        """One key, in one of several ways; noted when the way says that it is saved."""
        directory = os.path.join(mount, path, "frames", f"{frame:03}")
        value = f"{value:.4f}"
        os.makedirs(directory, exist_ok=True)
        keys = os.path.join(directory, "keys")
        text = ""
        if os.path.exists(keys):
            with open(keys, encoding="utf-8") as file:
                text = "".join(line for line in file if not line.startswith(OWN + " "))
        text += f"{OWN} position 0 0 {value}\n"
        self.dice.choice((self.by_close, self.by_fsync, self.by_rename))(keys, text)
        self.saved[path, frame] = value
        counts["saves"] += 1

    @staticmethod
    def by_close(keys, text):
        with open(keys, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def by_fsync(keys, text):
        with open(keys, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())

    @staticmethod
    def by_rename(keys, text):
        with open(keys + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(keys + "~", keys)


class Outsider(threading.Thread):
    """Changes files on disk; what it left last is noted."""

    def __init__(self, mine):
        super().__init__()
        self.mine, self.dice = list(mine), random.Random(7)
        self.original = {path: self.bytes_of(path) for path in self.mine}
        self.there = dict(self.original)

    @staticmethod
    def bytes_of(path):
        with open(os.path.join(mod, path), "rb") as file:
            return file.read()

    def run(self):
        try:
            while time.monotonic() < end:
                self.change(self.dice.choice(self.mine), self.dice.choice(list(self.original.values())))
                time.sleep(0.01)
        except Exception as error:  # pylint: disable=broad-except
            fail(f"outsider: {error!r}")

    def change(self, path, content):
        at = os.path.join(mod, path)
        how = self.dice.randrange(5)
        if how == 0 and path in self.there:
            os.unlink(at)
            del self.there[path]
        elif how == 1 and path in self.there:
            os.rename(at, at[:-4] + " moved.anm")
            os.rename(at[:-4] + " moved.anm", at)
        elif how == 2:
            with open(at, "wb") as file:
                file.write(content)
            self.there[path] = content
        else:
            with open(at + ".new", "wb") as file:
                file.write(content)
            os.rename(at + ".new", at)
            self.there[path] = content
        counts["outside"] += 1


class Reader(threading.Thread):
    def run(self):
        dice = random.Random()
        while time.monotonic() < end:
            for top, directories, files in os.walk(mount):
                dice.shuffle(directories)
                for name in files:
                    self.read(os.path.join(top, name))
                if time.monotonic() >= end:
                    break

    @staticmethod
    def read(path):
        """A kernel that reads while another opens for truncation may show zeros, but not for long."""
        for _ in range(20):
            try:
                with open(path, "rb") as file:
                    data = file.read()
            except OSError:
                return  # gone or replaced meanwhile
            counts["reads"] += 1
            if not path.endswith("/keys") or not data or (data.endswith(b"\n") and b"\0" not in data):
                return
            time.sleep(0.05)
        fail(f"{path}: half a text")


def check_writers(writers):
    for writer in writers:
        for (path, frame), value in writer.saved.items():
            want = f"{OWN} position 0 0 {float(value):g}"
            for what, command in (("the file", [anm, "cat", os.path.join(mod, path), f"frames/{frame:03}/keys"]),
                                  ("the mount", ["cat", os.path.join(mount, path, f"frames/{frame:03}/keys")])):
                got = subprocess.run(command, capture_output=True, check=False, text=True).stdout
                if not any(abs(float(line.split()[-1]) - float(value)) < 1e-6 for line in got.splitlines()
                           if line.startswith(OWN + " position 0 0 ")):
                    fail(f"{path}, frame {frame}: {what} has no {want}")


def check_outsider(outsider):
    for path in outsider.mine:
        there = os.path.join(mount, path)
        content = outsider.there.get(path)
        for _ in range(100):
            shown = os.path.exists(os.path.join(there, "format")) or os.path.exists(os.path.join(there, "ERROR"))
            if shown == (content is not None):
                break
            time.sleep(0.05)
        else:
            fail(f"{path}: shown {shown}, on disk {content is not None}")
        if content is None:
            continue
        want = subprocess.run([anm, "cat", os.path.join(mod, path), "keys"], capture_output=True, check=False).stdout
        for _ in range(100):
            with open(os.path.join(there, "keys"), "rb") as file:
                if file.read() == want:
                    break
            time.sleep(0.05)
        else:
            fail(f"{path}: the mount shows other keys than the file has")


def main():
    every = animations()
    outsider = Outsider(every[0::3])
    writers = [Writer(every[1::3], 1), Writer(every[2::3], 2)]
    threads = writers + [outsider, Reader(), Reader()]
    for thread in threads:
        thread.start()
    time.sleep(seconds * 0.6)
    early = resident()
    for thread in threads:
        thread.join()
    late = resident()
    check_writers(writers)
    check_outsider(outsider)
    for path in animations():
        if subprocess.run([anm, "info", os.path.join(mod, path)], capture_output=True, check=False).returncode != 0:
            fail(f"{path}: not whole")
    if late > early + max(early // 4, 16384):
        fail(f"memory: {early} KiB, later {late} KiB")
    print(f"{counts['saves']} saves, {counts['outside']} changes outside, {counts['reads']} files read; {early} KiB, then {late} KiB")
    if counts["saves"] < 20 or counts["outside"] < 20 or counts["reads"] < 100:
        fail("hardly anything was done")
    for text in failures[:20]:
        print(text)
    sys.exit(bool(failures))


main()
