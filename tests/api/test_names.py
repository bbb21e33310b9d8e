"""Names in lib/: a name of a type or macro is defined in one file only."""

import collections
import itertools
import pathlib
import re
import unittest

LIB = pathlib.Path(__file__).resolve().parents[2] / "lib"

# Parameters of an included file, set by each instance; and feature macros for the system's headers.
PARAMETERS = {"GPCI_BATCH_NAME", "_GNU_SOURCE"}

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"')
TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*\{")
TYPEDEF = re.compile(r"\btypedef\b")
SAME_TAG = re.compile(r"\s*(?:struct|union|enum)\s+(\w+)\s+\1\s*\Z")
FUNCTION = re.compile(r"\(\s*\*?\s*(\w+)\s*\)\s*\(")
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", re.MULTILINE)
UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)", re.MULTILINE)


def code(text):
    return LITERAL.sub('""', COMMENT.sub(" ", text))


def declaration(text, start):
    """The text from `start` to the final semicolon, without the parts in braces."""
    depth, kept = 0, []
    for letter in itertools.islice(text, start, None):
        depth -= letter == "}"
        if letter == ";" and not depth:
            break
        if not depth:
            kept.append(letter)
        depth += letter == "{"
    return "".join(kept)


def types(text):
    """Types defined in a text: tags with a body, and typedef names, except a tag's second name."""
    found = set(TAG.findall(text))
    for match in TYPEDEF.finditer(text):
        declared = declaration(text, match.end())
        if SAME_TAG.match(declared):
            continue
        function = FUNCTION.search(declared)
        found.add(function[1] if function else re.findall(r"\w+", re.sub(r"\[[^\]]*\]", "", declared))[-1])
    return found


def macros(text):
    """Macros that a text defines for all later text."""
    return set(MACRO.findall(text)) - set(UNDEFINED.findall(text))


def twice(names_of):
    """{name: defining files} of names that more than one file of lib/ defines."""
    files = collections.defaultdict(list)
    for path in sorted(LIB.rglob("*.[ch]")):
        for name in names_of(code(path.read_text(encoding="utf-8"))):
            files[name].append(str(path.relative_to(LIB)))
    return {name: where for name, where in sorted(files.items()) if len(where) > 1}


class Names(unittest.TestCase):
    maxDiff = None

    def test_definitions_are_found(self):
        text = code(
            """
            typedef struct opaque opaque;
            typedef struct pair { int a, b; } pair; /* typedef int comment; */
            struct alone { struct inner { int c; } d; };
            typedef enum kind { FIRST, SECOND } kind;
            typedef int (*callback)(void *data, opaque *o);
            typedef const opaque *pointer;
            typedef unsigned row[4];
            const char *s = "typedef int string;";
            #define LASTING 1
            #define PASSING(x) x
            #undef PASSING
            """
        )
        self.assertEqual(types(text), {"pair", "alone", "inner", "kind", "callback", "pointer", "row"})
        self.assertEqual(macros(text), {"LASTING"})

    def test_no_two_types_have_one_name(self):
        found = twice(types)
        self.assertEqual(found, {})

    def test_no_two_macros_have_one_name(self):
        found = twice(macros)
        self.assertEqual({name: found[name] for name in found if name not in PARAMETERS}, {})

    def test_no_type_is_a_macro(self):
        named = collections.defaultdict(set)
        for path in LIB.rglob("*.[ch]"):
            text = code(path.read_text(encoding="utf-8"))
            named["types"] |= types(text)
            named["macros"] |= macros(text)
        self.assertEqual(named["types"] & named["macros"], set())


if __name__ == "__main__":
    unittest.main()
