# SPDX-License-Identifier: BSD-2-Clause
"""Rows of counters.h and of the included files: identities stay, and a counter takes few places."""

import pathlib
import re
import unittest

from support import INCLUDE, ROOT

ROW = re.compile(r"^    X\((\d+), (?:(\w+), )?\"([\w.]+)\", (.*)", re.MULTILINE)
TABLE = re.compile(r"#define (GPC_\w+S)\(X\)((?:.*\\\n)+.*\n)")
# Folders that count.
COUNT = {"level", "functional", "timed", "dram", "hierarchy", "replay"}
# Second counts of the ledger, in the checking build alone.
CHECKED = re.compile(r"^#ifdef GPCI_CHECK\n.*?^#endif|GPCI_AGAIN\(.*?\);", re.MULTILINE | re.DOTALL)
HEADERS = ("counters.h", "counters_clock.h", "cache.h", "ext/coherence.h")
IDENTITIES = pathlib.Path(__file__).with_name("counters.txt")


def rows():
    """(id, table, field, name) of every row. Rows of counters_clock.h are of the table that includes them."""
    text = "".join((INCLUDE / "gpucache" / name).read_text() for name in HEADERS)
    return [(int(row[1]), table[1].replace("_CLOCK", ""), row[2], row[3])
            for table in TABLE.finditer(text) for row in ROW.finditer(table[2])]  # fmt: skip


class Identities(unittest.TestCase):
    def test_none_was_changed_or_given_away(self):
        """counters.txt only grows: a removed row leaves the line there."""
        known = {}
        for line in IDENTITIES.read_text().splitlines():
            number, table, name = line.split()
            self.assertNotIn(int(number), known)
            known[int(number)] = (table, name)
        for number, table, _, name in rows():
            self.assertTrue(number in known, f"{name} is new: add '{number} {table} {name}' to {IDENTITIES.name}")
            self.assertEqual(known[number], (table, name), "an identity is never changed, nor used again")

    def test_header_tells_the_next(self):
        told = int(re.search(r"next free one: (\d+)", (INCLUDE / "gpucache/counters.h").read_text())[1])
        self.assertEqual(told, 1 + max(int(line.split()[0]) for line in IDENTITIES.read_text().splitlines()))


class Places(unittest.TestCase):
    """A counter is one row and the counting line."""

    # Functional and timed, one line each.
    MOST = 2
    # Counters with more lines: for several kinds of access, for coherent trees, or with a common field name. No others.
    MORE = {
        "blocks": 4, "warp_instructions": 7, "thread_instructions": 6, "cycles": 10, "sm_cycles": 5, "accepted": 4,
        "completed": 4, "l1_load_sector_hits": 4, "l1_store_sector_hits": 4, "l1_write_back_sectors": 4,
        "l1_load_line_misses": 3, "l2_read_sectors": 3, "l2_read_sector_hits": 3, "l2_write_back_sectors": 3,
        "l2_write_sectors": 3, "l2_write_sector_hits": 3, "l2_remote_sectors": 4, "dram_read_sectors": 6,
        "dram_write_sectors": 4,
    }  # fmt: skip

    def test_of_each_counter(self):
        counting = re.compile(r"(?:->|\.)(\w+)\s*(?:\+=|\+\+|=[^=])|\bAT\((\w+)\)")
        found = {}
        for where, line in collect():
            if where.split("/")[1] in COUNT:
                for field in {one or other for one, other in counting.findall(line)}:
                    found.setdefault(field, []).append(where)
        for _, table, field, name in rows():
            if table != "GPC_COUNTERS":
                continue
            places = found.get(field, [])
            self.assertGreaterEqual(len(places), 1, f"{name} is counted nowhere")
            self.assertLessEqual(len(places), self.MORE.get(field, self.MOST), f"{name} is counted at {places}")

    def test_nowhere_listed_again(self):
        """Beyond the row, the counting lines and the reading lines, a counter's field stands in no list."""
        listed = re.compile(r"\bX\(\s*(\w+)\s*\)")
        fields = {field for _, _, field, _ in rows() if field}
        found = [where for where, line in collect() for field in listed.findall(line) if field in fields]
        self.assertEqual(found, [])


def hidden(found):
    """Empty lines in place of a text."""
    return "\n" * found[0].count("\n")


def collect():
    """(file:line, text) of the library's sources."""
    return [
        (f"{path.relative_to(ROOT)}:{number}", line)
        for path in sorted((ROOT / "lib").rglob("*.[ch]"))
        for number, line in enumerate(CHECKED.sub(hidden, path.read_text()).splitlines(), 1)
    ]


if __name__ == "__main__":
    unittest.main()
