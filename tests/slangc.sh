#!/usr/bin/env bash
# slimgrad-slangc in slangc's place: every stream, exit code and file is slangc's, except for CUDA that goes to one file,
# which is what `slimgrad cuda` makes of it; depfiles, the off switch, a rewriter that is missing or fails, signals, and
# the calls of an unmodified slangtorch.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(dirname "${SLIMGRAD:-$root/build/slimgrad}")
slangc=$(realpath "$root/.deps/bin/slangc")
unset SLIMGRAD SLIMGRAD_LOG SLIMGRAD_CLANG SLIMGRAD_SLANGC SLIMGRAD_CUDA_PASSES SLIMGRAD_HEAP_THRESHOLD SLIMGRAD_HEAP_LAYOUT
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLIMGRAD_CACHE_DIR=$work/cache

fail() { echo "slangc: $*" >&2; exit 1; }

# Copies, so that they can be touched.
mkdir "$work/bin" "$work/in"
cp "$build/slimgrad-slangc" "$build/slimgrad-clang" "$work/bin/"
drop_in=$work/bin/slimgrad-slangc
cp "$root"/tests/inputs/kernels/k10_ode.slang "$root/tests/slangc/field.slang" "$work/in/"
mkdir "$work/in/sub" "$work/in/with space"
cp "$work/in/k10_ode.slang" "$work/in/with space/a b.slang"
cat >"$work/in/plain.slang" <<'SLANG'
#include "sub/scale.slang"
RWStructuredBuffer<float> data;
[shader("compute")][numthreads(32, 1, 1)] void main(uint3 tid : SV_DispatchThreadID) { int n = 2.5; data[tid.x] *= scale * n; }
SLANG
echo 'static const float scale = 3;' >"$work/in/sub/scale.slang"

# both ARGUMENT...: runs slangc and the drop-in, each in a folder of its own with the same inputs, and compares what they
# say and return. Leaves the folders $work/a (slangc) and $work/b.
both() {
    rm -rf "$work/a" "$work/b"
    cp -r "$work/in" "$work/a"
    cp -r "$work/in" "$work/b"
    local status_a=0 status_b=0
    (cd "$work/a" && exec timeout 60 "$slangc" "$@") <"${input:-/dev/null}" >"$work/out.a" 2>"$work/err.a" || status_a=$?
    (cd "$work/b" && exec timeout 60 "$drop_in" "$@") <"${input:-/dev/null}" >"$work/out.b" 2>"$work/err.b" || status_b=$?
    # Paths of the two folders are all that may differ.
    { grep -rlZ "$work/a/" "$work/a" "$work/out.a" "$work/err.a" || true; } | xargs -0r sed -i "s|$work/a/|$work/b/|g"
    [ $status_a != 124 ] || fail "slangc itself does not end: $*"
    [ $status_a = $status_b ] || { cat "$work/err.b"; fail "exit code $status_b instead of $status_a: $*"; }
    cmp -s "$work/out.a" "$work/out.b" || fail "another standard output: $*"
    cmp -s "$work/err.a" "$work/err.b" || { diff "$work/err.a" "$work/err.b"; fail "another standard error: $*"; }
}
# Passed through: the same files with the same bytes.
same() {
    both "$@"
    diff -r "$work/a" "$work/b" >/dev/null || fail "other files: $*"
}
# Rewritten: the same files, FILE as `slimgrad cuda` makes it.
rewritten() {
    local file=$1
    shift
    both "$@"
    [ "$(cd "$work/a" && find . | sort)" = "$(cd "$work/b" && find . | sort)" ] || fail "other files: $*"
    "$build/slimgrad" cuda "$work/a/$file" -o "$work/expected.cu" >/dev/null 2>&1 || fail "slimgrad cuda fails on $file: $*"
    cmp -s "$work/expected.cu" "$work/b/$file" || fail "$file is not what slimgrad cuda makes: $*"
    ! cmp -s "$work/a/$file" "$work/b/$file" || fail "$file is not rewritten: $*"
    [ "$(stat -c '%a %u' "$work/a/$file")" = "$(stat -c '%a %u' "$work/b/$file")" ] || fail "$file: another mode: $*"
    cp "$work/expected.cu" "$work/a/$file"
    diff -r "$work/a" "$work/b" >/dev/null || fail "other files: $*"
}

# What is passed through.
same
same -v
same -version
same -h
same -h target
same -nonsense
same missing.slang -target cuda -o x.cu
same plain.slang -target hlsl -o x.hlsl
same plain.slang -target cpp -o x.cpp
same plain.slang -target metal
same plain.slang -target spirv-asm -o x.spvasm
same plain.slang -target ptx -o x.ptx
same plain.slang -o x.CU
same plain.slang -o x.glsl -entry main -stage compute
same field.slang -target torch-binding -o x.cpp -depfile x.d
same plain.slang -target cuda -o no/such/folder/x.cu
same plain.slang -target cuda -o
same plain.slang -target
same plain.slang -E -o x.cu
same k10_ode.slang -target cuda
same k10_ode.slang -target cuda -o -
same k10_ode.slang -target cuda -o x.cu -o y.cu
same k10_ode.slang -target cuda -target cpp -o x.cu -o x.cpp -depfile x.d
same k10_ode.slang -o x.cu -o x.cpp
same k10_ode.slang -target cuda -o x.cu -no-codegen
same k10_ode.slang -target cuda -o x.cu -source-embed-style text -source-embed-name text
same k10_ode.slang -target cuda -o x.cu -reflection-json x.json -unknown-option
same k10_ode.slang -o x.slang-module
# CUDA with nothing to gain, and with warnings of slangc's.
same plain.slang -target cuda -o x.cu
same plain.slang -target cuda -o x.cu -enable-machine-readable-diagnostics
same plain.slang -target cuda -o x.cu -warnings-as-errors all
same plain.slang -target cuda -o x.cu -diagnostic-color always
same plain.slang -target cuda -o /dev/null

# What is rewritten.
rewritten x.cu k10_ode.slang -target cuda -o x.cu
rewritten x.cu k10_ode.slang -o x.cu -O3 -reflection-json x.json
same k10_ode.slang -o x.cuh # declarations only
rewritten sub/x.txt -DN=4 -I sub k10_ode.slang -target cuda -o sub/x.txt -line-directive-mode none
rewritten "with space/x.cu" "with space/a b.slang" -target cuda -o "with space/x.cu"
rewritten x.cu -target cuda -o x.cu -- k10_ode.slang
rewritten x.cu -target cuda -o x.cu -entry gradMain -stage compute k10_ode.slang
input=$work/in/k10_ode.slang rewritten x.cu -lang slang -target cuda -o x.cu -- -

# Repaired gradients are said once, and the exit code stays.
(cd "$work/in" && "$drop_in" "$root/tests/inputs/kernels/k03_mlp.slang" -target cuda -o "$work/k03.cu") 2>"$work/err" || fail "repaired, and exit code $?"
[ "$(grep -c '^warning' "$work/err")" = 1 ] && grep -q '^warning\[slimgrad\]: .*gradients.* change' "$work/err" || { cat "$work/err"; fail "repairs are not said once"; }

# A depfile lists what slangc lists, and slimgrad's files; they are there.
both k10_ode.slang -target cuda -o x.cu -depfile x.d
state=$(echo "$work"/cache/slangc-state-*)
[ -f "$state" ] || fail "no state file"
[ "$(cat "$work/a/x.d") $drop_in $work/bin/slimgrad-clang $state
$drop_in:
$work/bin/slimgrad-clang:
$state:" = "$(cat "$work/b/x.d")" ] || { cat "$work/b/x.d"; fail "another depfile"; }
both plain.slang -target cuda -o x.cu -depfile x.d
grep -q "sub/scale.slang .*slimgrad-clang" "$work/b/x.d" || fail "the depfile lost an include"

# A cache may be removed, and slimgrad be built anew: make and ninja build again then, with the depfile of before, and rest.
mkdir "$work/make"
printf 'x.cu: ../in/k10_ode.slang\n\t%s $< -target cuda -o $@ -depfile x.d && echo built\n-include x.d\n' "$drop_in" >"$work/make/Makefile"
printf 'rule cuda\n  command = %s $in -target cuda -o $out -depfile x.d && echo built\n  depfile = x.d\n  deps = gcc\nbuild x.cu: cuda ../in/k10_ode.slang\n' "$drop_in" >"$work/make/build.ninja"
for tool in make ninja; do
    rm -f "$work/make/x.cu"
    for removed in "$work/nothing" "$work/other-cache" "$work/older-build"; do
        rm -rf "$removed"
        [ "$removed" != "$work/older-build" ] || touch "$work/bin/slimgrad-clang"
        SLIMGRAD_CACHE_DIR=$work/other-cache $tool -C "$work/make" >"$work/out" 2>&1 || { cat "$work/out"; fail "$tool stops without $removed"; }
        grep -q '^built' "$work/out" || fail "$tool does not build again without $removed"
        # Ninja compares with the start of the command that wrote the state file, and so builds once more.
        SLIMGRAD_CACHE_DIR=$work/other-cache $tool -C "$work/make" >/dev/null 2>&1
        SLIMGRAD_CACHE_DIR=$work/other-cache $tool -C "$work/make" >"$work/out" 2>&1
        ! grep -q '^built' "$work/out" || fail "$tool does not come to rest without $removed"
    done
done

# Called again: an unchanged output keeps its time, as it does with slangc. The state file as well.
cd "$work/b"
"$drop_in" k10_ode.slang -o x.cu
touch -d '2001-01-01' x.cu "$state"
"$drop_in" k10_ode.slang -o x.cu
[ "$(date -r x.cu +%Y)" = 2001 ] || fail "an unchanged output got a new time"
[ "$(date -r "$state" +%Y)" = 2001 ] || fail "an unchanged state file got a new time"

# Off: byte for byte slangc's; what depends on the state is built again. On again: the same.
"$slangc" k10_ode.slang -o plain.cu
SLIMGRAD=off "$drop_in" k10_ode.slang -o off.cu -depfile off.d
cmp plain.cu off.cu || fail "SLIMGRAD=off rewrites"
grep -q "$state" off.d || fail "what is made while off does not depend on the state"
[ "$(date -r "$state" +%Y)" != 2001 ] || fail "turning it off does not touch the state"
touch -d '2001-01-01' "$state"
"$drop_in" -v 2>/dev/null
[ "$(date -r "$state" +%Y)" != 2001 ] || fail "turning it on does not touch the state"

# An output that is a link stays one.
ln -s linked.cu link.cu
"$drop_in" k10_ode.slang -o link.cu
[ -L link.cu ] && cmp -s linked.cu x.cu || fail "a link as output"

# unharmed WORDS [VARIABLE=VALUE...]: slangc's bytes and exit code, and one warning that has the words.
unharmed() {
    local words=$1
    shift
    rm -f x.cu
    env SLIMGRAD_CACHE_DIR="$work/other-cache" "$@" "$drop_in" k10_ode.slang -o x.cu 2>"$work/err" || fail "exit code $?: $words"
    cmp -s plain.cu x.cu || fail "not as slangc wrote it: $words"
    [ "$(wc -l <"$work/err")" = 1 ] && grep -q "^warning\[slimgrad\]: x.cu: left as slangc wrote it: .*$words" "$work/err" || { cat "$work/err"; fail "no warning: $words"; }
}
printf '#!/bin/sh\nkill -SEGV $$\n' >"$work/crashes"
printf '#!/bin/sh\nexit 3\n' >"$work/refuses"
printf '#!/bin/sh\necho "{}"\n' >"$work/babbles"
printf 'no program' >"$work/damaged"
chmod +x "$work/crashes" "$work/refuses" "$work/babbles" "$work/damaged"
unharmed "is not a program" SLIMGRAD_CLANG=/no/such/file
unharmed "crashed" SLIMGRAD_CLANG="$work/crashes"
unharmed "exit code 3" SLIMGRAD_CLANG="$work/refuses"
unharmed "not understood" SLIMGRAD_CLANG="$work/babbles"
unharmed "not found" SLIMGRAD_CLANG="$work/damaged"
unharmed "is neither on nor off" SLIMGRAD=of
unharmed "is no pass" SLIMGRAD_CUDA_PASSES=heep
mv "$work/bin/slimgrad-clang" "$work/bin/away"
unharmed "is not a program"
mv "$work/bin/away" "$work/bin/slimgrad-clang"

# Without a place for the cache everything but the cache works.
env -u SLIMGRAD_CACHE_DIR -u HOME -u XDG_CACHE_HOME "$drop_in" k10_ode.slang -o x.cu -depfile x.d
cmp -s x.cu link.cu || fail "without a cache"
! grep -q slangc-state x.d || fail "a state file without a folder for it"

# The log: one line per call.
log=$work/log
SLIMGRAD_LOG=$log "$drop_in" k10_ode.slang -o x.cu
SLIMGRAD_LOG=$log "$drop_in" plain.slang -o y.cu 2>/dev/null
SLIMGRAD_LOG=$log "$drop_in" plain.slang -o y.hlsl 2>/dev/null || true
SLIMGRAD_LOG=$log SLIMGRAD=off "$drop_in" k10_ode.slang -o x.cu
[ "$(cut -d' ' -f2- "$log" | sed 's/([0-9]* ms)/(N ms)/')" = "slimgrad-slangc $work/b/x.cu: changed by single-copy, from the cache (N ms)
slimgrad-slangc $work/b/y.cu: unchanged: nothing to gain, from the cache (N ms)
slimgrad-slangc -: passed through: target hlsl (N ms)
slimgrad-slangc $work/b/x.cu: passed through: SLIMGRAD=off (N ms)" ] || { cat "$log"; fail "another log"; }

# A heap that nobody here prepares, and places that cannot be written, are said.
SLIMGRAD_CUDA_PASSES=single-copy,heap "$drop_in" k10_ode.slang -o heap.cu 2>"$work/err"
grep -qx "warning\[slimgrad\]: heap.cu: 'gradMain' keeps [0-9]* B .* slimgrad_checkpoint_heap.h, else it traps" "$work/err" || { cat "$work/err"; fail "the heap is not announced"; }
SLIMGRAD_LOG=$work/no/log SLIMGRAD_CACHE_DIR=/dev/null/cache "$drop_in" k10_ode.slang -o x.cu 2>"$work/err"
[ "$(cat "$work/err")" = "warning[slimgrad]: SLIMGRAD_LOG=$work/no/log cannot be written
warning[slimgrad]: SLIMGRAD_CACHE_DIR=/dev/null/cache cannot be written: nothing is kept there" ] || { cat "$work/err"; fail "places that cannot be written are not announced"; }

# Which slangc: a named one, never itself.
SLIMGRAD_SLANGC=$slangc "$drop_in" -v 2>/dev/null || fail "SLIMGRAD_SLANGC"
ln -s "$drop_in" "$work/again"
printf '#!/bin/sh\nexec "%s" "$@"\n' "$drop_in" >"$work/loop"
chmod +x "$work/loop"
for other in "$drop_in" "$work/again" "$work/loop"; do
    status=0
    SLIMGRAD_SLANGC=$other timeout 10 "$drop_in" -v 2>"$work/err" || status=$?
    [ $status = 127 ] && grep -q 'starts slimgrad-slangc again' "$work/err" || fail "no end with SLIMGRAD_SLANGC=$other"
done
SLIMGRAD_SLANGC=/no/such/file "$drop_in" -v 2>"$work/err" && fail "no slangc, no error"
grep -q 'set SLIMGRAD_SLANGC' "$work/err" || fail "no advice where there is no slangc"

# `ldd` shows Slang's library, as slangtorch looks for it.
[ "$(ldd "$drop_in" | sed -n 's/.*libslang-compiler[^ ]* => \([^ ]*\).*/\1/p' | xargs realpath)" = "$(ldd "$slangc" | sed -n 's/.*libslang-compiler[^ ]* => \([^ ]*\).*/\1/p' | xargs realpath)" ] || fail "ldd shows another libslang"

# A signal ends slangc, and the drop-in as slangc ended. k20 of a nest that never ends unrolling serves as a long run.
cat >forever.slang <<'SLANG'
RWStructuredBuffer<float> data;
[Differentiable] float step(float x, float p) { return sin(x * p) + x; }
[Differentiable] float f(float p) { float x = p; [ForceUnroll] for (int i = 0; i < 40; i++) x = step(x, p); return x; }
[shader("compute")][numthreads(1, 1, 1)] void main() { var p = diffPair(data[0], 0.0); bwd_diff(f)(p, 1.0); data[1] = p.d; }
SLANG
for signal in TERM INT; do
    status=0
    timeout -s $signal --preserve-status 1 setsid "$drop_in" forever.slang -o never.cu >/dev/null 2>&1 || status=$?
    [ $status = $((128 + $(kill -l $signal))) ] || fail "SIG$signal gives exit code $status"
done
sleep 0.2
! pgrep -f "slangc forever.slang" >/dev/null || fail "slangc lives on after a signal"

/usr/bin/python3 "$root/tests/slangc/slangtorch_calls.py" "$root" "$drop_in" "$slangc" || fail "slangtorch's calls"

# A CMake project goes over to slimgrad and back by one variable.
"$root/tests/slangc/cmake_project.sh" "$drop_in" "$slangc"
echo "slangc: passed"
