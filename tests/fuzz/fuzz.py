#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Run the libFuzzer targets in sequence, and keep the inputs found.

    python3 tests/fuzz/fuzz.py [--seconds 600] [--build build-fuzz] [TARGET...]

Needs clang. A missing build directory is made. Found inputs are kept in its folder corpus/TARGET, and the next run
continues from them. For each target the script prints seconds by the clock and of a processor, executions, coverage
(edges of library and target) and failures. A failure is a file, build-fuzz/crash-TARGET-.... Add the file to
tests/fuzz/corpus/TARGET together with the repair.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
OPTIONS = ["--buildtype=plain", "-Doptimization=1", "-Ddebug=true", "-Dc_args=-fsanitize=fuzzer-no-link",
           "-Db_sanitize=address,undefined", "-Db_lundef=false"]  # fmt: skip
LONGEST = {"api": 600, "name": 512, "config": 1024, "options": 1024, "tree": 2048, "snapshot": 256, "kernels": 1024}

SOURCES = {
    "config": ["lib/config/keys*.h", "lib/policies/*/*.c"], "options": ["lib/config/gpgpusim*"],
    "name": ["lib/policies/*/*.c", "lib/trace/synthetic/*.c"], "table": ["lib/trace/table/*.c"],
    "text": ["lib/trace/text/*.c"],
}  # fmt: skip


def targets():
    """The targets listed in meson.build."""
    listed = re.search(r"foreach target : \[(.*?)\]", (ROOT / "tests/fuzz/meson.build").read_text(), re.DOTALL)[1]
    return re.findall(r"'(\w+)'", listed)


def build(folder, chosen):
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", folder, *OPTIONS], cwd=ROOT, env={**os.environ, "CC": "clang"}, check=True)
    subprocess.run(["ninja", "-C", folder, *(f"tests/fuzz/fuzz-{name}" for name in chosen)], check=True)


def command(folder, name, *options):
    return [folder / f"tests/fuzz/fuzz-{name}", f"-max_len={LONGEST.get(name, 16384)}", "-timeout=60", *options]


def run(arguments):
    """libFuzzer's statistics."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:detect_stack_use_after_return=0:handle_sigill=1"}
    done = subprocess.run(arguments, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace",
                          check=False)  # fmt: skip
    return done.returncode, done.stderr


def dictionary(folder, name):
    """The reader's words: the literals in the reader's source."""
    if name not in SOURCES:
        return []
    text = "".join(path.read_text() for pattern in SOURCES[name] for path in sorted(ROOT.glob(pattern)))
    words = sorted(set(re.findall(r'"([A-Za-z0-9_.=#+(),-]{2,24})"', text)))
    path = folder / f"{name}.dict"
    path.write_text("".join(f'"{word}"\n' for word in words))
    return [f"-dict={path}"]


def used():
    """Processor seconds of the ended processes."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def fuzz(folder, name, seconds):
    """The target's line of the table; False: a failure."""
    found = folder / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    seeds = [CORPUS / name] if (CORPUS / name).is_dir() else []
    words = dictionary(folder, name)
    begin, before = time.monotonic(), used()
    status, text = run(command(folder, name, f"-max_total_time={seconds}", "-print_final_stats=1", *words,
                               f"-artifact_prefix={folder}/crash-{name}-", found, *seeds))  # fmt: skip
    executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
    states = re.findall(r"cov: (\d+) ft: (\d+) corp: (\d+)", text) or [("0", "0", "0")]
    edges, features, inputs = states[-1]
    clock = f"{time.monotonic() - begin:7.0f} {used() - before:9.0f}"
    print(f"{name:9} {clock} {executions[-1] if executions else '?':>10} {edges:>7} {features:>8} {inputs:>6}  "
          f"{'failed' if status else ''}", flush=True)  # fmt: skip
    if status:
        print("\n".join(text.splitlines()[-60:]), file=sys.stderr)
    return not status


def keep(folder, name, count):
    """Few, small inputs."""
    with tempfile.TemporaryDirectory() as made:
        sources = [path for path in (CORPUS / name, folder / "corpus" / name) if path.is_dir()]
        run(command(folder, name, "-merge=1", made, *sources))
        files = sorted(pathlib.Path(made).iterdir(), key=lambda path: (path.stat().st_size, path.name))
        (CORPUS / name).mkdir(parents=True, exist_ok=True)
        step = max(1, len(files) // count)
        for path in files[::step][:count]:
            if path.stat().st_size <= 4096:
                shutil.copy(path, CORPUS / name / path.name[:16])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="default: all")
    parser.add_argument("--seconds", type=int, default=600, help="of each target")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build-fuzz")
    parser.add_argument("--keep", type=int, default=0, metavar="N", help="afterwards put inputs into tests/fuzz/corpus: "
                        "of those that together reach all that was reached, N of all sizes")  # fmt: skip
    options = parser.parse_args()
    chosen = options.targets or targets()
    unknown = sorted(set(chosen) - set(targets()))
    if unknown:
        parser.error(f"there is no target {unknown[0]}, but: {', '.join(targets())}")
    if not shutil.which("clang"):
        parser.error("clang is not installed")
    folder = options.build.resolve()
    build(folder, chosen)
    print(f"{'target':9} {'seconds':>7} {'processor':>9} {'executions':>10} {'edges':>7} {'features':>8} {'inputs':>6}")
    good = [fuzz(folder, name, options.seconds) for name in chosen]
    for name in chosen if options.keep else ():
        keep(folder, name, options.keep)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
