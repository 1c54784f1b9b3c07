"""Runs all tests of a finished build and adds them up; scripts/test is the command for it.

A suite is a list of jobs, and every job is one test in a process of its own: a crash, a hang or a test program that is
missing fails a test and cannot take others with it. Every job ends up as passed, failed or skipped, and a suite without
a test counts as a failure.
"""

import argparse
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclasses.dataclass
class Outcome:
    name: str
    verdict: str
    output: str = ""
    seconds: float = 0.0


def run(command, limit):
    """Exit status and output of a command; whatever it has started is gone afterwards."""
    # A file, not a pipe: the end of a pipe comes only when the last process that was started has closed it.
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(command, cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return 127, str(error)
        note = ""
        try:
            process.wait(limit)
        except subprocess.TimeoutExpired:
            note = f"\n(stopped after {limit} s)"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
        if status < 0 and not note:
            note = f"\n(ended by signal {-status})"
        output.seek(0)
        return status, output.read().decode(errors="replace") + note


class Doctest:
    """The test cases of one doctest program. Those in TEST_SUITE("long") run with --long only."""

    def __init__(self, name, program):
        self.name, self.program = name, program

    def outcomes(self, options, pool):
        program = options.build / self.program
        status, output = run([program, "-ltc", "-ns", "-r=xml"], 60)
        if status != 0:
            yield Outcome(self.program, FAILED, f"does not list its tests:\n{output}")
            return
        jobs = []
        for number, case in enumerate(ElementTree.fromstring(output).iter("TestCase"), start=1):
            name = case.get("name")
            if options.name not in name:
                continue
            if case.get("skipped") == "true" or (case.get("testsuite") == "long" and not options.long):
                yield Outcome(name, SKIPPED)
            else:
                jobs.append(pool.submit(self.run_case, program, number, name, options))
        yield from in_order_of_completion(jobs)

    def run_case(self, program, number, name, options):
        start = time.monotonic()
        status, output = run([program, "-nc", "-ns", "-d", f"-f={number}", f"-l={number}"], options.limit)
        # -d prints a line at the end of each case: an exit status of 0 without it (exit() in a test) is no pass.
        passed = status == 0 and f" s: {name}\n" in output
        return Outcome(name, PASSED if passed else FAILED, output, time.monotonic() - start)


class Golden:
    """tests/golden; see the README there."""

    name = "golden"
    verdicts = {"PASS": PASSED, "XFAIL": PASSED, "UNSUPPORTED": SKIPPED, "SKIPPED": SKIPPED}

    def outcomes(self, options, pool):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = ["tests/run_lit", "-v", f"-j{options.jobs}", f"--param=build={options.build}", "--output", report]
            if options.long:
                command.append("--param=long=1")
            if options.name:
                command += ["--filter", re.escape(options.name), "--allow-empty-runs"]
            status, output = run([*command, "tests/golden"], None)
            tests = json.loads(report.read_text())["tests"] if report.exists() else []
        for test in tests:
            if test["code"] != "EXCLUDED":  # by -k
                yield Outcome(test["name"], self.verdicts.get(test["code"], FAILED), test["output"], test["elapsed"])
        if status not in (0, 1) or (status == 1 and not tests):
            yield Outcome("lit", FAILED, output)


class Scripts:
    """tests/*.sh: exit 0 is a pass and 77 a skip that says why. SLIMGRAD_LONG is set with --long."""

    name = "script"

    def outcomes(self, options, pool):
        scripts = sorted(script for script in SOURCE.glob("tests/*.sh") if options.name in script.name)
        # One after another: what they build uses all cores itself.
        for script in scripts:
            start = time.monotonic()
            status, output = run(["bash", script], options.limit)
            verdict = {0: PASSED, 77: SKIPPED}.get(status, FAILED)
            yield Outcome(script.name, verdict, output, time.monotonic() - start)


SUITES = [Doctest("unit", "slimgrad-unit-tests"), Doctest("grammar", "grammar_corpus_test"), Golden(), Scripts()]


def in_order_of_completion(jobs):
    return (job.result() for job in concurrent.futures.as_completed(jobs))


def run_suite(suite, options, pool):
    """Runs one suite, shows what failed or was skipped, and gives its verdicts."""
    start = time.monotonic()
    verdicts, slowest = [], Outcome("", PASSED)
    for outcome in suite.outcomes(options, pool):
        verdicts.append(outcome.verdict)
        slowest = max(slowest, outcome, key=lambda each: each.seconds)
        if outcome.verdict != PASSED:
            print(f"{suite.name}: {outcome.verdict}: {outcome.name}", flush=True)
        if outcome.verdict == FAILED:
            print(outcome.output.rstrip(), flush=True)
    if not verdicts and not options.name:
        print(f"{suite.name}: failed: there is no test")
        verdicts.append(FAILED)
    print(f"{suite.name}: {verdicts.count(PASSED)} of {len(verdicts)} passed in {time.monotonic() - start:.0f} s"
          + (f", longest {slowest.seconds:.1f} s: {slowest.name}" if slowest.name else ""), flush=True)
    return verdicts


def main():
    parser = argparse.ArgumentParser(prog="scripts/test")
    parser.add_argument("suites", nargs="*", metavar="SUITE", help="unit, grammar, golden, script (default: all)")
    parser.add_argument("-k", dest="name", default="", help="only tests whose name holds this")
    parser.add_argument("--long", action="store_true", help="also the tests that take minutes")
    parser.add_argument("--build", type=Path, default=SOURCE / "build", help="build folder (default: build)")
    options = parser.parse_args()
    unknown = set(options.suites) - {suite.name for suite in SUITES}
    if unknown:
        parser.error(f"no such suite: {', '.join(sorted(unknown))}")
    options.build = options.build.resolve()
    options.jobs = len(os.sched_getaffinity(0))
    options.limit = 3600 if options.long else 600
    if options.long:
        os.environ["SLIMGRAD_LONG"] = "1"

    verdicts = []
    # Results of earlier runs, be they the user's own, are not asked for.
    with (tempfile.TemporaryDirectory() as cache, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool):
        os.environ["SLIMGRAD_CACHE_DIR"] = cache
        for suite in SUITES:
            if not options.suites or suite.name in options.suites:
                verdicts += run_suite(suite, options, pool)
    if not verdicts:
        print("scripts/test: no test has this name")
        verdicts.append(FAILED)
    failed = verdicts.count(FAILED)
    print(f"{verdicts.count(PASSED)} passed, {failed} failed, {verdicts.count(SKIPPED)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
