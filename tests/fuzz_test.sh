#!/usr/bin/env bash
# One minute of libFuzzer on the front end finds nothing; usage errors are told from that.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { cat "$work/log" >&2; echo "fuzz_test: $*" >&2; exit 1; }

for arguments in "" "0" "60 -j" "60 -j 0" "soon"; do
    code=0
    # shellcheck disable=SC2086
    "$root/scripts/fuzz" $arguments >"$work/log" 2>&1 || code=$?
    [ "$code" = 2 ] || fail "exit code $code for 'scripts/fuzz $arguments'"
done

if ! command -v clang++-19 >/dev/null ||
    [ ! -e "$(clang++-19 -print-resource-dir)/lib/linux/libclang_rt.fuzzer-x86_64.a" ]; then
    echo "clang-19 with libFuzzer is not installed"
    exit 77
fi

"$root/scripts/fuzz" 60 >"$work/log" 2>&1 || fail "scripts/fuzz 60: exit code $?"
grep -q '^fuzz: nothing found in 60 s; [1-9][0-9]* inputs in ' "$work/log" || fail "nothing was run"
