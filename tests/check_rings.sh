#!/bin/sh
# SPDX-License-Identifier: MIT
# The rules that the compiler does not check: which code may include, open, print what.
# Prints "ok RULE" or "not ok RULE" with the lines that break it, and the counts.
set -u
cd "$(dirname "$0")/.." || exit 1

passed=0
failed=0

# rule NAME LINES: holds when LINES is empty.
rule() {
    if [ -z "$2" ]; then
        passed=$((passed + 1))
        echo "ok - $1"
    else
        failed=$((failed + 1))
        echo "not ok - $1"
        echo "$2" | sed 's/^/    /'
    fi
}

# Which ring a header of include/anm belongs to: the one that implements it.
headers_of() {
    case $1 in
    codec) echo buf cursor doc error field gem given niff psx psx_fields psx_vram ;;
    text) echo field_text lines name num utf8 ;;
    tree) echo compare dump note parts route tree ;;
    store) echo folder store ;;
    esac
}

# Lines of ring $1 that include a header of one of the rings after it.
later_includes() {
    ring=$1
    shift
    own=$(for r in codec text tree store; do
        headers_of "$r"
        [ "$r" = "$ring" ] && break
    done)
    grep -Hn '#include "' src/"$ring"/*.[ch] 2>/dev/null | while IFS= read -r line; do
        header=${line#*\"}
        header=${header%%\"*}
        case $header in
        anm/*)
            name=${header#anm/}
            echo " $(echo "$own" | tr '\n' ' ') " | grep -q " ${name%.h} " || echo "$line"
            ;;
        */*) echo "$line" ;;
        *) [ -f "src/$ring/$header" ] || echo "$line" ;;
        esac
    done
}

for ring in codec text tree; do
    rule "src/$ring includes no later ring" "$(later_includes "$ring")"
done
# Knows bytes, not formats.
rule "src/store includes neither documents nor trees" \
    "$(grep -Hn '#include "' src/store/*.[ch] 2>/dev/null |
        grep -Ev '"(anm/(buf|cursor|error|folder|store)\.h|[a-z_]+\.h)"')"
rule "the front ends know no format" "$(grep -rnE '"anm/(gem|niff|psx[a-z_]*|route|cursor)\.h"|\b(gem|psx|niff)_[a-z]' src/mount src/tool)"
rule "the front ends do not know each other" "$(
    grep -rnE '#include ".*(tool|tool/.*)\.h"' src/mount
    grep -rnE '#include ".*(mount|mount/.*)\.h"' src/tool
)"
rule "every header of include/anm has a ring" "$(
    for file in include/anm/*.h; do
        name=$(basename "$file" .h)
        for r in codec text tree store; do headers_of "$r"; done | tr ' ' '\n' | grep -qx "$name" || echo "$file"
    done
)"
rule "only src/mount includes FUSE" "$(grep -rnE '#include *[<"]fuse' include src tests --include='*.[ch]' | grep -vE '^(src/mount/|tests/bench/bare.c)')"

# calls WORDS PATHS...: lines that call one of the functions (not those of our own names that end alike).
calls() {
    words=$1
    shift
    grep -rnE "(^|[^A-Za-z0-9_.>])($words) *\(" "$@" --include='*.[ch]' | grep -vE '^[^:]*:[0-9]+: *(\*|/\*|//)'
}

# src/mount/device.c opens what is no animation file: /dev/fuse, /dev/null.
rule "only src/store opens, replaces and removes files" \
    "$(calls 'open|openat|openat2|fopen|freopen|creat|rename|renameat|renameat2|link|linkat|unlink|unlinkat|truncate|mkstemp' \
        src include | grep -vE '^src/store/|^src/mount/device\.c:')"
rule "only the front ends print" \
    "$(calls 'printf|vprintf|puts|putchar|perror|fprintf|vfprintf|fputs|fputc|fwrite' src include |
        grep -vE '^src/(tool|mount)/')"
rule "nothing gives up: no abort, exit, assert outside main" \
    "$(calls 'abort|exit|_exit|assert|err|errx' src include | grep -vE '^src/(mount/main|tool/anm)\.c:')"
rule "bytes from outside are read by the cursor: no struct casts in the codec" \
    "$(grep -nE '\(const struct [a-z_]+ \*\) *(data|bytes|c->data)' src/codec/*.c)"

# The inputs and messages of should-fail and the fuzzers' corpus are data.
sources=$(find src include tests scripts -type f ! -path 'tests/should-fail/*' ! -path 'tests/fuzz/corpus/*' ! -name '*.pyc')
# shellcheck disable=SC2086 # one word a file: no name in the tree has a blank
{
    rule "no file has more than 800 lines" "$(wc -l $sources | awk '$2 != "total" && $1 > 800')"
    rule "nothing is left open" "$(grep -nE '\b(TODO|FIXME|XXX|HACK)\b' $sources Makefile README.md man/* | grep -v '^tests/check_rings.sh')"
    rule "no path of a machine" "$(grep -nE '(^|[^A-Za-z0-9_.])/(work|root|home)/' $sources Makefile README.md man/* ./*.md | grep -v '^tests/check_rings.sh')"
    rule "every source file names its licence" "$(grep -L 'SPDX-License-Identifier: MIT' $sources Makefile)"
}

echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
