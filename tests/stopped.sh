#!/usr/bin/env bash
# A run that is stopped by a signal ends by that signal and leaves neither folders nor children behind.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { echo "stopped: $*" >&2; exit 1; }

cat >"$work/endless.slang" <<'SLANG'
StructuredBuffer<float> x;
RWStructuredBuffer<float> g;
[Differentiable] float f(float v) { return v * v; }
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 tid : SV_DispatchThreadID)
{
    var p = diffPair(x[tid.x]);
    bwd_diff(f)(p, 1.0);
    while (x[0] < 1e30) g[0] += p.d;
}
SLANG

for signal in INT TERM HUP; do
    mkdir "$work/tmp"
    # Through Python: in the background a shell ignores SIGINT, and what is ignored stays so.
    TMPDIR="$work/tmp" python3 -c '
import os, signal, sys
for one in (signal.SIGINT, signal.SIGHUP): signal.signal(one, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$slimgrad" verify "$work/endless.slang" >"$work/out" 2>&1 &
    run=$!
    for _ in $(seq 600); do # until a compiled kernel lies there
        [ -n "$(find "$work/tmp" -name '*.so')" ] && break
        sleep 0.1
    done
    [ -n "$(find "$work/tmp" -name '*.so')" ] || fail "nothing was compiled: $(cat "$work/out")"
    sleep 0.5
    children=$(pgrep -P $run || true)
    [ -n "$children" ] || fail "no child runs"
    kill -$signal $run
    rc=0
    wait $run 2>/dev/null || rc=$?
    [ $rc -eq $((128 + $(kill -l $signal))) ] || fail "SIG$signal: exit $rc"
    [ -z "$(ls -A "$work/tmp")" ] || fail "SIG$signal leaves $(ls "$work/tmp")"
    for _ in $(seq 100); do
        left=$(ps -o stat= -p "$(echo $children | tr ' ' ,)" | grep -v '^Z' || true)
        [ -z "$left" ] && break
        sleep 0.1
    done
    [ -z "$left" ] || fail "SIG$signal leaves children: $left"
    rmdir "$work/tmp"
done
