#!/usr/bin/env bash
# Every JSON document that slimgrad prints is one of plugin/cli/report.schema.json.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export SLIMGRAD=${SLIMGRAD:-$root/build/slimgrad}
exec /usr/bin/python3 "$root/tests/json_schema.py" "$root"
