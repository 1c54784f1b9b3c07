"""fix_twice.py WORK SOURCE [ARGUMENT...]

Copies SOURCE, a shader or a folder of them, into the new folder WORK and runs `slimgrad fix ARGUMENT...` there on the
copy (on the file, or on `.`; `--only FILE` before WORK names one file of the folder). Prints for FileCheck, in this
order: what slimgrad printed, `exit: N`, and the unified diff from SOURCE to the fixed copy.

Then runs `slimgrad fix --diff` with the same arguments: a second run must find nothing to change. Fails if it prints a
diff, if a byte changes, or if a run exits with more than 1 (0 and 1 only tell whether findings are left).
"""

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def run(arguments, work):
    """Runs `slimgrad fix` in the folder; gives its exit status and what it printed."""
    command = shlex.split(os.environ["SLIMGRAD"]) + ["fix"] + arguments
    done = subprocess.run(command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def show(data):
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def copy(source, work):
    """Copies the source into the new folder; gives what slimgrad is to work on."""
    shutil.rmtree(work, ignore_errors=True)
    if source.is_dir():
        shutil.copytree(source, work)
        target = "."
    else:
        work.mkdir(parents=True)
        shutil.copy2(source, work)
        target = source.name
    # A project of its own, so that nothing above the folder matters.
    (work / "slimgrad.toml").touch()
    return target


def main(arguments):
    only = None
    if arguments[0] == "--only":
        only, arguments = arguments[1], arguments[2:]
    work, source, arguments = Path(arguments[0]), Path(arguments[1]), arguments[2:]

    target = copy(source, work)
    target = only or target
    before = contents(work)
    status, output = run([target] + arguments, work)
    fixed = contents(work)
    show(output)
    print(f"exit: {status}")
    for name in sorted(before.keys() | fixed.keys()):
        if before.get(name) != fixed.get(name):
            original = source / name if source.is_dir() else source
            labels = ["--label", f"a/{name}", "--label", f"b/{name}"]
            show(subprocess.run(["diff", "-uN", *labels, original, work / name], stdout=subprocess.PIPE).stdout)
    if status > 1 or status < 0:
        sys.exit("fix_twice: the first run failed")

    status, output = run(["--diff", target] + arguments, work)
    problem = None
    if status > 1 or status < 0:
        problem = f"the second run exits with {status}"
    elif contents(work) != fixed:
        problem = "the second run changed a file"
    elif b"\n@@ " in output:
        problem = "the second run still has something to fix"
    if problem:
        show(output)
        sys.exit(f"fix_twice: {problem}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
