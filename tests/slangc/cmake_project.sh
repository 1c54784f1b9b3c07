#!/usr/bin/env bash
# cmake_project.sh DROP_IN SLANGC: a CMake project goes over to slimgrad-slangc and back by one variable; a rebuilt
# slimgrad, and turning it off, build its CUDA again, and then the build rests. Called by tests/slangc.sh.
set -euo pipefail
drop_in=$1 slangc=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLIMGRAD_CACHE_DIR=$work/cache

fail() { echo "slangc: CMake project: $*" >&2; exit 1; }
build() { ninja -C "$work/build" -v >"$work/log" 2>&1 || { cat "$work/log"; fail "the build failed: $*"; }; }
rests() { build "$*"; grep -q 'no work to do' "$work/log" || { cat "$work/log"; fail "the build does not come to rest: $*"; }; }
# builds WHAT: the next build makes the CUDA again, and the one after that has nothing to do.
builds() {
    build "$*"
    grep -q 'field.slang' "$work/log" || { cat "$work/log"; fail "$* does not make the CUDA again"; }
    rests "$*"
}
configure() { cmake -S "$work/project" -B "$work/build" -G Ninja "$@" >"$work/log" || { cat "$work/log"; fail "cmake failed"; }; }
is_plain() { cmp -s "$work/build/field.cu" "$work/plain.cu"; }

mkdir "$work/project"
cp "$root/tests/slangc/field.slang" "$root/tests/slangc/project/CMakeLists.txt" "$work/project"
"$slangc" "$work/project/field.slang" -target cuda -o "$work/plain.cu"
configure -DSLIMGRAD_SOURCE_DIR="$root" -DSLIMGRAD_SLANGC_EXECUTABLE="$drop_in" -DSLANGC="$slangc"
builds "the first time"
! is_plain || fail "the CUDA is not rewritten"
configure -DSLIMGRAD=OFF
builds "SLIMGRAD=OFF"
is_plain || fail "the CUDA is not slangc's with SLIMGRAD=OFF"
configure -DSLIMGRAD=ON
builds "SLIMGRAD=ON"
! is_plain || fail "the CUDA is not rewritten with SLIMGRAD=ON"
touch "$(dirname "$drop_in")/slimgrad-clang"
builds "a rebuilt slimgrad-clang"
touch "$drop_in"
builds "a rebuilt slimgrad-slangc"

export SLIMGRAD=off
rests "before anything was told that it is off"
"$drop_in" -v 2>/dev/null
builds "turned off by the environment"
is_plain || fail "the CUDA is rewritten although it is off"
