# The one entry for people and machines; `make` alone tells what there is, from the comments behind the targets.
# `make test` and `make demo` install what is missing first. Without make itself (a bare Debian), run scripts/set-up once.

export PATH := $(PATH):/opt/swift/usr/bin
SHELL := /bin/bash -o pipefail
PREFIX ?= $(HOME)/.local
SWIFT_FILES = git ls-files -z --cached --others --exclude-standard '*.swift'
URL ?=
COUNT ?= 1000000
SEED ?=
FIRST ?=
AFRESH ?=
CHECK ?=
RUNS ?= 3
PARTS ?=
BEFORE ?=
REPORT ?= report
DEBUG_INFO ?=
TASKS ?= 100000
RATE ?=
TARGET ?=
FILTER ?=
WAIT ?=
SANITIZER ?= address
LIBFUZZER = $(wildcard /opt/swift/usr/lib/clang/*/lib/linux/libclang_rt.fuzzer_no_main-$(shell uname -m).a)
DOCUMENTED = Ferry
# On a terminal a build shows its progress, in a log only its errors.
QUIET := $(shell [ -t 2 ] || echo --quiet)
# The discovery of tests needs an index of these modules. That of the toolchain's costs a sixth of a build for nothing.
# DEBUG_INFO=none leaves out what only a debugger reads, and with it a quarter of a build; CI has none.
BUILD = swift build -Xswiftc -index-ignore-system-modules $(DEBUG_INFO:%=-debug-info-format %) $(QUIET)
# The programs bring the Swift libraries along: where they run there need be no toolchain, and ferryd maps a sixth less
# memory. With the toolchain's own linker: the system's warns of each program that FoundationEssentials may call mktemp.
STATIC = --static-swift-stdlib -Xswiftc -use-ld=lld
# What is linked is bound and made read-only before it runs; nothing looks for libraries beside a program, or for a
# program's symbols. A build ID would be another one for each build.
RELEASE = --configuration release $(STATIC) $(QUIET) --disable-local-rpath -Xlinker -z -Xlinker now \
  -Xlinker --no-export-dynamic -Xlinker --build-id=none
# Where the programs are that `make install` places.
BUILT ?= .build/release
BUILT_APPS ?= Examples/HalfTunes/.build/release

.PHONY: help all build build-tests test demo lint interface format docs recording api-coverage prove sanitize leaks simulate coverage boundaries bench \
  compatibility scale build-benchmarks fuzz half-tunes background-transfer cancel-and-resume test-half-tunes build-half-tunes \
  build-release build-half-tunes-release install uninstall install-half-tunes uninstall-half-tunes deb package release \
  clean set-up

help: ## lists the targets
	@awk -F ':.*## ' '/^##@ / { print "\n" substr($$0, 5) } \
	  /^[a-z][a-z -]*:.*## / { n = split($$1, names, " "); \
	    for (i = 1; i <= n; i++) printf "  make %-25s %s\n", names[i], $$2 }' $(firstword $(MAKEFILE_LIST))

##@ Every day

all: ## checks what has to hold for every commit: .ci/run
	.ci/run

set-up: ## installs what building and testing need
	@scripts/set-up

build: set-up ## builds, with warnings as errors
	$(BUILD) --explicit-target-dependency-import-check error

build-tests: set-up ## builds with every test
	$(BUILD) --build-tests

test: build-tests ## builds and runs every test
	@scripts/test

demo: ## kills an app and ferryd in the middle of a download; URL=…
	@scripts/set-up build
	@scripts/demo $(if $(URL),'$(URL)')

lint: ## checks format, names and limits
	$(SWIFT_FILES) | xargs -0 swift format lint --strict --parallel
	scripts/named-tests docs/mission.md Sources/Ferry/Ferry.docc/What-people-asked.md
	scripts/time-limits
	scripts/open-state
	scripts/interface --check
	scripts/release --check

# The Swift side of the interface, from its text.
interface: ## writes the Swift side of ferryd's interface
	scripts/interface

format: ## formats the Swift files
	$(SWIFT_FILES) | xargs -0 swift format format --in-place --parallel

docs: set-up $(DOCUMENTED:%=docs-%) ## builds the API's documentation
	@echo 'To read it: python3 -m http.server --directory .build/docs/Ferry.doccarchive'
	@echo 'and open http://localhost:8000/documentation/ferry'

# The layers below have nothing that is public: each of them would be an empty page. What is documented is read from the
# built module.
docs-%:
	$(BUILD) --target $*
	rm -rf .build/docs/$*.symbols && mkdir -p .build/docs/$*.symbols
	swift symbolgraph-extract -module-name $* -target $(shell uname -m)-unknown-linux-gnu -I .build/debug/Modules \
	  $$(find Sources .build/debug/C*.build -name module.modulemap -printf '-Xcc -fmodule-map-file=%p ') \
	  -minimum-access-level public -output-dir .build/docs/$*.symbols
	scripts/keep-own-symbols .build/docs/$*.symbols/$*.symbols.json FoundationNetworking
	docc convert Sources/$*/$*.docc --additional-symbol-graph-dir .build/docs/$*.symbols \
	  --fallback-display-name $* --fallback-bundle-identifier ferry.$* \
	  --output-path .build/docs/$*.doccarchive --warnings-as-errors

recording: ## takes the recording of the README anew
	@scripts/record

# Which of Apple's declarations are there; writes docs/api.md. CHECK=yes only compares.
api-coverage: set-up ## compares with Apple's declarations: docs/api.md; CHECK=yes
	$(BUILD) --target Ferry
	scripts/api-coverage $(if $(CHECK),--check)

##@ A closer look

# All of the long proofs below, as many at a time as there are processors, in the background. `scripts/prove --help`.
prove: set-up ## makes the long proofs below in the background, prints a table; WAIT=yes JOBS=…
	@scripts/prove $(if $(WAIT),--wait)

# What a sanitizer finds in a process that the tests have started is in a file: nobody reads its
# standard error. What its symbolizer says of itself is there, too, and is no finding.
sanitize: sanitize-thread sanitize-address ## runs the tests under two sanitizers; FILTER=…

sanitize-thread: export TSAN_OPTIONS = log_path=$(CURDIR)/.build/thread/$(REPORT)
sanitize-thread: LINKED = .build/thread/seen-mutexes.o
sanitize-thread: .build/thread/seen-mutexes.o
.build/thread/seen-mutexes.o: scripts/seen-mutexes.c
	mkdir -p $(@D)
	clang -O2 -Wall -Wextra -Werror -c $< -o $@
# Less memory that was freed is kept back, so that tests can measure how much there is.
sanitize-address: export ASAN_OPTIONS = log_path=$(CURDIR)/.build/address/$(REPORT) \
  detect_leaks=1 quarantine_size_mb=1
sanitize-address: export LSAN_OPTIONS = print_suppressions=0 \
  suppressions=$(CURDIR)/scripts/leak-sanitizer.suppressions
# A simulated world has one thread and hardly a pointer: there is little to find in thousands of them.
sanitize-%: export FERRY_SIMULATION_COUNT = 300
sanitize-%: set-up
	$(BUILD) --build-tests --sanitize $* --scratch-path .build/$* $(LINKED:%=-Xlinker $(CURDIR)/%)
	rm -f .build/$*/$(REPORT).*
	scripts/test --scratch-path .build/$* $(if $(FILTER),--filter '$(FILTER)') \
	  || { cat .build/$*/$(REPORT).* 2> /dev/null; exit 1; }
	@! grep --no-messages --invert-match '^==[0-9]*==WARNING: .*symbolizer' .build/$*/$(REPORT).*

# Whether ten thousand requests leave anything behind, by the leak sanitizer and by the memory they need.
# A plan that was made earlier does not know which source files Ferry has got or lost since: it is made anew, as for
# build-benchmarks.
leaks: set-up ## shows whether ten thousand requests leave anything behind
	rm -f .build/leaks/debug.yaml
	for product in requests-ferry download-ferry; do \
	  $(BUILD) --sanitize address --package-path Benchmarks --product $$product \
	    --scratch-path .build/leaks || exit 1; done
	LEAK_BINARIES=.build/leaks/debug scripts/leaks

# The share of the lines that the tests run, for each layer; scripts/coverage LAYER shows the rest.
coverage: set-up ## measures the lines that the tests run
	scripts/coverage

# Random histories of the daemon, its clients, its network and its disk, in a simulated world; and of downloads
# from several places. Only their tests are run: while a test waits for the exit of a process, a thread of Swift Testing spins.
simulate: export FERRY_TESTS = FerryDaemonTests,FerryTransferTests
simulate: set-up ## runs random histories of ferryd; COUNT=… SEED=… FIRST=…
	$(BUILD) --build-tests --configuration release -Xswiftc -enable-testing \
	  --scratch-path .build/simulate
	FERRY_SIMULATION_COUNT=$(COUNT) $(SEED:%=FERRY_SIMULATION_SEED=%) $(FIRST:%=FERRY_SIMULATION_FIRST=%) \
	  .build/simulate/release/FerryPackageTests.xctest --testing-library swift-testing \
	  --filter 'FerryDaemonTests.SimulationTests/.whatever|MirrorSimulationTests/.wherever'

# Inputs that libFuzzer makes up, for each of the targets in Fuzzing or for TARGET alone. What is worth
# keeping goes to Fuzzing/Corpora, a line of base64 each; an input with a finding to .build/fuzz/findings. SANITIZER= is quicker.
fuzz: export FERRY_FUZZING = yes
fuzz: RUNS = 10000000
fuzz: set-up ## tries inputs that libFuzzer makes up; TARGET=… RUNS=…
	$(BUILD) --configuration release --product fuzz --scratch-path .build/fuzz/$(or $(SANITIZER),none) \
	  $(SANITIZER:%=--sanitize %) -Xswiftc -enable-testing -Xlinker $(LIBFUZZER) -Xlinker -lstdc++
	FUZZ_BINARY=.build/fuzz/$(or $(SANITIZER),none)/release/fuzz scripts/fuzz $(RUNS) $(TARGET)

# ferryd is killed at each of its system calls, and each of them is failed; writes docs/system-calls.md.
# Goes on where it was broken off; AFRESH=yes forgets what is there.
boundaries: set-up ## kills ferryd at each of its system calls; AFRESH=yes
	$(BUILD) --build-tests
	scripts/boundaries $(if $(AFRESH),--afresh)

# A table of time, processor time and memory beside other programs, all taken in one run. BEFORE, a checkout in which
# `make build-benchmarks` was run, adds rows for that; PARTS are those of scripts/bench.
bench: build-benchmarks ## measures beside other programs; RUNS=… PARTS=… BEFORE=…
	BENCH_BINARIES=Benchmarks/.build/release BENCH_BEFORE=$(BEFORE:%=%/Benchmarks/.build/release) \
	  scripts/bench $(RUNS) $(PARTS)

# Apps and ferryd of two versions together. BEFORE is a checkout of the earlier one, whose programs are built there.
compatibility: set-up ## tries programs together with earlier ones; BEFORE=…
	for product in ferryd ferry-test-app; do \
	  $(BUILD) --package-path '$(BEFORE)' --product $$product || exit 1; done
	$(BUILD) --build-tests
	FERRY_EARLIER='$(abspath $(BEFORE))/.build/debug' scripts/test --filter FerryEndToEndTests.CompatibilityTests

# What a hundred thousand tasks and a thousand clients cost, and whether that is what it should be.
scale: build-benchmarks ## measures many tasks and clients; TASKS=…
	SCALE_BINARIES=Benchmarks/.build/release scripts/scale $(TASKS)

build-benchmarks: ## builds the programs for bench and scale
	@scripts/set-up bench
	rm -f Benchmarks/.build/release.yaml
	swift build $(RELEASE) --package-path Benchmarks

##@ The example apps

# The example apps with a catalog of their own; RATE is in bytes per second. What cannot be shown is not built.
half-tunes background-transfer cancel-and-resume: ## shows that app, with a catalog of its own; RATE=…
	@scripts/trial $@ --check
	@$(MAKE) --no-print-directory build-half-tunes
	@scripts/trial $@ $(RATE)

# The tests of the example apps, which need what the library does not.
test-half-tunes: build-half-tunes ## runs the apps' tests
	$(BUILD) --build-tests --package-path Examples/HalfTunes
	swift test --skip-build --no-parallel --disable-xctest --package-path Examples/HalfTunes

build-half-tunes: ## builds the apps
	@scripts/set-up half-tunes
	$(BUILD) --package-path Examples/HalfTunes
	$(BUILD) --package-path Examples/HalfTunes --product ferryd
	$(BUILD) --package-path Examples/HalfTunes --product ferry
	Examples/HalfTunes/translations/compile Examples/HalfTunes/.build/debug/../share/locale

##@ Releases

# The programs by themselves, so that what only tests need is not built. Neither depends on the other: SwiftPM would
# link the one into the other.
build-release: ## builds ferry and ferryd as they are installed and packaged
	@scripts/set-up build
	swift build $(RELEASE) --product ferryd
	swift build $(RELEASE) --product ferry

build-half-tunes-release: ## builds the apps as they are installed and packaged
	@scripts/set-up deb
	for app in half-tunes background-transfer cancel-and-resume; do \
	  swift build $(RELEASE) --package-path Examples/HalfTunes --product $$app || exit 1; done

# What was built is placed, by whoever may write there: nothing is built, and nothing loaded, as root.
install: ## places ferry and ferryd; PREFIX=~/.local DESTDIR=
	DESTDIR='$(DESTDIR)' scripts/install ferry '$(PREFIX)' '$(BUILT)'

uninstall: ## removes ferry and ferryd
	DESTDIR='$(DESTDIR)' scripts/install ferry '$(PREFIX)' --uninstall

install-half-tunes: install ## places the apps, and ferry and ferryd
	DESTDIR='$(DESTDIR)' scripts/install half-tunes '$(PREFIX)' '$(BUILT_APPS)'

uninstall-half-tunes: ## removes the apps
	DESTDIR='$(DESTDIR)' scripts/install half-tunes '$(PREFIX)' --uninstall

deb: build-release build-half-tunes-release package ## builds the Debian packages, into .build/packages

package: ## makes the packages from what is built; leaves out the apps if they are not
	@scripts/set-up deb
	scripts/packages '$(BUILT)' '$(BUILT_APPS)'

release: ## writes the archive of the sources of a tag, into .build/packages
	scripts/release

clean: ## removes what was built
	rm -rf .build Benchmarks/.build Examples/*/.build
