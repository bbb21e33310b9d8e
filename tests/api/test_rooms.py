"""The rooms of lib/, by includes and by links: no circle of folders, no two files with one name, no dead function."""

import collections
import pathlib
import re
import unittest

from support import BUILD, run

LIB = pathlib.Path(__file__).resolve().parents[2] / "lib"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def sources():
    return sorted(path for path in LIB.rglob("*.[ch]"))


def includes():
    """{file: included files}, as paths relative to lib/."""
    return {
        str(path.relative_to(LIB)): INCLUDE.findall(path.read_text(encoding="utf-8"))
        for path in sources()
    }


def circle(edges):
    """A circle of a graph {node: nodes}, as a list that ends with the first node; None without a circle."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node) :] + [node]
        if node in done:
            return None
        path.append(node)
        for other in sorted(edges.get(node, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(node)
        return None

    for node in sorted(edges):
        found = visit(node)
        if found:
            return found
    return None


def circles(edges):
    """Strongly connected parts of a graph {node: nodes} with more than one node, largest first (Tarjan)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                found.append(sorted(part))

    for node in sorted(edges):
        if node not in number:
            visit(node)
    return sorted(found, key=len, reverse=True)


def linked():
    """({file: {symbol: file that defines the symbol}}, {symbol: file}) of the library's objects, relative to lib/."""
    objects = BUILD / "lib" / "libgpucache-objects.a.p"
    names = {str(path.relative_to(LIB)).replace("/", "_") + ".o": str(path.relative_to(LIB)) for path in sources()}
    wants, defines = collections.defaultdict(set), {}
    listing = run("nm", "-A", *sorted(str(path) for path in objects.glob("*.o")))
    for line in listing.splitlines():
        path, _, row = line.partition(":")
        source = names.get(pathlib.Path(path).name)
        if source is None:  # the presets, which the build generates
            continue
        *_, kind, symbol = row.split()
        if kind == "U":
            wants[source].add(symbol)
        elif kind.isupper():
            defines[symbol] = source
    edges = {
        source: {symbol: defines[symbol] for symbol in symbols if defines.get(symbol, source) != source}
        for source, symbols in wants.items()
    }
    return edges, defines


class Linked(unittest.TestCase):
    """Links of the built library, not visible in includes: a header of base declares a function of another folder."""

    @classmethod
    def setUpClass(cls):
        cls.edges, cls.defines = linked()

    def test_circles_are_found(self):
        self.assertEqual(circles({"a": {"b"}, "b": {"c", "d"}, "c": {"b"}}), [["b", "c"]])
        self.assertEqual(circles({"a": {"b"}, "b": {"a"}, "c": {"d"}, "d": {"e"}, "e": {"c"}})[0], ["c", "d", "e"])

    def test_the_objects_are_read(self):
        self.assertGreater(len(self.edges), 400)
        self.assertEqual(self.defines["gpc_cache_access"].split("/")[0], "cache")

    def test_no_circle_of_folders(self):
        folders = collections.defaultdict(set)
        for source, links in self.edges.items():
            folder = source.split("/")[0]
            folders[folder] |= {target.split("/")[0] for target in links.values()} - {folder}
        self.assertEqual(circles(folders), [])

    def test_circles_of_files_are_small(self):
        found = circles({source: set(links.values()) for source, links in self.edges.items()})
        self.assertLessEqual(len(found[0]), len(self.edges) / 8, found[0])

    def test_no_dead_function(self):
        words = collections.Counter()
        for folder in (LIB, LIB.parent / "tests", LIB.parent / "bench"):
            for path in folder.rglob("*.[ch]"):
                text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
                words.update(re.findall(r"\bgpci_\w+", text))
        used = {symbol for links in self.edges.values() for symbol in links}
        dead = [  # a definition and a declaration, and no call
            f"{source}: {symbol}"
            for symbol, source in sorted(self.defines.items())
            if symbol.startswith("gpci_") and symbol not in used and words[symbol] < 3
        ]
        self.assertEqual(dead, [])


class Rooms(unittest.TestCase):
    def test_circle_is_found(self):
        self.assertEqual(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
        self.assertIsNone(circle({"a": {"b", "c"}, "b": {"c"}}))

    def test_no_circle_of_folders(self):
        edges = collections.defaultdict(set)
        for source, targets in includes().items():
            folder = str(pathlib.PurePath(source).parent)
            edges[folder] |= {str(pathlib.PurePath(target).parent) for target in targets} - {folder}
        self.assertIsNone(circle(edges))

    def test_no_circle_of_files(self):
        self.assertIsNone(circle(includes()))

    def test_every_include_is_a_file_of_the_library(self):
        for source, targets in includes().items():
            for target in targets:
                self.assertTrue((LIB / target).is_file(), f"lib/{source} includes {target}")

    def test_readmes_name_files_that_exist(self):
        """Files like `timed/l1/l1.c`, of lib/ or of the project, in the READMEs of lib/."""
        named = {
            (readme, name)
            for readme in LIB.rglob("README.md")
            for name in re.findall(r"`([\w.-]+(?:/[\w.-]+)+\.[ch])`", readme.read_text(encoding="utf-8"))
        }
        self.assertGreater(len(named), 60)
        missing = [
            f"{readme.relative_to(LIB)}: {name}"
            for readme, name in sorted(named)
            if not any((root / name).is_file() for root in (LIB, LIB.parent, LIB.parent / "include", readme.parent))
        ]
        self.assertEqual(missing, [])

    def test_no_two_files_have_one_name(self):
        names = collections.Counter(path.name for path in sources())
        self.assertEqual([name for name, count in names.items() if count > 1], [])


if __name__ == "__main__":
    unittest.main()
