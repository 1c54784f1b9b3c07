#!/usr/bin/env bash
# What slimgrad makes of the corpus is what corpus/manifest.json and the tables say.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec scripts/corpus --check
