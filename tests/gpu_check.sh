#!/usr/bin/env bash
# Without a device neither scripts/gpu-check nor `verify --gpu` can be taken for a success; with one, it is hidden here.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CUDA_VISIBLE_DEVICES=

fail() { echo "gpu_check: $*" >&2; exit 1; }

"$root/scripts/gpu-check" --build "$(dirname "$slimgrad")" >"$work/log" || fail "exit code $?"
[ "$(tail -n 1 "$work/log")" = "did not run: no CUDA device" ] || { cat "$work/log"; fail "not the last line"; }
grep -q '^no CUDA device: .' "$work/log" || { cat "$work/log"; fail "no reason"; }
grep -q 'agree' "$work/log" && fail "something agrees"

code=0
"$root/scripts/gpu-check" --build "$work" >"$work/log" 2>&1 || code=$?
[ "$code" = 3 ] && grep -q 'is not built' "$work/log" || fail "a build that is not there: exit code $code"

"$slimgrad" verify "$root/corpus/polynomial.slang" --samples 4 --gpu >"$work/log" || { cat "$work/log"; fail "verify"; }
grep -q '^    device  *not run .* no CUDA device: .' "$work/log" || { cat "$work/log"; fail "the device step"; }
