#!/usr/bin/env bash
# Installs the Debian packages that deepsl needs and that are missing.
#
#     scripts/setup.sh [build] [test] [lint] [tidy] [bench] [fuzz] [torch] [experiment]
#
# Without a name: build and test. With --no-install-recommends LibTorch comes with a BLAS that is seven
# times slower than OpenBLAS; hence the second package of torch.
#
# DEEPSL_SKIP_SETUP=1 makes it do nothing, for machines that get their packages in another way.
set -euo pipefail

declare -A packages=(
    [build]="g++ cmake ninja-build make libcli11-dev libeigen3-dev libfmt-dev libjpeg62-turbo-dev libmuparser-dev libpng-dev nlohmann-json3-dev zlib1g-dev"
    [test]="libgtest-dev librapidcheck-dev"
    [lint]="clang-format-14"
    [tidy]="clang-tidy-14"
    [bench]="libopenblas-dev"
    [torch]="libtorch-dev libopenblas0-pthread"
    [experiment]="python3 python3-matplotlib python3-numpy python3-sklearn python3-venv python3-xgboost"
    [fuzz]="clang-14 libclang-rt-14-dev"
)

say() { printf 'setup: %s\n' "$*"; }
fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

is_installed() {
    dpkg-query --show --showformat='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Mirrors and locks fail for a moment now and then: one more try.
twice() {
    "$@" && return
    say "that failed; trying once more in 10 seconds."
    sleep 10
    "$@"
}

groups=("$@")
[[ ${#groups[@]} -gt 0 ]] || groups=(build test)

wanted=()
for group in "${groups[@]}"; do
    [[ -n ${packages[$group]:-} ]] ||
        fail "no group is called '$group'; there are: build test lint tidy bench fuzz torch experiment."
    read -ra names <<<"${packages[$group]}"
    wanted+=("${names[@]}")
done

if [[ ${DEEPSL_SKIP_SETUP:-} == 1 ]]; then
    say "skipped, as DEEPSL_SKIP_SETUP=1 asks."
    exit 0
fi

command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
    fail "this machine has no apt-get; install what these Debian packages hold in its own way," \
        "then set DEEPSL_SKIP_SETUP=1: ${wanted[*]}"

missing=()
for name in "${wanted[@]}"; do
    is_installed "$name" || missing+=("$name")
done
if [[ ${#missing[@]} -eq 0 ]]; then
    say "all packages for ${groups[*]} are there; nothing to install."
    exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null ||
        fail "installing needs root or sudo; ask for these packages: ${missing[*]}"
    as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --assume-yes
    --option DPkg::Lock::Timeout=300)

say "installing ${missing[*]}"
twice "${apt[@]}" update || fail "apt-get update failed; these packages are missing: ${missing[*]}"
twice "${apt[@]}" install --no-install-recommends "${missing[@]}" ||
    fail "apt-get could not install these packages: ${missing[*]}"
say "done."
