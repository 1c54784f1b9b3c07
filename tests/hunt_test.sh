#!/usr/bin/env bash
# A short hunt finds nothing and counts what it ran, and a usage error is told from a finding.
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
"$hunt" 0 >"$work/log" 2>&1 || code=$?
[ "$code" = 2 ] || fail "exit code $code for no programs"
