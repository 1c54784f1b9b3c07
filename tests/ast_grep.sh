#!/usr/bin/env bash
# The grammar in ast-grep: the rules of rewriter/grammar/ast-grep find in tests/ast_grep/rules.slang what its comments
# say and in our shaders what grep finds, and rewriting changes what it should and nothing else.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ast_grep=$(realpath -e "$root/.deps/bin/ast-grep" 2>/dev/null) || {
    echo "ast_grep: skipped, there is no .deps/bin/ast-grep; scripts/setup fetches it"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "ast_grep: $*" >&2; exit 1; }

grammar=$root/rewriter/grammar
cp -r "$grammar/ast-grep" "$work/rules"
# As the grammar's README has it.
cc -shared -fPIC -O1 -I "$grammar/src" "$grammar"/src/*.c -o "$work/rules/slang.so"
cd "$work/rules"

# found PATH...: `file:line rule` of what the rules find, sorted.
found() {
    # Some findings are errors to ast-grep: exit 1.
    { "$ast_grep" scan --custom-languages allow --json=stream "$@" || [ $? = 1 ]; } |
        /usr/bin/python3 -c '
import json, sys
for finding in map(json.loads, sys.stdin):
    print("%s:%d %s" % (finding["file"], finding["range"]["start"]["line"] + 1, finding["ruleId"]))' | sort
}

# Every rule, on an input of its own.
cp "$root/tests/ast_grep/rules.slang" "$work/input.slang"
found "$work/input.slang" >"$work/found"
awk -v file="$work/input.slang" -F '// found: ' 'NF == 2 && !/^\/\// {
    count = split($2, rules, " ")
    for (i = 1; i <= count; ++i) print file ":" NR " " rules[i]
}' "$work/input.slang" | sort >"$work/expected"
diff "$work/expected" "$work/found" >&2 || fail "the rules find something else (>) than the input says (<)"
for rule in rules/*.yml; do
    grep -q " $(basename "$rule" .yml)\$" "$work/expected" || fail "no line of the input is for $rule"
done

# Our shaders: what grep can find.
found "$root/corpus" >"$work/found"
shaders() { grep -rnE --include='*.slang' --include='*.slangh' "$1" "$root/corpus" | sed -E 's|//.*$||' | { grep -E "$1" || true; }; }
# compare RULE PATTERN: in as many lines of each file, and in some. (Attributes may stand before a function's first line.)
compare() {
    sed -n "s/:[0-9]* $1\$//p" "$work/found" | uniq -c >"$work/ours"
    shaders "$2" | sed 's/:.*//' | sort | uniq -c >"$work/greps"
    [ -s "$work/greps" ] || fail "no shader of ours has $2"
    diff "$work/greps" "$work/ours" >&2 || fail "$1 finds something else (>) in our shaders than grep (<)"
}
compare backward-call 'bwd_diff\('
compare no-diff-value 'no_diff [A-Za-z0-9_]+[[(]'
compare differentiable-function '\[(Backward|Forward)?Differentiable\]'

# Rewriting, by a rule and by a pattern.
"$ast_grep" scan --custom-languages allow --update-all --filter '^prefer-recompute$' "$work/input.slang" >/dev/null
sed 's/, PreferCheckpoint\]/, PreferRecompute]/' "$root/tests/ast_grep/rules.slang" | diff - "$work/input.slang" >&2 ||
    fail "prefer-recompute rewrites something else"
cp "$root/tests/ast_grep/rules.slang" "$work/input.slang"
"$ast_grep" run --custom-languages allow --lang slang --selector call_expression \
    --pattern 'void f() { detach($VALUE); }' --rewrite 'no_diff($VALUE)' --update-all "$work/input.slang" >/dev/null
sed '/^\/\//!s/detach(x)/no_diff(x)/' "$root/tests/ast_grep/rules.slang" | diff - "$work/input.slang" >&2 ||
    fail "rewriting a pattern changes something else"
