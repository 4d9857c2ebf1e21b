#!/usr/bin/env bash
# Puts the engine in the place of the parts that needed LibTorch.
#
#     engine/switch/assemble.sh DIR          in a copy of the working tree, made at DIR (must be new)
#     engine/switch/assemble.sh --in-place   in this tree; afterwards: git add -A
#
# All that is deleted is named below, in `delete`; everything else of the old tree stays.
set -euo pipefail

main() {
    [[ $# -eq 1 ]] || { echo "usage: engine/switch/assemble.sh DIR | --in-place" >&2; exit 2; }
    local source
    source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    if [[ $1 == --in-place ]]; then
        cd "$source"
    else
        [[ ! -e $1 ]] || { echo "assemble: $1 exists already." >&2; exit 2; }
        mkdir -p "$1"
        (cd "$source" && git ls-files -z --cached --others --exclude-standard |
            while IFS= read -r -d '' f; do [[ -e $f ]] && printf '%s\0' "$f"; done |
            tar --null --files-from - --create) | tar --extract --directory "$1"
        cd "$1"
    fi
    delete
    merge
    report_room
    public_step
    build_files
    rm -rf engine
    changed_format
    not_ported
}

# Files with the same place in engine/ are replaced, and not named here.
delete() {
    rm -rf src/{model,field,network,train,table} include/deepsl/{model,field,network,train,table}
    rm -f src/io/model_{file,report,report_samples}.cpp src/io/model_report_samples.h
    rm -f include/deepsl/io/model_{file,report}.h
    rm -f src/data/scaling.cpp include/deepsl/data/scaling.h
    rm -f src/option.cpp include/deepsl/option.h src/learn.cmake tests/learn.cmake cmake/torch.cmake
    rm -f cli/settings.cpp cli/settings.h cli/learn_task.cpp
    old_tests=$(find tests/{field,model,network,train,table} tests/io/model_file_test.cpp \
        tests/option_test.cpp -name '*_test.cpp' 2>/dev/null | sort)
    rm -rf tests/{field,model,network,train,table}
    rm -f tests/io/model_file_test.cpp tests/option_test.cpp tests/tensors.h
    rm -f tests/cli/without_torch_test.cpp
    rm -rf benchmarks/{field,model,table}
}

merge() {
    local part
    rm -f engine/cli/CMakeLists.txt engine/tests/CMakeLists.txt
    for part in include src cli tests benchmarks; do
        [[ ! -d engine/$part ]] || cp -r "engine/$part/." "$part/"
    done
}

# Pages leave io for a room of their own: include/deepsl/report, src/report, deepsl::report.
report_room() {
    [[ -e src/io/report.cpp ]] || return 0
    mkdir -p include/deepsl/report src/report tests/report
    mv include/deepsl/io/report.h include/deepsl/report/page.h
    mv src/io/svg.h include/deepsl/report/svg.h  # the program draws with it, too
    mv src/io/report.cpp src/report/page.cpp
    local file
    for file in src/io/report_*; do mv "$file" "src/report/${file#src/io/report_}"; done
    mv tests/io/report_test.cpp tests/report/page_test.cpp
    mv tests/io/page.h tests/io/stored_png.h tests/report/

    sed -i -E -e 's/\bdeepsl::io\b/deepsl::report/g' -e 's/\bio::/report::/g' \
        -e 's|#include "report_([a-z]+\.h)"|#include "report/\1"|' \
        -e 's|#include "svg\.h"|#include "deepsl/report/svg.h"|' \
        include/deepsl/report/*.h src/report/* tests/report/*
    sed -i -E 's|"\.\./src/io/svg\.h"|"deepsl/report/svg.h"|; s/\bio::/report::/' cli/svg.h
    local names='Curve|Fact|DataPoint|DecisionMap|SampleLine|Sample|SpectrumBand|Epoch|Baseline|Report|html_report'
    grep -rlE "deepsl/io/report\.h|\bio::($names)\b" include src cli tests benchmarks fuzz |
        xargs -r sed -i -E -e 's|deepsl/io/report\.h|deepsl/report/page.h|' \
            -e "s/\bio::($names)\b/report::\1/g"
}

# The one Runge-Kutta step is for field lines and for the neural ODE in model/: public.
public_step() {
    [[ -e src/field/step.h ]] || return 0
    mv src/field/step.h include/deepsl/field/step.h
    grep -rl '"field/step\.h"' src tests benchmarks |
        xargs -r sed -i 's|"field/step\.h"|"deepsl/field/step.h"|'
}

build_files() {
    local from=engine/switch
    cp $from/src-CMakeLists.txt src/CMakeLists.txt
    cp $from/cli-CMakeLists.txt cli/CMakeLists.txt
    cp $from/tests-CMakeLists.txt tests/CMakeLists.txt
    cp $from/benchmarks-CMakeLists.txt benchmarks/CMakeLists.txt
    cp $from/CMakeLists.txt CMakeLists.txt
    cp $from/CMakePresets.json CMakePresets.json
    cp $from/deepslConfig.cmake.in cmake/deepslConfig.cmake.in
    cp $from/Makefile Makefile
    cp $from/clang-tidy .clang-tidy
    install -m 755 $from/ci-run .ci/run
    install -m 755 $from/setup.sh $from/check-rooms.sh $from/tidy.sh $from/install-test.sh scripts/
    sed -i 's/find_package(deepsl 0\.1 /find_package(deepsl 0.2 /' tests/install/*/CMakeLists.txt
}

# Includes are sorted by path, and some paths have changed.
changed_format() {
    command -v clang-format-14 >/dev/null || { echo "assemble: run make format."; return 0; }
    find include src cli tests -name '*.h' -o -name '*.cpp' -o -name '*.inl' | xargs clang-format-14 -i
}

not_ported() {
    local test
    for test in $old_tests; do
        [[ -e $test ]] || echo "assemble: no new test has the place of $test"
    done
    scripts/check-rooms.sh || true
}

main "$@"
exit 0
