#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a newcomer runs first: the quickstart, make install.
# shellcheck source=tests/mount/lib.sh
. "$(dirname "$0")/lib.sh"

# Always in the default build, whatever is tested now.
quickstart() {
    env -u MAKEFLAGS "$top/scripts/quickstart" "$@"
}

case_quickstart() {
    mkdir tmp
    TMPDIR=$PWD/tmp quickstart >out
    grep -qx '12 orientation 0 0.5 0' out
    grep -qx 'turret orientation 0 0.5 0' out
    eq "$(ls -A tmp)" ""
}

case_quickstart_own() {
    seed turret
    mkdir x
    quickstart turret.anm x >out
    eq "$(cat x/format)" "gem 6.0 frm2"
    grep -q "fusermount3 -u $PWD/x" out
    fusermount3 -u x
    fails usage quickstart turret.anm
}

words() {
    tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//'
}

# The session in the README, command by command, compared word by word (ls makes columns on a terminal).
case_readme() {
    local line command='' want=''
    seed turret
    mkdir mnt
    PATH=$BUILD:$PATH
    sed -n '/^```console/,/^```/p' "$top/README.md" | sed '1d;$d' >session
    [ "$(grep -c '^\$ ' session)" -gt 5 ]
    echo '$ true' >>session
    while IFS= read -r line; do
        if [ "${line#\$ }" = "$line" ]; then
            want+=" $line"
            continue
        fi
        eq "$command: $(eval "$command" | words)" "$command: $(words <<<"$want")"
        command=${line#\$ } want=''
    done <session
    refute mountpoint -q mnt
    eq "$("$anm" cat turret.anm format)" "gem 4.0 frmn"
}

case_install() {
    make -s -C "$top" BUILD="$BUILD" DESTDIR="$PWD/root" PREFIX=/usr SBINDIR=/sbin install
    eq "$(cd root && find . ! -type d | sort | tr '\n' ' ')" "./sbin/mount.anmfs ./usr/bin/anm ./usr/bin/anmfs \
./usr/share/anmfs/anm.schema.json ./usr/share/bash-completion/completions/anm ./usr/share/fish/vendor_completions.d/anm.fish \
./usr/share/man/man1/anm.1 ./usr/share/man/man5/anmfs.5 ./usr/share/man/man8/mount.anmfs.8 ./usr/share/zsh/vendor-completions/_anm "
    eq "$(readlink root/sbin/mount.anmfs)" /usr/bin/anmfs
    root/usr/bin/anm --version
    make -s -C "$top" BUILD="$BUILD" DESTDIR="$PWD/root" PREFIX=/usr SBINDIR=/sbin uninstall
    eq "$(find root ! -type d)" ""
}

run_cases "$@"
