# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# The matrix of programs that save: t_editors.sh sources this after lib.sh. A row is a program that saves the key of one
# frame: three accepted texts, then one that is refused. What each text must leave behind is checked here, in one place.
# shellcheck disable=SC2154 # what lib.sh and the cases set

# The .anm is alone in its directory, so that anything left beside it is seen.
file=d/turret.anm
node=frames/006/keys
key=x/$node
export dir=x/frames/006

# row NAME [COMMAND...]: starts a row of the table; skips the case when a command is missing.
row() {
    mkdir -p "$work/rows"
    row_file=$work/rows/$(find "$work/rows" -type f | wc -l)-$1
    shift
    note accepted skipped
    need "$@"
    note accepted FAILED
    start
}

# note COLUMN TEXT: the last note of a column is what the table shows.
note() {
    printf '%s\t%s\n' "$1" "$2" >>"$row_file"
}

# The table of the rows that ran, in their order.
table() {
    [ -d "$work/rows" ] || return 0
    local row
    printf '\n%-30s %-10s %-46s %s\n' program accepted refused leftovers
    find "$work/rows" -type f -printf '%f\n' | sort -n | while IFS= read -r row; do
        awk -F '\t' -v row="${row#*-}" '{ of[$1] = $2 } END { printf "%-30s %-10s %-46s %s\n", row,
            of["accepted"], "refused" in of ? of["refused"] : "-", "left" in of ? of["left"] : "none" }' "$work/rows/$row"
    done
    echo
}

# A live mount of its own, and a home, so that nobody's settings matter and nobody's files change.
start() {
    mkdir d home
    export HOME=$PWD/home GIT_CEILING_DIRECTORIES=$PWD GIT_CONFIG_NOSYSTEM=1 EDITOR='' TERM=xterm-256color SHELL=/bin/sh
    unset TMUX XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR VIMINIT EXINIT
    trap 'terminal_kill; case_clean' EXIT
    seed turret "$file"
    mnt "$file" x
    listing >listing.before
    number=0.38268343
    reason='1:22: '
    question='[Cc]hanged|[Mm]odified since|WARNING|[Oo]verwrite'
}

# Everything the mount lists.
listing() {
    (cd x && find . | sort)
}

# What the mount lists beyond its nodes; of the nodes none may be missing.
extra() {
    listing >listing.now
    eq "$(comm -23 listing.before listing.now)" ""
    comm -13 listing.before listing.now | sed 's|^\./frames/006/||'
}

# leaves [PATTERN...]: exactly these are left in the mount, and nothing beside the .anm. The patterns are in the listing's
# order.
leaves() {
    left=$(extra)
    left=${left//$'\n'/ }
    # shellcheck disable=SC2053 # patterns
    [[ $left == $* ]] || eq "$left" "$*"
    [ $# -gt 0 ] || grep -q '"scratch":	0$' x/.anmfs/status
    grep -q '"dirty":	0,' x/.anmfs/status
    eq "$(ls -A d)" "${file#d/}"
}

# The number as the canonical text has it.
canonical() {
    case $1 in
    25e-2) echo 0.25 ;;
    5e-1) echo 0.5 ;;
    75e-2) echo 0.75 ;;
    *) echo "$1" ;;
    esac
}

# holds NUMBER: both views, the view of the whole file, and the file itself, which is to the byte what a plain edit without
# a mount makes of the original.
holds() {
    local value
    value=$(canonical "$1")
    eq "$(grep '^6 ' x/bones/turret/keys)" "6 orientation 0 $value 0"
    eq "$(grep '^6 turret ' x/keys)" "6 turret orientation 0 $value 0"
    eq "$("$anm" cat "$file" "$node")" "turret orientation 0 $value 0"
    seed turret expected.anm
    "$anm" put expected.anm "$node" "turret orientation 0 $value 0"
    cmp expected.anm "$file"
}

# text NUMBER: the text t with that number. It is not the canonical one: what is read back is what was written.
text() {
    printf 'turret orientation 0 %s 0\n' "$1" >t
}

# saved NUMBER: the text t is what the key reads, through the page cache and past it, and everything else agrees.
saved() {
    cmp t "$key"
    eq "$(stat -c %s "$key")" "$(stat -c %s t)"
    dd if="$key" bs=4k iflag=direct status=none | cmp t -
    holds "$1"
    cp t t.saved
    number=$1
}

# Notes what the errors file and the .anm are, before a text that is to be refused.
before_refusal() {
    cp "$file" before.anm
    cp x/.anmfs/errors errors.before
}

# After a refusal the old text is there, to the byte, the .anm is as it was, and errors has a line with $reason.
intact() {
    within 5 cmp t.saved "$key" # an empty text is dropped by the release, which nobody waits for
    cmp before.anm "$file"
    holds "$number"
    tail -c "+$(($(stat -c %s errors.before) + 1))" x/.anmfs/errors >errors.new
    grep -q "$node: *$reason" errors.new || {
        echo "errors has no line:"
        cat errors.new
        return 1
    }
}

# --- programs that run once: a case defines `put NUMBER` ---

# accepts [LEFTOVER...]: three times in a row; the program says nothing and exits with 0.
accepts() {
    local number_now
    for number_now in 25e-2 5e-1 75e-2; do
        text "$number_now"
        cp t t.source
        exits 0 put "$number_now"
        eq "$(cat out err)" ""
        saved "$number_now"
        leaves "$@"
    done
    note accepted yes
    note left "${left:-none}"
}

# refuses STATUS MESSAGE [LEFTOVER...]: the program's exit status and the words it reports with; no words: it does not look.
# The next good text is accepted again.
refuses() {
    local status=$1 message=$2
    shift 2
    note refused FAILED
    text zero
    before_refusal
    exits "$status" put zero
    if [ -n "$message" ]; then
        grep -q -- "$message" err || eq "$(cat err)" "$message"
    else
        eq "$(cat out err)" ""
    fi
    intact
    leaves "$@"
    text 5e-1
    exits 0 put 5e-1
    saved 5e-1
    note refused "exit $status, ${message:-silent}"
    note left "${left:-$(sed -n 's/^left\t//p' "$row_file" | tail -n 1)}"
}

# --- programs in a terminal ---

# terminal COMMAND: runs a command in a terminal; its exit status goes to the file `status`.
terminal() {
    rm -f status
    tmux -f /dev/null -S socket new-session -d -x 100 -y 30 "$1; echo \$? >status"
}

terminal_kill() {
    tmux -S socket kill-server 2>/dev/null || :
    rm -f socket
}

screen() {
    tmux -S socket capture-pane -p
}

type_keys() {
    local keys
    for keys; do
        tmux -S socket send-keys "$keys"
    done
}

# shows PATTERN: waits for it on the screen.
shows() {
    within 15 on_screen "$1" || {
        echo "not on the screen: $1"
        screen
        return 1
    }
}
on_screen() { screen | grep -Eq -- "$1"; }

# ends STATUS: waits for the program, which must end with that status.
ends() {
    within 15 test -s status || {
        echo "does not end:"
        screen
        return 1
    }
    eq "exit $(cat status)" "exit $1"
    terminal_kill
}

# Nobody has the mount open any more: some programs leave a process behind for a moment.
idle() {
    [ -z "$(find /proc/[0-9]*/fd /proc/[0-9]*/cwd \( -lname "$PWD/x" -o -lname "$PWD/x/*" \) 2>/dev/null)" ]
}

# An editor is driven by functions that a case defines: `edit NUMBER` changes the number, `save` saves, `leave` quits, with
# `leave_unsaved` when the text is not saved. `command` starts it, `ready` is on its screen then.

# editor_accepts [LEFTOVER...]: two saves in one run ask nothing, then a further run.
editor_accepts() {
    local number_now
    for number_now in 25e-2,5e-1 75e-2; do
        terminal "$command"
        shows "$ready"
        editor_saves "${number_now%,*}"
        [ "$number_now" = "${number_now#*,}" ] || editor_saves "${number_now#*,}"
        leave
        ends 0
        saved "${number_now#*,}"
        leaves "$@"
    done
    note accepted yes
    note left "${left:-none}"
}

# editor_saves NUMBER
editor_saves() {
    text "$1"
    edit "$1"
    save
    within 15 cmp t "$key" || {
        echo "not saved: $1"
        screen
        return 1
    }
    within 15 holds "$1"
    saved "$1"
    refute on_screen "$question"
}

# editor_refuses MESSAGE [LEFTOVER...]: told on the screen; a corrected text is saved in the same run; a second refusal is
# told again, and leaving without saving loses nothing.
editor_refuses() {
    local message=$1
    shift
    note refused FAILED
    terminal "$command"
    shows "$ready"
    editor_is_told "$message"
    editor_saves 5e-1
    editor_is_told "$message"
    leave_unsaved
    ends 0
    intact
    leaves "$@"
    note refused "says $message"
    note left "${left:-none}"
}

editor_is_told() {
    before_refusal
    edit zero
    save
    shows "$1"
    dismiss
    intact
}

# After a message that waits for a key.
dismiss() { :; }

# Runs the cases and prints the table before their counts.
run_rows() {
    local line
    run_cases "$@" | while IFS= read -r line; do
        [[ ! $line =~ ^[0-9]+\ passed, ]] || table
        printf '%s\n' "$line"
    done
    return "${PIPESTATUS[0]}"
}
