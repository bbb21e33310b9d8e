# SPDX-License-Identifier: BSD-2-Clause
"""Convert a public header for Doxygen: filter.py FILE. A comment documents the following declaration, or, behind code
on the same line, the declaration before. Texts are taken literally: in the headers, `*`, `<` and `#` have no special
meaning."""

import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def documented(source):
    out, end = [], 0
    for match in COMMENT.finditer(source):
        before = source[source.rfind("\n", 0, match.start()) + 1 : match.start()]
        text = match.group()
        if "SPDX" not in text:
            behind = before.strip() and not before.lstrip().startswith("#")
            opening = "/**< " if behind else "/** "
            lines = [re.sub(r"^\s*\* ?", "", line) for line in text[2:-2].strip().split("\n")]
            body = "\n".join(escape(line) for line in lines)
            text = f"{opening}{body} */" if not before.lstrip().startswith("#") else text
        out += [source[end : match.start()], text]
        end = match.end()
    return "".join([*out, source[end:]])


def escape(line):
    """Escape the marks of Doxygen and Markdown; a blank line stays."""
    return re.sub(r"([\\@<>#&*`~%\"])", r"\\\1", line) if line.strip() else line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(documented(file.read()))
