#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A directory is mounted: what is shown of it, when it is read, and that each animation is what it is when mounted alone.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# A small mod: folders, animations of every family, and what is none.
mod() {
    mkdir -p mod/units/deep mod/-dash "mod/sp ace [x]%'"
    seed turret mod/turret.anm
    seed mesh mod/units/mesh.ANM
    seed gem3 mod/units/deep/gem3.anm
    seed turret "mod/sp ace [x]%'/-x y'.anm"
    seed psx mod/-dash/walk.anm
    cp "$seeds/psx.tim" mod/-dash/walk.Tim
    cp "$seeds/psx.tsq" mod/-dash/walk.tsq
    echo text >mod/readme.txt
    echo text >mod/animation
}

# status NAME: a number out of .anmfs/status.
status() { sed -n "s/^[^\"]*\"$1\":[^0-9]*\([0-9]*\).*/\1/p" "${2:-x}/.anmfs/status"; }

case_listing() {
    mod
    mkfifo mod/pipe.anm
    mkdir mod/folder.anm
    mnt mod x
    eq "$(cd x && find . -maxdepth 2 | sort | tr '\n' ' ')" "$(tr '\n' ' ' <<'END'
.
./-dash
./-dash/walk.Tim
./-dash/walk.anm
./-dash/walk.tsq
./folder.anm
./sp ace [x]%'
./sp ace [x]%'/-x y'.anm
./turret.anm
./turret.anm/bonemap
./turret.anm/bones
./turret.anm/format
./turret.anm/frames
./turret.anm/header
./units
./units/deep
./units/mesh.ANM
END
)"
    eq "$(cd x && find units/mesh.ANM | sort | head -n 3 | tr '\n' ' ')" "units/mesh.ANM units/mesh.ANM/bonemap units/mesh.ANM/bones "
    eq "$(ls x/-dash/walk.Tim x/-dash/walk.tsq | tr '\n' ' ')" \
        "x/-dash/walk.Tim: clut format header  x/-dash/walk.tsq: format sequences "
    eq "$(cat x/units/deep/gem3.anm/format)" "$("$anm" cat mod/units/deep/gem3.anm format)"
    eq "$(status files)" 7
}

# Listing reads no animation; one is read when somebody enters it.
case_lazy() {
    mod
    mnt mod x
    ls -l x x/units x/-dash >/dev/null
    eq "$(status loaded)" 0
    stat x/turret.anm/format >/dev/null
    eq "$(status loaded)" 1
    find x >/dev/null
    eq "$(status loaded) $(status files)" "7 7"
}

# What the daemon asks of the system until it is mounted is the same whatever there is to show.
case_ready_at_once() {
    local i
    need strace
    mkdir few many x
    for ((i = 0; i < 2000; i++)); do
        cp "$seeds/turret.anm" "many/$i.anm"
    done
    seed turret few/0.anm
    for dir in few many; do
        run=(strace -f -e "trace=%file,getdents64,read" -o "$dir.calls")
        mnt "$dir" x
        eq "$(ls x | wc -l)" "$(ls "$dir" | wc -l)"
        eq "$(status loaded)" 0
        unmnt x
        sed -n '1,/mount("/p' "$dir.calls" | grep -c "$dir\|getdents\|\.anm\"" >"$dir.count"
    done
    grep -q 'mount("' many.calls
    cmp few.count many.count
}

# long NUMBER: an animation with a few hundred frames that have the number in them, mod/NUMBER.anm.
long() {
    seed turret "mod/$1.anm"
    awk -v i="$1" 'BEGIN { for (f = 100; f <= 600; f++) print f, "turret position", f, 0, i }' | "$anm" put "mod/$1.anm" keys
}

# facts: of everything in the mount what find tells without reading it.
facts() { find x -mindepth 1 -printf '%p %y %i %s %m %T@\n' | sort; }

# Documents are let go above memory=, the longest unused first. What was told of them is still told without reading any file again.
case_memory() {
    local i file loads
    mkdir mod
    for ((i = 10; i < 50; i++)); do
        long "$i"
    done
    seed psx mod/psx.anm
    mnt mod x -o memory=2M
    facts >before
    grep -r . x >texts
    facts >after
    cmp before after
    [ "$(status dropped)" -gt 20 ]
    [ "$(status documents)" -le 2097152 ]
    [ "$(status loaded)" -lt 40 ]
    # find and opening load nothing
    loads=$(status loads)
    facts >after
    cmp before after
    find x -name keys -exec dd if={} of=/dev/null count=0 status=none \;
    find x -type d -exec ls -U {} + >/dev/null
    eq "$(status loads)" "$loads"
    # a text that is read again is the same
    find x -name keys -exec dd if={} of=/dev/null count=0 iflag=nocache status=none \;
    grep -r . x | cmp - texts
    [ "$(status loads)" -gt "$loads" ]
    facts | cmp - before
    eq "$(cat x/.anmfs/errors)" ""
}

# An animation whose document was let go is edited, changed and removed outside as any other.
case_memory_edits() {
    local i
    mkdir mod
    for ((i = 10; i < 50; i++)); do
        long "$i"
    done
    cp mod/10.anm before.anm
    mnt mod x -o memory=2M
    cat x/10.anm/frames/*/keys >/dev/null
    # saved, and let go again with what was written
    sed -i '$a# mine' x/10.anm/frames/100/keys
    echo "turret position 1 2 3" >x/10.anm/frames/101/keys
    "$anm" put before.anm frames/101/keys "turret position 1 2 3"
    cmp before.anm mod/10.anm
    inode=$(stat -c %i x/10.anm/frames/101/keys)
    time=$(stat -c %y x/10.anm/frames/101/keys)
    grep -r . x/[2-4]*.anm >/dev/null
    eq "$(cat x/10.anm/frames/100/keys)" "turret position 100 0 10
# mine"
    eq "$(cat x/10.anm/frames/101/keys)" "turret position 1 2 3"
    eq "$(stat -c %i x/10.anm/frames/101/keys) $(stat -c %y x/10.anm/frames/101/keys)" "$inode $time"
    echo "turret position 3 2 1" >>x/10.anm/frames/600/keys 2>/dev/null || true # a second key of one name
    grep -q 'line 1 already' x/10.anm/.anmfs/errors
    mv x/10.anm/frames/600 x/10.anm/frames/601
    rm -r x/10.anm/frames/599
    mkdir x/10.anm/bones/more
    grep -r . x/[2-4]*.anm >/dev/null
    eq "$(ls x/10.anm/frames | tail -n 3 | tr '\n' ' ') $(ls x/10.anm/bones | tail -n 2 | tr '\n' ' ')" "597 598 601  more turret "
    eq "$(cat x/10.anm/keys)" "$("$anm" cat mod/10.anm keys)"
    # what happens outside meanwhile
    cat x/1[1-3].anm/keys >/dev/null
    grep -r . x/[2-4]*.anm >/dev/null
    dropped=$(status dropped)
    [ "$dropped" -gt 20 ]
    "$anm" put mod/11.anm frames/100/keys "turret position 7 7 7"
    within 1 grep -q "7 7 7" x/11.anm/frames/100/keys
    seed mesh mod/12.anm
    within 1 refute test -e x/12.anm/frames/600
    eq "$(cat x/12.anm/keys)" "$("$anm" cat mod/12.anm keys)"
    echo broken >mod/13.anm
    within 1 test -e x/13.anm/ERROR
    within 1 refute test -e x/13.anm/frames
    rm mod/14.anm
    within 1 refute test -e x/14.anm
    mv mod/15.anm mod/16.anm
    within 1 refute test -e x/15.anm
    eq "$(cat x/16.anm/frames/100/keys)" "turret position 100 0 15"
    mv x/17.anm x/new.anm
    eq "$(cat x/new.anm/frames/100/keys)" "turret position 100 0 17"
    rm -r x/18.anm
    refute test -e mod/18.anm
}

# A text that is written anew needs the document only when it is saved.
case_memory_overwritten() {
    local i
    mkdir mod
    for ((i = 10; i < 30; i++)); do
        long "$i"
    done
    mnt mod x -o memory=1M
    cat x/10.anm/frames/100/keys
    grep -r . x/2*.anm >/dev/null
    echo "turret position 5 5 5" >x/10.anm/frames/100/keys
    eq "$(cat x/10.anm/frames/100/keys)" "turret position 5 5 5"
    eq "$("$anm" cat mod/10.anm frames/100/keys)" "turret position 5 5 5"
}

# What a text being written, a scratch file or an open file needs is not let go.
case_memory_in_use() {
    local i
    mkdir mod
    for ((i = 10; i < 30; i++)); do
        long "$i"
    done
    mnt mod x -o memory=1M
    exec 3>x/10.anm/frames/100/keys 4<x/11.anm/frames/100/keys
    echo "turret position 5 5 5" >&3
    echo scratch >x/12.anm/frames/100/keys~
    grep -r . x/2*.anm >/dev/null
    exec 3>&-
    eq "$(cat x/10.anm/frames/100/keys)" "turret position 5 5 5"
    eq "$(cat <&4)" "turret position 100 0 11"
    exec 4<&-
    eq "$(cat x/12.anm/frames/100/keys~)" scratch
    mv x/12.anm/frames/100/keys~ t 2>/dev/null
    eq "$(cat t)" scratch
}

case_all_files() {
    mod
    mnt mod x -o all
    eq "$(ls x | tr '\n' ' ')" "-dash animation readme.txt sp ace [x]%' turret.anm units "
    eq "$(ls x/readme.txt)" ERROR
    mv mod/turret.anm mod/turret
    within 1 test -e x/turret/format
}

# What cannot be read says why, its neighbours are as always.
case_broken() {
    mod
    head -c 100 mod/turret.anm >mod/cut.anm
    cp mod/readme.txt mod/foreign.anm
    : >mod/nothing.anm
    mnt mod x
    eq "$(cd x && echo cut.anm/* foreign.anm/* nothing.anm/*)" "cut.anm/ERROR foreign.anm/ERROR nothing.anm/ERROR"
    grep -q "^$PWD/mod/cut.anm: offset [0-9]*: " x/cut.anm/ERROR
    grep -q "^$PWD/mod/foreign.anm: .*expected a GEM animation" x/foreign.anm/ERROR
    fails "Permission denied" tee x/cut.anm/ERROR
    fails "Operation not permitted" rm x/cut.anm/ERROR
    fails "Operation not permitted" mkdir x/cut.anm/frames
    fails "not empty" rmdir x/cut.anm
    grep -r . x >/dev/null
    eq "$(cat x/turret.anm/format)" "gem 6.0 frm2"
    cp "$seeds/turret.anm" mod/cut.anm
    within 1 test -e x/cut.anm/frames/006/keys
    within 1 refute test -e x/cut.anm/ERROR
    : >mod/cut.anm
    within 1 test -e x/cut.anm/ERROR
    within 1 refute test -e x/cut.anm/frames
}

# Links that are relative and stay inside are links, others are not there.
case_links() {
    mod
    ln -s turret.anm mod/same.anm
    ln -s ../../turret.anm mod/units/deep/up.anm
    ln -s units mod/folder
    ln -s nowhere.anm mod/dangling.anm
    ln -s "$PWD/mod/turret.anm" mod/absolute.anm
    ln -s ../outside.anm mod/out.anm
    ln -s ../../../mod/turret.anm mod/units/deep/around.anm
    ln -s deep mod/units/near
    ln -s units/deep/../../../outside.anm mod/hidden.anm
    ln -s ../.. mod/units/deep/top
    ln -s units/deep/top/../outside.anm mod/crooked.anm
    ln -s loop mod/loop
    seed turret outside.anm
    mnt mod x
    eq "$(cd x && find . -type l -printf '%p>%l\n' | sort | tr '\n' ' ')" \
        "./dangling.anm>nowhere.anm ./folder>units ./loop>loop ./same.anm>turret.anm ./units/deep/top>../.. ./units/deep/up.anm>../../turret.anm ./units/near>deep "
    sed -i 's/0.38268343/0.5/' x/units/deep/up.anm/frames/006/keys
    eq "$("$anm" cat mod/turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
    eq "$(ls x/folder)" "$(ls x/units)"
    mv x/units/deep/up.anm x/units/up.anm
    refute test -e x/units/up.anm
    eq "$(readlink mod/units/up.anm)" ../../turret.anm
    rm x/same.anm
    refute test -L mod/same.anm
    eq "$(ls mod/turret.anm)" mod/turret.anm
    fails "not permitted" ln -s turret.anm x/another.anm
}

# A mount point inside the directory would show itself: refused, by whatever name.
case_mount_point_inside() {
    mod
    mkdir -p mod/units/here other
    ln -s mod/units/here link
    ln -s mod source
    fails "is inside mod" "$BUILD/anmfs" mod mod/units/here
    fails "is inside mod" "$BUILD/anmfs" mod mod
    fails "is inside mod" "$BUILD/anmfs" mod link
    fails "is inside source" "$BUILD/anmfs" source "$PWD/mod/units/here"
    mkdir beside
    mnt mod beside
    refute mountpoint -q mod/units/here
    [ "$(id -u)" -eq 0 ] || return 0
    mount --bind mod/units other
    fails "is inside mod" "$BUILD/anmfs" mod other/here || { umount other; return 1; }
    umount other
    mount --bind mod other
    fails "is inside mod" "$BUILD/anmfs" mod other/units/here || { umount other; return 1; }
    umount other
}

# What is mounted inside is not there, and nobody waits for it: the mount itself, brought there afterwards.
case_mounts_are_not_entered() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    mod
    mkdir mod/bound mod/units/self
    mnt mod x
    mount --bind mod/units mod/bound
    mount --bind x mod/units/self
    status=0
    timeout 10 find x >listing || status=$?
    umount mod/units/self mod/bound
    eq "$status" 0
    refute grep -E 'bound|self' listing
    grep -q 'x/units/mesh.ANM/frames/012' listing
}

# In each animation all is as if it were mounted alone: saves, both views, editors' names, refusals and where they are told.
case_each_is_an_animation() {
    local file
    mod
    mnt mod x
    for file in turret.anm "sp ace [x]%'/-x y'.anm"; do
        sed -i 's/0.38268343/0.5/' "x/$file/frames/006/keys"
        eq "$(grep '^6 ' "x/$file/bones/turret/keys")" "6 orientation 0 0.5 0"
        eq "$("$anm" cat "mod/$file" frames/006/keys)" "turret orientation 0 0.5 0"
        echo wrong >wrong
        fails "Invalid argument" cp wrong "x/$file/frames/006/keys"
        eq "$(grep -c 'frames/006/keys:1:' "x/$file/.anmfs/errors")" 1
        touch "x/$file/frames/006/keys~"
        eq "$(ls "x/$file/frames/006")" $'keys\nkeys~'
        fails "not permitted" touch "x/$file/frames/006/other"
    done
    eq "$(ls mod/units)" $'deep\nmesh.ANM'
    fails "not permitted" touch x/other x/units/other.txt x/.hidden x/units/new.anm
    eq "$(grep -c 'no file can be made in a folder' x/.anmfs/errors)" 4
    eq "$(cat x/units/mesh.ANM/.anmfs/errors)" ""
    # From one to the other, mv copies.
    mkdir x/turret.anm/frames/040
    mv x/turret.anm/frames/006/keys x/turret.anm/frames/040/keys
    cp -r x/turret.anm/frames/040 "x/sp ace [x]%'/-x y'.anm/frames"
    mv x/turret.anm/frames/040 "x/sp ace [x]%'/-x y'.anm/frames/041"
    eq "$("$anm" cat "mod/sp ace [x]%'/-x y'.anm" frames/041/keys)" "turret orientation 0 0.5 0"
    refute "$anm" cat mod/turret.anm frames/040/keys
    fails "not permitted" mv x/turret.anm/frames/013 x/units
}

# The images beside a PlayStation animation are those of its folder, read when somebody asks for what comes of them.
case_images_of_the_folder() {
    mod
    "$anm" put mod/-dash/walk.anm frames/001/sprites 'u=0 v=0 ofs=0,0 size=4x2 page=0 depth=4 clut=16,480'
    "$anm" put mod/-dash/walk.Tim header 'image 0 depth=4 place=0,0 size=2x2 clut=00'
    cp mod/-dash/walk.anm mod/units
    mnt mod x
    refute test -e x/units/walk.anm/preview
    eq "$(head -c 4 x/-dash/walk.anm/preview/frames/001.png | tail -c 3)" PNG
    cp mod/-dash/walk.Tim mod/units/walk.tim
    within 1 test -e x/units/walk.anm/preview/frames/001.png
    rm mod/units/walk.tim
    within 1 refute test -e x/units/walk.anm/preview
}

case_read_only() {
    mod
    mnt mod x -o ro
    fails "Read-only" sed -i s/0/1/ x/turret.anm/frames/006/keys
    fails "Read-only" mkdir x/new.anm x/new
    fails "Read-only" mv x/turret.anm x/other.anm
    fails "Read-only" rmdir x/units
    grep -r . x >/dev/null
    cp "$seeds/mesh.anm" mod/late.anm
    within 1 test -e x/late.anm/frames/012/gun.mesh
    eq "$(cd x && echo *)" "-dash late.anm sp ace [x]%' turret.anm units"
}

# One animation that cannot be replaced is read-only, the others are not.
case_one_read_only() {
    [ "$(id -u)" -eq 0 ] || skip "needs root"
    command -v chattr >/dev/null || skip "chattr is not installed"
    mod
    chattr +i mod/turret.anm 2>/dev/null || skip "no immutable files here"
    mnt mod x
    status=0
    fails "Read-only" sed -i s/0/1/ x/turret.anm/frames/006/keys || status=1
    chattr -i mod/turret.anm
    eq "$status" 0
    sed -i 's/0.38268343/0.5/' "x/sp ace [x]%'/-x y'.anm/frames/006/keys"
}

# Inode numbers: no two alike in the whole mount, the same whenever they are looked at.
case_inodes() {
    mod
    mnt mod x
    find x -printf '%i %p\n' | sort >first
    eq "$(cut -d ' ' -f 1 first | uniq -d)" ""
    sed -i 's/0.38268343/0.5/' x/turret.anm/frames/006/keys
    [ "$(id -u)" -ne 0 ] || echo 2 >/proc/sys/vm/drop_caches
    find x -printf '%i %p\n' | sort >second
    eq "$(diff first second | awk '/^[<>]/ && !/turret.anm.frames.006.keys/')" ""
}

run_cases "$@"
