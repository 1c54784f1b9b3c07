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
grep -q '"nvcc": "1[0-9]\.[0-9]' "$project/slimgrad.lock" || fail "the lock does not say which nvcc measured"
[ "$(figure 't["written"]')" = False ] || fail "--lock is said to have written the shaders"

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
cp "$project/slimgrad.lock" "$work/lock"
echo 'not json' >"$project/slimgrad.lock"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || status=$?
[ $status = 1 ] && grep -q 'no lock of slimgrad' "$work/log" || { cat "$work/log"; fail "a broken lock was not refused"; }
rm "$project/slimgrad.lock"

# A lock that is a link is written where it leads; one that leads nowhere is no lock.
mkdir "$work/locks"
ln -s "$work/locks/lock" "$project/slimgrad.lock"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || status=$?
[ $status = 1 ] && grep -q 'a symbolic link to a file that is not there' "$work/log" || { cat "$work/log"; fail "a link to nothing was read as no lock ($status)"; }
cp "$work/lock" "$work/locks/lock"
echo 'noalias = true' >"$project/slimgrad.toml"
"$slimgrad" tune --lock "$project/short.slang" "$project/long.slang" >"$work/log" || { cat "$work/log"; fail "tune --lock failed"; }
[ -L "$project/slimgrad.lock" ] && grep -q '"noalias": true' "$work/locks/lock" || fail "the lock was not written through its link"

# Made under a promise that is made no more: refused. Made for something else than is built now: said, in one line.
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || { cat "$work/log"; fail "the lock was not replayed"; }
[ ! -s "$work/log" ] || { cat "$work/log"; fail "a lock that fits is warned of"; }
echo 'arch = "sm_90"' >>"$project/slimgrad.toml"
sed -i 's/"slang": "[^"]*"/"slang": "1.0"/' "$work/locks/lock"
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || { cat "$work/log"; fail "another architecture was refused"; }
[ "$(wc -l <"$work/log")" = 1 ] && grep -q 'warning: slimgrad.lock was made with slangc 1.0, here .*; sm_89, here sm_90: ' "$work/log" ||
    { cat "$work/log"; fail "other versions are not named"; }
: >"$project/slimgrad.toml"
status=0
"$slimgrad" preprocess "$project/long.slang" -o "$work/out/again.slang" 2>"$work/log" || status=$?
[ $status = 1 ] && grep -q 'rest on `noalias = true`, which is not promised here' "$work/log" || { cat "$work/log"; fail "a missing promise was not refused ($status)"; }
rm "$project/slimgrad.lock" "$work/out/again.slang"

# Odd values: one line, before any search.
for odd in "--save-trials $project/long.slang" '--budget=' '--objective=' '--time-limit -1'; do
    status=0
    timeout 5 "$slimgrad" tune --diff "$project/long.slang" $odd >"$work/log" 2>&1 || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$work/log")" = 1 ] || { cat "$work/log"; fail "$odd: exit $status"; }
done

# A limit of a moment ends the search, and it says so.
"$slimgrad" tune --no-cache --lock -j 1 --time-limit 0.001 --output-format json "$project/long.slang" >"$work/report.json" || fail "--time-limit failed"
[ "$(figure 't["out_of_time"]')" = True ] && [ "$(figure 'len(t["combinations"])')" = 1 ] || fail "--time-limit ended nothing"
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

# Two shaders in one folder may share a copy of a header, but not need different ones.
cp "$work/lock" "$project/slimgrad.lock"
for shader in long short; do
    "$slimgrad" preprocess "$project/$shader.slang" -o "$work/out/$shader.slang" || fail "the lock was not replayed for $shader"
done
cmp "$work/replayed.slangh" "$work/out/series.slangh" || fail "both need the changed header"
before_conflict=$(cat "$work"/out/*.slang* | sha256sum)
rm "$project/slimgrad.lock"
status=0
"$slimgrad" preprocess --budget regs=255 "$project/short.slang" -o "$work/out/short.slang" 2>"$work/log" || status=$?
[ $status = 2 ] && [ "$(wc -l <"$work/log")" = 1 ] && grep -q 'series.slangh would have to hold something else for short.slang than for .*long.slang: give each shader an output folder' "$work/log" ||
    { cat "$work/log"; fail "two shaders share a copy that they do not agree on ($status)"; }
[ "$(cat "$work"/out/*.slang* | sha256sum)" = "$before_conflict" ] || fail "the second shader was written over the first one's header"
rm -rf "$work/out" && mkdir "$work/out"

# The same again, now into the sources, from the cache: and then there is nothing left to gain.
"$slimgrad" tune "$project/short.slang" "$project/long.slang" >"$work/log" || { cat "$work/log"; fail "tune failed"; }
cmp "$work/replayed.slangh" "$project/series.slangh" || fail "the lock and the fix differ"
"$slimgrad" tune --diff "$project/short.slang" "$project/long.slang" >"$work/diff" 2>"$work/log" || { cat "$work/diff" "$work/log"; fail "a second run changes more"; }
grep -q 'nothing to gain' "$work/log" || { cat "$work/log"; fail "a second run does not say why"; }
