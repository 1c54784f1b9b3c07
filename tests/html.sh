#!/usr/bin/env bash
# The page of --output-format html in a real browser: what it shows, in light, dark and narrow, and that nothing else is needed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export SLIMGRAD=${SLIMGRAD:-$root/build/slimgrad}
for name in chromium-headless-shell chromium google-chrome; do
    browser=$(command -v "$name") && break
done
if [ -z "${browser:-}" ]; then
    echo "no Chromium: apt-get install chromium-headless-shell"
    exit 77
fi
BROWSER=$browser exec /usr/bin/python3 "$root/tests/html_page.py" "$root"
