# A program whose `--diff` writes: fix_twice.py must fail.
shift
[ "$1" = --diff ] && shift
echo more >>"$1"
