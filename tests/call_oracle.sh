#!/usr/bin/env bash
# What the calls of our own shaders mean, by the module model and by Slang's own language server: none may differ, and
# nearly all have to be resolved. Skipped where the installed Slang has no language server.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${SLIMGRAD_BUILD:-$root/build}

exec "$build/slimgrad-call-oracle" --root "$root" --floor 0.95 --missing \
    "$root/corpus" "$root/tests/inputs" "$root/tests/oracle/inputs"
