#!/usr/bin/env bash
# A short hunt finds nothing and counts what it ran; one random program shows the miscompile of nested loops by itself; and
# a usage error is told from a finding.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
hunt=$(dirname "${SLIMGRAD:-$root/build/slimgrad}")/slimgrad-hunt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { cat "$work/log" >&2; echo "hunt_test: $*" >&2; exit 1; }

"$hunt" 12 --seed 1 --reduce 0 >"$work/log" || fail "exit code $?"
grep -q '^12 programs, [1-9][0-9]* variants; excluded as known: [1-9]' "$work/log" || fail "no count"
grep -q '^compared with central differences: [1-9]' "$work/log" || fail "nothing was compared"
grep -q '^0 findings in ' "$work/log" || fail "findings"

code=0
"$hunt" --program 1000004 --known --reduce 0 >"$work/log" || code=$?
[ "$code" = 1 ] || fail "exit code $code for what is miscompiled"
grep -q '^program 1000004: index out of range in .*; known shape: unequal-bounds$' "$work/log" || fail "no finding"

"$hunt" 6 --seed 1 --cuda --reduce 0 >"$work/log" || fail "exit code $? of --cuda"
grep -q '^single-copy: [1-9][0-9]* the same$' "$work/log" || fail "no text was rewritten and compared"
grep -q '^heap by thread: [1-9][0-9]* the same$' "$work/log" || fail "no text with a heap was compared"
grep -q '^0 findings in ' "$work/log" || fail "findings of --cuda"

code=0
"$hunt" 0 >"$work/log" 2>&1 || code=$?
[ "$code" = 2 ] || fail "exit code $code for no programs"
