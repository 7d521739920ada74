#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every program that people save with, on a live mount: an accepted text, a refused one, and what is left behind. Ends
# with the table.
# shellcheck disable=SC2317 # the functions that a row calls
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/mount/editors.sh
. "$(dirname "$0")/editors.sh"

# --- editors ---

# vim_row NAME OPTIONS LEFT LEFT-WHEN-REFUSED
vim_row() {
    row "$1" vim tmux
    command="vim ${2:+-c 'set $2'} $key" ready='1L, [0-9]*B'
    edit() {
        test -e "$dir/.keys.swp"
        type_keys ":%s/[^ ]* 0\$/$1 0/" Enter
    }
    save() { type_keys ':w' Enter; }
    leave() { type_keys ':q' Enter; }
    leave_unsaved() { type_keys ':q!' Enter; }
    dismiss() { type_keys Enter; }
    # shellcheck disable=SC2086 # none, or one
    editor_accepts $3
    # After a failed save with a copied backup vim asks on any filesystem: it wrote the file twice.
    if [ "$4" = 'keys~ keyz~' ]; then
        question='^no question is out of place$'
        save() {
            type_keys ':w' Enter
            within 5 on_screen 'written|really want|E512'
            on_screen 'written|E512' || type_keys y
        }
    fi
    # shellcheck disable=SC2086
    editor_refuses E512 $4
}

# Vim puts the backup back when it had made it by renaming, and leaves it when it had copied; the next one has another name.
case_vim() { vim_row vim '' '' ''; }
case_vim_copy() { vim_row 'vim backupcopy=yes' 'backupcopy=yes' '' 'keys~ keyz~'; }
case_vim_backup() { vim_row 'vim backup' 'backup backupcopy=no' 'keys~' ''; }
case_vim_undofile() { vim_row 'vim undofile' 'undofile' '.keys.un~' '.keys.un~'; }

case_nano() {
    row nano nano tmux
    command="nano $key" ready='Read 1 line'
    edit() { type_keys C-k "turret orientation 0 $1 0"; }
    save() { type_keys C-o Enter; }
    leave() { type_keys C-x; }
    leave_unsaved() { type_keys C-x n; }
    editor_accepts
    editor_refuses 'Error writing .*Input/output error'
}

case_emacs() {
    row 'emacs' emacs tmux
    command="emacs -nw -Q --eval '(setq create-lockfiles t make-backup-files t)' $key" ready='L1 '
    edit() {
        type_keys M-\< C-k "turret orientation 0 $1 0"
        within 5 test -e "$dir/.#keys"
    }
    save() { type_keys C-x C-s; }
    leave() { type_keys C-x C-c; }
    leave_unsaved() { type_keys C-x C-c n yes Enter; }
    editor_accepts 'keys~'
    # After a failed save it asks on any filesystem: the text it remembers is not the one that is there.
    question='^no question is out of place$'
    save() {
        local tries
        shows "^turret orientation 0 $asked 0"
        type_keys C-x C-s
        for tries in {1..100}; do
            if on_screen 'Save anyway'; then
                type_keys yes Enter
            elif on_screen 'really edit'; then
                type_keys y
            elif on_screen 'Wrote|Write error'; then
                return
            fi
            sleep 0.1
        done
        echo "$tries tries"
        return 1
    }
    edit() {
        asked=$1
        type_keys M-\< C-k "turret orientation 0 $1 0"
    }
    editor_refuses 'Write error: Invalid argument' '#keys#?( keys~)'
}

case_ne() {
    row ne ne tmux
    command="ne --no-config $key" ready='turret orientation'
    edit() { type_keys C-y "turret orientation 0 $1 0" Enter Up; }
    save() { type_keys C-s; }
    leave() { type_keys C-q; }
    leave_unsaved() { type_keys C-q y; }
    editor_accepts
    editor_refuses '[Ee]rror'
}

case_micro() {
    row micro micro tmux
    command="micro $key" ready='turret orientation'
    edit() { type_keys C-k "turret orientation 0 $1 0" Enter Up; }
    save() { type_keys C-s; }
    leave() { type_keys C-q; }
    leave_unsaved() { type_keys C-q n; }
    editor_accepts
    editor_refuses 'invalid argument'
}

# Two saves in one run.
case_ed() {
    row ed ed
    put() { printf 's/[^ ]* 0$/0.125 0/\nw\ns/[^ ]* 0$/%s 0/\nw\nQ\n' "$1" | ed -s "$key"; }
    accepts
    put() { printf 's/[^ ]* 0$/%s 0/\nw\nQ\n' "$1" | ed -s "$key"; }
    refuses 1 'Invalid argument'
}

case_ex() {
    row ex ex
    put() { printf '%%s/[^ ]* 0$/0.125 0/\nw\n%%s/[^ ]* 0$/%s 0/\nw\nq!\n' "$1" | ex -s "$key"; }
    accepts
    put() { printf '%%s/[^ ]* 0$/%s 0/\nw\nq!\n' "$1" | ex -s "$key"; }
    refuses 1 '' 'keys~'
}

# Opens for reading and writing, empties, writes by position; asks before a save when time or size are not those after its
# own last one.
case_vscode() {
    row 'VS Code' python3
    cat >code.py <<'END'
import os, sys
key, last = sys.argv[1], None
for number in sys.argv[2:]:
    text = b"turret orientation 0 %s 0\n" % number.encode()
    now = os.stat(key)
    assert last in (None, (now.st_mtime_ns, now.st_size, now.st_ino)), "changed on disk"
    fd = os.open(key, os.O_RDWR)
    os.ftruncate(fd, 0)
    for at in range(0, len(text), 10):
        os.pwrite(fd, text[at:at + 10], at)
    os.fdatasync(fd)
    os.close(fd)
    now = os.stat(key)
    last = now.st_mtime_ns, now.st_size, now.st_ino
END
    put() { python3 code.py "$key" 0.125 "$1"; }
    accepts
    put() { python3 code.py "$key" "$1"; }
    refuses 1 'Input/output error'
    sed -i /fdatasync/d code.py
    refuses 1 'Invalid argument'
}

# --- shells ---

# shell_row NAME SCRIPT STATUS MESSAGE: the script has the number as $1 and the key as $key.
shell_row() {
    row "$1" "${1%% *}"
    shell=${1%% *} script=$2
    export key
    put() { "$shell" -c "$script" "$shell" "$1"; }
    accepts
    refuses "$3" "$4"
}

# The shell itself does not look at what close says.
echo_over() { shell_row "$1 >" 'echo "turret orientation 0 $1 0" >"$key"' 0 ''; }
cat_over() { shell_row "$1 cat >" 'cat t >"$key"' 1 'Invalid argument'; }
here() { shell_row "$1 <<" 'cat <<END >"$key"
turret orientation 0 $1 0
END' 1 'Invalid argument'; }

# The second line comes by >>; when it is refused, the first one stays.
append() {
    text() { printf '# by hand\nturret orientation 0 %s 0\n' "$1" >t; }
    reason='3:'
    row "$1 >>" "$1"
    shell=$1
    put() {
        [ "$1" = zero ] || echo '# by hand' >"$key"
        "$shell" -c 'echo "turret orientation 0 $1 0" >>"$2"' "$shell" "$1" "$key"
    }
    accepts
    reason='3:'
    refuses 0 ''
}

case_bash_echo() { echo_over bash; }
case_bash_cat() { cat_over bash; }
case_bash_here() { here bash; }
case_bash_append() { append bash; }
case_dash_echo() { echo_over dash; }
case_dash_cat() { cat_over dash; }
case_dash_here() { here dash; }
case_dash_append() { append dash; }

# --- filters and copies: `t` has the new text ---

# tool_row NAME STATUS MESSAGE [LEFT [LEFT-WHEN-REFUSED]]: for the `put` of the case.
tool_row() {
    row "$1" "${1%% *}"
    # shellcheck disable=SC2086 # none, or one
    accepts ${4-}
    # shellcheck disable=SC2086
    refuses "$2" "$3" ${5-${4-}}
}

case_tee() {
    put() { tee "$key" <t >/dev/null; }
    tool_row tee 1 'Invalid argument'
}

case_sed() {
    put() { sed -i "s/[^ ]* 0\$/$1 0/" "$key"; }
    tool_row 'sed -i' 4 'Invalid argument'
}

case_perl() {
    put() { perl -pi -e "s/[^ ]* 0\$/$1 0/" "$key"; }
    tool_row 'perl -pi' 22 'Invalid argument'
}

case_awk() {
    put() { awk -v number="$1" '{ $4 = number } 1' "$key" >"$key.new" && mv "$key.new" "$key"; }
    tool_row 'awk + mv' 1 'cannot move' '' keys.new
}

case_sponge() {
    put() { awk -v number="$1" '{ $4 = number } 1' "$key" | sponge "$key"; }
    tool_row sponge 1 'Invalid argument'
}

case_patch() {
    put() {
        diff -u "$key" t >t.patch || :
        patch -s "$key" t.patch
    }
    tool_row patch 2 'Invalid argument'
}

case_cp() {
    put() { cp t "$key"; }
    tool_row cp 1 'Invalid argument'
}

case_cp_p() {
    put() {
        touch -d '2001-02-03 04:05:06.789' t
        cp -p t "$key" || return
        eq "$(stat -c %y "$key")" "$(stat -c %y t)"
    }
    tool_row 'cp -p' 1 'Invalid argument'
}

case_rsync() {
    put() { rsync -a t "$key"; }
    tool_row 'rsync -a' 23 'Invalid argument'
}

case_rsync_inplace() {
    put() { rsync -a --inplace --ignore-times t "$key"; }
    tool_row 'rsync --inplace' 11 'Invalid argument'
    within 5 idle
}

case_dd() {
    put() { dd if=t of="$key" bs=7 status=none; }
    tool_row dd 1 'Invalid argument'
}

case_truncate() {
    row truncate
    put() {
        { cat t && echo '# gone'; } >"$key"
        truncate -s "$(stat -c %s t)" "$key"
    }
    accepts
    put() {
        if [ "$1" = zero ]; then
            truncate -s 10 "$key"
        else
            cp t "$key"
        fi
    }
    reason='1:'
    refuses 1 'Invalid argument'
    put() {
        if [ "$1" = zero ]; then
            truncate -s 0 "$key"
        else
            cp t "$key"
        fi
    }
    reason='an empty text'
    refuses 0 ''
}

# The time is taken, the file not written again.
case_touch() {
    row touch
    local inode
    cp "$key" t
    inode=$(stat -c '%i %y' "$file")
    touch -d '2001-02-03 04:05:06' "$key"
    eq "$(stat -c %Y "$key")" "$(date -d '2001-02-03 04:05:06' +%s)"
    touch "$key"
    eq "$(stat -c '%i %y' "$file")" "$inode"
    cmp t "$key"
    leaves
    note accepted yes
    exits 1 touch x/frames/006/kez
    grep -q 'Operation not permitted' err
    leaves
    note refused 'exit 1, Operation not permitted (new name)'
}

# --- scripts ---

# script_row NAME PROGRAM FILE STATUS MESSAGE: the script is given the key and the number.
script_row() {
    row "$1" "$2"
    local program=$2 script=$3
    put() { "$program" "$script" "$key" "$1"; }
    accepts
    refuses "$4" "$5"
}

# All numbers are as long as the first one, so that it can be overwritten in place.
same_length() {
    text() { printf 'turret orientation 0 %-10s 0\n' "$1" >t; }
}

case_python_pieces() {
    cat >script <<'END'
import sys
with open(sys.argv[1], "w", buffering=1) as f:
    f.write("turret ori")
    f.flush()
    f.write("entation 0 %s" % sys.argv[2])
    f.flush()
    f.write(" 0\n")
END
    script_row 'python in pieces' python3 script 1 'Invalid argument'
}

case_python_seek() {
    same_length
    cat >script <<'END'
import sys
with open(sys.argv[1], "r+b", buffering=0) as f:
    f.seek(21)
    f.write(sys.argv[2].ljust(10)[5:].encode().rjust(10))
    f.seek(-13, 2)
    f.write(sys.argv[2].ljust(10).encode())
END
    script_row 'python seek' python3 script 1 'Invalid argument'
}

# append_row NAME PROGRAM FILE STATUS MESSAGE: likewise, for a script that writes two lines, the second by appending; that one comes alone
# when it is to be refused.
append_row() {
    text() { printf '# by hand\nturret orientation 0 %s 0\n' "$1" >t; }
    row "$1" "$2"
    local program=$2 script=$3
    put() { "$program" "$script" "$key" "$1"; }
    accepts
    reason=3:
    refuses "$4" "$5"
}

case_python_append() {
    cat >script <<'END'
import sys
with open(sys.argv[1], "a") as f:
    if sys.argv[2] != "zero":
        f.truncate(0)
        f.write("# by hand\n")
        f.flush()
    f.write("turret orientation 0 %s 0\n" % sys.argv[2])
END
    append_row 'python append' python3 script 1 'Invalid argument'
}

# As editors and libraries save "atomically".
case_python_replace() {
    cat >script <<'END'
import os, sys, tempfile
key = sys.argv[1]
fd, name = tempfile.mkstemp(dir=os.path.dirname(key))
try:
    with os.fdopen(fd, "w") as f:
        f.write("turret orientation 0 %s 0\n" % sys.argv[2])
        os.fsync(f.fileno())
    os.replace(name, key)
except OSError:
    os.unlink(name)
    raise
END
    script_row 'python os.replace' python3 script 1 'Invalid argument'
}

case_python_mmap() {
    same_length
    cat >script <<'END'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
with mmap.mmap(fd, 0) as view:
    view[21:31] = sys.argv[2].ljust(10).encode()
    view.flush()
os.close(fd)
END
    script_row 'python mmap' python3 script 1 'Input/output error'
}

# The descriptor is closed before the pages are written: no call is left that could fail.
case_python_mmap_late() {
    same_length
    cat >script <<'END'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
view = mmap.mmap(fd, 0)
os.close(fd)
view[21:31] = sys.argv[2].ljust(10).encode()
view.close()
END
    script_row 'python mmap after close' python3 script 0 ''
}

case_python_mmap_private() {
    row 'python mmap private' python3
    local inode
    inode=$(stat -c '%i %y' "$file")
    cp "$key" t
    python3 - "$key" <<'END'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
with mmap.mmap(fd, 0, flags=mmap.MAP_PRIVATE) as view:
    view[0:6] = b"nobody"
    assert view[0:6] == b"nobody"
os.close(fd)
END
    cmp t "$key"
    eq "$(stat -c '%i %y' "$file")" "$inode"
    leaves
    note accepted unchanged
}

case_node_pieces() {
    cat >script.js <<'END'
const fs = require("fs");
const [key, number] = process.argv.slice(2);
const fd = fs.openSync(key, "w");
fs.writeSync(fd, "turret orientation");
fs.writeSync(fd, ` 0 ${number} 0\n`);
fs.closeSync(fd);
END
    script_row 'node in pieces' node script.js 1 'EINVAL'
}

case_node_position() {
    cat >script.js <<'END'
const fs = require("fs");
const [key, number] = process.argv.slice(2);
const text = `turret orientation 0 ${number} 0\n`;
const fd = fs.openSync(key, "r+");
fs.ftruncateSync(fd, 0);
fs.writeSync(fd, text.slice(10), 10);
fs.writeSync(fd, text.slice(0, 10), 0);
fs.fsyncSync(fd);
fs.closeSync(fd);
END
    script_row 'node by position' node script.js 1 'EIO'
}

case_node_stream() {
    cat >script.js <<'END'
const fs = require("fs");
const [key, number] = process.argv.slice(2);
const out = fs.createWriteStream(key);
out.write("turret orientation 0 ");
out.write(number);
out.end(" 0\n");
END
    script_row 'node stream' node script.js 1 'EINVAL'
}

case_node_append() {
    cat >script.js <<'END'
const fs = require("fs");
const [key, number] = process.argv.slice(2);
const fd = fs.openSync(key, "a");
if (number !== "zero") {
    fs.ftruncateSync(fd, 0);
    fs.writeSync(fd, "# by hand\n");
}
fs.writeSync(fd, `turret orientation 0 ${number} 0\n`);
fs.closeSync(fd);
END
    append_row 'node append' node script.js 1 'EINVAL'
}

case_perl_pieces() {
    cat >script <<'END'
open(my $f, ">", $ARGV[0]) or die;
syswrite($f, $_) for "turret ori", "entation 0 $ARGV[1]", " 0\n";
close($f) or die "close: $!\n";
END
    script_row 'perl in pieces' perl script 22 'Invalid argument'
}

case_perl_append() {
    cat >script <<'END'
open(my $f, ">>", $ARGV[0]) or die;
if ($ARGV[1] ne "zero") {
    truncate($f, 0) or die;
    syswrite($f, "# by hand\n");
}
syswrite($f, "turret orientation 0 $ARGV[1] 0\n");
close($f) or die "close: $!\n";
END
    append_row 'perl append' perl script 22 'Invalid argument'
}

case_perl_seek() {
    cat >script <<'END'
open(my $f, "+<", $ARGV[0]) or die;
truncate($f, 0) or die;
syswrite($f, "turret orientation 0 ");
sysseek($f, 0, 2);
syswrite($f, "$ARGV[1] 0\n");
close($f) or die "close: $!\n";
END
    script_row 'perl seek' perl script 22 'Invalid argument'
}

# A raw node: in place, longer, through memory; any bytes are a mesh, but not of a bone that is not there.
# raw_row NAME PROGRAM: the program is called with `script`, which is given the raw node, anm and the file.
raw_row() {
    row "$1" "$2"
    unmnt x
    seed mesh "$file"
    mnt "$file" x
    listing >listing.before
    "$2" script x/frames/012/gun.mesh "$anm" "$file"
    leaves
    note accepted yes
    note refused FAILED
    cp "$file" before.anm
    exits 1 cp x/frames/012/gun.mesh x/frames/012/nobody.mesh
    grep -q 'Operation not permitted' err
    cmp before.anm "$file"
    leaves
    note refused 'exit 1, Operation not permitted (no such bone)'
}

case_python_raw() {
    cat >script <<'END'
import mmap, os, subprocess, sys
raw, anm, file = sys.argv[1:]
mesh = bytearray(open(raw, "rb").read())
def same():
    kept = open(raw, "rb").read()
    assert kept == mesh == subprocess.run([anm, "cat", file, "frames/012/gun.mesh"], stdout=-1, check=True).stdout
with open(raw, "r+b", buffering=0) as f:
    f.seek(10)
    f.write(b"\x80\x3f")
    mesh[10:12] = b"\x80\x3f"
same()
with open(raw, "ab") as f:
    f.write(b"more")
    mesh += b"more"
same()
fd = os.open(raw, os.O_RDWR)
with mmap.mmap(fd, 0) as view:
    view[20:24] = mesh[20:24] = b"abcd"
os.close(fd)
same()
fd = os.open(raw, os.O_RDWR)
with mmap.mmap(fd, 0, flags=mmap.MAP_PRIVATE) as view:
    view[20:24] = b"none"
os.close(fd)
same()
os.truncate(raw, len(mesh) - 4)
del mesh[-4:]
same()
with open(raw, "wb", buffering=0) as f:
    for at in range(0, len(mesh), 7):
        f.write(mesh[at:at + 7])
same()
END
    raw_row 'python raw node' python3
}

case_node_raw() {
    cat >script <<'END'
const fs = require("fs"), { execFileSync } = require("child_process"), assert = require("assert");
const [raw, anm, file] = process.argv.slice(2);
let mesh = fs.readFileSync(raw);
function same() {
    assert.deepEqual(fs.readFileSync(raw), mesh);
    assert.deepEqual(execFileSync(anm, ["cat", file, "frames/012/gun.mesh"]), mesh);
}
let fd = fs.openSync(raw, "r+");
fs.writeSync(fd, Buffer.from([0x80, 0x3f]), 0, 2, 10);
fs.closeSync(fd);
mesh[10] = 0x80, mesh[11] = 0x3f;
same();
fs.appendFileSync(raw, "more");
mesh = Buffer.concat([mesh, Buffer.from("more")]);
same();
fs.truncateSync(raw, mesh.length - 4);
mesh = mesh.subarray(0, -4);
same();
fd = fs.openSync(raw, "w");
for (let at = 0; at < mesh.length; at += 7)
    fs.writeSync(fd, mesh.subarray(at, at + 7));
fs.closeSync(fd);
same();
END
    raw_row 'node raw node' node
}

case_perl_raw() {
    cat >script <<'END'
use strict;
my ($raw, $anm, $file) = @ARGV;
sub content { open(my $f, "<:raw", $_[0]) or die; local $/; <$f> }
my $mesh = content($raw);
sub same {
    my $kept = content($raw);
    open(my $f, "-|", $anm, "cat", $file, "frames/012/gun.mesh") or die;
    binmode $f;
    local $/;
    die "not the same" unless $kept eq $mesh && <$f> eq $mesh;
}
open(my $f, "+<:raw", $raw) or die;
sysseek($f, 10, 0);
syswrite($f, "\x80\x3f");
close($f) or die;
substr($mesh, 10, 2) = "\x80\x3f";
same();
open($f, ">>:raw", $raw) or die;
syswrite($f, "more");
close($f) or die;
$mesh .= "more";
same();
truncate($raw, length($mesh) - 4) or die;
substr($mesh, -4) = "";
same();
open($f, ">:raw", $raw) or die;
syswrite($f, $_) for unpack("(a7)*", $mesh);
close($f) or die;
same();
END
    raw_row 'perl raw node' perl
}

# --- what an unlink or a rename took, and a refused text brings back ---

case_sed_backup() {
    put() { sed -i.bak "s/[^ ]* 0\$/$1 0/" "$key"; }
    tool_row 'sed -i.bak' 4 'Invalid argument' keys.bak
}

case_perl_backup() {
    put() { perl -pi.bak -e "s/[^ ]* 0\$/$1 0/" "$key"; }
    tool_row 'perl -pi.bak' 22 'Invalid argument' keys.bak
}

case_cp_remove() {
    put() { cp --remove-destination t "$key"; }
    tool_row 'cp --remove-destination' 1 'Invalid argument'
}

case_install() {
    put() { install -m 640 t "$key"; }
    tool_row 'install -m' 1 'Invalid argument'
}

case_mv_from_elsewhere() {
    put() {
        cp t t.moved
        mv t.moved "$key"
    }
    tool_row mv 1 'Invalid argument'
}

case_git_apply() {
    put() {
        diff -u --label "a/$node" --label "b/$node" "$key" t >t.patch || :
        (cd x && git apply ../t.patch)
    }
    tool_row 'git apply' 128 'Invalid argument'
}

# The mount is the work tree; the repository is beside it. Git does not look at what close says here.
case_git_checkout() {
    git_x() { git --git-dir=t.git --work-tree=x -c user.name=a -c user.email=a@example.org "$@"; }
    put() {
        if [ ! -d t.git ]; then
            git init -q --bare t.git
            git_x add -A
            git_x commit -q -m first
        fi
        git_x update-index --add --cacheinfo "100644,$(git_x hash-object -w t),$node"
        git_x checkout-index -f -- "$node"
    }
    tool_row 'git checkout' 0 ''
}

case_tar() {
    put() {
        mkdir -p w/006
        cp t w/006/keys
        tar -c -C w 006 | tar -x -C x/frames
    }
    tool_row 'tar x' 2 'Invalid argument'
}

# In place, and told by close: the time and size that vim remembers then must be those that stay.
case_vim_no_backup() { vim_row 'vim nowritebackup' 'nobackup nowritebackup' '' ''; }

# What vim does when its text is refused: the new file goes, the backup takes its place. Killed between the two, the mount
# has not lost the key.
case_restore_interrupted() {
    need python3
    start
    python3 - "$key" <<'END'
import os, sys
key = sys.argv[1]
os.rename(key, key + "~")
fd = os.open(key, os.O_CREAT | os.O_WRONLY)
os.write(fd, b"turret orientation 0 zero 0\n")
try:
    os.close(fd)
    raise SystemExit("accepted")
except OSError:
    pass
os.unlink(key)
END
    eq "$("$anm" cat "$file" "$node")" "turret orientation 0 0.38268343 0"
}

run_rows "$@"
