#!/usr/bin/env bash
# Checks by #include lines that rooms use each other in the allowed directions only, and that every
# file is named where it has to be.
#
#     scripts/check-rooms.sh [DIR]     (default: this project)
#
# A room is a folder of include/deepsl and src. It may include itself and what stands behind it
# below; the headers of the root (deepsl/*.h, src/*.h) are for all. Private headers (src/<room>) are
# for their own room and for tests.
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

exec awk '
BEGIN {
    allow("root", "")
    allow("sturm", "")
    allow("network", "")
    allow("field", "network sturm")
    allow("model", "field network sturm")
    allow("torch", "model field network sturm")
    allow("train", "model field network sturm io")
    allow("learner", "train model field network sturm data io report")
    allow("io", "")
    allow("data", "io")
    allow("report", "io")
    allow("cli", "sturm network field model train learner data io report")
    find = "find include src cli -name \"*.h\" -o -name \"*.cpp\" -o -name \"*.inl\" | LC_ALL=C sort"
    while ((find | getline file) > 0) files[++count] = file
    close(find)
    for (i = 1; i <= count; ++i) exists[files[i]] = 1
    for (i = 1; i <= count; ++i) check_includes(files[i])
    check_lists()
    if (problems) {
        printf "check-rooms: %d problem%s.\n", problems, problems == 1 ? "" : "s" > "/dev/stderr"
        exit 1
    }
    printf "check-rooms: %d files, all as they should be.\n", count
    exit 0
}

function allow(room, rooms,    names, n, i) {
    known[room] = 1
    behind[room] = rooms
    allowed[room, room] = allowed[room, "root"] = 1
    n = split(rooms, names, " ")
    for (i = 1; i <= n; ++i) allowed[room, names[i]] = 1
}

function complain(where, what) {
    printf "%s: %s\n", where, what > "/dev/stderr"
    ++problems
}

# include/deepsl/field/domain.h and src/field/trace.cpp: field; src/text.cpp: root; cli/main.cpp: cli
function room_of(path,    parts, n) {
    if (path ~ /^cli\//) return "cli"
    sub(/^(include\/deepsl|src)\//, "", path)
    n = split(path, parts, "/")
    return n == 1 ? "root" : parts[1]
}

# The file that an include means, or nothing if it is not ours.
function target_of(from, name,    folder, path) {
    folder = from
    sub(/\/[^\/]*$/, "", folder)
    path = folder "/" name
    while (path ~ /[^\/.]+\/\.\.\//) sub(/[^\/.]+\/\.\.\//, "", path)
    if (path in exists) return path
    if (("include/" name) in exists) return "include/" name
    if (("src/" name) in exists) return "src/" name
    return name ~ /^deepsl\// ? "missing" : ""
}

function check_includes(file,    line, number, name, target, from, to, where) {
    from = room_of(file)
    if (!(from in known)) {
        complain(file, "the room " from " is not known here; add it to scripts/check-rooms.sh.")
        return
    }
    number = 0
    while ((getline line < file) > 0) {
        ++number
        if (line !~ /^[ \t]*#[ \t]*include[ \t]*["<]/) continue
        name = line
        sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
        sub(/[">].*/, "", name)
        target = target_of(file, name)
        if (target == "") continue
        where = file ":" number
        if (target == "missing") {
            complain(where, "there is no " name ".")
            continue
        }
        to = room_of(target)
        if (!((from, to) in allowed))
            complain(where, from " must not include " to " (" name "); allowed: root" \
                            (behind[from] == "" ? "" : " " behind[from]) ".")
        else if (to != from && target ~ /^src\// && (to != "root" || from == "cli"))
            complain(where, name " is private to src/" (to == "root" ? "" : to) \
                            "; include public headers only (include/deepsl/" to ").")
        else if (file ~ /^include\// && target !~ /^include\//)
            complain(where, "a public header includes a private one, " name ".")
    }
    close(file)
}

# Names in a file as whole words.
function read_words(file, prefix,    line, words, n, i) {
    while ((getline line < file) > 0) {
        sub(/#.*/, "", line)
        n = split(line, words, /[ \t()"]+/)
        for (i = 1; i <= n; ++i) listed[prefix words[i]] = 1
    }
    close(file)
}

# What no CMakeLists.txt names is not built, not tested, not installed.
function check_lists(    i, file, find) {
    read_words("src/CMakeLists.txt", "src/")
    read_words("cli/CMakeLists.txt", "cli/")
    read_words("tests/CMakeLists.txt", "tests/")
    for (i = 1; i <= count; ++i) {
        file = files[i]
        if (file ~ /^include\/deepsl\//) {
            sub(/^include\/deepsl\//, "src/", file)
            if (!(file in listed))
                complain(files[i], "not among the headers in src/CMakeLists.txt: not installed.")
        } else if (file ~ /\.cpp$/ && !(file in listed))
            complain(file, "not named in " (file ~ /^cli/ ? "cli" : "src") "/CMakeLists.txt.")
    }
    find = "find tests -name \"*_test.cpp\" | LC_ALL=C sort"
    while ((find | getline file) > 0)
        if (!(file in listed)) complain(file, "not named in tests/CMakeLists.txt: never run.")
    close(find)
}
'
