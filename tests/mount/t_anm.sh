#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The anm program: the same tree without a mount.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

case_usage() {
    seed turret
    exits 0 "$anm" --help
    grep -q '^usage: anm' out
    exits 0 "$anm" --version
    grep -Eq '^anm [0-9]+\.[0-9]+' out
    local arguments
    for arguments in '' 'frobnicate' 'info' 'ls' 'ls turret.anm a b' 'ls -x turret.anm' 'cat turret.anm' 'put turret.anm' \
        'put turret.anm a b c' 'mkdir turret.anm' 'rm turret.anm' 'rm -x turret.anm keys' 'mv turret.anm a' \
        'mv turret.anm a b c' 'dump' 'dump a b' 'dump -bf turret.anm' 'dump -tj turret.anm' 'build a b' 'completion' 'completion sh'; do
        # shellcheck disable=SC2086 # words
        exits 2 "$anm" $arguments
        [ -s err ]
        [ ! -s out ]
    done
    # Each command that the help lists is in the manual.
    "$anm" --help | sed -n 's/^  anm \([a-z]*\) .*/\1/p' >commands
    eq "$(wc -l <commands)" 13
    while IFS= read -r command; do
        grep -q "^\.It Cm $command\$" "$top/man/anm.1"
        exits 0 "$anm" "$command" --help
        # And each option of it, by its letter and its name.
        sed -n 's/^  -\(.\), --\([a-z]*\).*/\1 \2/p' out >options
        while read -r letter name; do
            sed -n "/^\.It Cm $command\$/,/^\.It Cm/p" "$top/man/anm.1" | grep -q "^\.Fl $letter , Fl -$name"
        done <options
        exits "$([ "$command" = check ] && echo 16 || echo 2)" "$anm" "$command" --no-such-option
        grep -q "anm: $command: unknown option --no-such-option" err
    done <commands
    exits 2 "$anm" dumb
    grep -qx 'anm: unknown command "dumb"; did you mean dump?' err
    exits 2 "$anm" ls --recusrive turret.anm
    grep -qx 'anm: ls: unknown option --recusrive; did you mean --recursive?' err
}

# completed WORD...: what bash makes of the last word.
completed() {
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    _anm "$anm"
    echo "${COMPREPLY[*]}"
}

# What completions are told is what the help says.
case_completion() {
    seed turret
    local shell command letter name
    for shell in bash zsh fish; do
        "$anm" completion "$shell" >"completion.$shell"
        ! command -v "$shell" >/dev/null || "$shell" -n "completion.$shell"
    done
    # shellcheck source=/dev/null
    . ./completion.bash
    eq "$(completed anm co)" "convert completion"
    eq "$(completed anm dump --by-)" "--by-bone --by-frame"
    eq "$(completed anm cat tur)" "turret.anm"
    eq "$(completed anm cat turret.anm frames/01)" "frames/012/ frames/012/keys frames/013/ frames/013/keys frames/015/ frames/015/keys"
    "$anm" --help | sed -n 's/^  anm \([a-z]*\) .*/\1/p' >commands
    while IFS= read -r command; do
        grep -q "^complete .* -a $command -d " completion.fish
        grep -q "^        '$command:" completion.zsh
        "$anm" "$command" --help | sed -n 's/^  -\(.\), --\([a-z-]*\).*/\1 \2/p' >options
        while read -r letter name; do
            [[ " $(completed anm "$command" -) " == *" -$letter --$name "* ]]
            grep -q "_from $command' -s $letter -l $name " completion.fish
            grep -q "^    $command) .*{-$letter,--$name=\?}" completion.zsh
        done <options
    done <commands
}

case_info() {
    seed turret
    seed gem1
    exits 0 "$anm" info turret.anm "$seeds/all-2.niff" "$seeds/psx.anm"
    grep -qx 'turret.anm' out
    grep -qx '  keys 16' out
    grep -qx '  channels position 12 orientation 12 mirrored 2 visible 12' out
    grep -qx '  groups name turret_anim type full frame_rate 2 loop 0 keys 4 users "obj turret__"' out
    grep -qx '  warning 2 sprites find no image or no palette' out
    exits 0 "$anm" info --json turret.anm gem1.anm
    eq "$(grep -c '"family"' out)" 2
    exits 1 "$anm" info -j missing.anm turret.anm
    eq "$(grep -c '"family"' out)" 1
    grep -q '^missing.anm: ' err
}

case_ls() {
    seed mesh
    eq "$("$anm" ls mesh.anm | tr '\n' ' ')" "format header bonemap frames/ bones/ "
    eq "$("$anm" ls mesh.anm frames/012 | tr '\n' ' ')" "gun.mesh keys "
    eq "$("$anm" ls mesh.anm /frames/012/ | tr '\n' ' ')" "gun.mesh keys "
    eq "$("$anm" ls mesh.anm frames/012/keys)" frames/012/keys
    eq "$("$anm" ls -R mesh.anm frames | head -n 2 | tr '\n' ' ')" "frames/000/ frames/000/keys "
    "$anm" ls -a mesh.anm | grep -qx keys
    "$anm" ls -Ra mesh.anm | grep -qx '.anmfs/pose/000'
    # What is listed can be printed.
    "$anm" ls -R mesh.anm | grep -v '/$' | while IFS= read -r path; do
        "$anm" cat mesh.anm "$path" >/dev/null
    done
    exits 1 "$anm" ls mesh.anm frames/999
    grep -q '^mesh.anm: frames/999: ' err
}

case_cat() {
    seed turret
    eq "$("$anm" cat turret.anm format frames/006/keys)" $'gem 6.0 frm2\nturret orientation 0 0.38268343 0'
    exits 1 "$anm" cat turret.anm frames
    exits 1 "$anm" cat turret.anm missing format
    eq "$(cat out)" "gem 6.0 frm2"
    fails "No space left" sh -c "'$anm' cat turret.anm keys >/dev/full"
}

case_put() {
    seed turret
    seed turret before.anm
    exits 0 "$anm" put turret.anm frames/006/keys 'turret orientation 0 0.5 0'
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
    "$anm" cat before.anm frames/006/keys | "$anm" put turret.anm frames/006/keys
    cmp before.anm turret.anm
    exits 0 "$anm" put turret.anm comment ''
    eq "$("$anm" cat turret.anm format)" "gem 6.0 frm2 gem3"
    eq "$("$anm" cat turret.anm comment | wc -c)" 0
}

case_put_same() {
    seed turret
    local before
    before=$(stat -c '%i %y' turret.anm)
    "$anm" cat turret.anm keys | "$anm" put turret.anm keys
    eq "$(stat -c '%i %y' turret.anm)" "$before"
}

case_put_refused() {
    seed turret
    seed turret before.anm
    printf 'turret orientation 0 0.5 0\nturret position 1 2,5 3\n' >bad
    exits 1 "$anm" put turret.anm frames/006/keys <bad
    grep -q '^turret.anm: frames/006/keys:2:19: ' err
    exits 1 "$anm" put turret.anm keys </dev/null
    exits 1 "$anm" put turret.anm .anmfs/info.json x
    exits 1 "$anm" put turret.anm nothing x
    cmp before.anm turret.anm
}

# All the paths of one command are one save, or none.
case_all_or_nothing() {
    seed turret
    seed turret before.anm
    exits 1 "$anm" mkdir turret.anm frames/030 frames/7
    exits 1 "$anm" rm turret.anm bones/flash/keys frames/999
    cmp before.anm turret.anm
    exits 0 "$anm" mkdir turret.anm frames/030 bones/sight
    eq "$("$anm" ls turret.anm frames | tail -n 1)" 030/
    eq "$("$anm" cat turret.anm bonemap | tail -n 1)" sight
}

# Files and folders, in order, whatever is in them; fsck's exit status.
case_check() {
    mkdir -p "mod/-a b/c"
    seed turret mod/turret.anm
    seed gem3 "mod/-a b/c/gem3.ANM"
    cp "$seeds/all-2.niff" "$seeds/psx.tim" mod
    echo text >mod/readme.txt
    exits 0 "$anm" check mod
    eq "$(cat out err)" ""
    head -c 300 mod/turret.anm >mod/cut.anm
    echo foreign >"mod/-a b/foreign.anm"
    exits 4 "$anm" check mod mod/turret.anm
    eq "$(cut -d: -f1,2 out)" "mod/-a b/foreign.anm: error
mod/cut.anm: error"
    grep -q '^mod/cut.anm: error: offset 300: ' out
    exits 4 "$anm" check mod/cut.anm
    exits 8 "$anm" check mod/nothing.anm
    grep -q '^mod/nothing.anm: error: .*No such file' out
    exits 12 "$anm" check mod mod/nothing.anm
    exits 16 "$anm" check
    exits 16 "$anm" check -x mod
    sed 's/FRMS.../FRMS\o144\o0\o0/' mod/turret.anm >mod/long.anm # a length of 100
    exits 0 "$anm" check -v mod/long.anm
    grep -q '^mod/long.anm: warning: the length is 100' out
    "$BUILD/make-mod" mod 200
    exits 4 "$anm" check mod
    eq "$(wc -l <out)" 2
}

# How far it is, on a terminal and only there.
case_check_progress() {
    need script strace
    export ASAN_OPTIONS=detect_leaks=0 # which does not work under strace
    mkdir mod
    "$BUILD/make-mod" mod 60
    local slowly=(strace -f -o calls -e trace=openat -e inject=openat:delay_enter=20000)
    script -qec "${slowly[*]} $anm check mod" seen >/dev/null
    grep -q '[0-9][0-9]* of 60 files' seen
    exits 0 "${slowly[@]}" "$anm" check mod
    eq "$(cat out err)" ""
}

case_diff() {
    seed turret
    cp turret.anm new.anm
    exits 0 "$anm" diff turret.anm new.anm
    eq "$(cat out err)" ""
    "$anm" mv new.anm bones/gun bones/cannon
    "$anm" put new.anm frames/006/keys "turret orientation 0 0.4 0"
    "$anm" put new.anm frames/013/keys "cannon position 0 0.25 1.1
flash visible yes"
    exits 1 "$anm" diff turret.anm new.anm
    eq "$(cat out)" "= bones/gun is bones/cannon
- bonemap: gun
+ bonemap: cannon
- 6 turret orientation 0 0.38268343 0
+ 6 turret orientation 0 0.4 0
    2.15636 degrees
- 13 gun position 0 0.25 1.2
+ 13 cannon position 0 0.25 1.1
    0.1"
    "$anm" mv new.anm bones/cannon bones/gun
    exits 1 "$anm" diff --eps 0.05 turret.anm new.anm
    grep -q degrees out
    exits 1 "$anm" diff turret.anm new.anm
    grep -qx '    0.1' out
    exits 0 "$anm" diff -e 2.2 turret.anm new.anm
    exits 1 "$anm" diff -q turret.anm new.anm
    eq "$(cat out)" ""
    exits 2 "$anm" diff turret.anm nothing.anm
    exits 2 "$anm" diff turret.anm
    exits 2 "$anm" diff -e x turret.anm new.anm
    exits 1 "$anm" diff "$seeds/plain-1.niff" "$seeds/plain-2.niff"
    exits 1 "$anm" diff "$seeds/psx.anm" turret.anm
}

# Every file there is, in every form, comes back.
case_dump() {
    seed turret
    local file form
    for file in "$seeds"/* ${ANM_SAMPLES:+$(find "$ANM_SAMPLES" -type f)}; do
        "$anm" info "$file" >/dev/null 2>&1 || continue
        for form in -f -b -j -jb; do
            "$anm" dump "$form" "$file" | "$anm" build -o back.anm
            cmp "$file" back.anm
            rm back.anm
        done
        "$anm" dump --textconv "$file" | cmp - <("$anm" dump "$file")
    done
    "$anm" dump turret.anm >whole
    sed '/^bonemap flash$/d' whole >less
    exits 1 "$anm" build -o new.anm less
    grep -q '^less:16:3: there is no bone flash' err
    refute test -e new.anm
    sed 's/^6 turret orientation .*/6 turret orientation 0 0.5 0/' whole >changed
    exits 0 "$anm" build --output=turret.anm changed
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
    "$anm" build <changed | cmp - turret.anm
    exits 1 "$anm" dump missing.anm
}

# What git shows of a file never ends it.
case_textconv() {
    printf 'EANM\0\1\2 what is it?' >bad.anm
    : >empty.anm
    exits 0 "$anm" dump -t bad.anm
    head -n 1 out | grep -q '^# error: '
    eq "$(tail -n +2 out)" "$(printf "00000000  45 41 4e 4d 00 01 02 20 77 68 61 74 20 69 73 20  EANM... what is \n00000010  69 74 3f                                         it?")"
    exits 0 "$anm" dump -t empty.anm
    exits 0 "$anm" dump -t missing.anm
    grep -q '^# error: ' out
}

# The JSON is as its schema says, and for readers that know no more than JSON.
case_json() {
    need python3
    local file
    for file in "$seeds"/* ${ANM_SAMPLES:+$(find "$ANM_SAMPLES" -type f)}; do
        "$anm" info "$file" >/dev/null 2>&1 || continue
        "$anm" dump --json "$file" >all.json
        python3 "$top/tests/mount/schema.py" "$top/share/anm.schema.json" all.json
        # Written by others: in one line, names in another order.
        python3 -c 'import json; print(json.dumps(json.load(open("all.json")), sort_keys=True))' | "$anm" build -o back.anm
        cmp "$file" back.anm
    done
    echo '{"format": [{"values": ["gem", 6.5]}], "keys": [{"frame": 0}]}' >bad.json
    refute python3 "$top/tests/mount/schema.py" "$top/share/anm.schema.json" bad.json
}

# Standard input and output in place of files.
case_pipes() {
    seed turret
    cp turret.anm want.anm
    "$anm" put want.anm frames/006/keys "turret orientation 0 0.4 0"
    eq "$("$anm" cat - frames/006/keys <turret.anm)" "turret orientation 0 0.38268343 0"
    "$anm" put - frames/006/keys "turret orientation 0 0.4 0" <turret.anm | cmp - want.anm
    cp turret.anm same.anm
    "$anm" put - frames/006/keys "turret orientation 0 0.38268343 0" <turret.anm | cmp - same.anm
    "$anm" mv - bones/gun bones/cannon <turret.anm | "$anm" cat - bonemap | grep -qx cannon
    "$anm" convert -t "gem 6.1 frm3" - - <turret.anm | "$anm" convert -t "gem 6.0 frm2" - new.anm
    cmp turret.anm new.anm
    exits 0 "$anm" diff - turret.anm <new.anm
    exits 1 "$anm" ls - <<<"what is no animation"
    grep -q '^-: ' err
    exits 2 "$anm" put - frames/006/keys <turret.anm
}

case_convert() {
    seed turret
    exits 0 "$anm" convert --to "gem 6.1 frm3" turret.anm new.anm
    eq "$("$anm" cat new.anm format)" "gem 6.1 frm3"
    eq "$(stat -c %a new.anm)" "$(printf '%o' $((0666 & ~$(umask))))"
    exits 0 "$anm" convert -t "gem 6.0 frm2" new.anm new.anm
    cmp turret.anm new.anm
    exits 3 "$anm" convert --to="gem 4.0 frmn" turret.anm lost.anm
    grep -q '^turret.anm: format: keys completed' err
    refute test -e lost.anm
    exits 0 "$anm" convert -lt "gem 4.0 frmn" turret.anm lost.anm
    eq "$("$anm" cat lost.anm format)" "gem 4.0 frmn"
    cp "$seeds/plain-1.niff" one.niff
    exits 0 "$anm" convert -t "niff 2.0" one.niff two.niff
    exits 0 "$anm" convert -t "niff 1.0" two.niff back.niff
    cmp one.niff back.niff
    exits 1 "$anm" convert -t "gem 9.9" turret.anm x.anm
    exits 1 "$anm" convert -t "gem 6.1" turret.anm no/such/folder.anm
    exits 2 "$anm" convert turret.anm new.anm
    exits 2 "$anm" convert -t
    grep -q -- '--to takes VERSION' err
    exits 2 "$anm" convert --lossy=yes -t "gem 6.1" turret.anm new.anm
    eq "$("$anm" cat -d "$seeds/all-2.niff" bones/body_anim/keys | sed -n 2p)" "0 rotate 28.64789deg -0deg 171.88734deg"
}

case_rm() {
    seed mesh
    exits 1 "$anm" rm mesh.anm bones/gun
    exits 0 "$anm" rm -r mesh.anm bones/gun frames/006
    refute grep -q gun <("$anm" cat mesh.anm bonemap keys)
    refute "$anm" ls mesh.anm frames/006
    exits 0 "$anm" rm mesh.anm frames/015/keys
    eq "$("$anm" cat mesh.anm frames/015/keys)" ""
    exits 0 "$anm" rm mesh.anm frames/015
}

# What cannot be removed by itself goes with its directory; where the directory stays, nothing is removed.
case_rm_all() {
    cp "$seeds/all-2.niff" a.niff
    cp a.niff before.niff
    exits 0 "$anm" rm -r a.niff bones/turret_anim
    refute grep -qx turret_anim/ <("$anm" ls a.niff bones)
    cp a.niff before.niff
    exits 1 "$anm" rm -r a.niff bones
    exits 1 "$anm" rm -r a.niff format
    cmp before.niff a.niff
}

case_mv() {
    seed turret
    exits 0 "$anm" mv turret.anm frames/013 frames/014
    exits 0 "$anm" mv turret.anm bones/gun bones/cannon
    eq "$("$anm" cat turret.anm frames/014/keys | head -n 1)" "cannon position 0 0.25 1.2"
    exits 1 "$anm" mv turret.anm bones/cannon frames/020
}

# A link stays a link, and the mode stays.
case_link() {
    seed turret
    chmod 640 turret.anm
    ln -s turret.anm link.anm
    exits 0 "$anm" put link.anm frames/006/keys 'turret orientation 0 0.5 0'
    [ -L link.anm ]
    eq "$("$anm" cat turret.anm frames/006/keys)" "turret orientation 0 0.5 0"
    eq "$(stat -c %a turret.anm)" 640
    eq "$(ls -A)" $'err\nlink.anm\nout\nturret.anm'
}

mounts_nothing=yes
run_cases "$@"
