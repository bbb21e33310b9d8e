# SPDX-License-Identifier: BSD-2-Clause
"""Measures how easily comments and READMEs are read.

    python3 tests/lint/prose.py [FILE...]     every folder and README, or the files given

Pointing words are pronouns and the like: a reader has to find the noun that each of them stands for. In comments of
code that reads well (gem5, akita, zstd, dav1d, curl, nghttp2, jemalloc, Lua, libxkbcommon) they are 3 to 6 % of the
words. Prints a line for each folder and README: words, pointing words in per cent, words a sentence (READMEs), and the
places with a rule broken. The exit status is 1 if a limit is exceeded or a rule is broken.
"""

import collections
import io
import pathlib
import re
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("include", "lib", "examples", "bindings", "tests", "bench", ".doxygen", ".github")
CODE = (".c", ".h", ".py", ".hpp", ".hh", ".cc")

POINTING_MOST = 7.5  # per cent of the words of a folder's comments, and of a README
SENTENCE_MOST = 20  # words a sentence of a README, on average
SHORTEST = 4  # words of a comment that counts

POINTING = set(
    "it its itself this that these those what whatever who whom whose whoever which one ones other others such so "
    "there then both all each any some none nobody everybody somebody nothing something here thereof likewise same "
    "they them their he him his".split()
)
# A comment begins with a noun or a verb.
NEVER_FIRST = {"of", "that", "whose", "likewise", "which", "who", "these", "its", "it", "those", "what"}
# In lib, packets, modules and caches are no persons.
PERSON = re.compile(r"\b(?:[Ww]ho|whom|[Ww]hoever|[Nn]obody|[Ss]omebody|[Ee]verybody|he|him|his)\b")

C_COMMENT = re.compile(r'(/\*[\s\S]*?\*/)|((?<![:"])//[^\n]*)')
MARKS = re.compile(r"^/\*+!?<?|\*/$|^\s*\*|^//+!?<?", re.MULTILINE)
WORD = re.compile(r"[A-Za-z']+")


def python_comments(text):
    """(line, text) of comments, consecutive lines together, and of docstrings."""
    block, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            own = not token.line[: token.start[1]].strip()
            if block and own and last == line - 1:
                block[1] += " " + token.string.lstrip("#")
            else:
                if block:
                    yield tuple(block)
                block = [line, token.string.lstrip("#")]
            last = line if own else None
        elif token.type == tokenize.STRING and re.match(r'\s*"""', token.line[: token.start[1] + 3]):
            yield line, token.string.strip('"')
    if block:
        yield tuple(block)


def comments(path):
    """(line, text) of a source file's comments."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        found = python_comments(text)
    else:
        found = ((text.count("\n", 0, match.start()) + 1, MARKS.sub("", match[0]).replace("*", " "))
                 for match in C_COMMENT.finditer(text))  # fmt: skip
    return [(line, " ".join(said.split())) for line, said in found if "SPDX" not in said]


def paragraphs(path):
    """(line, text) of a README's prose: no code, tables, headings."""
    text = re.sub(r"```[\s\S]*?```|^\s*\|.*$|^#.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "X", text))
    return [(0, " ".join(part.split())) for part in re.split(r"\n\s*\n", text) if part.strip()]


class Measure:
    """Words of a folder's comments, or of a README."""

    def __init__(self):
        self.words = self.pointing = self.sentences = 0

    def add(self, text):
        words = WORD.findall(text.lower())
        if len(words) < SHORTEST:
            return False
        self.words += len(words)
        self.pointing += sum(word in POINTING for word in words)
        self.sentences += sum(bool(WORD.search(sentence)) for sentence in re.split(r"(?<=[.!?])\s+", text))
        return True

    @property
    def share(self):
        """Pointing words in per cent."""
        return 100 * self.pointing / self.words

    @property
    def length(self):
        """Words a sentence."""
        return self.words / self.sentences


def broken_rule(name, text):
    """The rule that a comment breaks, or None."""
    first = re.match(r"[A-Za-z']+", text)
    if first and first[0].lower() in NEVER_FIRST:
        return f"begins with '{first[0]}'"
    person = PERSON.search(text) if name.startswith("lib/") else None
    return person and f"'{person[0]}' in lib"


def measure(files, root=ROOT):
    """{folder or README: Measure}, and sentences about comments that break a rule."""
    found, broken = collections.defaultdict(Measure), []
    for path in files:
        name = path.relative_to(root).as_posix()
        readme = path.suffix == ".md"
        for line, text in paragraphs(path) if readme else comments(path):
            rule = found[name if readme else path.parent.relative_to(root).as_posix()].add(text) and not readme
            rule = rule and broken_rule(name, text)
            if rule:
                broken.append(f"{name}:{line}: {rule}: {text[:100]}")
    return {name: each for name, each in sorted(found.items()) if each.words}, broken


def above(found):
    """Sentences about folders and READMEs above a limit."""
    said = [f"{name}: {each.share:.1f} % pointing words" for name, each in found.items() if each.share > POINTING_MOST]
    return said + [f"{name}: {each.length:.1f} words a sentence" for name, each in found.items()
                   if name.endswith(".md") and each.length > SENTENCE_MOST]  # fmt: skip


def sources(root=ROOT):
    """Source files and READMEs of the project."""
    files = [path for folder in FOLDERS for path in (root / folder).rglob("*") if path.suffix in (*CODE, ".md")]
    return sorted([*files, root / "README.md"])


def main(names):
    found, broken = measure([pathlib.Path(name).resolve() for name in names] or sources())
    for name, each in found.items():
        print(f"{name:45} {each.words:7} {each.share:6.1f} %" + f" {each.length:6.1f}" * name.endswith(".md"))
    print(*broken, *above(found), sep="\n")
    return bool(broken or above(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
