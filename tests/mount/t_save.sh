#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Programs saving a key on a live mount: each leaves the .anm changed, both views alike, and nothing else behind.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

key=x/frames/006/keys
old='turret orientation 0 0.38268343 0'
new='turret orientation 0 0.5 0'

start() {
    seed turret
    mnt turret.anm x
}

# In a track the bone's name falls away.
new_in_track() {
    eq "$(grep '^6 ' x/bones/turret/keys)" "6 orientation 0 0.5 0"
}

# The new value is everywhere; beside the key is what the arguments say, beside the .anm nothing.
saved() {
    eq "$(cat "$key")" "$new"
    new_in_track
    eq "$("$anm" cat turret.anm frames/006/keys)" "$new"
    eq "$(ls -A x/frames/006 | tr '\n' ' ')" "keys ${*:+$* }"
    eq "$(find . -maxdepth 1 -name '.anmfs-*')" ""
}

# drive COMMAND KEYS...: runs a program in a terminal and types.
drive() {
    local command=$1 session=anmfs$$ socket=$PWD/tmux status
    shift
    rm -f status
    tmux -f /dev/null -S "$socket" new-session -d -s "$session" -x 100 -y 30 "$command; echo \$? >status"
    sleep 0.7
    for keys; do
        tmux -S "$socket" send-keys -t "$session" "$keys"
        sleep 0.3
    done
    within 10 test -s status || {
        tmux -S "$socket" capture-pane -p -t "$session"
        tmux -S "$socket" kill-server
        return 1
    }
    rm -f "$socket"
    status=$(cat status)
    eq "$status" 0
}

case_redirect() {
    start
    echo "$new" >"$key"
    saved
}

case_append() {
    start
    printf 'turret position 0 1.5 0\n' >>"$key"
    printf 'turret visible yes\n' >>"$key"
    printf 'gun visible yes\n' >>"$key"
    eq "$(cat "$key")" "$old"$'\nturret position 0 1.5 0\nturret visible yes\ngun visible yes'
    eq "$("$anm" cat turret.anm frames/006/keys | sort)" \
        "$(printf 'gun visible yes\n%s\nturret position 0 1.5 0\nturret visible yes' "$old")"
}

case_cp() {
    start
    echo "$new" >t
    cp t "$key"
    saved
}

case_mv_from_elsewhere() {
    start
    echo "$new" >t
    mv t "$key"
    saved
}

case_install() {
    start
    echo "$new" >t
    install -m 644 t "$key"
    saved
}

case_tee() {
    start
    echo "$new" | tee "$key" >/dev/null
    saved
}

case_dd() {
    start
    printf '%s\n# keeps the length     \n' "$new" | dd of="$key" conv=notrunc status=none
    head -n 1 "$key" | grep -qx "$new"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$new"
}

case_sed() {
    start
    sed -i 's/0.38268343/0.5/' "$key"
    saved
    sed -i.bak 's/0.5/0.25/; s/0.25/0.5/' "$key"
    saved keys.bak
}

case_perl() {
    need perl
    start
    perl -pi -e 's/0\.38268343/0.5/' "$key"
    saved
}

case_awk() {
    start
    awk '{ $4 = "0.5" } 1' "$key" >x/frames/006/keys.new
    mv x/frames/006/keys.new "$key"
    saved
}

# The shell empties the file before awk reads it: nothing is lost, the reason is told.
case_awk_onto_itself() {
    start
    # shellcheck disable=SC2094 # what the case is about
    awk '{ $4 = "0.5" } 1' "$key" >"$key"
    within 5 eq "$(cat "$key")" "$old"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$old"
    within 5 grep -q 'frames/006/keys: an empty text' x/.anmfs/errors
}

case_rsync() {
    need rsync
    start
    echo "$new" >keys
    rsync -a keys "$key"
    saved
    echo "$old" >keys
    rsync -a --inplace keys "$key"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$old"
}

case_ed() {
    need ed
    start
    printf 's/0.38268343/0.5/\nw\nq\n' | ed -s "$key"
    saved
}

case_ex() {
    need vim
    start
    vim -es -u NONE -c 's/0.38268343/0.5/' -c 'wq' "$key"
    saved
}

# Twice in one session: the second save must not be asked about.
case_vim() {
    need vim tmux
    start
    drive "vim -u NONE -N $key" ':s/0.38268343/0.25/' Enter ':w' Enter ':s/0.25/0.5/' Enter ':w' Enter ':q' Enter
    saved
}

case_vim_backup() {
    need vim tmux
    start
    drive "vim -u NONE -N --cmd 'set backup backupcopy=no backupskip=' $key" ':s/0.38268343/0.25/' Enter ':w' Enter \
        ':s/0.25/0.5/' Enter ':w' Enter ':q' Enter
    saved keys~
}

case_vim_refused() {
    need vim tmux
    start
    cp turret.anm before.anm
    drive "vim -u NONE -N $key 2>&1; true" ':s/0.38268343/zero/' Enter ':w' Enter ':redir! > messages' Enter ':messages' Enter \
        ':redir END' Enter ':q!' Enter
    grep -qE 'E[0-9]+' messages
    eq "$(cat "$key")" "$old"
    cmp before.anm turret.anm
    grep -q 'frames/006/keys:1:' x/.anmfs/errors
}

case_nano() {
    need nano tmux
    start
    drive "nano -I $key" C-k "$new" Enter C-o Enter C-x
    saved
}

case_unlinked_text_comes_back() {
    start
    cp turret.anm before.anm
    echo 'no such thing' >t
    fails '' mv t "$key"
    eq "$(cat "$key")" "$old"
    cmp before.anm turret.anm
}

case_renamed_away_is_not_deleted() {
    start
    mv "$key" "$key~"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$old"
    eq "$(cat "$key~")" "$old"
    eq "$(cat "$key")" "$old"
}

# In pieces, by position, by mmap: parsed when the writer is done.
case_python() {
    need python3
    start
    python3 - "$key" <<'END'
import mmap, os, sys
key = sys.argv[1]
fd = os.open(key, os.O_WRONLY | os.O_TRUNC)
for part in (b"turret orien", b"tation 0 0.", b"25 0\n"):
    os.write(fd, part)
os.close(fd)
assert open(key).read() == "turret orientation 0 0.25 0\n"
fd = os.open(key, os.O_RDWR)
with mmap.mmap(fd, 0) as view:
    at = view.find(b"0.25")
    view[at:at + 4] = b"0.50"
    view.flush()
os.close(fd)
fd = os.open(key, os.O_RDWR)
os.ftruncate(fd, 0)
os.pwrite(fd, b"0.5 0\n", 21)
os.pwrite(fd, b"turret orientation 0 ", 0)
os.close(fd)
END
    saved
}

# What was written is what is read, with its time, whatever its form.
case_kept() {
    start
    printf '# mine\r\n  turret   orientation 0 5e-1 0\r\n' >t
    touch -d '2001-02-03 04:05:06' t
    cp -p t "$key"
    cmp t "$key"
    eq "$(stat -c '%s %Y' "$key")" "$(stat -c '%s %Y' t)"
    new_in_track
    echo '6 orientation 0 0.5 0.125' >>/dev/null
    sed -i 's/^6 .*/6 orientation 0 0.25 0/' x/bones/turret/keys
    eq "$(cat "$key")" "turret orientation 0 0.25 0"
}

# A directory with a raw file and a text: cp makes both exclusively, whatever the first one implies.
case_cp_recursive() {
    seed mesh
    mnt mesh.anm x
    cp -r x/frames/012 x/frames/040
    diff -r x/frames/012 x/frames/040
    cp -r x/bones/turret x/bones/turret2
    diff -r x/bones/turret x/bones/turret2
    eq "$("$anm" cat mesh.anm frames/040/keys)" "$("$anm" cat mesh.anm frames/012/keys)"
}

case_killed() {
    start
    echo "$new" >"$key"
    kill -9 "$(pid_of x)"
    eq "$("$anm" cat turret.anm frames/006/keys)" "$new"
    fusermount3 -u x
    mounts=() pids=()
    eq "$(ls -A | sort | tr '\n' ' ')" "turret.anm x x.log "
}

case_views_agree() {
    start
    "$BUILD/coherence" "$key" x/bones/turret/keys 2000
    "$BUILD/coherence" "$key" x/keys 200
}

case_outside() {
    start
    cat "$key" x/bones/turret/keys >/dev/null
    "$anm" put turret.anm frames/006/keys "$new"
    within 2 eq_file "$key" "$new"
    new_in_track
}
eq_file() { [ "$(cat "$1")" = "$2" ]; }

run_cases "$@"
