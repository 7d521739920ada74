#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench.py BUILD [--quick] [--only ROW]: the speed of a directory mount, as ratios.

A mod of 2,200 animations (make-mod) is mounted, and the same commands run over it, over the same text tree on tmpfs, over a bare FUSE
filesystem that holds that tree in memory (bench-bare), and over a zip of it mounted by fuse-zip where that is installed. Client and
daemons are pinned to one CPU: between two CPUs of a virtual machine the wake-ups are all that would be measured. Each number is the
median of five rounds, in each of which every system has its turn. Cold is the first time after the mount. Results: a table, and
BUILD/bench.json. --quick: few animations and one round, to see that it all runs. --only: one row, and no zip. ROUNDS and ANIMATIONS
in the environment: other numbers than five and 2,200."""

import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile

build = os.path.abspath(sys.argv[1])
quick = "--quick" in sys.argv
only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
count, rounds, edits = 30, 1, 20
if not quick:
    count, rounds, edits = int(os.environ.get("ANIMATIONS", "2200")), int(os.environ.get("ROUNDS", "5")), 1000
cpu = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {cpu})

# Of one text tree each: what runs over it, %s being the tree.
READERS = {
    "find": "find %s >/dev/null",
    "ls -lR": "ls -lR %s >/dev/null",
    "grep -r": "grep -r no_such_text %s || true",
    "tar": "tar -cf - -C %s . | cat >/dev/null",
}


def shell(command):
    subprocess.run(["bash", "-c", command], check=True, stdin=subprocess.DEVNULL)


def clocked(command, *args):
    start = time.perf_counter()
    command(*args)
    return (time.perf_counter() - start) * 1e6


class Mounted:
    """A filesystem that a daemon serves from the foreground."""

    def __init__(self, top, name, command):
        self.dir = os.path.join(top, name)
        self.command = command
        self.process = None

    def __enter__(self):
        os.makedirs(self.dir, exist_ok=True)
        self.process = subprocess.Popen([part.replace("%", self.dir) for part in self.command],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(20000):
            if os.path.ismount(self.dir):
                return self
            if self.process.poll() is not None:
                break
            time.sleep(0.0005)
        raise SystemExit("not mounted: " + " ".join(self.command))

    def __exit__(self, *_):
        # A program that has just ended may hold a file a moment longer.
        for _ in range(100):
            if subprocess.run(["fusermount3", "-u", self.dir], stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.05)
        self.process.wait()

    def peak(self):
        """The daemon's peak of resident memory, in MiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) / 1024


class Bench:
    def __init__(self, disk, memory):
        self.disk, self.text = disk, os.path.join(memory, "text")
        self.mod = os.path.join(disk, "mod")
        self.times = {}
        self.memory = {}
        shell(f"mkdir -p '{self.mod}' && '{build}/make-mod' '{self.mod}' {count}")
        with self.ours("ro") as mounted:
            shell(f"cp -r '{mounted.dir}' '{self.text}'")
        self.systems = {
            "anmfs rw": lambda name: self.ours("rw", name),
            "anmfs ro": lambda name: self.ours("ro", name),
            "bare rw": lambda name: Mounted(disk, name, [build + "/bench-bare", self.text, "%"]),
            "bare ro": lambda name: Mounted(disk, name, [build + "/bench-bare", self.text, "%", "ro"]),
        }
        if shutil.which("fuse-zip") and not only:
            self.make_zip(os.path.join(disk, "text.zip"))
            self.systems["fuse-zip"] = lambda name: Mounted(disk, name, ["fuse-zip", "-f", disk + "/text.zip", "%"])

    def ours(self, mode, name="x"):
        return Mounted(self.disk, name, [build + "/anmfs", "-f", "-o", mode, self.mod, "%"])

    def make_zip(self, path):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for top, _, files in os.walk(self.text):
                for file in files:
                    at = os.path.join(top, file)
                    archive.write(at, os.path.relpath(at, self.text))

    def note(self, row, system, micros):
        self.times.setdefault(row, {}).setdefault(system, []).append(micros)

    def read(self, row, command, name, make):
        """Cold, and twice warm."""
        with make("x") as mounted:
            run = command % f"'{mounted.dir}'"
            self.note(row + ", cold", name, clocked(shell, run))
            self.note(row + ", warm", name, min(clocked(shell, run) for _ in range(2)))
            peak = mounted.peak()
        self.memory[name] = max(peak, self.memory.get(name, 0))

    def diff(self, name, make):
        with make("x") as one, make("y") as two:
            run = f"diff -r '{one.dir}' '{two.dir}'"
            self.note("diff -r, cold", name, clocked(shell, run))
            self.note("diff -r, warm", name, min(clocked(shell, run) for _ in range(2)))

    def round(self):
        for name, make in self.systems.items():
            self.note("mount", name, self.mount_time(make))
        for row, command in READERS.items():
            if only not in (None, row):
                continue
            plain = min(clocked(shell, command % f"'{self.text}'") for _ in range(2))
            for heat in ", cold", ", warm":
                self.note(row + heat, "tmpfs", plain)
            for name, make in self.systems.items():
                self.read(row, command, name, make)
        if only in (None, "diff -r"):
            self.diff_all()
        if only in (None, "edit"):
            self.edit()

    def diff_all(self):
        other = self.text + "2"
        shutil.copytree(self.text, other)
        plain = min(clocked(shell, f"diff -r '{self.text}' '{other}'") for _ in range(2))
        shutil.rmtree(other)
        for heat in ", cold", ", warm":
            self.note("diff -r" + heat, "tmpfs", plain)
        for name, make in self.systems.items():
            self.diff(name, make)

    @staticmethod
    def mount_time(make):
        mounted = make("x")
        micros = clocked(mounted.__enter__)
        mounted.__exit__()
        return micros

    # --- editing: works on copies, and on disk, as the animations are ---

    def edit(self):
        work = os.path.join(self.disk, "work")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        big = self.find_big()
        shutil.copy(big, work + "/one.anm")
        many = sorted(self.all_animations())[:edits]
        for i, path in enumerate(many):
            shutil.copy(path, f"{work}/{i:04}.anm")
        self.edit_ours(work, len(many))
        self.edit_plain(work, len(many))
        if "fuse-zip" in self.systems:
            self.edit_zip(work, len(many))

    def all_animations(self):
        for top, _, files in os.walk(self.mod):
            yield from (os.path.join(top, file) for file in files)

    def find_big(self):
        return min(self.all_animations(), key=lambda path: (abs(os.stat(path).st_size - 400000), path))

    @staticmethod
    def one_key(path, sync):
        """A key more, in one open, write and close."""
        fd = os.open(path, os.O_RDWR)
        text = os.read(fd, 1 << 20)
        digit = re.search(rb"\d(?=\n)", text)
        at = digit.start()
        os.pwrite(fd, b"%d" % ((int(text[at:at + 1]) + 1) % 10), at)
        if sync:
            os.fsync(fd)
        os.close(fd)

    def sed(self, paths):
        for i, path in enumerate(paths):
            subprocess.run(["sed", "-i", f"1s/[0-9]*$/{i % 9 + 1}/", path], check=True)

    @staticmethod
    def texts(tree, animation):
        """One frame's text of an animation."""
        frames = os.path.join(tree, animation, "frames")
        return [os.path.join(frames, frame, "keys") for frame in sorted(os.listdir(frames))]

    def edit_in(self, tree, many, system, finish):
        """All the editing rows in one tree; `finish` ends it, and is part of each where saving waits for that."""
        one = self.texts(tree, "one.anm")
        keys = [one[i % len(one)] for i in range(edits)]
        first = [self.texts(tree, f"{i:04}.anm")[0] for i in range(many)]
        self.note("one key, close", system, statistics.median(clocked(self.one_key, one[0], False) for _ in range(21)))
        self.note("one key, fsync", system, statistics.median(clocked(self.one_key, one[0], True) for _ in range(21)))
        self.note(f"{edits} sed -i, one file", system, clocked(self.sed, keys))
        self.note(f"{edits} sed -i, as many files", system, clocked(self.sed, first) + finish())

    def edit_ours(self, work, many):
        with Mounted(self.disk, "x", [build + "/anmfs", "-f", work, "%"]) as mounted:
            self.edit_in(mounted.dir, many, "anmfs rw", lambda: 0)

    def edit_plain(self, work, many):
        """Text files on tmpfs, and the bytes of the animation written to disk and synced as often: what saving cannot do without."""
        plain = self.text + ".work"
        with Mounted(self.disk, "x", [build + "/anmfs", "-f", "-o", "ro", work, "%"]) as mounted:
            shutil.copytree(mounted.dir, plain)
        with open(work + "/one.anm", "rb") as file:
            size = len(file.read())
        start = time.perf_counter()
        self.edit_in(plain, many, "tmpfs", lambda: 0)
        shutil.rmtree(plain)
        for row in "one key, close", "one key, fsync":
            self.times[row]["tmpfs"][-1] += self.write(work, size, 21) / 21
        self.times[f"{edits} sed -i, one file"]["tmpfs"][-1] += self.write(work, size, edits)
        sizes = [os.stat(f"{work}/{i:04}.anm").st_size for i in range(many)]
        self.times[f"{edits} sed -i, as many files"]["tmpfs"][-1] += sum(self.write(work, each, 1) for each in sizes)
        return start

    @staticmethod
    def write(work, size, times):
        """Microseconds to replace a file by as many bytes, so often: written, synced, renamed."""
        bytes_ = os.urandom(size)

        def once():
            with open(work + "/.plain", "wb") as file:
                file.write(bytes_)
                file.flush()
                os.fdatasync(file.fileno())
            os.rename(work + "/.plain", work + "/plain")

        return sum(clocked(once) for _ in range(times))

    def edit_zip(self, work, many):
        path = os.path.join(self.disk, "work.zip")
        with Mounted(self.disk, "x", [build + "/anmfs", "-f", "-o", "ro", work, "%"]) as mounted:
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
                for top, _, files in os.walk(mounted.dir):
                    for file in files:
                        at = os.path.join(top, file)
                        archive.write(at, os.path.relpath(at, mounted.dir))
        mounted = Mounted(self.disk, "x", ["fuse-zip", "-f", path, "%"])
        mounted.__enter__()
        self.edit_in(mounted.dir, many, "fuse-zip", lambda: clocked(mounted.__exit__))

    def results(self):
        medians = {row: {name: statistics.median(all_) for name, all_ in systems.items()}
                   for row, systems in self.times.items()}
        files = sum(len(files) for _, _, files in os.walk(self.text))
        size = sum(os.stat(path).st_size for path in self.all_animations())
        return {"machine": f"{cpu_name()}, {platform.system()} {platform.release()}", "animations": count, "bytes": size,
                "files": files, "rounds": rounds, "micros": medians, "peak_mib": self.memory}


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        found = re.search(r"model name\s*:\s*(.*)", info.read())
    return found.group(1) if found else platform.machine()


def table(results):
    systems = ["anmfs rw", "bare rw", "anmfs ro", "bare ro", "fuse-zip"]
    print(f"{results['machine']}; {results['animations']} animations, {results['bytes'] / 1e6:.0f} MB, "
          f"{results['files']} files; median of {results['rounds']}; times as much as on tmpfs")
    print(f"{'':28}{'tmpfs':>12}" + "".join(f"{name:>10}" for name in systems))
    for row, micros in results["micros"].items():
        base = micros.get("tmpfs")
        cells = [f"{base / 1e3:9.1f} ms" if base else ""]
        for name in systems:
            value = micros.get(name)
            cells.append("" if value is None else f"{value / base:.2f}x" if base else f"{value / 1e3:.1f} ms")
        print(f"{row:28}{cells[0]:>12}" + "".join(f"{cell:>10}" for cell in cells[1:]))
    print(f"{'peak memory of the daemon':28}{'':12}" +
          "".join(f"{results['peak_mib'].get(name, 0):7.0f}MiB" for name in systems))


def main():
    os.environ["LC_ALL"] = "C"
    disk = os.path.join(build, "bench-mod")
    shutil.rmtree(disk, ignore_errors=True)
    os.makedirs(disk)
    memory = tempfile.mkdtemp(prefix="anmfs-bench.", dir="/dev/shm")
    try:
        bench = Bench(disk, memory)
        for i in range(rounds):
            print(f"round {i + 1} of {rounds}", file=sys.stderr)
            bench.round()
        results = bench.results()
    finally:
        shutil.rmtree(memory, ignore_errors=True)
        for name in "x", "y":
            subprocess.run(["fusermount3", "-uz", os.path.join(disk, name)], stderr=subprocess.DEVNULL)
    with open(os.path.join(build, "bench.json"), "w", encoding="utf-8") as out:
        json.dump(results, out, indent=1)
        out.write("\n")
    table(results)


main()
