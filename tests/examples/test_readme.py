# SPDX-License-Identifier: BSD-2-Clause
"""README.md files are true; lib/policies/README.md lists every policy (`--write`: write the list)."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import gpucache
from support import ROOT, run

LONGEST = 200  # lines of the top README.md
CHANGES = "include/gpucache/CHANGES.md"
SKIPPED = {"build", "build-sanitize", "build-clang"}


def readmes():
    """{path under the root: text} of every README.md, of the API's changes and of the page for contributors."""
    found = {path: (ROOT / path).read_text(encoding="utf-8") for path in (CHANGES, ".github/CONTRIBUTING.md")}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        if "README.md" in files:
            path = os.path.relpath(os.path.join(folder, "README.md"), ROOT)
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                found[path] = file.read()
    return found


READMES = readmes()


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def table(text, heading):
    """First column of the first table after a text."""
    rows = text[text.index(heading) :].split("\n\n| ", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^(?:\| )?`([^`]+)` \|", rows, re.MULTILINE)


def anchors(text):
    """The anchors of a file's headings."""
    return {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }


class Readme(unittest.TestCase):
    def test_the_first_is_short(self):
        self.assertLessEqual(READMES["README.md"].count("\n"), LONGEST)

    def test_every_room_has_one(self):
        rooms = ["lib", "lib/policies", "lib/coherence", "lib/config", "lib/level", "include/gpucache",
                 "bindings/python", "tests", "tests/hardware", "bench", "examples"]  # fmt: skip
        self.assertEqual([room for room in rooms if f"{room}/README.md" not in READMES], [])

    def test_excerpts_are_the_examples(self):
        for language, ending in (("c", ".c"), ("python", ".py")):
            sources = [path.read_text() for path in (ROOT / "examples").glob("*" + ending)]
            found = [block for text in READMES.values() for block in blocks(text, language)]
            self.assertTrue(found)
            for block in found:
                self.assertTrue(any(block in source for source in sources), block)

    def test_output_of_commands(self):
        """If a block begins with a command, the lines shown are the output."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"), XDG_CACHE_HOME=folder.name)
        shown = [
            (name, *found)
            for name, text in READMES.items()
            for found in re.findall(r"^```\n\$ python3 (.*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
        ]
        self.assertGreater(len(shown), 1)
        for name, command, text in shown:
            printed = run(sys.executable, *shlex.split(command), env=environment, cwd=ROOT).splitlines()
            with self.subTest(f"{name}: {command}"):
                self.assertEqual({line for line in text.splitlines() if line not in printed} - {"..."}, set())

    def test_presets(self):
        listed = table(READMES["lib/config/README.md"], "## Presets")
        self.assertEqual(listed, [preset.name for preset in gpucache.presets()])

    def test_every_example_and_bench_is_listed(self):
        for folder, endings in (("examples", (".c", ".py", ".sh")), ("bench", (".c",))):
            names = [path.name for path in (ROOT / folder).iterdir() if path.name.endswith(endings)]
            self.assertGreater(len(names), 3)
            missing = [name for name in sorted(names) if f"({name})" not in READMES[f"{folder}/README.md"]]
            self.assertEqual(missing, [], folder)

    def test_every_header_is_listed(self):
        public = ROOT / "include" / "gpucache"
        names = [str(path.relative_to(public)) for path in public.rglob("*.h")]
        self.assertGreater(len(names), 10)
        readme = READMES["include/gpucache/README.md"]
        self.assertEqual([name for name in sorted(names) if f"({name})" not in readme], [])

    def test_changes_name_the_version_and_what_there_is(self):
        """The newest section is this version's; each name of the API stands in a header, or in a table of changes."""
        headers = "".join(path.read_text() for path in sorted((ROOT / "include" / "gpucache").rglob("*.h*")))
        major, minor = (re.search(rf"GPC_VERSION_{part} (\d+)", headers).group(1) for part in ("MAJOR", "MINOR"))
        self.assertEqual(re.search(r"^## (.*)$", READMES[CHANGES], re.MULTILINE).group(1), f"{major}.{minor}")
        names = set(re.findall(r"\b(?:gpc|GPC)_\w+", READMES[CHANGES]))
        self.assertGreater(len(names), 50)
        # The table of a version has what the version changed or removed, in the first column; GPC_X_ stands for a family.
        gone = set(re.findall(r"\b(?:gpc|GPC)_\w+", " ".join(re.findall(r"^\| (.*?) \| ", READMES[CHANGES], re.MULTILINE))))
        families = tuple(name for name in gone if name.endswith("_"))
        # A counter's constant is made of the row's field.
        ids = {name for name in names if re.search(rf"X\(\d+, {re.sub('GPC_ID_(CACHE_|NETWORK_|MODULE_)?', '', name)},", headers)}
        left = [name for name in sorted(names - gone - ids) if not name.startswith(families)]
        self.assertEqual([name for name in left if not re.search(rf"\b{name}" + r"\b" * (name[-1] != "_"), headers)], [])

    def test_every_folder_of_the_library_is_explained(self):
        """lib/README.md has a row for each folder, and no row without a folder."""
        folders = {os.path.relpath(folder, ROOT / "lib") for folder, _, files in os.walk(ROOT / "lib") if any(
            name.endswith((".c", ".h")) for name in files)}  # fmt: skip
        for folder in list(folders):  # adds folders with only subfolders
            folders |= {str(parent) for parent in pathlib.PurePath(folder).parents} - {"."}
        self.assertEqual(set(table(READMES["lib/README.md"], "## Rooms")), folders)

    def test_links_lead_somewhere(self):
        count = 0
        for name, text in READMES.items():
            here = os.path.dirname(name)
            for target in re.findall(r"\]\(([^)]+)\)", text):
                if "://" in target:
                    continue
                count += 1
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(here, path)) if path else name
                self.assertTrue((ROOT / path).exists(), f"{name}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(READMES[path]), f"{name}: {target}")
        self.assertGreater(count, 40)

    def test_files_of_the_repository_that_are_named_are_there(self):
        named = {
            path
            for text in READMES.values()
            for path in re.findall(r"`((?:lib|include|bindings|tests|bench|examples)/[\w/.-]*[\w/])`", text)
        }
        self.assertGreater(len(named), 5)
        self.assertEqual([path for path in sorted(named) if not (ROOT / path).exists() and "NAME" not in path], [])

    def test_tables_that_the_code_cites_are_quoted(self):
        """`Table 2.5` in a file has a quotation in the repository."""
        listed = subprocess.run(["git", "ls-files", "lib", "include", "bindings", "bench", "examples"], cwd=ROOT,
                                capture_output=True, text=True, check=False).stdout.split()  # fmt: skip
        if not listed:
            self.skipTest("not a checkout")
        quoted = set(re.findall(r"Tables? (\d[\d.]*\d|\d)", "\n".join(READMES.values())))
        for name in listed:
            if not name.endswith((".c", ".h", ".py", ".conf")):
                continue
            text = (ROOT / name).read_text(encoding="utf-8")
            for line in text.splitlines():
                if "[J]" in line:  # a measurement paper named in full by presets
                    continue
                for cited in re.findall(r"Tables? (\d(?:\.\d)?)\b", line):
                    self.assertIn(cited, quoted, f"{name}: {line.strip()}")


POLICIES = ROOT / "lib" / "policies" / "README.md"
KINDS = ("Named in `l1.replacement`", "named in `l1.bypass`", "named in `scheduler`:", "after a `+`",
         "named in `coherence`:", "named in `l1.prefetcher`:")  # fmt: skip


def policies_written():
    """lib/policies/README.md with the printed tables; a table follows the text of its kind."""
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "bindings" / "python"))
    printed = run(sys.executable, "-m", "gpucache", "policies", "--preset", "gtx480", "--markdown", env=environment)
    text = POLICIES.read_text()
    for heading, table in zip(KINDS, printed.strip().split("\n\n"), strict=True):
        start = text.index("\n\n| ", text.index(heading)) + 2
        end = text.find("\n\n", start)
        text = text[:start] + table + (text[end:] if end >= 0 else "\n")
    return text


class Policies(unittest.TestCase):
    def test_tables(self):
        self.assertEqual(POLICIES.read_text(), policies_written(), "see python3 tests/examples/test_readme.py --write")

    def test_every_policy_is_in_a_table(self):
        context = gpucache.Context()
        listed = re.findall(r"^\| `([^`]+)` \|", POLICIES.read_text(), re.MULTILINE)
        self.assertEqual(listed, [policy.name for kind in gpucache.PolicyKind for policy in context.policies(kind)])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        POLICIES.write_text(policies_written())
    else:
        unittest.main()
