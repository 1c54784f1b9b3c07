#!/usr/bin/env bash
# The build step in a CMake project with Ninja: the first build fixes, the second has nothing to do, a touched header
# rebuilds what includes it, the output is the same each time, and sources stay as they are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$root/tests/preprocess
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "preprocess: $*" >&2; exit 1; }

# The project is copied, so that its sources can be touched. A space in its path has to survive the depfile.
project="$work/my project"
cp -r "$here" "$project"
before=$(cd "$project" && find . -type f -exec sha256sum {} + | sort)
build="$work/build"
cmake -S "$project" -B "$build" -G Ninja -DSLIMGRAD_SOURCE_DIR="$root" -DSLIMGRAD_EXECUTABLE="$slimgrad" \
    -DSLANGC="$root/.deps/bin/slangc" >"$work/log" || { cat "$work/log"; fail "cmake failed"; }

# ninja TARGET...: builds, and leaves what it said in $work/log.
build() { ninja -C "$build" -v "$@" >"$work/log" 2>&1 || { cat "$work/log"; fail "the build failed"; }; }

build
march=$build/fixed_shaders/shaders/march/shaders/march.slang
plain=$build/fixed_shaders/shaders/plain/shaders/plain.slang
grid=$build/fixed_shaders/shaders/march/common/grid.slang
cmp -s "$march" "$project/shaders/march.slang" || fail "march.slang itself needs no fix"
cmp -s "$plain" "$project/shaders/plain.slang" || fail "plain.slang needs no fix"
[ ! -e "$build/fixed_shaders/shaders/plain/common" ] || fail "plain.slang changes no include"
diff -u "$project/common/grid.slang" "$grid" >"$work/diff" && fail "the header of march.slang was not fixed"
[ "$(grep -c '^[+-][^+-]' "$work/diff")" = 1 ] && grep -q '^+\[PreferRecompute' "$work/diff" || { cat "$work/diff"; fail "not the expected fix"; }

# What slangc makes of the copy is cheaper than what it makes of the source.
bytes() {
    "$root/.deps/bin/slangc" "$1" -I "$project/shaders" -entry gradMain -stage compute -target cuda -O3 -o "$work/report.cu" \
        -report-checkpoint-intermediates 2>&1 | sed -n 's/.*checkpointing context of \([0-9]*\) bytes associated with: .march.*/\1/p' | head -n 1
}
[ "$(bytes "$project/shaders/march.slang")" -gt "$(bytes "$march")" ] || fail "the copy stores as much as the source"
[ -s "$build/march.cu" ] && [ -s "$build/plain.cu" ] || fail "the copies were not compiled"

build
grep -q 'no work to do' "$work/log" || { cat "$work/log"; fail "the second build does something"; }

first=$(cat "$march" "$grid" "$plain" | sha256sum)
touch "$project/common/grid.slang"
build
grep -q 'preprocess .*march.slang' "$work/log" || { cat "$work/log"; fail "a touched header does not make its shader again"; }
[ "$(cat "$march" "$grid" "$plain" | sha256sum)" = "$first" ] || fail "the output differs from one run to the next"
build
grep -q 'no work to do' "$work/log" || { cat "$work/log"; fail "the build does not come to rest"; }

printf 'float broken( {\n' >>"$project/shaders/plain.slang"
ninja -C "$build" >"$work/log" 2>&1 && fail "a shader that does not compile builds"
grep -q 'plain.slang:.*error: ' "$work/log" || { cat "$work/log"; fail "no diagnostic for a shader that does not compile"; }

cp "$here/shaders/plain.slang" "$project/shaders/plain.slang"
[ "$(cd "$project" && find . -type f -exec sha256sum {} + | sort)" = "$before" ] || fail "a source file was changed"
echo "preprocess: passed"
