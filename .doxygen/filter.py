# SPDX-License-Identifier: BSD-2-Clause
"""Doxygen's view of a public header: filter.py FILE. Every comment documents what follows it, or, behind code on the same
line, what stands before it. Texts are taken as they are: in the headers, `*`, `<` and `#` mean themselves."""

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
    """Doxygen's and Markdown's marks as the characters that they are; an indented line keeps its shape."""
    return re.sub(r"([\\@<>#&*`~%\"])", r"\\\1", line) if line.strip() else line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(documented(file.read()))
