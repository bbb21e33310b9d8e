# SPDX-License-Identifier: BSD-2-Clause
"""Test programs with a changed file of the library, made beside a build directory, which stays unchanged."""

import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess

TESTS_AT_ONCE = 20
# Most changes fail a test at once: only surviving changes are compiled with the build's options.
QUICKLY = ["-O0"]
SECONDS_AT_LEAST, SECONDS_AT_MOST = 10, 600  # processor time; wall-clock time catches an endless wait
MEMORY = 8 << 30


SANITIZERS_SLOW = 5  # times slower; sanitizers reserve more address space than any limit


def limits(seconds, memory):
    """A test that hangs or grows without end is killed, with all children. (In the caller's session, to keep the
    priority.)"""

    def set_them():
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return set_them


class Build:
    """The steps of ninja, with other files."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        listed = subprocess.run(["ninja", "-C", folder, "-t", "commands", "meson-test-prereq"], capture_output=True,
                                text=True, check=True).stdout  # fmt: skip
        self.compilers, self.linkers, self.torture = {}, {}, None
        for line in listed.splitlines():
            made = re.search(r" -o (\S+)", line)
            if made and made[1].startswith("lib/libgpucache-objects.a.p/") and " -c " in line:
                source = os.path.relpath(folder / line.rpartition(" -c ")[2], root)
                self.compilers[source] = line, folder / made[1]
            elif made and re.fullmatch(r"tests/test-[\w-]+", made[1]):
                self.linkers[made[1][len("tests/test-") :]] = line
            elif made and made[1] == "tests/torture/gpucache-torture":
                self.torture = line
        archive = folder / "lib/libgpucache-objects.a"
        listed = subprocess.run(["ar", "t", archive], cwd=folder, capture_output=True, text=True, check=True).stdout
        self.objects = [pathlib.Path(folder, name) if (folder / name).exists() else pathlib.Path(name).resolve()
                        for name in listed.split()]  # fmt: skip
        self.sanitizes = any("-fsanitize=" in line for line, _ in self.compilers.values())

    @property
    def suites(self):
        return sorted(self.linkers)

    def object_of(self, path):
        return self.compilers[path][1]

    def compile(self, path, made, options=(), text=None):
        """The object of a file, or of a text in place of the file; None: no compilation."""
        words = shlex.split(self.compilers[path][0])
        words = [word for word in words if word not in ("-MD", "-Werror")]
        for name in ("-MQ", "-MF"):
            del words[words.index(name) : words.index(name) + 2]
        words[words.index("-o") + 1] = made
        words += ["-w", *options]
        if text is not None:
            words[words.index("-c") + 1 :] = ["-xc", "-", "-w", *options]
        # gcc would name a link in the line table, and ccache answer with the line table of another checkout.
        environment = {**os.environ, "PWD": str(self.folder), "CCACHE_HASHDIR": "true"}
        done = subprocess.run(words, cwd=self.folder, env=environment, input=text, capture_output=True, text=True,
                              check=False)  # fmt: skip
        return made if done.returncode == 0 else None

    def link(self, suite, changed, made, more=()):
        """A suite's program, or torture's (None), with objects `changed`, {path: object}, instead of the library's
        own."""
        places = {self.object_of(path): other for path, other in changed.items()}
        listed = made.with_suffix(".objects")
        listed.write_text("".join(f"{places.get(each, each)}\n" for each in [*self.objects, *more]))
        words = [f"@{listed}" if word == "lib/libgpucache-objects.a" or word.startswith("lib/libgpucache.so") else word
                 for word in shlex.split(self.linkers[suite] if suite else self.torture)
                 if not word.startswith("lib/libgpucache-batch-")]  # fmt: skip
        if shutil.which("ld.lld"):
            words.append("-fuse-ld=lld")
        if not suite:
            words += ["-lm", "-pthread"]
        words[words.index("-o") + 1] = made
        subprocess.run(words, cwd=self.folder, check=True)
        listed.unlink()
        return made

    def failing(self, program, tests, effort, more={}):  # noqa: B006
        """Name of the first failing test, "" for a failure without a name from Criterion; None: all tests pass."""
        seconds = int(SECONDS_AT_LEAST + 5 * sum(test.seconds for test in tests))
        seconds *= SANITIZERS_SLOW if self.sanitizes else 1
        words = [program, "--jobs=1", "--fail-fast", "--filter", f"@({'|'.join(test.name for test in tests)})"]
        status, said = self.run(words, {"GPUCACHE_TESTS": effort, **more}, seconds)
        if status == 0 and "Tested: 0 " in said:
            raise SystemExit(f"{program.name} has none of {[test.name for test in tests]}")
        failed = re.search(r"^\[FAIL\] (\w+)::(\w+)", said, re.M)
        return None if status == 0 else f"{failed[1]}/{failed[2]}" if failed else ""

    def run(self, words, environment, seconds):
        """Exit status and output of a program; None for a program that did not end."""
        process = subprocess.Popen(
            words, cwd=self.root, env={**os.environ, **environment}, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            preexec_fn=limits(seconds, resource.RLIM_INFINITY if self.sanitizes else MEMORY),
        )  # fmt: skip
        try:
            said, _ = process.communicate(timeout=SECONDS_AT_MOST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, ""
        return process.returncode, said


def first_failing(tests, patience, failing):
    """(suite, test) of the first failing test; None if all tests pass.

    The tests run in the given order, several tests of a suite at once, as `failing(suite, tests)`, until the tests had
    `patience` seconds.
    """
    batch, spent = [], 0.0
    for place, test in enumerate(tests):
        batch.append(test)
        spent += test.seconds
        following = tests[place + 1] if place + 1 < len(tests) and spent < patience else None
        if following and following.suite == test.suite and len(batch) < TESTS_AT_ONCE:
            continue
        failed = failing(test.suite, batch)
        if failed is not None:
            return test.suite, failed
        batch = []
        if not following:
            break
    return None


class Workshop:
    """Judges changes, one at a time."""

    def __init__(self, build, folder, ranked, effort, patience, sanitized=None):
        self.build, self.folder, self.ranked, self.effort, self.patience = build, folder, ranked, effort, patience
        self.sanitized, self.plain = sanitized, {}

    def killer(self, tests, path, made, build=None):
        """(suite, test) of the first failure, or None."""
        programs, build = {}, build or self.build

        def failing(suite, batch):
            if suite not in programs:
                programs[suite] = build.link(suite, {path: made}, self.folder / f"test-{suite}")
            return build.failing(programs[suite], batch, self.effort)

        return first_failing(tests, self.patience / (SANITIZERS_SLOW if build.sanitizes else 1), failing)

    def is_same(self, path, text, made, options=()):
        """Whether the compiler makes the code of the object `made`, of a changed text, from the text, too."""
        key = path, *options
        if key not in self.plain:
            self.plain[key] = self.build.compile(path, self.folder / "plain.o", options, text).read_bytes()
        return made.read_bytes() == self.plain[key]

    def judge(self, mutant):
        """"killed" with the suite, "survived", "same" (the compiler makes the same code), or "invalid"."""
        text = (self.build.root / mutant.path).read_text()
        changed = mutant.applied(text)
        made = self.build.compile(mutant.path, self.folder / "quick.o", QUICKLY, changed)
        if not made:
            return "invalid", ""
        if self.is_same(mutant.path, text, made, QUICKLY):
            return "same", ""
        reaching = []
        for round_, tests in enumerate(self.ranked(mutant)):
            found = self.killer(tests, mutant.path, made)
            if found:
                self.ranked.noticed(mutant, *found)
                return "killed", "/".join(found)
            if round_ == 0:
                optimized = self.build.compile(mutant.path, self.folder / "changed.o", text=changed)
                if self.is_same(mutant.path, text, optimized):
                    return "same", ""
            reaching += tests
        if reaching and self.sanitized:
            made = self.sanitized.compile(mutant.path, self.folder / "sanitized.o", text=changed)
            found = self.killer(reaching, mutant.path, made, self.sanitized)
            if found:
                return "killed", "sanitized " + "/".join(found)
        return "survived", f"{len(reaching)} tests reach it" if reaching else "reached by no test"
