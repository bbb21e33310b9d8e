# SPDX-License-Identifier: BSD-2-Clause
"""The comment of each public function names each status that the function returns.

Statuses of the code: constants GPC_ERROR_*, GPC_BUSY and GPC_END in the function, and in the static functions of its
file that the function calls. Comparisons are left out. Functions of other files are not followed: a status that comes
from there is found by tests of the function alone. Statuses of a comment: constants, words of a list in capitals, and
the statuses of each function that the comment refers to.
"""

import re
import unittest
from pathlib import Path

from support import ROOT

STATUS = re.compile(r"\bGPC_(?:ERROR_(?!INIT\b)[A-Z_]+|BUSY|END)\b")
WORDS = {"ABI", "ARGUMENT", "CALLBACK", "CANCELLED", "EXISTS", "FORMAT", "IO", "MEMORY", "NOT_FOUND", "RANGE", "STATE",
         "UNSUPPORTED"}  # fmt: skip
DECLARATION = re.compile(r"/\*.*?\*/|^GPC_API gpc_status (gpc_\w+)\(", re.DOTALL | re.MULTILINE)
DEFINITION = re.compile(r"^(?:[A-Za-z_][\w ]*[ *]+)(\w+)\(([^;{}]*)\)\s*\{", re.MULTILINE)
NOISE = re.compile(r"""/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])+'""", re.DOTALL)
# Statuses that no call of the function can have: the text of a built-in preset has no fault; a cycle runs only if due.
IMPOSSIBLE = {
    "gpc_config_load_preset": {"GPC_ERROR_FORMAT", "GPC_ERROR_RANGE"},
    "gpc_hierarchy_advance": {"GPC_END"},
}


def comments():
    """{function: comment} of the headers. A comment stands for all declarations up to the next comment."""
    found = {}
    for header in sorted((ROOT / "include" / "gpucache").rglob("*.h")):
        comment = ""
        for match in DECLARATION.finditer(header.read_text(encoding="utf-8")):
            if match.group(1):
                found[match.group(1)] = comment
            else:
                comment = match.group(0)
    return found


def named(comment):
    """Statuses that a comment itself names."""
    return set(STATUS.findall(comment)) | {
        f"GPC_ERROR_{word}" for word in re.findall(r"\b[A-Z_]{2,}\b", comment) if word in WORDS
    }


def references(comment, functions):
    """Functions that a comment refers to, also by an ending: gpc_scheduler_set_state, _issued."""
    for match in re.finditer(r"\b(gpc_\w+)((?:,| and| or|\s+|_\w+\b)*)", comment):
        parts = match.group(1).split("_")
        yield match.group(1)
        for ending in re.findall(r"_\w+", match.group(2)):
            for length in range(1, len(parts)):
                if "_".join(parts[:length]) + ending in functions:
                    yield "_".join(parts[:length]) + ending


def documented(function, functions):
    """Statuses of a function's comment, and of the comments that it refers to, directly or not."""
    todo, done, found = [function], set(), set()
    while todo:
        name = todo.pop()
        if name not in done:
            done.add(name)
            found |= named(functions[name])
            todo += [other for other in references(functions[name], functions) if other in functions]
    return found


def bodies(path):
    """{function: body} of a C file, without comments, texts and comparisons with statuses."""
    text = NOISE.sub(lambda match: "" if match.group(0).startswith("/") else '""', path.read_text(encoding="utf-8"))
    text = re.sub(r"[!=]= *GPC_[A-Z_]+", "", text)
    return {match.group(1): text[match.end() : text.index("\n}", match.end())] for match in DEFINITION.finditer(text)}


def returned(function, functions):
    """Statuses in a function, and in what it calls of its own file, public functions apart."""
    todo, done, found = [function], set(), set()
    while todo:
        name = todo.pop()
        done.add(name)
        found |= set(STATUS.findall(functions[name]))
        todo += [
            call for call in set(re.findall(r"\b(\w+)\(", functions[name]))
            if call in functions and call not in done and not call.startswith("gpc_")
        ]  # fmt: skip
    return found


def missing(functions, files):
    """[(function, status)] that no comment names, and the number of pairs looked at."""
    wrong, pairs, implemented = [], 0, set()
    for path in files:
        code = bodies(path)
        for function in sorted(set(code) & set(functions)):
            implemented.add(function)
            statuses = returned(function, code) - IMPOSSIBLE.get(function, set())
            pairs += len(statuses)
            wrong += [(function, status) for status in sorted(statuses - documented(function, functions))]
    return wrong, pairs, implemented


class Statuses(unittest.TestCase):
    def test_each_returned_status_is_documented(self):
        functions = comments()
        wrong, pairs, implemented = missing(functions, sorted(Path(ROOT / "lib").rglob("*.c")))
        self.assertEqual(wrong, [])
        self.assertEqual(set(functions) - implemented, set(), "functions without a body that was found")
        self.assertGreater(pairs, len(functions))

    def test_a_status_that_no_comment_names_is_found(self):
        functions = comments()
        (path,) = (ROOT / "lib").rglob("port.c")
        for name in ("gpc_hierarchy_try_port", "gpc_hierarchy_port_stats"):
            for status in returned(name, bodies(path)):
                told = {**functions, name: documented_without(name, functions, status)}
                self.assertIn((name, status), missing(told, [path])[0])


def documented_without(name, functions, status):
    """A comment that names each status of a function but one."""
    return " ".join(documented(name, functions) - {status})


if __name__ == "__main__":
    unittest.main()
