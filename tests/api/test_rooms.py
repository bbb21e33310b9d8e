"""The rooms of lib/: no circle of folders, none of files, and no two files with one name."""

import collections
import pathlib
import re
import unittest

LIB = pathlib.Path(__file__).resolve().parents[2] / "lib"
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


def sources():
    return sorted(path for path in LIB.rglob("*.[ch]"))


def includes():
    """{file: files that it includes}, as paths relative to lib/."""
    return {
        str(path.relative_to(LIB)): INCLUDE.findall(path.read_text(encoding="utf-8"))
        for path in sources()
    }


def circle(edges):
    """A circle of a graph {node: nodes}, as a list that ends with its first node; None where there is none."""
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

    def test_no_two_files_have_one_name(self):
        names = collections.Counter(path.name for path in sources())
        self.assertEqual([name for name, count in names.items() if count > 1], [])


if __name__ == "__main__":
    unittest.main()
