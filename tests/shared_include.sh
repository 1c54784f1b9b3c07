#!/usr/bin/env bash
# A file that two shaders include is fixed once, for both; `fix` and `fix --diff` do the same; a second run has nothing to do.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "shared_include: $*" >&2; cat "$work/log" >&2; exit 1; }

mkdir "$work/p"
cp -r "$root/tests/preprocess/shaders" "$root/tests/preprocess/common" "$root/tests/preprocess/slimgrad.toml" "$work/p"
cd "$work/p"
sed 's/MaxIters(48)/MaxIters(16)/; s/i < 48/i < 16/' shaders/march.slang >shaders/a.slang

status=0
"$slimgrad" fix --diff . >../patch 2>"$work/log" || status=$?
[ "$status" = 1 ] || fail "--diff exits with $status"
[ "$(grep -c '^+++ ' ../patch)" = 1 ] && grep -q '^+++ b/common/grid.slang' ../patch || { cat ../patch; fail "not one change of one file"; }
grep -q '^shaders/march.slang: uses a file that is fixed above' "$work/log" || fail "the other user of the file is not named"

cp -r . ../patched
patch -s -p1 -d ../patched <../patch
"$slimgrad" fix . >"$work/log" 2>&1 || fail "fix fails"
diff -r . ../patched >>"$work/log" || fail "fix and fix --diff differ"
"$slimgrad" fix --diff . >../again 2>"$work/log" || fail "the second run fails"
[ ! -s ../again ] || fail "the second run has something to do"
