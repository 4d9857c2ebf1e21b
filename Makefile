# Shortcuts around the CMake presets. Each target installs the packages it needs, if any is missing.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
CLANG_FORMAT ?= clang-format-14
CLANG_TIDY ?= clang-tidy-14
FUZZ_CLANG ?= clang++-14
FUZZ_SECONDS ?= 60
# The tests of torch may join a folder that has the library already: TORCH_BUILD=build/release.
TORCH_BUILD ?= build/torch
FUZZERS ?= table config header encoding images

FIND_SOURCES = find $(wildcard include src cli tests benchmarks examples fuzz) \
    \( -name '*.cpp' -o -name '*.h' -o -name '*.inl' \) -print0
PROGRAM = build/release/deepsl

# After the first time, the build itself sees when a CMake file changed, but not the presets.
configure = test build/$(1)/build.ninja -nt CMakePresets.json || cmake --preset $(1) $(CMAKE_FLAGS)
# The program alone does without the packages for tests; tests join it in the same folder.
has_tests = grep -qs '^DEEPSL_BUILD_TESTS:BOOL=ON' build/release/CMakeCache.txt

.PHONY: help setup build demo test asan tsan torch-test torch-bench format format-check rooms tidy bench fuzz \
    install-test experiment clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

setup:  ## install the packages to build and test
	@scripts/setup.sh build test

build:  ## build the program: build/release/deepsl
	@scripts/setup.sh build
	@$(call configure,release) $$($(has_tests) || echo -DDEEPSL_BUILD_TESTS=OFF)
	@cmake --build --preset release --parallel $(JOBS) --target deepsl

demo: build  ## train a model on two spirals and draw what it does: build/demo.html
	$(PROGRAM) demo --output build/demo.deepsl --report build/demo.html
	@echo
	@echo "Open build/demo.html in a browser."

test: setup  ## build and run all tests, optimised
	@$(has_tests) || rm -f build/release/build.ninja
	@$(call configure,release)
	@cmake --build --preset release --parallel $(JOBS)
	@ctest --preset release --parallel $(JOBS)

asan: setup  ## the same with address and undefined-behaviour sanitizers
	@$(call configure,asan)
	@cmake --build --preset asan --parallel $(JOBS)
	@ctest --preset asan --parallel $(JOBS)

tsan: setup  ## the tests of what runs on several threads, with the thread sanitizer
	@$(call configure,tsan)
	@cmake --build --preset tsan --parallel $(JOBS)
	@ctest --preset tsan --parallel $(JOBS)

torch-test:  ## build the adapters to LibTorch and their benchmark in build/torch, and run their tests
	@scripts/setup.sh build test bench torch
	@cmake --preset release -B $(TORCH_BUILD) -DDEEPSL_BUILD_TORCH=ON -DDEEPSL_BUILD_BENCHMARKS=ON $(CMAKE_FLAGS)
	@cmake --build $(TORCH_BUILD) --parallel $(JOBS) --target torch_tests torch_example torch_speed
	@ctest --test-dir $(TORCH_BUILD) --label-regex torch_tests --output-on-failure --no-tests=error \
	    --parallel $(JOBS)

format:  ## format all sources
	@scripts/setup.sh lint
	@$(FIND_SOURCES) | xargs -0 $(CLANG_FORMAT) -i

format-check:  ## fail if a source is not formatted
	@scripts/setup.sh lint
	@$(FIND_SOURCES) | xargs -0 $(CLANG_FORMAT) --dry-run --Werror \
	    || { echo "Some sources are not formatted; run: make format"; exit 1; }

rooms:  ## fail if a room includes what it must not, or a file is named in no CMakeLists.txt
	@scripts/check-rooms.sh

tidy:  ## run clang-tidy on the library and the program; TIDY_SECONDS limits it to what changed last
	@scripts/setup.sh build tidy
	@cmake --preset dev -B build/tidy -DDEEPSL_BUILD_TESTS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
	@CLANG_TIDY=$(CLANG_TIDY) JOBS=$(JOBS) scripts/tidy.sh build/tidy $(TIDY_SECONDS)

experiment: build  ## run NAME of experiments/ (ARGS are its own); needs the data sets, and time
	@scripts/setup.sh experiment
	@test -n "$(NAME)" || { echo "Which one? make experiment NAME=$$(ls -d experiments/*/ | xargs -n 1 basename | paste -sd '|')"; exit 2; }
	experiments/$(NAME)/run.py $(ARGS)

bench:  ## build and run the benchmarks; their tables go to build/bench
	@scripts/setup.sh build bench
	@$(call configure,bench)
	@cmake --build --preset bench --parallel $(JOBS) --target sturm_speed sturm_accuracy model_speed random_lines \
	    table_training
	build/bench/benchmarks/sturm_accuracy | tee build/bench/sturm-accuracy.md
	build/bench/benchmarks/sturm_speed | tee build/bench/sturm-speed.md
	for threads in 1 2; do build/bench/benchmarks/model_speed $$threads | tee build/bench/model-speed-$$threads.md; done
	for threads in 1 2; do build/bench/benchmarks/table_training $$threads \
	    | tee build/bench/table-training-$$threads.md; done
	build/bench/benchmarks/random_lines | tee build/bench/random-lines.md

torch-bench:  ## convolutions and training by the engine beside LibTorch's; the table goes to build/torch
	@scripts/setup.sh build test bench torch
	@cmake --preset release -B $(TORCH_BUILD) -DDEEPSL_BUILD_TORCH=ON -DDEEPSL_BUILD_BENCHMARKS=ON $(CMAKE_FLAGS)
	@cmake --build $(TORCH_BUILD) --parallel $(JOBS) --target torch_speed
	$(TORCH_BUILD)/benchmarks/torch_speed | tee $(TORCH_BUILD)/torch-speed.md

fuzz:  ## try to break all readers of files, for FUZZ_SECONDS (60) together; findings go to build/fuzz
	@scripts/setup.sh build fuzz
	@cmake -S fuzz -B build/fuzz -G Ninja -DCMAKE_CXX_COMPILER=$(FUZZ_CLANG)
	@cmake --build build/fuzz --parallel $(JOBS)
	@set -e; for name in $(FUZZERS); do \
	    echo "==== $$name"; \
	    mkdir -p build/fuzz/found/$$name; \
	    build/fuzz/$${name}_fuzz -max_total_time=$$(($(FUZZ_SECONDS) / $(words $(FUZZERS)))) \
	        -max_len=4096 -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
	        -artifact_prefix=build/fuzz/$$name- build/fuzz/found/$$name fuzz/corpus/$$name; \
	done

install-test: build  ## install to an empty folder and use it from another project
	@scripts/install-test.sh build/release

clean:  ## remove everything that was built
	rm -rf build
