#!/usr/bin/env bash
# Runs clang-tidy on the library and the program, what changed last first.
#
#     scripts/tidy.sh BUILD_DIR [SECONDS]
#
# Fails if there is any finding. After SECONDS no further file is begun; without them, all files are
# looked at. A changed header counts as a change of the source beside it. What BUILD_DIR does not build, such
# as the adapters to LibTorch, is left out.
set -euo pipefail

if [[ $# -lt 1 || $# -gt 2 || ! -f $1/compile_commands.json ]]; then
    echo "usage: scripts/tidy.sh BUILD_DIR [SECONDS]   (a folder configured by CMake)" >&2
    exit 2
fi
build=$(cd "$1" && pwd)
limit=${2:-1000000}
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every source once: of the working tree, of the last commits, then the others.
{
    git status --porcelain --untracked-files=all 2>/dev/null | cut -c4- || true
    git log --format= --name-only -n 200 2>/dev/null || true
    find src cli -name '*.cpp' | sort
} | sed -E 's/\.h$/.cpp/; s|^include/deepsl/|src/|' |
    grep -E '^(src|cli)/.*\.cpp$' | awk '!seen[$0]++' |
    while read -r file; do
        ! grep -qF "/$file\"" "$build/compile_commands.json" || echo "$file"
    done >"$work/files"

look() {  # a file
    [[ -d $work ]] || exit 255  # this script was ended: xargs stops at 255
    (($(date +%s) < end)) || return 0
    local log
    log=$work/$(tr / _ <<<"$1").log
    "$tidy" --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Wno-unknown-pragmas "$1" >"$log" 2>"$log.errors" || cat "$log.errors" >>"$log"
    cat "$log"
    echo "$1" >>"$work/done"
}
export -f look
export work build end=$(($(date +%s) + limit)) tidy="${CLANG_TIDY:-clang-tidy-14}"

touch "$work/done"
xargs -a "$work/files" -d '\n' -n 1 -P "${JOBS:-$(nproc)}" bash -c 'look "$1"' _

printf 'tidy: %d of %d files in %d s.\n' "$(wc -l <"$work/done")" "$(wc -l <"$work/files")" "$SECONDS"
if grep -qE '(warning|error):' "$work"/*.log 2>/dev/null; then
    echo "tidy: findings above." >&2
    exit 1
fi
