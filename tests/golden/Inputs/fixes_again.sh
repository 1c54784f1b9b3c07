# A program whose second run still has a diff: fix_twice.py must fail.
shift
if [ "$1" = --diff ]; then
    printf -- '--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-after\n+before\n' "$2" "$2"
    exit 1
fi
sed -i 's/before/after/' "$1"
