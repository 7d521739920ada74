# SPDX-License-Identifier: MIT
## all        builds anmfs, mount.anmfs, anm and the library into BUILD (default)
## tests      the same and all that the checks need
## check      unit tests, a stride over all floats, the ring rules
## check-asan the unit tests under AddressSanitizer, UBSan and LeakSanitizer
## check-tsan, check-valgrind  the same under ThreadSanitizer and memcheck
## check-mount  live mounts (needs /dev/fuse); check-mount-asan, -tsan, -valgrind: with such a daemon
## check-f32  the number text against the C library over all 2^32 floats (minutes)
## soak       readers, writers and changes from outside for five minutes
## check-bench  that the benchmark runs, with few animations
## fuzz       every fuzz target for FUZZ_SECONDS (clang)
## lint       formatting, static analysis, man pages, shell scripts, spelling, rings
## bench      speed as ratios
## install uninstall clean dist
##
## Variables: CC CFLAGS CPPFLAGS LDFLAGS PKG_CONFIG WERROR HARDEN BUILD
##            PREFIX BINDIR SBINDIR MANDIR DATADIR BASHDIR ZSHDIR FISHDIR DESTDIR; V=1 shows the commands

VERSION = 0.1.0

BUILD = build
PKG_CONFIG = pkg-config
PREFIX = /usr/local
BINDIR = $(PREFIX)/bin
# mount(8) finds helpers in /sbin only: packages set SBINDIR=/sbin (or /usr/sbin where that is the same).
SBINDIR = $(PREFIX)/sbin
MANDIR = $(PREFIX)/share/man
DATADIR = $(PREFIX)/share/anmfs
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/vendor-completions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d

ifeq ($(origin CC),default)
CC = gcc
endif
CFLAGS = -O2 -g
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wundef -Wvla
WERROR = -Werror
HARDEN = -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong
FUZZ_SECONDS = 60
F32_STRIDE = 4001

LIB = \
	src/codec/buf \
	src/codec/cursor \
	src/codec/doc \
	src/codec/error \
	src/codec/foreign \
	src/codec/gem \
	src/codec/gem_convert \
	src/codec/gem_doc \
	src/codec/given \
	src/codec/niff \
	src/codec/niff_convert \
	src/codec/niff_doc \
	src/codec/niff_group \
	src/codec/niff_kinds \
	src/codec/niff_links \
	src/codec/psx \
	src/codec/psx_doc \
	src/codec/psx_fields \
	src/codec/psx_vram \
	src/codec/tim \
	src/text/angle \
	src/text/exact \
	src/text/f32 \
	src/text/field \
	src/text/lines \
	src/text/name \
	src/text/near \
	src/text/num \
	src/text/utf8 \
	src/tree/base64 \
	src/tree/compare \
	src/tree/dump \
	src/tree/dump_json \
	src/tree/dump_order \
	src/tree/gem \
	src/tree/gem_apply \
	src/tree/gem_bones \
	src/tree/gem_edit \
	src/tree/gem_format \
	src/tree/gem_head \
	src/tree/gem_index \
	src/tree/gem_info \
	src/tree/gem_keys \
	src/tree/gem_move \
	src/tree/gem_parse \
	src/tree/gem_turn \
	src/tree/json \
	src/tree/names \
	src/tree/niff \
	src/tree/niff_apply \
	src/tree/niff_edit \
	src/tree/niff_group \
	src/tree/niff_head \
	src/tree/niff_index \
	src/tree/niff_info \
	src/tree/niff_items \
	src/tree/niff_keys \
	src/tree/niff_parse \
	src/tree/niff_raw \
	src/tree/note \
	src/tree/parts \
	src/tree/png \
	src/tree/psx \
	src/tree/psx_clut \
	src/tree/psx_draw \
	src/tree/psx_edit \
	src/tree/psx_format \
	src/tree/psx_head \
	src/tree/psx_info \
	src/tree/psx_line \
	src/tree/psx_preview \
	src/tree/psx_sequence \
	src/tree/psx_sprite \
	src/tree/tim_head \
	src/tree/tree \
	src/store/beside \
	src/store/folder \
	src/store/save \
	src/store/store \
	src/store/watch

MOUNT = \
	src/mount/anim \
	src/mount/commit \
	src/mount/content \
	src/mount/dir \
	src/mount/entry \
	src/mount/file \
	src/mount/handle \
	src/mount/inside \
	src/mount/loop \
	src/mount/main \
	src/mount/memory \
	src/mount/mirror \
	src/mount/name \
	src/mount/node \
	src/mount/notify \
	src/mount/ops \
	src/mount/options \
	src/mount/removal \
	src/mount/scratch \
	src/mount/status

TOOL = \
	src/tool/anm \
	src/tool/check \
	src/tool/completion \
	src/tool/convert \
	src/tool/diff \
	src/tool/dump \
	src/tool/edit \
	src/tool/session \
	src/tool/show

UNIT = \
	tests/unit/fail_alloc \
	tests/unit/gem_build \
	tests/unit/gem_write \
	tests/unit/main \
	tests/unit/niff_build \
	tests/unit/niff_files \
	tests/unit/niff_walk \
	tests/unit/psx_build \
	tests/unit/test_alloc \
	tests/unit/test_codec \
	tests/unit/test_compare \
	tests/unit/test_convert \
	tests/unit/test_dump \
	tests/unit/test_folder \
	tests/unit/test_gem \
	tests/unit/test_lines \
	tests/unit/test_niff \
	tests/unit/test_niff_tree \
	tests/unit/test_num \
	tests/unit/test_psx \
	tests/unit/test_psx_clut \
	tests/unit/test_psx_draw \
	tests/unit/test_psx_head \
	tests/unit/test_psx_tree \
	tests/unit/test_should_fail \
	tests/unit/test_store \
	tests/unit/test_store_place \
	tests/unit/test_tree \
	tests/unit/test_tree_blank \
	tests/unit/test_tree_edit \
	tests/unit/test_tree_head \
	tests/unit/test_tree_samples \
	tests/unit/tree_help

FUZZERS = fuzz_build fuzz_gem fuzz_niff fuzz_options fuzz_psx fuzz_psx_text fuzz_text fuzz_tim fuzz_tree
HELPERS = make-seeds make-mod make-should-fail fsx f32-all coherence saver bench-f32 bench-big bench-save bench-bare

LIB_OBJS = $(LIB:%=$(BUILD)/%.o)
MOUNT_OBJS = $(MOUNT:%=$(BUILD)/%.o)
TOOL_OBJS = $(TOOL:%=$(BUILD)/%.o)
UNIT_OBJS = $(UNIT:%=$(BUILD)/%.o)

FUSE_CFLAGS := $(shell $(PKG_CONFIG) --cflags fuse3)
FUSE_LIBS := $(shell $(PKG_CONFIG) --libs fuse3)
CJSON_CFLAGS := $(shell $(PKG_CONFIG) --cflags libcjson)
CJSON_LIBS := $(shell $(PKG_CONFIG) --libs libcjson)
PNG_CFLAGS := $(shell $(PKG_CONFIG) --cflags libpng)
PNG_LIBS := $(shell $(PKG_CONFIG) --libs libpng)
LIBS = $(CJSON_LIBS) $(PNG_LIBS) -lm
CHECK_CFLAGS := $(shell $(PKG_CONFIG) --cflags check 2>/dev/null)
CHECK_LIBS := $(shell $(PKG_CONFIG) --libs check 2>/dev/null)

# What CPPFLAGS, CFLAGS and LDFLAGS of the command line are added to.
COMPILE = $(CC) -std=c11 -D_GNU_SOURCE -DANM_VERSION='"$(VERSION)"' -Iinclude $(CPPFLAGS) $(DEP_CFLAGS) \
	$(WARN) $(WERROR) $(HARDEN) -fPIE $(CFLAGS)
LINK = $(CC) $(CFLAGS) -pie -Wl,-z,relro,-z,now $(LDFLAGS)

SHELLS = bash zsh fish

# V=1 shows the commands.
V = 0
quiet_0 = @
QUIET = $(quiet_$(V))
SAY = @$(if $(findstring s,$(firstword -$(MAKEFLAGS))),:,printf '  %-5s %s\n')

all: $(BUILD)/anmfs $(BUILD)/mount.anmfs $(BUILD)/anm $(SHELLS:%=$(BUILD)/completion.%)

# Everything that the checks of this build need.
tests: all $(BUILD)/unit-tests $(HELPERS:%=$(BUILD)/%)

help:
	@sed -n 's/^## \{0,1\}//p' Makefile

$(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(SAY) CC $@
	$(QUIET)$(COMPILE) -MMD -MP -c -o $@ $<

# private: $(BUILD)/flags must not depend on who asks for it first.
$(LIB_OBJS) $(TOOL_OBJS): private DEP_CFLAGS = $(CJSON_CFLAGS) $(PNG_CFLAGS)
$(MOUNT_OBJS) $(BUILD)/tests/fuzz/fuzz_options.o $(BUILD)/tests/bench/bare.o: private DEP_CFLAGS = $(FUSE_CFLAGS)
$(UNIT_OBJS): private DEP_CFLAGS = $(CHECK_CFLAGS) $(CJSON_CFLAGS) $(PNG_CFLAGS)

# Other flags build anew: without this, `make CFLAGS=-O0` after `make` would do nothing.
export ANM_FLAGS = $(COMPILE) / $(LINK)
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' "$$ANM_FLAGS" | cmp -s - $@ || printf '%s\n' "$$ANM_FLAGS" >$@

$(BUILD)/libanm.a: $(LIB_OBJS)
	$(SAY) AR $@
	$(QUIET)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/anmfs: $(MOUNT_OBJS) $(BUILD)/libanm.a
	$(SAY) LINK $@
	$(QUIET)$(LINK) -o $@ $^ $(FUSE_LIBS) $(LIBS) -pthread

$(BUILD)/mount.anmfs: $(BUILD)/anmfs
	$(QUIET)ln -sf anmfs $@

$(BUILD)/anm: $(TOOL_OBJS) $(BUILD)/libanm.a
	$(SAY) LINK $@
	$(QUIET)$(LINK) -o $@ $^ $(LIBS) -pthread

$(BUILD)/completion.%: $(BUILD)/anm
	$(QUIET)$(BUILD)/anm completion $* >$@

# fail_alloc.o makes the n-th allocation of the library fail.
$(BUILD)/unit-tests: $(UNIT_OBJS) $(BUILD)/libanm.a
	$(SAY) LINK $@
	$(QUIET)$(LINK) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc -o $@ $^ $(LIBS) $(CHECK_LIBS)

# Helpers of the tests, one source file each and what it takes from others.
$(BUILD)/make-seeds: $(BUILD)/tests/tools/make_seeds.o $(BUILD)/tests/unit/niff_build.o $(BUILD)/tests/unit/niff_files.o
$(BUILD)/make-mod: $(BUILD)/tests/tools/make_mod.o $(BUILD)/tests/unit/gem_write.o
$(BUILD)/make-should-fail: $(BUILD)/tests/tools/make_should_fail.o $(BUILD)/tests/unit/niff_build.o $(BUILD)/tests/unit/niff_files.o
$(BUILD)/fsx: $(BUILD)/tests/tools/fsx.o
$(BUILD)/f32-all: $(BUILD)/tests/tools/f32_all.o
$(BUILD)/coherence: $(BUILD)/tests/tools/coherence.o
$(BUILD)/saver: $(BUILD)/tests/tools/saver.o
$(BUILD)/bench-f32: $(BUILD)/tests/bench/f32.o
$(BUILD)/bench-big: $(BUILD)/tests/bench/big.o
$(BUILD)/bench-save: $(BUILD)/tests/bench/save.o
$(BUILD)/bench-bare: $(BUILD)/tests/bench/bare.o
$(BUILD)/bench-bare: private HELPER_LIBS = $(FUSE_LIBS)
$(HELPERS:%=$(BUILD)/%): $(BUILD)/libanm.a
	$(SAY) LINK $@
	$(QUIET)$(LINK) -o $@ $(filter %.o,$^) $(BUILD)/libanm.a $(HELPER_LIBS) $(LIBS)

$(FUZZERS:%=$(BUILD)/%): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/libanm.a
	$(SAY) LINK $@
	$(QUIET)$(LINK) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(BUILD)/libanm.a $(FUZZ_LIBS) $(LIBS)
$(BUILD)/tests/fuzz/fuzz_tim.o: tests/fuzz/fuzz_psx.c $(BUILD)/flags
	$(SAY) CC $@
	$(QUIET)$(COMPILE) -DFUZZ_TIM -MMD -MP -c -o $@ $<
$(BUILD)/fuzz_options: $(BUILD)/src/mount/options.o
$(BUILD)/fuzz_options: private FUZZ_LIBS = $(FUSE_LIBS)

check: check-unit check-f32-stride check-rings

# Locales with a decimal comma, and with an I of another kind, for the tests of numbers.
LOCALES = $(if $(wildcard /usr/share/i18n/locales/tr_TR),$(BUILD)/locale/de_DE.UTF-8 $(BUILD)/locale/tr_TR.UTF-8)
$(BUILD)/locale/%.UTF-8:
	@mkdir -p $(@D)
	$(QUIET)localedef --no-archive -i $* -f UTF-8 $@

check-unit: $(BUILD)/unit-tests $(BUILD)/make-should-fail $(LOCALES)
	@mkdir -p $(BUILD)/should-fail
	$(BUILD)/make-should-fail $(BUILD)/should-fail
	diff -r -x '*.expected' $(BUILD)/should-fail tests/should-fail/decode
	LOCPATH=$(BUILD)/locale $(UNIT_RUN) $(BUILD)/unit-tests

check-f32-stride: $(BUILD)/f32-all
	$(BUILD)/f32-all $(F32_STRIDE)

check-f32: $(BUILD)/f32-all
	$(BUILD)/f32-all

check-rings:
	tests/check_rings.sh

check-mount: all $(HELPERS:%=$(BUILD)/%)
	BUILD=$(BUILD) tests/mount/run.sh $(MOUNT_TESTS)

# Below, + for the jobs of make -j: it sees no $(MAKE) inside a variable.
SANITIZE = -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=address,undefined
ASAN_MAKE = $(MAKE) BUILD=$(BUILD)/asan CFLAGS='$(SANITIZE)' HARDEN=

build-asan:
	+$(ASAN_MAKE) tests

# In one process, so that LeakSanitizer sees what a fork would hide.
check-asan:
	+CK_FORK=no $(ASAN_MAKE) check-unit

# Not those that inject faults, count requests, measure memory or look at the binary: there the sanitizer is what is seen.
check-mount-asan:
	+$(ASAN_MAKE) check-mount MOUNT_TESTS='anm basic corners directories editors outside posix samples save'

# Without address randomization: some kernels' is more than the sanitizer's runtime can take.
TSAN_MAKE = $(if $(shell setarch -R true 2>&1 || echo no),,setarch -R) \
	$(MAKE) BUILD=$(BUILD)/tsan CFLAGS='-O1 -g -fno-omit-frame-pointer -fsanitize=thread' HARDEN=

build-tsan:
	+$(TSAN_MAKE) tests

check-tsan:
	+CK_FORK=no CK_EXCLUDE_TAGS=slow $(TSAN_MAKE) check-unit

# What saves, notifies and serves many at once.
check-mount-tsan:
	+$(TSAN_MAKE) check-mount MOUNT_TESTS='basic corners directories outside posix save'

MEMCHECK = valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible
VALGRIND_MAKE = $(MAKE) BUILD=$(BUILD)/valgrind CFLAGS='-O1 -g'

build-valgrind:
	+$(VALGRIND_MAKE) tests

check-valgrind:
	+CK_FORK=no CK_EXCLUDE_TAGS='slow openat2' UNIT_RUN='$(MEMCHECK)' $(VALGRIND_MAKE) check-unit

# Without the tests that trace the daemon: they would see memcheck's calls too.
check-mount-valgrind:
	+ANM_RUN='$(MEMCHECK) --track-fds=yes' $(VALGRIND_MAKE) check-mount MOUNT_TESTS='basic corners directories posix'

fuzz:
	$(MAKE) BUILD=$(BUILD)/fuzz CC=clang CFLAGS='$(SANITIZE),fuzzer-no-link' HARDEN= fuzz-run

# tests/fuzz/corpus: the few inputs of long runs that reach all the code those reached (-set_cover_merge=1 -use_counters=0).
fuzz-run: $(FUZZERS:%=fuzz-run-%)

fuzz-run-%: $(BUILD)/% $(BUILD)/make-seeds
	@mkdir -p $(BUILD)/corpus/$* $(BUILD)/seeds
	$(BUILD)/make-seeds $(BUILD)/seeds
	$(BUILD)/$* -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
		-artifact_prefix=$(BUILD)/$*- $(BUILD)/corpus/$* $(wildcard tests/fuzz/corpus/$*) $(BUILD)/seeds \
		$(wildcard $(ANM_SAMPLES:%=%/gem) $(ANM_SAMPLES:%=%/niff) $(ANM_SAMPLES:%=%/psx))

# What is linted: every file, also those that only a test would build.
C_FILES = $(shell find src include tests -name '*.[ch]')
SHELL_FILES = .ci/run $(wildcard scripts/*) $(wildcard tests/*.sh tests/mount/*.sh tests/bench/*.sh)

lint: lint-format lint-tidy lint-man lint-shell lint-spell check-rings

lint-format:
	clang-format --dry-run -Werror $(C_FILES)

# Where the macros of tests/lint.h would hit the functions themselves.
TIDY_PLAIN = src/codec/error.c src/text/lines.c
TIDY_CFLAGS = -std=c11 -D_GNU_SOURCE -DANM_VERSION=\"\" -Iinclude -Wno-unused-value \
	$(subst -I,-isystem,$(FUSE_CFLAGS) $(CJSON_CFLAGS) $(PNG_CFLAGS) $(CHECK_CFLAGS))
lint-tidy:
	@printf '%s\n' $(filter-out $(TIDY_PLAIN),$(filter %.c,$(C_FILES))) | \
		xargs -P 2 -n 4 sh -c 'clang-tidy --quiet "$$@" -- -include tests/lint.h $(TIDY_CFLAGS)' tidy
	@clang-tidy --quiet $(TIDY_PLAIN) -- $(TIDY_CFLAGS)

lint-man:
	mandoc -Tlint -W warning man/*.[158]

lint-shell:
	shellcheck -x $(SHELL_FILES)

lint-spell:
	codespell -S tests/fuzz/corpus -L nd,infinit,positon,thw README.md CHANGELOG.md CONTRIBUTING.md man src include tests scripts Makefile

bench: all $(HELPERS:%=$(BUILD)/%)
	$(BUILD)/bench-f32
	BUILD=$(BUILD) tests/bench/mount.sh
	python3 tests/bench/bench.py $(BUILD)

# Rows and systems are all there, whatever the numbers are.
check-bench: all $(HELPERS:%=$(BUILD)/%)
	python3 tests/bench/bench.py $(BUILD) --quick
	python3 -c 'import json; r = json.load(open("$(BUILD)/bench.json")); m = r["micros"]; assert len(m) == 15, sorted(m); \
		assert all(0 < v for row in m.values() for v in row.values()) and all("anmfs rw" in row for row in m.values())'

soak: all $(HELPERS:%=$(BUILD)/%)
	SOAK_SECONDS=300 BUILD=$(BUILD) tests/mount/run.sh soak

install: all
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(SBINDIR) \
		$(DESTDIR)$(MANDIR)/man1 $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man8 $(DESTDIR)$(DATADIR) \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	install -m 755 $(BUILD)/anmfs $(BUILD)/anm $(DESTDIR)$(BINDIR)
	ln -sf $(BINDIR)/anmfs $(DESTDIR)$(SBINDIR)/mount.anmfs
	install -m 644 man/anm.1 $(DESTDIR)$(MANDIR)/man1
	install -m 644 man/anmfs.5 $(DESTDIR)$(MANDIR)/man5
	install -m 644 man/mount.anmfs.8 $(DESTDIR)$(MANDIR)/man8
	install -m 644 share/anm.schema.json $(DESTDIR)$(DATADIR)
	install -m 644 $(BUILD)/completion.bash $(DESTDIR)$(BASHDIR)/anm
	install -m 644 $(BUILD)/completion.zsh $(DESTDIR)$(ZSHDIR)/_anm
	install -m 644 $(BUILD)/completion.fish $(DESTDIR)$(FISHDIR)/anm.fish

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/anmfs $(DESTDIR)$(BINDIR)/anm $(DESTDIR)$(SBINDIR)/mount.anmfs \
		$(DESTDIR)$(MANDIR)/man1/anm.1 $(DESTDIR)$(MANDIR)/man5/anmfs.5 $(DESTDIR)$(MANDIR)/man8/mount.anmfs.8 $(DESTDIR)$(DATADIR)/anm.schema.json \
		$(DESTDIR)$(BASHDIR)/anm $(DESTDIR)$(ZSHDIR)/_anm $(DESTDIR)$(FISHDIR)/anm.fish

clean:
	rm -rf $(BUILD)

dist:
	@mkdir -p $(BUILD)
	git archive --prefix=anmfs-$(VERSION)/ -o $(BUILD)/anmfs-$(VERSION).tar.gz HEAD

FORCE:

.PHONY: all tests help check check-unit check-f32 check-f32-stride check-rings check-asan check-mount \
	check-mount-asan check-tsan check-mount-tsan check-valgrind check-mount-valgrind build-asan build-tsan \
	build-valgrind fuzz fuzz-run lint lint-format lint-tidy lint-man lint-shell lint-spell bench check-bench soak install uninstall \
	clean dist FORCE
.DELETE_ON_ERROR:

-include $(wildcard $(BUILD)/*/*/*.d)
