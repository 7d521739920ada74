#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tools that work on whole directories of a live mount, those that only look, and what is refused to all. Ends with the
# table.
# shellcheck disable=SC2317 # the function that a row calls
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/mount/editors.sh
. "$(dirname "$0")/editors.sh"

# A copy of the frame tree beside the mount, with one key and one frame of its own.
edited_copy() {
    mkdir w
    cp -a x/. w
    echo 'turret orientation 0 0.5 0' >w/$node
    mkdir w/frames/009
    echo 'gun visible yes' >w/frames/009/keys
    # what follows from the frames
    cat >w.track <<'END'
6 orientation 0 0.5 0
END
}

same_trees() {
    diff -r w/frames x/frames
    eq "$(grep '^6 ' x/bones/turret/keys)" "$(cat w.track)"
    eq "$(grep '^9 ' x/bones/gun/keys)" "9 visible yes"
    eq "$("$anm" cat "$file" frames/009/keys)" "gun visible yes"
    eq "$(ls -A d)" "${file#d/}"
    grep -q '"scratch":	0$' x/.anmfs/status
}

# Bad text in one file of a tree: told, and the others are copied.
spoil() {
    echo 'turret orientation 0 zero 0' >w/$node
    rm -r x/frames/009
}

spoiled() {
    grep -q 'Invalid argument' err
    eq "$(cat "$key")" "turret orientation 0 0.5 0"
    eq "$("$anm" cat "$file" frames/009/keys)" "gun visible yes"
    grep -q "$node:1:22: " x/.anmfs/errors
}

# tree_row NAME STATUS COMMAND...: brings w/frames into x/frames, then once more with one bad text in it.
tree_row() {
    row "$1" "${1%% *}"
    edited_copy
    exits 0 "${@:3}"
    eq "$(cat out err)" ""
    same_trees
    note accepted yes
    note refused FAILED
    spoil
    exits "$2" "${@:3}"
    spoiled
    grep -q '"scratch":	0$' x/.anmfs/status
    note refused "exit $2, Invalid argument"
}

case_cp_a() { tree_row 'cp -a' 1 cp -a w/frames/. x/frames; }
case_tar_tree() {
    tar_frames() { tar -C w/frames -c . | tar -C x/frames -x; }
    tree_row 'tar x frames' 2 tar_frames
}

# A patch that changes one file, makes another and takes one away.
case_git_apply_tree() {
    row 'git apply frames' git
    edited_copy
    rm -r w/frames/013
    git diff --no-index --no-prefix x/frames w/frames >t.patch || :
    git_apply() { (cd x && git apply -p1 ../t.patch); }
    exits 0 git_apply
    eq "$(cat out err)" ""
    refute test -e x/frames/013
    same_trees
    note accepted yes
    note refused FAILED
    cp "$file" before.anm
    cp -r x/frames f
    echo 'turret orientation 0 zero 0' >f/006/keys
    git diff --no-index --no-prefix x/frames f >t.patch || :
    sed -i 's|f/006|x/frames/006|g' t.patch
    exits 128 git_apply
    grep -q 'Invalid argument' err
    cmp before.anm "$file"
    same_trees
    note refused 'exit 128, Invalid argument'
}

case_rsync_tree() { tree_row 'rsync -a --delete' 23 rsync -a --delete w/frames/ x/frames; }

# A whole tree over the mount's root; nothing in it changed, so nothing is written.
case_cp_a_unchanged() {
    row 'cp -a all' cp
    local inode
    inode=$(stat -c '%i %y' "$file")
    mkdir w
    cp -a x/. w
    exits 0 cp -a w/. x/
    eq "$(cat out err)" ""
    diff -r w x
    eq "$(stat -c '%i %y' "$file")" "$inode"
    leaves
    note accepted yes
    note refused FAILED
    echo 'turret orientation 0 zero 0' >w/$node
    exits 1 cp -a w/. x/
    grep -q 'Invalid argument' err
    eq "$(cat "$key")" "turret orientation 0 0.38268343 0"
    eq "$(stat -c '%i %y' "$file")" "$inode"
    leaves
    note refused 'exit 1, Invalid argument'
}

# Between two mounts: a frames directory becomes the other's; where it has a bone that is not here, it does not.
case_rsync_mounts() {
    row 'rsync -a --delete mounts' rsync
    seed turret d2.anm
    mnt d2.anm y
    rm -r y/frames/013 y/frames/024
    echo 'turret orientation 0 0.5 0' >y/$node
    mkdir y/frames/030
    echo 'gun visible yes' >y/frames/030/keys
    exits 0 rsync -a --delete y/frames/ x/frames
    eq "$(cat out err)" ""
    diff -r y/frames x/frames
    diff y/keys x/keys
    "$anm" cat d2.anm keys >theirs
    "$anm" cat "$file" keys | diff theirs -
    note accepted yes
    note refused FAILED
    mkdir y/bones/spare
    echo 'spare visible yes' >>y/$node
    echo 'gun visible no' >y/frames/030/keys
    exits 23 rsync -a --delete y/frames/ x/frames
    grep -q 'Invalid argument' err
    eq "$(cat "$key")" "turret orientation 0 0.5 0"
    eq "$("$anm" cat "$file" frames/030/keys)" "gun visible no"
    eq "$(ls -A d)" "${file#d/}"
    grep -q '"scratch":	0$' x/.anmfs/status
    note refused 'exit 23, Invalid argument'
}

case_cp_r() {
    row 'cp -r frame frame' cp
    cp -r x/frames/006 x/frames/020
    diff -r x/frames/006 x/frames/020
    eq "$("$anm" cat "$file" frames/020/keys)" "turret orientation 0 0.38268343 0"
    eq "$(grep '^20 ' x/bones/turret/keys)" "20 orientation 0 0.38268343 0"
    note accepted yes
    exits 1 cp -r x/frames/006 x/frames/abc
    grep -q 'cannot create directory' err
    refute test -e x/frames/abc
    exits 1 cp -r x/frames/006 x/bones/nobody
    note refused 'exit 1'
}

case_mv_directories() {
    row 'mv in and out' mv
    mv x/frames/006 out
    refute test -e x/frames/006
    eq "$(cat out/keys)" "turret orientation 0 0.38268343 0"
    refute grep -q '^6 ' x/bones/turret/keys
    refute "$anm" cat "$file" "$node" 2>/dev/null
    mv out x/frames/006
    refute test -e out
    eq "$(cat "$key")" "turret orientation 0 0.38268343 0"
    seed turret same.anm
    "$anm" cat same.anm keys >keys.before
    "$anm" cat "$file" keys | diff keys.before -
    mv x/frames/006 x/frames/007
    eq "$(grep '^7 ' x/bones/turret/keys)" "7 orientation 0 0.38268343 0"
    refute test -e x/frames/006
    mv x/frames/007 x/frames/006
    mv "$key" out
    eq "$("$anm" cat "$file" "$node")" ""
    mv out "$key"
    eq "$("$anm" cat "$file" "$node")" "turret orientation 0 0.38268343 0"
    leaves
    note accepted yes
    note refused FAILED
    mkdir bad
    echo 'turret orientation 0 zero 0' >bad/keys
    exits 1 mv bad x/frames/030
    grep -q 'Invalid argument' err
    eq "$(cat bad/keys)" 'turret orientation 0 zero 0'
    eq "$("$anm" cat "$file" frames/030/keys)" ""
    rmdir x/frames/030
    leaves
    note refused 'exit 1, Invalid argument'
}

case_diff_r() {
    row 'diff -r' diff
    mkdir w
    cp -r x/. w
    exits 0 diff -r w x
    eq "$(cat out err)" ""
    echo 'turret orientation 0 0.5 0' >"$key"
    exits 1 diff -r w x
    eq "$(grep -c '^diff' out)" 2
    note accepted yes
}

case_git_diff() {
    row 'git diff --no-index' git
    mkdir w
    cp -r x/. w
    exits 0 git diff --no-index w x
    echo 'turret orientation 0 0.5 0' >"$key"
    exits 1 git diff --no-index w x
    eq "$(grep -c '^diff' out)" 2
    grep -qx -- '+turret orientation 0 0.5 0' out
    note accepted yes
}

case_find_delete() {
    row 'find -delete' find
    find x/frames/013 x/frames/015 -delete
    refute test -e x/frames/013
    eq "$("$anm" ls "$file" frames | tr '\n' ' ')" "$(ls -p x/frames | tr '\n' ' ')"
    refute grep -Eq '^1[35] ' x/keys
    find x/frames -name keys -delete
    eq "$("$anm" cat "$file" keys)" ""
    eq "$(cat x/bones/*/keys)" ""
    eq "$(ls -A d)" "${file#d/}"
    note accepted yes
}

# --- looking on ---

case_looking() {
    row 'ls du df stat find' ls
    local inode name
    for name in 'ls -lR' 'du -a' 'df' 'df -i' 'stat' 'find'; do
        # shellcheck disable=SC2086 # words
        exits 0 $name x
        [ -s out ]
        eq "$(cat err)" ""
    done
    ls -lR x >out
    eq "$(grep -c ' keys$' out)" "$(find x -name keys | wc -l)"
    eq "$(stat -c '%s %h %F' "$key")" "34 1 regular file"
    [ "$(du -k "$key" | cut -f 1)" -gt 0 ]
    [ "$(df --output=avail x | tail -n 1)" -gt 0 ]
    # One number for a file, wherever it is asked from.
    inode=$(stat -c %i "$key")
    eq "$(find x -inum "$inode")" "$key"
    eq "$(ls -i "$key" | cut -d ' ' -f 1)" "$inode"
    echo 'turret orientation 0 0.5 0' >"$key"
    eq "$(stat -c %i "$key")" "$inode"
    eq "$(find x -printf '%i\n' | sort | uniq -d)" ""
    leaves
    note accepted yes
}

# Who reads on sees what another process appends, and what takes the file's place.
case_tail() {
    row 'tail -f' tail
    local watcher
    tail -n +1 -f "$key" >seen 2>seen.err &
    watcher=$!
    within 5 grep -q orientation seen
    echo 'turret position 0 1.5 0' >>"$key"
    within 5 grep -q 'position 0 1.5 0' seen
    echo 'turret visible yes' >>"$key"
    within 5 grep -q 'visible yes' seen
    kill "$watcher"
    wait "$watcher" || :
    eq "$(cat seen)" "$(cat "$key")"
    tail -n +1 -s 0.1 --max-unchanged-stats=1 -F "$key" >seen 2>seen.err &
    watcher=$!
    within 5 grep -q visible seen
    sed -i 's/1\.5/2.25/' "$key"
    within 5 grep -q 'position 0 2.25 0' seen
    kill "$watcher"
    wait "$watcher" || :
    leaves
    note accepted yes
}

# --- what is refused, with the errno that makes programs carry on ---

case_refused() {
    row 'names, links, owners' python3 setfattr
    local name
    cp "$file" before.anm
    ls -A "$dir" >names.before
    for name in kez key s keyz; do
        exits 1 touch "$dir/$name"
        grep -q 'Operation not permitted' err
        exits 1 cp "$key" "$dir/$name"
        exits 1 mkdir "$dir/$name"
        exits 1 mv "$key" "$dir/$name"
    done
    exits 1 ln -s keys "$dir/link"
    grep -q 'Operation not permitted' err
    exits 1 ln "$key" "$dir/link"
    grep -q 'Operation not permitted' err
    exits 1 mkfifo "$dir/fifo"
    grep -q 'Operation not permitted' err
    # Links of names that editors use are refused too: emacs then makes a plain file.
    exits 1 ln -s a@b.1 "$dir/.#keys"
    grep -q 'Operation not permitted' err
    exits 1 setfattr -n user.a -v b "$key"
    grep -q 'Operation not supported' err
    exits 0 chown "$(stat -c %u:%g "$key")" "$key"
    exits 0 chmod 600 "$key"
    eq "$(stat -c %a "$key")" 600
    cmp before.anm "$file"
    ls -A "$dir" | diff names.before -
    leaves
    python3 - "$dir" <<'END'
import errno, os, sys
os.chdir(sys.argv[1])
def refused(want, call, *arguments):
    try:
        call(*arguments)
    except OSError as e:
        assert e.errno == want, (call, arguments, e)
    else:
        raise AssertionError((call, arguments))
refused(errno.EPERM, os.symlink, "keys", ".#keys")
refused(errno.EPERM, os.link, "keys", "keys~")
refused(errno.EPERM, os.mkfifo, "keys.fifo")
refused(errno.EPERM, os.open, "kez", os.O_CREAT | os.O_WRONLY)
refused(errno.EEXIST, os.open, "keys", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
refused(errno.EEXIST, os.symlink, "keys", "keys")
refused(errno.ENOENT, os.unlink, "kez")
refused(errno.ENOENT, os.rename, "kez", "keys")
refused(errno.ENOTDIR, os.rmdir, "keys")
refused(errno.EOPNOTSUPP, os.setxattr, "keys", "user.a", b"b")
refused(errno.ENODATA, os.getxattr, "keys", "system.posix_acl_access")
refused(errno.EISDIR, os.open, ".", os.O_WRONLY)
END
    note accepted yes
    note refused 'EPERM'
}

run_rows "$@"
