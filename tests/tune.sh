#!/usr/bin/env bash
# `tune` on kernels that share a helper: each call site gets the form that is cheaper for it, the header is edited once and
# its other users are named; the choices go into slimgrad.lock, which `preprocess` replays without nvcc and g++ and refuses
# when a source has changed; a run that is killed goes on from the cache, and writes nothing by halves.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SLIMGRAD_CACHE_DIR=$work/cache

fail() { echo "tune: $*" >&2; exit 1; }
figure() { /usr/bin/python3 -c 'import json, sys
t = json.load(open(sys.argv[1]))["tunings"][0]
print(eval(sys.argv[2], {"t": t, "k": {x["name"]: x for x in t.get("kernels_after", t["kernels"])}}))' "$work/report.json" "$1"; }

project=$work/project
cp -r "$root/tests/tune" "$project"
touch "$project/slimgrad.toml"
before=$(cd "$project" && sha256sum ./*.slang*)

# A run that is killed at any moment leaves the sources alone.
for delay in 0.5 2; do
    status=0
    timeout -s KILL $delay "$slimgrad" tune "$project/short.slang" "$project/long.slang" >"$work/log" 2>&1 || status=$?
    [ $status = 137 ] || [ $status = 0 ] || { cat "$work/log"; fail "exit $status"; }
    [ $status != 137 ] || [ "$(cd "$project" && sha256sum ./*.slang*)" = "$before" ] || fail "a killed run changed a source"
    cp "$root"/tests/tune/*.slang* "$project"
done

# Both kernels together: the short series stays unrolled, the long one is replayed.
"$slimgrad" tune --lock --output-format json "$project/short.slang" "$project/long.slang" >"$work/report.json" || fail "tune --lock failed"
[ "$(cd "$project" && sha256sum ./*.slang*)" = "$before" ] || fail "--lock changed a source"
[ "$(figure 'len(t["files"])')" = 2 ] || fail "the kernels were not tuned together"
[ "$(figure 'k["long.slang: gradMain"]["registers"] <= 72 and k["long.slang: gradMain"]["stack_bytes"] == 0')" = True ] ||
    { cat "$work/report.json"; fail "the long series is not as cheap as it can be"; }
[ "$(figure '[u for users in t["other_users"].values() for u in users]')" = "['$project/other.slang']" ] || fail "the other user of the header is not named"
[ "$(figure 't["verified"]["verdict"]')" = equal ] || fail "not verified"

# The build step replays the lock, with no CUDA toolkit and no g++ to be found.
CUDA_HOME=/nowhere PATH=/nowhere "$slimgrad" preprocess "$project/long.slang" -o "$work/out/long.slang" --depfile "$work/out/long.d" ||
    fail "the lock was not replayed"
grep -q 'MaxIters' "$work/out/series.slangh" || fail "the replayed header has no bound"
cp "$work/out/series.slangh" "$work/replayed.slangh"
grep -q 'slimgrad.lock' "$work/out/long.d" || fail "the depfile does not name the lock"
"$root/.deps/bin/slangc" "$work/out/long.slang" -target cuda -o "$work/long.cu" || fail "the replayed text does not compile"
echo '// changed' >>"$project/series.slangh"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || status=$?
[ $status = 1 ] && grep -q 'slimgrad.lock does not fit any more: series.slangh has changed' "$work/log" ||
    { cat "$work/log"; fail "a lock that does not fit was not refused ($status)"; }
[ ! -e "$work/out/again.slang" ] || fail "a refused lock left an output"
cp "$root/tests/tune/series.slangh" "$project"
echo 'not json' >"$project/slimgrad.lock"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || status=$?
[ $status = 1 ] && grep -q 'no lock of slimgrad' "$work/log" || { cat "$work/log"; fail "a broken lock was not refused"; }
rm "$project/slimgrad.lock"

# What an earlier run left beside the output is brought up to date, and a source is no output.
echo '// a new line' >>"$project/series.slangh"
"$slimgrad" preprocess --no-lock "$project/long.slang" -o "$work/out/long.slang" || fail "preprocess failed"
grep -q 'a new line' "$work/out/series.slangh" || fail "the old copy of a header stays beside the output"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$project/series.slangh" 2>"$work/log" || status=$?
[ $status = 2 ] && grep -q 'a new line' "$project/series.slangh" || { cat "$work/log"; fail "preprocess wrote over a source ($status)"; }
"$slimgrad" preprocess "$project/long.slang" -o "$project/copy.slang" 2>"$work/log" || { cat "$work/log"; fail "preprocess beside the sources failed"; }
[ "$(head -n -1 "$project/series.slangh" | sha256sum)" = "$(sha256sum <"$root/tests/tune/series.slangh")" ] || fail "a source was changed"
rm "$project/copy.slang"
cp "$root/tests/tune/series.slangh" "$project"
rm -rf "$work/out" && mkdir "$work/out"

# The same again, now into the sources, from the cache: and then there is nothing left to gain.
"$slimgrad" tune "$project/short.slang" "$project/long.slang" >"$work/log" || { cat "$work/log"; fail "tune failed"; }
cmp "$work/replayed.slangh" "$project/series.slangh" || fail "the lock and the fix differ"
"$slimgrad" tune --diff "$project/short.slang" "$project/long.slang" >"$work/diff" 2>"$work/log" || { cat "$work/diff" "$work/log"; fail "a second run changes more"; }
grep -q 'nothing to gain' "$work/log" || { cat "$work/log"; fail "a second run does not say why"; }
