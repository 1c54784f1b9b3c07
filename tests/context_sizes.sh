#!/usr/bin/env bash
# The layouts of checkpoint contexts against Slang's own report, over all shaders of ours that have some.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(dirname "$(realpath "${SLIMGRAD:-$root/build/slimgrad}")")
exec /usr/bin/python3 "$root/tests/context_sizes.py" "$root" "$build/slimgrad-clang"
