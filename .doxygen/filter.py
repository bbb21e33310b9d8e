# SPDX-License-Identifier: BSD-2-Clause
"""Convert a public header for Doxygen: filter.py FILE. A comment documents the following declaration, or, behind code
on the same line, the declaration before. Texts are taken literally: in the headers, `*`, `<` and `#` have no special
meaning. A header is a group in the group of its tier. groups.dox gets a page for each example."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
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


def grouped(path, text):
    """The text as a group of the header's tier."""
    name = str(path.resolve().relative_to(ROOT / "include/gpucache"))
    tier = name.split("/")[0] if "/" in name else "core"
    label = re.sub(r"\W", "_", name)
    return f"/** \\defgroup {label} {name}\n * \\ingroup {tier}\n * @{{ */\n{text}\n/** @}} */\n"


def examples():
    """A page for each example, with the program's first comment."""
    pages = []
    for path in sorted((ROOT / "examples").rglob("*.c")):
        if "hosts" not in path.parts:
            comments = [found for found in COMMENT.findall(path.read_text(encoding="utf-8")) if "SPDX" not in found]
            text = escape(" ".join(comments[0][2:-2].replace("*", " ").split()))
            pages.append(f"/** \\example {path.relative_to(ROOT / 'examples')}\n * {text} */\n")
    return "".join(pages)


if __name__ == "__main__":
    file = pathlib.Path(sys.argv[1])
    source = file.read_text(encoding="utf-8")
    sys.stdout.write(source + examples() if file.suffix == ".dox" else grouped(file, documented(source)))
