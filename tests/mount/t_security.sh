#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What SECURITY.md promises: who may look, names that stay inside, temporary files nobody can foresee, links that are not followed
# twice, and how the programs are built. What needs another user makes one, and opens /dev/fuse to it meanwhile.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# In a mount namespace of its own, so that a case can have another /etc/fuse.conf that nobody else sees. It has copies of all mounts:
# those of anmfs are let go there, as a daemon serves until the last copy of its mount is gone.
if [ -z "${own_namespace:-}" ] && unshare --mount true 2>/dev/null; then
    # shellcheck disable=SC2016 # for the shell in there
    own_namespace=yes exec unshare --mount sh -c 'umount -a -l -t fuse.anmfs; exec "$0" "$@"' "$0" "$@"
fi

user=anmfs-test
other=65534 # nobody, who is not in any way related to the mount

# --- another user ---

fuse_mode=''
place=''

users_begin() {
    [ "$(id -u)" -eq 0 ] && [ -e /dev/fuse ] && command -v setpriv useradd >/dev/null || return 0
    id "$user" >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin "$user" || return 0
    fuse_mode=$(stat -c %a /dev/fuse)
    chmod 666 /dev/fuse
    # Where the user can reach it: the build directory may be root's alone.
    place=$(mktemp -d /var/tmp/anmfs-test-XXXXXX)
    chmod 755 "$place"
    cp "$BUILD/anmfs" "$place"
}

users_end() {
    [ -n "$place" ] || return 0
    chmod "$fuse_mode" /dev/fuse
    userdel "$user"
    remove "$place"
    place=''
}

# as UID COMMAND...
as() {
    local uid=$1
    shift
    setpriv --reuid="$uid" --regid="$uid" --clear-groups --inh-caps=-all -- "$@"
}

need_user() {
    [ -n "$place" ] || skip "only root can make another user here"
}

# user_dir: a directory of the user's with turret.anm in it, entered.
user_dir() {
    need_user
    local dir=$place/$BASHPID
    mkdir "$dir"
    cp "$seeds/turret.anm" "$dir"
    chown -R "$(id -u "$user"):$(id -u "$user")" "$dir"
    chmod 755 "$dir"
    cd "$dir"
}

is_mounted() {
    grep -qF " $1 " /proc/self/mountinfo
}

# user_mnt FILE DIR [OPTION...]: as mnt, but by the user. Root cannot look into it, so mountinfo tells when it is there.
user_mnt() {
    local file=$1 dir=$2 uid
    shift 2
    uid=$(id -u "$user")
    as "$uid" mkdir -p "$dir"
    setpriv --reuid="$uid" --regid="$uid" --clear-groups --inh-caps=-all -- \
        "$place/anmfs" -f "$@" "$file" "$dir" >"$dir.log" 2>&1 &
    # shellcheck disable=SC2031 # each case has its own, as in mnt
    mounts+=("$dir") pids+=("$!")
    within 20 is_mounted "$PWD/$dir" || {
        cat "$dir.log"
        return 1
    }
}

case_plain_user() {
    user_dir
    local uid
    uid=$(id -u "$user")
    user_mnt turret.anm x
    # The user, and nobody else, not even root.
    as "$uid" cat x/frames/006/keys
    fails 'Permission denied' as "$other" ls x
    fails 'Permission denied' as "$other" cat x/frames/006/keys
    fails 'Permission denied' as "$other" stat x/frames/006/keys
    refute as "$other" sh -c 'echo turret visible yes >x/frames/006/keys'
    fails 'Permission denied' ls x
    as "$uid" sh -c 'echo turret visible yes >x/frames/006/keys'
    eq "$("$anm" cat turret.anm frames/006/keys)" 'turret visible yes'
    eq "$(stat -c %u:%a turret.anm)" "$uid:644"
}

# A user cannot let others in, unless the machine's owner allows it.
case_plain_user_allow_other() {
    user_dir
    if grep -q '^user_allow_other' /etc/fuse.conf 2>/dev/null; then
        skip "/etc/fuse.conf has user_allow_other"
    fi
    as "$(id -u "$user")" mkdir x
    fails 'user_allow_other' as "$(id -u "$user")" "$place/anmfs" -f -o allow_other turret.anm x
    refute is_mounted "$PWD/x"
}

# Where that is allowed, the modes shown hold for others as they do with root's mount.
case_plain_user_lets_others_in() {
    user_dir
    if [ -z "${own_namespace:-}" ] || [ ! -e /etc/fuse.conf ]; then
        skip "/etc/fuse.conf cannot be another one here"
    fi
    local uid
    uid=$(id -u "$user")
    echo user_allow_other >fuse.conf
    mount --bind fuse.conf /etc/fuse.conf
    trap 'case_clean; umount /etc/fuse.conf' EXIT
    user_mnt turret.anm x -o allow_other
    grep -F " $PWD/x " /proc/self/mountinfo | grep -q default_permissions
    eq "$(stat -c %u:%a x/frames/006/keys)" "$uid:644"
    as "$other" cat x/frames/006/keys
    fails 'Permission denied' as "$other" sh -c 'exec 2>&1; echo turret visible yes >x/frames/006/keys'
    fails 'Permission denied' as "$other" rm -f x/frames/006/keys
    fails 'Permission denied' as "$other" touch x/keys~
    fails 'not permitted' as "$other" chmod 777 x/frames/006/keys
    cmp turret.anm "$seeds/turret.anm"
    as "$uid" chmod 600 x/frames/006/keys
    fails 'Permission denied' as "$other" cat x/frames/006/keys
    as "$uid" sh -c 'echo turret visible yes >x/frames/006/keys'
    eq "$("$anm" cat turret.anm frames/006/keys)" 'turret visible yes'
}

# A file of somebody else is shown, read-only, if it can be read at all.
case_plain_user_foreign_file() {
    user_dir
    local uid
    uid=$(id -u "$user")
    chown 0:0 turret.anm
    user_mnt turret.anm x
    as "$uid" cat x/frames/006/keys
    fails 'Read-only' as "$uid" sh -c 'exec 2>&1; echo turret visible yes >x/frames/006/keys'
    unmnt x
    chmod 600 turret.anm
    fails 'Permission denied' as "$uid" "$place/anmfs" -f turret.anm x
}

case_root_alone() {
    user_dir
    mnt turret.anm x
    fails 'Permission denied' as "$other" ls x
    fails 'Permission denied' as "$other" cat x/frames/006/keys
}

# With allow_other the kernel enforces the modes and owners that are shown.
case_allow_other() {
    user_dir
    chown 0:0 turret.anm
    mnt turret.anm x -o allow_other
    eq "$(stat -c %u:%a x/frames/006/keys)" 0:644
    as "$other" cat x/frames/006/keys
    fails 'Permission denied' as "$other" sh -c 'exec 2>&1; echo turret visible yes >x/frames/006/keys'
    fails 'Permission denied' as "$other" mkdir x/frames/099
    fails 'Permission denied' as "$other" rm -f x/frames/006/keys
    fails 'Permission denied' as "$other" mv x/frames/006 x/frames/099
    fails 'Permission denied' as "$other" touch x/keys~
    fails 'not permitted' as "$other" chmod 777 x/frames/006/keys
    fails 'not permitted' as "$other" chown "$other" x/frames/006/keys
    chmod 600 x/frames/006/keys
    fails 'Permission denied' as "$other" cat x/frames/006/keys
    chmod 700 x/bones
    fails 'Permission denied' as "$other" ls x/bones
    cmp turret.anm "$seeds/turret.anm"
}

case_allow_other_uid() {
    user_dir
    local uid
    uid=$(id -u "$user")
    mnt turret.anm x -o "allow_other,uid=$user,umask=077"
    eq "$(stat -c %u:%a x/frames/006/keys)" "$uid:600"
    as "$uid" sh -c 'echo turret visible yes >x/frames/006/keys'
    eq "$("$anm" cat turret.anm frames/006/keys)" 'turret visible yes'
    fails 'Permission denied' as "$other" ls x
}

# The modes shown start from the file's own.
case_private_file() {
    user_dir
    chown 0:0 turret.anm
    chmod 600 turret.anm
    mnt turret.anm x -o allow_other
    fails 'Permission denied' as "$other" cat x/frames/006/keys
    fails 'Permission denied' as "$other" ls x
}

# --- names ---

# Whatever a bone is called in the file, its directory is one component below bones/, and works.
case_names_stay_inside() {
    local long name names=('%2e.%2fescaped' '%2e.' '%2e' 'a%2fb' '%2fetc%2fpasswd' '%' '%2d-rf' '%07%1b[31m' '%ff%fe'
        '%c3(' 'a%00b' 'nl%0aend' '%23' '$(touch%20escaped)' 'x%7e2' 'CON' 'é')
    long=$(printf '%04000d' 7)
    seed turret
    "$anm" cat turret.anm bonemap >map
    printf '%s\n' "${names[@]}" "$long" >>map
    "$anm" put turret.anm bonemap <map
    mkdir in
    mnt turret.anm in/x
    ls -A in/x/bones >listed
    eq "$(wc -l <listed)" "$(wc -l <map)"
    eq "$(ls -A in/x)" "$(printf '%s\n' bonemap bones format frames header)"
    for name in "${names[@]}"; do
        grep -qxF -- "$name" listed
        echo '6 visible yes' >"in/x/bones/$name/keys"
        eq "$(cat "in/x/bones/$name/keys")" '6 visible yes'
        grep -qxF -- "$name visible yes" in/x/frames/006/keys
        eq "$("$anm" cat turret.anm "bones/$name/keys")" '6 visible yes'
    done
    name=$(grep -E '^0{200,}.*~h[0-9a-f]{8}$' listed)
    echo '6 visible no' >"in/x/bones/$name/keys"
    grep -qxF "$long visible no" in/x/frames/006/keys
    # Nothing came to be anywhere else.
    eq "$(ls -A in)" "$(printf '%s\n' x x.log)"
    eq "$(ls -A)" "$(printf '%s\n' in listed map turret.anm)"
    rm -r "in/x/bones/%2e.%2fescaped" "in/x/bones/a%2fb"
    refute grep -qF '%2e.%2fescaped' in/x/frames/006/keys
}

# --- files ---

# traced COMMAND...: runs it while the daemon's calls with a path go to the file calls.
traced() {
    need strace
    strace -f -e trace=%file,getrandom -o calls -p "$(pid_of x)" 2>attached &
    local pid=$!
    within 10 grep -q attached attached || skip "strace cannot attach to the daemon: $(cat attached)"
    "$@"
    kill "$pid"
    wait "$pid" || :
}

three_saves() {
    local i
    for i in 1 2 3; do
        echo "turret orientation 0 0.$i 0" >x/frames/006/keys
    done
}

case_temporary_names() {
    seed turret
    mnt turret.anm x
    traced three_saves
    eq "$(grep -c '^[0-9]* *getrandom(' calls)" 3
    # Each has a name of its own, from the kernel's generator, and is made only if there was none.
    grep -oE '"\.anmfs-turret\.anm-[0-9a-f]{16}"' calls | sort -u >names
    eq "$(wc -l <names)" 3
    refute grep -E 'O_CREAT(\||,)' <(grep -v O_EXCL calls)
    eq "$(grep -cE 'O_TMPFILE|O_EXCL' calls)" 3
    eq "$(find . -maxdepth 1 -name '.anmfs-*')" ''
    # And nothing is named by a whole path: the directory is a descriptor.
    grep -v '"/proc/self/fd/' calls | grep -v ENOSYS >paths
    refute grep -q '"/' paths
}

# The path is followed once, to the directory: from there on the file is a single name, of which no link is followed.
case_source_by_descriptor() {
    need strace
    mkdir dir
    seed turret dir/turret.anm
    run=(strace -f -e 'trace=%file' -o calls)
    mnt dir/turret.anm x
    three_saves
    unmnt x
    grep -vE ' (execve|readlink|mount|umount2)\(' calls | grep -E '[/"](dir/?|turret\.anm)"' >named
    eq "$(grep -c '/dir/", .*O_DIRECTORY' named)" 1
    refute grep -vE '/dir/", .*O_DIRECTORY|\([0-9]+, "turret\.anm", .*NOFOLLOW|renameat\([0-9]+, "\.anmfs-' named
}

# A link at the temporary name, were it guessed, is not followed; one that a crash would leave is a file.
case_leftover_link() {
    seed turret
    seed mesh victim.anm
    cp victim.anm before.anm
    ln -s victim.anm .anmfs-turret.anm-0123456789abcdef
    mnt turret.anm x
    three_saves
    test -L .anmfs-turret.anm-0123456789abcdef
    cmp victim.anm before.anm
}

# The file is the one that the link meant at the mount.
case_swapped_link() {
    seed turret
    seed turret other.anm
    ln -s turret.anm link.anm
    mnt link.anm x
    ln -sfn other.anm link.anm
    three_saves
    cmp other.anm "$seeds/turret.anm"
    eq "$("$anm" cat turret.anm frames/006/keys)" 'turret orientation 0 0.3 0'
    eq "$(readlink link.anm)" other.anm
}

case_swapped_directory() {
    mkdir dir
    seed turret dir/turret.anm
    mnt dir/turret.anm x
    mv dir moved
    mkdir evil
    seed turret evil/turret.anm
    ln -s evil dir
    three_saves
    cmp evil/turret.anm "$seeds/turret.anm"
    eq "$("$anm" cat moved/turret.anm frames/006/keys)" 'turret orientation 0 0.3 0'
    eq "$(ls -A evil moved)" "$(printf 'evil:\nturret.anm\n\nmoved:\nturret.anm')"
}

# Nor is a link followed that stands in place of the file later.
case_swapped_file() {
    seed turret
    seed turret victim.anm
    "$anm" mkdir victim.anm bones/secret
    cp victim.anm before.anm
    mnt turret.anm x
    mv turret.anm away.anm
    ln -s victim.anm turret.anm
    refute bash -c 'echo "turret visible yes" >x/frames/006/keys; exit' 2>err
    refute sed -i s/0.38268343/0.5/ x/frames/006/keys 2>err
    refute python3 -c 'import os, sys
fd = os.open("x/frames/006/keys", os.O_WRONLY | os.O_TRUNC)
os.write(fd, b"turret visible yes\n")
os.close(fd)' 2>err
    cmp victim.anm before.anm
    cmp away.anm "$seeds/turret.anm"
    refute grep -q secret x/bonemap
    refute test -e x/bones/secret
    test -L turret.anm
}

# --- the programs ---

case_hardening() {
    need readelf
    local program
    for program in "$BUILD/anmfs" "$BUILD/anm"; do
        readelf -hldsW "$program" >elf
        if grep -q __asan_init elf; then
            skip "a build with sanitizers has no hardening"
        fi
        grep -qE 'Type: +DYN' elf
        grep -q GNU_RELRO elf
        grep -q BIND_NOW elf
        grep -q 'FLAGS_1.*NOW.*PIE' elf
        grep -q __stack_chk_fail elf
        grep -qE 'GNU_STACK .* RW ' elf
        refute grep -qE 'TEXTREL|RPATH|RUNPATH| RWE ' elf
        # No set-user-ID: fusermount3 is the only privileged part.
        eq "$(find "$(realpath "$program")" -perm /6000)" ''
    done
    readelf -sW "$BUILD/anmfs" | grep -qE '__(v?(s|f)n?printf|memcpy|strcpy)_chk'
}

trap users_end EXIT
users_begin
run_cases "$@"
