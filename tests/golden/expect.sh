# expect FILE: succeeds if the standard input is the text of FILE; scripts/update-golden lets it write FILE instead.
set -eu
text=$(mktemp)
trap 'rm -f "$text"' EXIT
cat >"$text"
# An empty text means that what stands before the pipe printed nothing: no golden wants that.
if [ ! -s "$text" ]; then
    echo "expect: nothing on the standard input" >&2
    exit 1
fi
if [ -n "${SLIMGRAD_UPDATE_GOLDEN:-}" ]; then
    cmp -s "$text" "$1" || cat "$text" >"$1"
else
    diff -u --label "$1" --label output "$1" "$text"
fi
