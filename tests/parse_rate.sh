#!/usr/bin/env bash
# scripts/parse-rate: every file of our own is read, with and without what slangc says, and the model says what slangc
# says; a folder with a broken file has a lower rate, names it, and does not count it with --slangc. That a model which
# is not the compiler's is seen: tests/unit/rewriter/model_reflection_test.cpp.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export SLIMGRAD=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLIMGRAD_CACHE_DIR=$work/cache

fail() { cat "$work/out" >&2; echo "parse_rate: $*" >&2; exit 1; }
# count CODE LINE ARGUMENT...: the exit code and the last line.
count() {
    local code=0 expected=$1 line=$2
    shift 2
    "$root/scripts/parse-rate" "$@" >"$work/out" 2>&1 || code=$?
    [ "$code" = "$expected" ] || fail "exit code $code of: $*"
    [ "$(tail -n 1 "$work/out")" = "$line" ] || fail "last line of: $*"
}
files() { find "$@" \( -name '*.slang' -o -name '*.slangh' \) | wc -l; }

# Of our own files all are read.
own=$(files "$root/corpus" "$root/tests/inputs")
[ "$own" -ge 50 ] || fail "only $own files"
count 0 "total: $own/$own" "$root/corpus" "$root/tests/inputs"
grep -q "^all: $own/$own files clean (100.00 %), 0 of [1-9][0-9]* bytes in ERROR, [0-9.]* s, [0-9.]* MB/s$" "$work/out" ||
    fail "no sum"

# What slangc compiles of them is what the model holds; the second time nothing is compiled.
count 0 "total: $own/$own" --model "$root/corpus" "$root/tests/inputs"
grep -q '^mismatches: 0$' "$work/out" || fail "the model differs"
grep -Eq '^  model of [1-9][0-9]* modules: [1-9][0-9]{2,} functions, [1-9][0-9]{2,} parameters, [1-9][0-9]* attributes, [1-9][0-9]* loops; 0 mismatches$' \
    "$work/out" || fail "too little was compared"
cp "$work/out" "$work/first"
mkdir "$work/bin"
cp "$(dirname "$SLIMGRAD")/slimgrad-parse-rate" "$(dirname "$SLIMGRAD")/slimgrad-slang" "$work/bin/"
SLIMGRAD=$work/bin/slimgrad count 0 "total: $own/$own" --model "$root/corpus" "$root/tests/inputs"
[ "$(grep -o 'model of.*' "$work/first")" = "$(grep -o 'model of.*' "$work/out")" ] || fail "the cache says something else"

# What cannot be compared is counted with its reason, and listed.
mkdir "$work/partly"
printf '#define HEAD(type, name) type name\nHEAD(float, f)(float x) { return x; }\n' >"$work/partly/macro.slang"
printf 'float g() { return unknown; }\n' >"$work/partly/rejected.slang"
count 0 "total: 1/2" --model --list "$work/partly"
grep -q "^$work/partly/rejected.slang: not compared: .*undefined identifier" "$work/out" || fail "no reason"
grep -q '^  not compared: 1 modules that slangc does not compile$' "$work/out" || fail "not compiled"
grep -q "^$work/partly/macro.slang:2:13: functions that a macro declares: .* (not compared)$" "$work/out" || fail "not listed"
count 0 "total: 1/2" --model "$work/partly"
grep -q '^  not compared: 1 functions that a macro declares: .* (--list names them)$' "$work/out" || fail "not counted"

# A broken file lowers the rate, and is named; slangc finds its error, too.
mkdir "$work/shaders"
printf 'float f(float x) { return x; }\n' >"$work/shaders/good.slang"
printf 'float f(float x) { return x; }\nfloat g(float x { return ) x; }\n' >"$work/shaders/broken.slang"
printf 'glsl text\n' >"$work/shaders/other.glsl"
count 0 "total: 1/2" --list "$work/shaders"
grep -q "^$work/shaders/broken.slang:2:[0-9]*: [1-9][0-9]* errors\\?, [0-9]* bytes\\?$" "$work/out" || fail "not named"
grep -q "^$work/shaders: 1/2 files clean (50.00 %), " "$work/out" || fail "no rate"
count 0 "total: 1/1" --slangc "$work/shaders"
grep -q '^  left out: 1 in which slangc finds a syntax error, 0 on which it does not come back$' "$work/out" ||
    fail "left out"

# A file is asked about again when what it includes has changed.
mkdir "$work/includes"
printf '#include "part.h"\nfloat g() { return f(); }\n' >"$work/includes/whole.slang"
printf 'float f() { return 1; }\n' >"$work/includes/part.h"
count 0 "total: 1/1" --slangc "$work/includes"
printf 'float f( { return 1; }\n' >"$work/includes/part.h"
count 0 "total: 0/0" --slangc "$work/includes"

# Options: those of the file's own test lines, and those after `--`. The grammar does not know them.
mkdir "$work/options"
printf '//TEST:SIMPLE: -target cuda -DOPEN=( -entry f\nfloat f OPEN float x) { return x; }\n' >"$work/options/own.slang"
count 0 "total: 0/1" --slangc "$work/options"
printf 'float f OPEN float x) { return x; }\n' >"$work/options/own.slang"
count 0 "total: 0/0" --slangc "$work/options"
count 0 "total: 0/1" --slangc "$work/options" -- '-DOPEN=('

# Usage.
code=0
"$root/scripts/parse-rate" "$work/nothing" >"$work/out" 2>&1 || code=$?
[ "$code" = 2 ] && [ "$(cat "$work/out")" = "parse-rate: error: $work/nothing is not a folder" ] || fail "no folder: $code"
code=0
"$root/scripts/parse-rate" >"$work/out" 2>&1 || code=$?
[ "$code" = 2 ] || fail "no arguments: $code"
"$root/scripts/parse-rate" --help | grep -q 'total: CLEAN/FILES' || fail "no help"
