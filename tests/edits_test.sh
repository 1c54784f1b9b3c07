#!/usr/bin/env bash
# Every wrong edit of tests/edits is caught or not vouched for, no right one is accused, and all are as edits.toml says.
# With --long also what the compilers make of each.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if [ -n "${SLIMGRAD_LONG:-}" ]; then exec scripts/edits; fi
exec scripts/edits --no-figures
