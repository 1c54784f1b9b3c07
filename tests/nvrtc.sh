#!/usr/bin/env bash
# The libnvrtc shim in front of NVIDIA's own: a shader's PTX comes from the rewritten text, and whatever is not Slang's, is
# switched off or fails comes out byte for byte as without it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${SLIMGRAD_BUILD:-$root/build}
shim=$build/nvrtc
real=$root/.deps/nvrtc/lib
inputs=$root/tests/nvrtc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for variable in $(compgen -e SLIMGRAD); do unset "$variable"; done
export SLIMGRAD_LOG=$work/log SLIMGRAD_CACHE_DIR=$work/cache CUDA_PATH=$root/.deps/cuda # for cuda_fp16.h

fail() { echo "nvrtc: $*" >&2; cat "$work/log" "$work/err" >&2 2>/dev/null || true; exit 1; }
same() { cmp "$1" "$2" >&2 || fail "${3:-$2 is not what NVRTC alone makes}"; }
# logged PATTERN [TIMES]: the log since the last call has this many such lines, and no other.
logged() {
    [ "$(wc -l <"$work/log")" = "${2:-1}" ] && [ "$(grep -c -- "$1" "$work/log")" = "${2:-1}" ] || fail "the log is not '$1'"
    rm "$work/log"
}

gcc -O1 -Wall -Wextra -Werror -I"$root/.deps/nvrtc/include" "$inputs/client.c" -L"$real" -l:libnvrtc.so.13 -pthread -o client
# The same program with and without the shim: by the search path, or preloaded.
alone() { LD_LIBRARY_PATH=$real ./client "$@"; }
shimmed() { LD_LIBRARY_PATH=$shim:$real ./client "$@"; }
preloaded() { LD_PRELOAD=$shim/libnvrtc.so LD_LIBRARY_PATH=$real ./client "$@"; }

# Foreign CUDA, with a header, name expressions, options in several spellings, machine code; then text with errors.
foreign=(-n 'scale<float>' -n 'scale<double>' -n '&table' -H "answer.h=$inputs/answer.h" "$inputs/foreign.cu")
for options in "-arch=sm_89 -D SCALE=3" "--gpu-architecture=compute_90 --define-macro=SCALE=2 -w" "-dlto -DSCALE=5" "--no-such-option"; do
    alone "${foreign[@]}" $options >expected
    for way in shimmed preloaded; do
        $way "${foreign[@]}" $options >foreign 2>err
        same expected foreign
        [ ! -s err ] || fail "something is said"
        logged "foreign.cu: passed through: not from Slang"
    done
done
grep -q 'NVRTC_ERROR_INVALID_OPTION' expected || fail "the wrong option is not refused"
alone "$inputs/broken.cu" >expected
grep -q 'no_such_name' expected || fail "the error is not in NVRTC's log"
shimmed "$inputs/broken.cu" >broken
same expected broken
logged "broken.cu: passed through: not from Slang"

# A shader, the way slangc compiles it: by dlopen("libnvrtc.so"). The plain name finds the real one, whatever its version.
ptx() { "$root/.deps/bin/slangc" "$root/corpus/$1.slang" -I "$root/corpus" -target ptx -fp-mode fast -o "$2" 2>err || fail "slangc fails"; }
mkdir plain
ln -s "$real/libnvrtc.so.13" plain/libnvrtc.so
LD_LIBRARY_PATH=$work/plain:$real ptx ode ode_alone.ptx
LD_LIBRARY_PATH=$shim:$real ptx ode ode.ptx
[ ! -s err ] || fail "something is said"
cmp -s ode_alone.ptx ode.ptx && fail "the PTX of a shader is as without the shim"
logged "corpus/ode.slang: changed by single-copy"
registers() { "$root/.deps/bin/ptxas" -arch=sm_89 -v <(tr -d '\0' <"$1") -o /dev/null 2>&1 | sed -n 's/.* Used \([0-9]*\) registers.*/\1/p' | sort -n | tail -n 1; }
[ "$(registers ode_alone.ptx)" = 142 ] && [ "$(registers ode.ptx)" = 48 ] || fail "registers: $(registers ode_alone.ptx) -> $(registers ode.ptx)"
SLIMGRAD_NVRTC=$real/libnvrtc.so.13 LD_LIBRARY_PATH=$shim ptx ode again.ptx
same ode.ptx again.ptx "the second run differs"
logged "corpus/ode.slang: changed by single-copy, from the cache"
LD_PRELOAD=$shim/libnvrtc.so LD_LIBRARY_PATH=$real ptx ode again.ptx
same ode.ptx again.ptx "the preloaded one differs"
logged "corpus/ode.slang: changed by single-copy"
# One without anything to move.
LD_LIBRARY_PATH=$work/plain:$real ptx tonemap expected
LD_LIBRARY_PATH=$shim:$real ptx tonemap tonemap.ptx
same expected tonemap.ptx
logged "corpus/tonemap.slang: unchanged"

# Generated text through the C interface, with headers that it asks for.
"$root/.deps/bin/slangc" "$root/corpus/ode.slang" -target cuda -o ode.cu 2>err || fail "slangc fails"
name=gradMain
headers=(-H "cuda_fp16.h=$CUDA_PATH/include/cuda_fp16.h" -H "cuda_fp16.hpp=$CUDA_PATH/include/cuda_fp16.hpp")
slang=("${headers[@]}" -n "$name" ode.cu -std=c++17 -w -arch=compute_89 -D SLANG_CUDA_ENABLE_HALF)
alone "${slang[@]}" >expected
shimmed "${slang[@]}" >shader
cmp -s expected shader && fail "generated text is compiled as it is"
logged "changed by single-copy"
# All but what was compiled is the same: results, lowered names, the log, the order in which things may be called.
sides() { grep -a 'NVRTC_\|callback\|handle\|^[0-9.]*, ' "$1"; }
[ "$(sides expected)" = "$(sides shader)" ] || fail "results differ: $(diff <(sides expected) <(sides shader))"

# Compiled twice, with other options the second time; SIGCHLD ignored; by many threads at once.
alone -x "${slang[@]}" >expected_twice
shimmed -x "${slang[@]}" >twice
[ "$(sides expected_twice)" = "$(sides twice)" ] || fail "results differ when it is compiled twice"
rm log
shimmed -s "${slang[@]}" >ignored
same shader ignored "with SIGCHLD ignored the result is another"
logged "changed by single-copy, from the cache"
SLIMGRAD_CACHE_DIR=$work/cache2 shimmed -s "${slang[@]}" >ignored
same shader ignored "with SIGCHLD ignored the rewriter is not run"
logged "changed by single-copy ("
SLIMGRAD_CACHE_DIR=$work/cache3 shimmed -t 8 "${slang[@]}" >threads || fail "threads get different results"
same shader threads "many threads get something else than one"
logged "changed by single-copy" 8
alone "${foreign[@]}" -arch=sm_89 >expected_foreign
shimmed -t 8 "${foreign[@]}" -arch=sm_89 >threads || fail "threads get different results"
same expected_foreign threads
logged "passed through: not from Slang" 8

# Gradients that were wrong and are right now: said, but once, by a process that compiles many programs.
"$root/.deps/bin/slangc" "$root/corpus/mlp.slang" -target cuda -o mlp.cu 2>err || fail "slangc fails"
shimmed -t 2 mlp.cu -std=c++17 -w >repaired 2>err || fail "the repaired text does not compile"
logged "changed by repair-extents, single-copy; .*gradients were wrong" 2
[ "$(wc -l <err)" = 1 ] && grep -q "^slimgrad: warning: repaired .*mlp.slang:" err || fail "the repair is not announced once"

# A heap that nobody here prepares: said, but once. A log that cannot be written as well.
heap=SLIMGRAD_CUDA_PASSES=single-copy,repair-extents,heap
env $heap LD_LIBRARY_PATH="$shim:$real" ./client -t 2 "${slang[@]}" >repaired 2>err || fail "the text with a heap does not compile"
logged "changed by heap" 2
[ "$(wc -l <err)" = 1 ] && grep -q "^slimgrad: warning: ode.cu: '$name' keeps [0-9]* B .*slimgrad_checkpoint_heap.h" err || fail "the heap is not announced once"
SLIMGRAD_LOG=$work/no/such/log shimmed "${slang[@]}" >repaired 2>err
[ "$(cat err)" = "slimgrad: warning: SLIMGRAD_LOG=$work/no/such/log cannot be written" ] || fail "a log that cannot be written is not announced"

# As without the shim: switched off; no rewriter, one that fails, one that takes for ever; a setting that means nothing;
# an option that changes the text; text that is Slang's no more.
# unchanged LOG STDERR [ARGUMENT...]: the client's output, and what is said.
unchanged() {
    local pattern=$1 said=$2
    shift 2
    shimmed "${@:-${slang[@]}}" >untouched 2>err || fail "it fails"
    same expected untouched
    if [ -n "$said" ]; then
        [ "$(wc -l <err)" = 1 ] && grep -q -e "$said" err || fail "stderr is not '$said'"
    else
        [ ! -s err ] || fail "something is said"
    fi
    logged "$pattern"
}
SLIMGRAD=off unchanged "ode.cu: passed through: SLIMGRAD=off" ""
SLIMGRAD_CLANG=$work/missing unchanged "left as slangc wrote it: .*missing" "compiled as slangc wrote it: .*missing"
SLIMGRAD_CLANG=/bin/false unchanged "left as slangc wrote it: slimgrad-clang" "compiled as slangc wrote it"
SLIMGRAD_CUDA_PASSES=faster unchanged "passed through: SLIMGRAD_CUDA_PASSES" "compiled as slangc wrote it: SLIMGRAD_CUDA_PASSES"
SLIMGRAD_CUDA_PASSES=none unchanged "unchanged" ""
alone -n "$name" ode.cu -std=c++17 -w -U NOTHING >expected
unchanged "left as slangc wrote it: -U" "-U changes the text" -n "$name" ode.cu -std=c++17 -w -U NOTHING
echo 'this is no C++' | cat ode.cu - >cut.cu
alone cut.cu -std=c++17 >expected
unchanged "left as slangc wrote it" "compiled as slangc wrote it" cut.cu -std=c++17

# No real library, and one that is none: the error comes through NVRTC's log, as of a program that does not compile.
for library in "$work/missing.so" "$shim/libnvrtc.so.12" "$(realpath "$root/.deps/slang/lib/libslang-compiler.so")"; do
    SLIMGRAD_NVRTC=$library LD_LIBRARY_PATH=$shim ./client "${slang[@]}" >none 2>err || fail "it fails without a real library"
    said="slimgrad: error: SLIMGRAD_NVRTC=$library is not a libnvrtc"
    [ "$(cat err)" = "$said" ] || fail "it does not say what is wrong"
    grep -q '^create: ' none && grep -q '^compile: ' none && grep -qx "$said" none || fail "the log does not say what is wrong"
    logged "not compiled: SLIMGRAD_NVRTC=$library is not a libnvrtc"
done
status=0
SLIMGRAD_NVRTC=$work/missing.so LD_LIBRARY_PATH=$shim "$root/.deps/bin/slangc" "$root/corpus/ode.slang" -target ptx -o none 2>err || status=$?
[ "$status" = 255 ] && grep -q "is not a libnvrtc" err || fail "slangc ends with $status without a real library"
rm -f log

# Whatever a function takes, in registers or on the stack, arrives. The versions differ in functions that the shim
# knows nothing of; this library has one with all of it.
mkdir arguments
gcc -O1 -Wall -Wextra -Werror -shared -fPIC -Wl,-soname,libnvrtc.so.13 "$inputs/arguments.c" -o arguments/libnvrtc.so.13
gcc -O1 -Wall -Wextra -Werror -DCALLER "$inputs/arguments.c" -Larguments -l:libnvrtc.so.13 -o caller
LD_LIBRARY_PATH=arguments ./caller >expected || fail "the arguments' own test fails"
LD_LIBRARY_PATH=$shim:arguments ./caller >arguments/shim || fail "arguments do not arrive"
same expected arguments/shim "arguments do not arrive: $(cat arguments/shim)"

# Nothing but NVRTC's interface can be seen, and nothing but the C library is needed.
for library in "$shim"/libnvrtc.so*; do
    visible=$(nm -D --defined-only "$library" | awk '$2 != "A" {print $3}' | sed 's/@.*//' | grep -v '^_*nvrtc\|^slimgrad_nvrtc_shim$' || true)
    [ -z "$visible" ] || fail "$library shows $visible"
    needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so\.6$\|^ld-linux-x86-64\.so\.2$\|^libm\.so\.6$' || true)
    [ -z "$needed" ] || fail "$library needs $needed"
done
# Every function of the real one is there.
functions() { nm -D --defined-only "$1" | awk '$2 == "T" {print $3}' | sort; }
missing=$(comm -23 <(functions "$real/libnvrtc.so.13") <(functions "$shim/libnvrtc.so.13"))
[ -z "$missing" ] || fail "these functions are missing: $missing"
