#!/usr/bin/env bash
# The declarations of CUDA that slimgrad-clang parses with: nvcc accepts and refuses what they accept and refuse, and
# they hold for Slang's prelude with every switch it has.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
clang=$(dirname "$(realpath "${SLIMGRAD:-$root/build/slimgrad}")")/slimgrad-clang
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "cuda_headers: $*" >&2; failed=1; }
accepts_nvcc() { "$root/.deps/bin/nvcc" -arch=sm_89 -w -ptx -o "$work/ptx" "$1" >"$work/log" 2>&1; }
accepts_clang() { "$clang" --passes none "${@:2}" "$1" >/dev/null 2>"$work/log"; }

accepts_nvcc "$root/tests/cuda_headers/accepted.cu" || { cat "$work/log" >&2; fail "nvcc refuses accepted.cu"; }
accepts_clang "$root/tests/cuda_headers/accepted.cu" || { cat "$work/log" >&2; fail "slimgrad-clang refuses accepted.cu"; }

# Statements that both have to refuse: nvcc all at once, for it names the line of every error; an instantiation by its place.
statement() {
    printf '#line %d "statement"\n__device__ void f%d(cudaTextureObject_t texture, cudaSurfaceObject_t surface) { bool flag = false; long long wide = 0; %s }\n' \
        "$1" "$1" "$2"
}
mapfile -t refused <"$root/tests/cuda_headers/refused.txt"
head=$'#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n'
{
    printf '%s' "$head"
    for number in "${!refused[@]}"; do statement "$((number + 1))" "${refused[number]}"; done
} >"$work/refused.cu"
accepts_nvcc "$work/refused.cu" || cp "$work/log" "$work/nvcc"
for number in "${!refused[@]}"; do
    grep -qE "statement\($((number + 1))\): error|at line $((number + 1)) of statement" "$work/nvcc" || fail "nvcc accepts: ${refused[number]}"
    { printf '%s' "$head"; statement "$((number + 1))" "${refused[number]}"; } >"$work/one.cu"
    if accepts_clang "$work/one.cu"; then fail "slimgrad-clang accepts: ${refused[number]}"; fi
done
[ "${#refused[@]}" -gt 15 ] || fail "the statements are not there"

"$root/.deps/bin/slangc" -target cuda -o "$work/text.cu" "$root/corpus/ode.slang"
half=-DSLANG_CUDA_ENABLE_HALF=1 bf16=-DSLANG_CUDA_ENABLE_BF16=1 fp8=-DSLANG_CUDA_ENABLE_FP8=1 optix=-DSLANG_CUDA_ENABLE_OPTIX=1
for switches in "" "$half" "$half $bf16" "$half $fp8" "$optix" "$half $bf16 $fp8 $optix"; do
    # shellcheck disable=SC2086
    accepts_clang "$work/text.cu" $switches || { cat "$work/log" >&2; fail "the prelude with '$switches'"; }
done
exit $failed
