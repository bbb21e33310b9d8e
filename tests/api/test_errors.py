# SPDX-License-Identifier: BSD-2-Clause
"""The error rule: each exported function with a gpc_status has `gpc_error *error` last, and a row in tests/errors."""

import re
import unittest

from support import HEADERS, ROOT, without_comments


def failing():
    """{function: parameters} of the exported functions that return a gpc_status."""
    text = "\n".join(without_comments(header.read_text()) for header in HEADERS)
    found = re.findall(r"\bGPC_API\s+gpc_status\s+(gpc_\w+)\s*\(([^;]*)\)[^;()]*;", text)
    return {name: " ".join(parameters.split()) for name, parameters in found}


def rows(kind):
    """Functions with a row FAILS or WORKS in tests/errors, also by a macro of rows: STEP(gpc_cache_access, ...)."""
    text = "\n".join(path.read_text() for path in sorted((ROOT / "tests" / "errors").glob("*.c")))
    header = (ROOT / "tests" / "errors" / "errors.h").read_text()
    macros = {name for name, body in re.findall(r"#define (\w+)\(function[^)]*\)((?:.*\\\n)*.*)", header + text) if f"{kind}(" in body}
    direct = r"FAILS\(\w+, \"[^\"]*\",\s*(gpc_\w+)" if kind == "FAILS" else r"WORKS\((gpc_\w+)"
    found = set(re.findall(direct, text))
    for macro in macros:
        found |= set(re.findall(rf"\b{macro}\((gpc_\w+)[,)]", text))
    return found


class Errors(unittest.TestCase):
    def test_the_error_is_the_last_parameter(self):
        functions = failing()
        self.assertGreater(len(functions), 150)
        wrong = [name for name, parameters in functions.items() if not parameters.endswith("gpc_error *error")]
        self.assertEqual(sorted(wrong), [])

    def test_each_function_has_a_row_of_a_failure(self):
        self.assertEqual(sorted(set(failing()) - rows("FAILS")), [])

    def test_rows_are_of_exported_functions(self):
        self.assertEqual(sorted((rows("FAILS") | rows("WORKS")) - set(failing())), [])


if __name__ == "__main__":
    unittest.main()
