#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts test cases over logs of `meson test`: tally.py TESTLOG.JSON...

Shows failed programs with their whole output, then skipped cases, and last the
line `N passed, N failed`. A Criterion program and a Python test file count by
their cases, a program of another kind as a single case. A program that fails
without naming a case (a crash, a time-out or no case) is a single failure.
Exit status 1 on failure.
"""

import json
import os
import re
import sys

ANSI = re.compile(r"\x1b\[[0-9;]*m")
CRITERION = re.compile(r"Synthesis: Tested: (\d+) \| Passing: (\d+) \|")
UNITTEST = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_VERDICT = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
PASSED_CASE = re.compile(r"^(?:.*\.\.\. ok|\[RUN \] .*|\[PASS\] .*)\n", re.MULTILINE)
SKIPPED_CASE = re.compile(r"^.*(?:\.\.\. skipped |\[SKIP\]).*$", re.MULTILINE)
MESON_SKIPPED = 77


def cases(output, status):
    """(passed, failed, skipped) of a program."""
    criterion = CRITERION.search(output)
    if criterion:
        tested, passed = map(int, criterion.groups())  # a crash counts twice in the rest of the line
        return passed, tested - passed, len(re.findall(r"^\[SKIP\]", output, re.MULTILINE))
    ran = UNITTEST.search(output)
    if ran:
        verdict = UNITTEST_VERDICT.search(output, ran.end())
        words = dict(re.findall(r"([a-z ]+)=(\d+)", verdict.group(1) or "")) if verdict else {}
        counts = {word.strip(): int(number) for word, number in words.items()}
        skipped = counts.pop("skipped", 0)
        counts.pop("expected failures", None)
        failed = sum(counts.values())
        return max(int(ran.group(1)) - failed - skipped, 0), failed, skipped
    return (1, 0, 0) if status == 0 else (0, 0, 0)


def tally(test):
    """(passed, failed, skipped, output) of an entry of a test log."""
    output = ANSI.sub("", (test.get("stdout") or "") + (test.get("stderr") or ""))
    if test["returncode"] == MESON_SKIPPED:
        return 0, 0, 1, output
    passed, failed, skipped = cases(output, test["returncode"])
    good = test["result"] == "OK" and passed + skipped > 0
    if not good and not failed:
        failed = 1
    return passed, failed, skipped, output


def main(paths):
    total_passed = total_failed = 0
    skips = []
    for path in paths:
        build = os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path))))
        try:
            with open(path, encoding="utf-8") as log:
                tests = [json.loads(line) for line in log]
        except OSError as error:
            print(f"{path}: no test ran ({error.strerror})")
            tests = []
        if not tests:
            total_failed += 1
        for test in tests:
            passed, failed, skipped, output = tally(test)
            total_passed += passed
            total_failed += failed
            if failed:
                print(f"-- {build}: {test['name']}: {failed} failed ({test['result']}, status {test['returncode']})")
                print(PASSED_CASE.sub("", output).rstrip())
            if skipped:
                skips += [f"{build}: {test['name']}: {line.strip()}" for line in SKIPPED_CASE.findall(output)] or [
                    f"{build}: {test['name']}: {skipped} skipped"
                ]
    for skip in skips:
        print(f"skipped: {skip}")
    print(f"{total_passed} passed, {total_failed} failed")
    return 1 if total_failed or not total_passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
