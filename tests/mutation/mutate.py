#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Change operators and constants of the library, one at a time, and see whether a test notices.

    python3 tests/mutation/mutate.py lib/dram lib/cache/index.c   of folders and files
    python3 tests/mutation/mutate.py --changed REV                of the lines that differ from a revision
    python3 tests/mutation/mutate.py --all --sample 300           of 300 places anywhere
    python3 tests/mutation/mutate.py lib/dram/sets.c:17           of a line

Each change is made in a copy of the tree, built, and put to the suites of its folder (SUITES). A change that no test
notices survives: there a test is missing, or the change means nothing. The latter stand in equivalent.txt, each with
its reason. What the compiler makes the same code of, and what does not compile, is not counted. The exit status is 1
where more than --most percent survive unexplained.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPLAINED = pathlib.Path(__file__).with_name("equivalent.txt")

# By folder of lib/, the longest that fits: the suites that are to notice.
SUITES = {
    "base": "base registry config hierarchy", "cache": "cache oracle", "decisions": "decisions contract",
    "functional": "hierarchy oracle", "level": "hierarchy timed predictor", "policies/control": "control contract",
    "policies/predictor": "predictor contract", "policies/prefetcher": "prefetcher",
    "policies/protocol": "coherence contract", "policies/replacement": "replacement contract",
    "policies/scheduler": "scheduler contract", "policies/throttle": "throttle contract", "registry": "registry config",
    "trace/binary": "trace record fuzz", "trace/synthetic": "synthetic", "trace/table": "trace fuzz",
    "trace/text": "trace fuzz", "trace": "trace record", "verify": "coherence",
}  # fmt: skip

SWAPS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "&&": "||", "||": "&&", "+": "-", "-": "+",
    "*": "/", "/": "*", "%": "*", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|", "+=": "-=", "-=": "+=",
    "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<=",
}  # fmt: skip
COMMENT, TEXT, DIRECTIVE = r"/\*.*?\*/|//[^\n]*", r"(['\"])(?:\\.|(?!\1)[^\\\n])*\1", r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*"
HIDDEN = re.compile(f"{COMMENT}|{TEXT}|{DIRECTIVE}", re.DOTALL | re.MULTILINE)
# As clang-format writes them: blanks around operators of two operands, and none within what they could be taken for.
OPERATOR = re.compile(r"(?<=[\w)\]] )(?:" + "|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))) + r")(?= )")
STEP = re.compile(r"\+\+|--")
NUMBER = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)(?=[uUlL]*(?![\w.]))")
WORD = re.compile(r"\b(?:true|false)\b")
NOT = re.compile(r"(?<=[( ])!(?=[\w(])")


class Mutant:
    """A change at a place of a text: `old` there becomes `new`."""

    def __init__(self, path, text, start, old, new):
        self.path, self.start, self.old, self.new = path, start, old, new
        self.line = text.count("\n", 0, start) + 1
        begin = text.rfind("\n", 0, start) + 1
        self.code = text[begin : text.find("\n", start)].strip()
        self.nth = 1 + len(re.findall(re.escape(old), text[begin:start]))

    @property
    def key(self):
        """What stays the same where lines are added elsewhere."""
        return f"{self.path}: {self.code} [{self.old} -> {self.new or 'nothing'}, {self.nth}]"

    def __str__(self):
        return f"{self.path}:{self.line}: {self.code} [{self.old} -> {self.new or 'nothing'}, {self.nth}]"

    def applied(self, text):
        return text[: self.start] + self.new + text[self.start + len(self.old) :]


def mutants_of(path, text):
    """All changes of a file, in order."""
    code = HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), text)
    found = [(each.start(), each[0], SWAPS[each[0]]) for each in OPERATOR.finditer(code)]
    found += [(each.start(), each[0], "--" if each[0] == "++" else "++") for each in STEP.finditer(code)]
    found += [(each.start(), each[0], "false" if each[0] == "true" else "true") for each in WORD.finditer(code)]
    found += [(each.start(), "!", "") for each in NOT.finditer(code)]
    for each in NUMBER.finditer(code):
        value = int(each[1], 16 if each[1][:2] in ("0x", "0X") else 8 if re.fullmatch(r"0[0-7]+", each[1]) else 10)
        found.append((each.start(), each[1], f"{value + 1:#x}" if each[1][:1] == "0" and value else str(value + 1)))
    return [Mutant(path, text, *each) for each in sorted(found)]


def explanations(path=EXPLAINED):
    """{key: reason}: a line for the change, then indented ones for the reason."""
    found, key = {}, None
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("    ") and key:
            found[key] = f"{found[key]} {line.strip()}".strip()
        elif line.strip() and not line.startswith("#"):
            key = line
            found[key] = ""
    return found


def changed_lines(revision):
    """{path: its lines that differ from a revision}."""
    words = ["git", "diff", "-U0", revision, "--", "lib"]
    told = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    found, path = {}, None
    for line in told.splitlines():
        if line.startswith("+++ "):
            path = line[6:]
        place = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if place:
            first, count = int(place[1]), int(place[2] or 1)
            found.setdefault(path, set()).update(range(first, first + count))
    return found


def suites_of(path):
    """Names of the suites that a file of lib/ is tested by."""
    folder = str(pathlib.PurePath(path).parent.relative_to("lib"))
    for name in sorted(SUITES, key=len, reverse=True):
        if folder == name or folder.startswith(name + "/"):
            return SUITES[name].split()
    return [folder.split("/")[0]]


class Workshop:
    """A copy of the tree with a build of its own, in which one change at a time is made."""

    def __init__(self, options, folder):
        self.options, self.folder, self.times = options, folder, {}
        if options.build_command:
            shutil.copytree(options.tree, folder, dirs_exist_ok=True)
        else:
            listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                    capture_output=True, text=True, check=True)  # fmt: skip
            for name in filter(None, listed.stdout.split("\0")):
                if (ROOT / name).is_file():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(ROOT / name, folder / name)
            if (ROOT / "../shared").is_dir() and not (folder.parent / "shared").exists():
                (folder.parent / "shared").symlink_to((ROOT / "../shared").resolve())
            # As run.sh builds it, so that ccache has all but the changes.
            self.call(["meson", "setup", "build", "--buildtype=release"], check=True)

    def call(self, words, check=False, seconds=None, **environment):
        """Its exit status; None: it took too long."""
        process = subprocess.Popen(
            words, cwd=self.folder, env={**os.environ, **environment}, start_new_session=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None
        if check and process.returncode:
            raise SystemExit(f"{' '.join(words)}: exit status {process.returncode}\n{said[-4000:]}")
        return process.returncode

    def build(self, suites):
        if self.options.build_command:
            return self.call(shlex.split(self.options.build_command))
        return self.call(["ninja", "-C", "build", *(f"tests/test-{suite}" for suite in suites)])

    def test(self, suite, effort, seconds=None):
        if self.options.test_command:
            return self.call(shlex.split(self.options.test_command), seconds=seconds)
        words = [f"build/tests/test-{suite}", "--fail-fast", "--jobs=1"]
        return self.call(words, seconds=seconds, GPUCACHE_TESTS=effort)

    def calibrate(self, suites):
        """As it is, everything passes; and takes so long."""
        for suite in suites:
            if suite in self.times:
                continue
            self.build([suite])
            begin = time.monotonic()
            if self.test(suite, self.options.effort) != 0:
                raise SystemExit(f"suite {suite} fails without a change")
            self.times[suite] = time.monotonic() - begin

    def object_code(self, path):
        """Of a file of lib/; b"" where it does not compile, None where that cannot be had."""
        if self.options.build_command:
            return None
        name = f"lib/libgpucache-objects.a.p/{path[len('lib/'):].replace('/', '_')}.o"
        return (self.folder / "build" / name).read_bytes() if self.call(["ninja", "-C", "build", name]) == 0 else b""

    def judge(self, mutant):
        """killed, survived, same (the compiler makes the same code of it), or invalid."""
        path = self.folder / mutant.path
        text, suites = path.read_text(), suites_of(mutant.path) if not self.options.build_command else ["tests"]
        before = self.object_code(mutant.path)
        self.calibrate(suites)
        try:
            path.write_text(mutant.applied(text))
            after = self.object_code(mutant.path)
            if before and after == before:
                return "same"
            if after == b"" or self.build(suites):
                return "invalid"
            for suite in suites:
                if self.test(suite, self.options.effort, 20 + 10 * self.times[suite]) != 0:
                    return "killed"
            return "survived"
        finally:
            path.write_text(text)


def chosen(options):
    """The mutants that were asked for."""
    found = []
    if options.changed:
        for path, lines in sorted(changed_lines(options.changed).items()):
            if path.endswith(".c") and (options.tree / path).exists():
                found += [each for each in mutants_of(path, (options.tree / path).read_text()) if each.line in lines]
    for name in ["lib"] if options.all else options.paths:
        place, _, line = name.partition(":")
        at = options.tree / place
        for file in sorted(at.rglob("*.c")) if at.is_dir() else [at]:
            if not file.is_file():
                raise SystemExit(f"there is no {name}")
            made = mutants_of(str(file.relative_to(options.tree)), file.read_text())
            found += [each for each in made if not line or each.line == int(line)]
    if options.sample and options.sample < len(found):
        found = random.Random(options.seed).sample(found, options.sample)
        found.sort(key=lambda each: (each.path, each.start))
    return found


def work(options, mutants, number, scratch):
    """The outcomes of a share of the mutants, in a workshop of its own."""
    folder = scratch / f"tree-{number}" / "tree"
    folder.mkdir(parents=True)
    place = Workshop(options, folder)
    outcomes = []
    for mutant in mutants:
        outcome = place.judge(mutant)
        outcomes.append((mutant, outcome))
        if options.verbose or outcome == "survived":
            print(f"{outcome:8} {mutant}", flush=True)
    return outcomes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", metavar="PATH", help="folder, file, or file:line")
    parser.add_argument("--changed", metavar="REV", help="lines that differ from this git revision")
    parser.add_argument("--all", action="store_true", help="all of lib/")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="so many of them, at random")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--jobs", type=int, default=1, help="changes at a time, each in a copy of the tree")
    parser.add_argument("--effort", default="quick", choices=("quick", "normal", "thorough"), help="of the suites")
    parser.add_argument("--most", type=float, default=3, metavar="PERCENT", help="of survivors without an explanation")
    parser.add_argument("--list", action="store_true", help="the changes alone, none is made")
    parser.add_argument("--verbose", action="store_true", help="print each outcome")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT, help=argparse.SUPPRESS)  # for the test of this file
    parser.add_argument("--build-command", help=argparse.SUPPRESS)
    parser.add_argument("--test-command", help=argparse.SUPPRESS)
    parser.add_argument("--explained", type=pathlib.Path, default=EXPLAINED, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not (options.paths or options.changed or options.all):
        parser.error("of what? name folders or files, --changed REV or --all")
    return options


def main():
    options = arguments()
    mutants = chosen(options)
    if options.list:
        print(*mutants, sep="\n")
        return 0
    reasons = explanations(options.explained)
    counts = dict.fromkeys(("killed", "survived", "explained", "same", "invalid"), 0)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        shares = [mutants[n :: options.jobs] for n in range(options.jobs)]
        done = pool.map(lambda n: work(options, shares[n], n, pathlib.Path(scratch)), range(options.jobs))
        for mutant, outcome in (each for share in done for each in share):
            counts["explained" if outcome == "survived" and reasons.get(mutant.key) else outcome] += 1
    tried = counts["killed"] + counts["survived"] + counts["explained"]
    share = 100 * counts["survived"] / max(1, tried)
    print(f"{tried} changes: {counts['killed']} killed, {counts['survived']} survived ({share:.1f} %), "
          f"{counts['explained']} explained; beside them {counts['same']} the same code, "
          f"{counts['invalid']} that do not compile")  # fmt: skip
    return 1 if share > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
