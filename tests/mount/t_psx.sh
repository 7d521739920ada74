#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# PlayStation files on a live mount: the tree, edits by the programs people use, images beside the animation.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# changes COUNT: so many bytes of a.anm differ from before.anm, which is as long.
changes() {
    eq "$(stat -c %s a.anm)" "$(stat -c %s before.anm)"
    eq "$(cmp -l before.anm a.anm | wc -l)" "$1"
}

# An animation of two groups, its image and its palettes.
start() {
    cp "$seeds/psx.anm" a.anm
    cp "$seeds/psx.anm" before.anm
    mnt a.anm x "$@"
}

case_tree() {
    start
    eq "$(ls x | tr '\n' ' ')" "clut format frames header sequences "
    eq "$(cat x/format x/header)" "psx 3
depth 4"
    eq "$(cat x/sequences/000)" "group=0 time=6 attr=0 x=-8 y=0
group=1 time=0 attr=0 x=0 y=0"
    eq "$(ls x/raw x/raw/frames | tr '\n' ' ')" "x/raw: clut frames sequences  x/raw/frames: 000.bin 001.bin "
    python3 -m json.tool <x/.anmfs/info.json >/dev/null
    grep -q '2 sprites find no image' x/.anmfs/info.json
    refute ls x/preview
}

case_copied_onto_itself() {
    local file
    find "$seeds" ${ANM_SAMPLES:+"$ANM_SAMPLES/psx"} \( -name '*.anm' -o -name '*.tim' -o -name '*.tsq' \) >files
    while IFS= read -r file; do
        copied_onto_itself "$file"
    done <files
}

# A line inserted, deleted, moved: the group alone changes, and counts follow.
case_sprites() {
    start
    cp x/frames/000/sprites t
    sed -i '1i u=9 v=9 ofs=1,1 size=3x3 page=2 depth=8 clut=0,1' x/frames/000/sprites
    eq "$(stat -c %s a.anm)" "$(($(stat -c %s before.anm) + 20))"
    eq "$("$anm" cat a.anm frames/000/sprites | wc -l)" 3
    sed -i 1d x/frames/000/sprites
    cmp a.anm before.anm
    tac t >x/frames/000/sprites
    eq "$("$anm" cat a.anm frames/000/sprites)" "$(tac t)"
    cat t >x/frames/000/sprites
    cmp a.anm before.anm
    sed -i '1s/ofs=3,4/ofs=3,9/' x/frames/000/sprites
    changes 1
    exits 4 sed -i '1s/depth=4/depth=5/' x/frames/000/sprites
    grep -q 'frames/000/sprites:1:[0-9]*: expected depth=4, 8, 16 or reserved' x/.anmfs/errors
    changes 1
}

case_sequence() {
    start
    perl -pi -e 's/\bx=(-?\d+)/"x=".($1+2)/e' x/sequences/000
    eq "$("$anm" cat a.anm sequences/000)" "group=0 time=6 attr=0 x=-6 y=0
group=1 time=0 attr=0 x=2 y=0"
    changes 2
    sed -i '1a group=1 time=6 x=-8 y=0' x/sequences/000
    eq "$(stat -c %s a.anm)" "$(($(stat -c %s before.anm) + 8))"
    sed -i 2d x/sequences/000
    changes 2
    exits 1 cp /dev/stdin x/sequences/000 <<<'group=2 time=6 x=-8 y=0'
    grep -q 'there is no group 2: the file has 2' x/.anmfs/errors
}

# As in the manual.
case_palette() {
    start
    sed -i '/\t1\( stp\)\?$/s/.*/248 0 0\t1/' x/clut/00/colors.gpl
    changes 2
    sed -n 6p x/clut/00/colors.gpl >t
    eq "$(cat t)" $'248 0 0\t1'
    eq "$("$anm" cat a.anm clut/00/colors.gpl | tail -n 1)" $'255   0   0\t1'
    eq "$(cat x/clut/00/place)" "16 480 2"
    mkdir x/clut/01
    cp -r x/clut/00/. x/clut/01
    eq "$("$anm" cat a.anm clut/01/place)" "16 480 2"
    eq "$(od -An -tx1 -j3 -N1 a.anm)" " 20" # CLT
    fails 'Operation not permitted' rm -r x/clut/00
}

case_groups() {
    start
    mkdir x/frames/002
    cp x/frames/000/sprites x/frames/002/sprites
    eq "$(cat x/frames/002/sprites)" "$(cat x/frames/000/sprites)"
    rm -r x/frames/002
    cmp a.anm before.anm
    cp -r x/frames/000 x/frames/002
    eq "$("$anm" cat a.anm frames/002/sprites)" "$(cat x/frames/000/sprites)"
    rm -r x/frames/002
    cmp a.anm before.anm
    fails 'Operation not permitted' rmdir x/frames/001
    grep -q 'lines of sequences/000 show group 001: 2' x/.anmfs/errors
    fails 'Operation not permitted' mv x/frames/001 x/frames/005
    refute mkdir x/frames/007
    grep -q 'the next one is 002' x/.anmfs/errors
}

case_versions() {
    start
    sed -i 's/attr=0 x=0/attr=5 x=0/' x/sequences/000
    cp a.anm before.anm
    exits 1 cp /dev/stdin x/format <<<'psx 1'
    grep -q 'format: 1 sequence entries with an ATTR (attr): there is none before version 3' x/.anmfs/errors
    cmp a.anm before.anm
    echo psx 1 lossy >x/format
    eq "$("$anm" cat a.anm sequences/000 | tail -n 1)" "group=1 time=0 x=0 y=0"
    eq "$("$anm" cat a.anm format)" "psx 1"
    eq "$(od -An -tx1 -j1 -N1 a.anm)" " 01"
}

# The images beside the animation are used without a word, and as soon as they change.
case_images_beside() {
    cp "$seeds/psx.tim" unused.tim
    cp "$seeds/psx.anm" a.anm
    mnt a.anm x -o preview
    refute ls x/preview # nothing of it is where the sprites look
    "$anm" put a.anm frames/001/sprites 'u=0 v=0 ofs=0,0 size=4x2 page=0 depth=4 clut=16,480'
    within 5 grep -q page=0 x/frames/001/sprites
    within 5 test -s x/preview/frames/001.png # its palette is
    cp x/preview/frames/001.png empty.png
    "$anm" put unused.tim header 'image 0 depth=4 place=0,0 size=2x2 clut=00'
    within 5 refute cmp -s x/preview/frames/001.png empty.png
    cp x/preview/frames/001.png one.png
    "$anm" cat a.anm preview/frames/001.png | cmp - one.png
    grep -q '"tim":.*"unused.tim"' x/.anmfs/info.json
    sed 's/^ *[0-9]* *[0-9]* *[0-9]*\t1/255 0 255\t1/' <("$anm" cat unused.tim clut/00/colors.gpl) >t
    "$anm" put unused.tim clut/00/colors.gpl <t
    within 5 refute cmp -s x/preview/frames/001.png one.png
    rm unused.tim
    within 5 refute ls x/preview
}

case_images_named() {
    mkdir far
    cp "$seeds/psx.tim" far/a.tim
    "$anm" put far/a.tim header 'image 0 depth=4 place=64,0 size=2x2 clut=00'
    start -o tim=far/a.tim,preview,fps=50
    eq "$(ls x | tr '\n' ' ')" "clut format frames header preview sequences "
    eq "$(ls x/preview/frames | tr '\n' ' ')" "000.png 001.png "
    grep -aq acTL x/preview/sequences/000.png
    unmnt x
    exits 32 "$BUILD/anmfs" -f -o tim=far/none.tim a.anm x
    grep -q 'far/none.tim' err
    exits 32 "$BUILD/anmfs" -f -o tim=a.anm:far/none.tim a.anm x
    exits 1 "$BUILD/anmfs" -f -o fps=30 a.anm x
}

# The movie is taken apart by a program of others.
case_movie() {
    need apngdis
    cp "$seeds/psx.tim" a.tim
    start -o preview
    "$anm" put a.tim header 'image 0 depth=4 place=64,2 size=2x2 clut=00'
    within 5 cp x/preview/sequences/000.png m.png
    apngdis m.png >/dev/null
    [ -s apngframe1.png ] && [ -s apngframe2.png ] && [ ! -e apngframe3.png ]
    eq "$(cat apngframe1.txt apngframe2.txt)" "delay=6/60
delay=1/60"
}

case_tim() {
    cp "$seeds/psx.tim" a.tim
    mnt a.tim x -o preview
    eq "$(ls x | tr '\n' ' ')" "clut format header preview "
    eq "$(cat x/format)" "tim 4"
    sed -i '/\t1\( stp\)\?$/s/.*/248 0 0\t1/' x/clut/00/colors.gpl
    eq "$(cmp -l "$seeds/psx.tim" a.tim | wc -l)" 2
    cp x/preview/frames/000.png t.png
    printf 'abcdefgh' >x/raw/pixels.bin
    eq "$(cmp -l "$seeds/psx.tim" a.tim | wc -l)" 10
    refute cmp -s t.png x/preview/frames/000.png
    fails 'Operation not permitted' mkdir x/clut/01
}

run_cases "$@"
