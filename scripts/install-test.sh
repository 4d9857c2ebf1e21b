#!/usr/bin/env bash
# Installs a build into an empty folder and uses it from there, as another project would.
#
#     scripts/install-test.sh BUILD_DIR
set -euo pipefail

if [[ $# -ne 1 || ! -f $1/CMakeCache.txt ]]; then
    echo "usage: scripts/install-test.sh BUILD_DIR   (a folder configured and built by CMake)" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >"$work/log" || {
    cat "$work/log"
    exit 1
}
# The package must not depend on the place it was installed to, nor on this tree.
mv "$work/first" "$work/prefix"
if grep -rIlF -e "$source/src" -e "$source/include" -e "$build/src" -e "$work" "$work/prefix"; then
    echo "install test: the files above name folders of this machine." >&2
    exit 1
fi

use() {  # a project of tests/install: builds and runs it
    cmake -S "$work/source/$1" -B "$work/build/$1" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF
    cmake --build "$work/build/$1"
    "$work/build/$1/install_test"
}

# What include/ has is public, and is installed; what needs LibTorch only where it was built.
has_torch() { grep -qs '^DEEPSL_BUILD_TORCH:BOOL=ON' "$build/CMakeCache.txt"; }
public() { has_torch && find . -type f || find . -type f -not -path '*/torch/*'; }
diff <(cd "$source/include" && public | sort) \
    <(cd "$work/prefix/include" && find . -type f | sort) || {
    echo "install test: the headers above are not those of include/; see src/CMakeLists.txt." >&2
    exit 1
}

cp -r "$source/tests/install" "$work/source"
use sturm

shown() {  # block number $1 of those in C++ that the page $2 shows
    awk -v wanted="$1" '/^```/ { inside = /^```cpp/ && ++number == wanted; next } inside' "$source/$2"
}
same() {  # $1: a project; what a page shows and what it tests are on standard input and in $2
    diff - "$2" || {
        echo "install test: what is shown and tests/install/$1/main.cpp differ." >&2
        exit 1
    }
}

# The first program that README.md shows is the one that is tested here.
shown 1 README.md | same learn <(sed 1d "$work/source/learn/main.cpp")
use learn

# So is its second block, as the body of a program.
shown 2 README.md | same table <(sed -n '/As in README.md, from here/,/to here\./p' \
    "$work/source/table/main.cpp" | sed '1d; $d; s/^    //')
use table

# So is the program of docs/torch.md, where LibTorch is.
shown 1 docs/torch.md | same torch <(sed 1d "$work/source/torch/main.cpp")
if has_torch; then
    use torch
fi

if [[ -e $build/deepsl ]]; then
    "$work/prefix/bin/deepsl" --help >/dev/null
fi
echo "install test: passed."
