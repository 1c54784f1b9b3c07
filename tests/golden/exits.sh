# exits N COMMAND...: runs the command and succeeds if its exit status is exactly N.
expected=$1
shift
"$@"
status=$?
[ "$status" = "$expected" ] && exit 0
echo "exits: status $status, expected $expected: $*" >&2
exit 1
