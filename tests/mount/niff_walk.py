# SPDX-License-Identifier: MIT
"""Walks a NIFF file to its last byte; every size in header, lists, table, groups and Anims has to agree."""
import struct
import sys

SIZE_AT = {
    0x10000: 16, 0x100000: 20, 0xE0000: 24, 0xF0000: 28, 0x20000: 32, 0x30000: 36, 0x40000: 40, 0x50000: 44,
    0x60000: 48, 0x70000: 52, 0x80000: 56, 0x90000: 60, 0xA0000: 64, 0xB0000: 68, 0x120000: 72, 0xC0000: 76,
    0xD0000: 80, 0x130000: 84, 0x110000: 88, 0x200000: 100, 0x210000: 104, 0x220000: 108, 0x280000: 112,
    0x230000: 116, 0x240000: 120, 0x250000: 124, 0x260000: 128, 0x270000: 132,
}
ANIM_LIST = 0xC0000

data = open(sys.argv[1], "rb").read()


def word(at):
    return struct.unpack_from(">I", data, at)[0]


def check(found, expected, what):
    if found != expected:
        sys.exit(f"{sys.argv[1]}: {what}: {found}, expected {expected}")


def walk_group(at, index, size):
    check(word(at + 4), index, f"index of group {index}")
    check(word(at + 12), size, f"size of group {index}")
    anim = at + 48
    for i in range(word(at + 28)):
        check(word(anim + 4), i, f"index of Anim {i} of group {index}")
        anim += word(anim + 8)
    check(anim + word(at + 40) + word(at + 44), at + size, f"end of group {index}")


def walk_groups(at):
    count = word(at + 12)
    check(word(at + 4), 24 + 4 * count, "header size of AnimList")
    group = at + word(at + 4)
    for i in range(count):
        walk_group(group, i, word(at + 24 + 4 * i))
        group += word(at + 24 + 4 * i)
    check(group + word(at + 16) + word(at + 20), at + word(at + 8), "end of AnimList")


check(word(4), len(data), "file_size")
pos = word(12)
while pos < len(data):
    size = word(pos + 8)
    check(word(SIZE_AT[word(pos)]), size, f"size of list {word(pos):x} in the header")
    if word(pos) == ANIM_LIST:
        walk_groups(pos)
    pos += size
check(pos, len(data), "end")
