"""run_and_kill.py SEED COMMAND...: runs a command and kills (SIGKILL) what it has started, at random, at any depth.

Nothing is killed more often than slimgrad starts it again: at most 3 times within 5 s, and at most 4 times in all; 10
times the Slang worker, which is one program for many requests. The command's output and exit status are this program's; the
last line on standard error is `killed: N`.
"""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

MOST, MOST_WORKER, WORKER = 4, 10, b"slimgrad-slang"


def parents():
    """Of every process: the parent."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, IndexError, ValueError):
                pass  # it has ended
    return found


def descendants(root):
    """Pairs of a descendant and the child of `root` that it stands below."""
    parent = parents()
    found = []
    for process in parent:
        below = process
        while below in parent and parent[below] not in (root, 0):
            below = parent[below]
        if parent.get(below) == root:
            found.append((process, below))
    return found


def command_of(process):
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def kill_some(command, kills, choose):
    """Kills one descendant, if one may be killed."""
    candidates = descendants(command.pid)
    if not candidates:
        return
    process, child = choose.choice(candidates)
    name = command_of(child)
    now = time.monotonic()
    times = kills.setdefault(name, [])
    recent = sum(now - when < 5 for when in times)
    if not name or recent >= 3 or len(times) >= (MOST_WORKER if WORKER in name else MOST):
        return
    try:
        os.kill(process, signal.SIGKILL)
        times.append(now)
    except ProcessLookupError:
        pass


def main():
    choose = random.Random(int(sys.argv[1]))
    kills = {}
    command = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
    while command.poll() is None:
        time.sleep(choose.uniform(0.01, 0.25))
        kill_some(command, kills, choose)
    print(f"killed: {sum(map(len, kills.values()))}", file=sys.stderr)
    return command.returncode if command.returncode >= 0 else 128 - command.returncode


if __name__ == "__main__":
    sys.exit(main())
