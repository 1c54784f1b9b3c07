#!/usr/bin/env bash
# Killing what slimgrad has started, at random, changes nothing in its result, nor in what it keeps for later runs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
slimgrad=${SLIMGRAD:-$root/build/slimgrad}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"

fail() { echo "killed: $*" >&2; exit 1; }

# check NAME [COMMAND...]: what `slimgrad check` says of a shader, with its exit status.
check() {
    local name=$1 rc=0
    shift
    "$@" "$slimgrad" check --why corpus/component_visitor.slang "${options[@]}" >"$work/$name" 2>"$work/$name.err" || rc=$?
    echo "exit: $rc" >>"$work/$name"
    cat "$work/$name.err" >>"$work/log"
}

# same NAME: what it says is what the undisturbed run said.
same() {
    diff -u "$work/undisturbed" "$work/$1" >&2 && return
    cat "$work/$1.err" >&2
    fail "$1: another result"
}

options=(--no-cache)
check undisturbed
kills=0
for round in 1 2; do
    options=(--cache-dir "$work/cache-$round")
    check disturbed python3 tests/killed/run_and_kill.py "$((RANDOM + round))"
    same disturbed
    kills=$((kills + $(sed -n 's/^killed: //p' "$work/disturbed.err")))
    # What was kept is right, too.
    check warm
    same warm
done
[ "$kills" -ge 10 ] || fail "only $kills processes were killed"
echo "killed $kills processes"

# slimgrad itself: the next run goes on from what it had.
options=(--cache-dir "$work/cache-own")
for pause in 0.5 1 2 3; do
    (timeout -s KILL "$pause" "$slimgrad" check --why corpus/component_visitor.slang "${options[@]}" || true) >"$work/out" 2>&1
done
check continued
same continued
