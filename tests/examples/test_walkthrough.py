# SPDX-License-Identifier: BSD-2-Clause
"""The worked examples of seeds/002, Tables 2.1, 2.2 and 2.6, quoted and compared with the walkthrough's output."""

import re
import unittest

from support import BUILD, ROOT, run

DOCUMENT = ROOT.parent / "shared" / "seeds" / "002_8012417a493108d0.txt"

# Step|Instruction|Cache 0|Cache 1|Cache 2|Memory|Bus
MSI = """\
0|–|(I)|(I)|(I)|3|–
1|Cache 0 Read|(I)|(I)|(I)|3|Read Request (C0)
2||3 (S)|(I)|(I)|3|Send Data (Memory)
3|Cache 0 Write|3 (S)|(I)|(I)|3|Write Request (C0)
4||6 (M)|(I)|(I)|3|–
5|Cache 1 Read|6 (M)|(I)|(I)|3|Read Request (C1)
6||6 (S)|6 (S)|(I)|3|Send Data (C0)
7||6 (S)|6 (S)|(I)|6|Write Back (C0)
8|Cache 2 Read|6 (S)|6 (S)|(I)|6|Read Request (C2)
9||6 (S)|6 (S)|6 (S)|6|Send Data (C1)
10|Cache 1 Write|6 (S)|6 (S)|6 (S)|6|Write Request (C1)
11||(I)|9 (M)|(I)|6|–
"""

MESI = """\
0|–|(I)|(I)|(I)|3|–
1|Cache 0 Read|(I)|(I)|(I)|3|Read Request (C0)
2||3 (E)|(I)|(I)|3|Send Data (Memory)
3|Cache 0 Write|6 (M)|(I)|(I)|3|–
4|Cache 1 Read|6 (M)|(I)|(I)|3|Read Request (C1)
5||6 (S)|6 (S)|(I)|3|Send Data (C0)
6||6 (S)|6 (S)|(I)|6|Write Back (C0)
7|Cache 2 Read|6 (S)|6 (S)|(I)|6|Read Request (C2)
8||6 (S)|6 (S)|6 (S)|6|Send Data (C1)
9|Cache 1 Write|6 (S)|6 (S)|6 (S)|6|Write Request (C1)
10||(I)|9 (M)|(I)|6|–
"""

# Table as in the document: both memory blocks are a single column, two cells are in the wrong column (steps 18 and 19).
NMOESI = """\
0|–|(I)|(I)|(I)|10, 20, 30, 40    50, 60, 70, 80|–|
1|Cache 0 Read A|10, 20, 30, 40 (E)||||Read Request A (C0)|
2||||||Send Data A (Memory)|
3|Cache 1 Read A|10, 20, 30, 40 (S)|10, 20, 30, 40 (S)|||Read Request A (C1)|
4||||||Send Data A (C0)|
5|Cache 2 Read B|||50, 60, 70, 80 (E)||Read Request B (C2)|
6||||||Send Data B (Memory)|
7|Cache 0 N-Store A|15, 25, 30, 40 (N)||||–|
8|Cache 1 N-Store A||10, 20, 35, 45 (N)|||–|
9|Cache 2 N-Store B|||55, 65, 70, 80 (N)||–|
10|Cache 0 Read B|||||Eviction (C0)|
11|||||15, 25, 30, 40|Write Back A [1100] (C0)|
12||(I)||||Read Request B (C0)|
13||50, 60, 70, 80 (S)||||Send Data B (Memory)|
14|Cache 0 N-Store B|50, 60, 75, 85 (N)||||–|
15|End of Program Flush Cache|||||Write Request (Memory)|
16||(I)|||50, 60, 75, 85|Write Back B [0011] (C0)|
17||||||Write Request (Memory)|
18||||(I)||15, 25, 35, 45|Write Back A [0011] (C1)
19|||||(I)||Write Request (Memory)
20|||||55, 65, 75, 85|Write Back B [1100] (C2)|
"""

CACHES = ("Cache 0", "Cache 1", "Cache 2")


def sections():
    """{title: lines} of the output; a part begins with a line that starts as a title."""
    found, title = {}, None
    for line in run(BUILD / "examples" / "example-coherence_walkthrough").splitlines():
        if re.match(r"Table 2\.\d:|A load", line):
            title = line.split(":")[0].split(",")[0]
            found[title] = []
        elif title:
            found[title].append(line)
    return found


def table(lines):
    """Rows of a printed table, as {column: cell}."""
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.count("|") > 5]
    header, *rows = rows
    return [dict(zip(header, row, strict=True)) for row in rows]


def filled(rows):
    """A blank cell of a cache or of memory has the value above; steps and instructions are left blank."""
    above, full = {}, []
    for row in rows:
        above = {name: row[name] or above.get(name, "") for name in row if name not in ("Step", "Instruction", "Bus")}
        full.append(row | above)
    return full


def quoted(text, columns):
    rows = [line.replace("–", "-").split("|") for line in text.splitlines()]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def vector_rows():
    """Table 2.6 with the memory cell in two, by the address on the bus, and the shifted cells in place."""
    found = []
    for line in NMOESI.splitlines():
        step, instruction, *cells = line.replace("–", "-").split("|")
        bus = next(cell for cell in reversed(cells) if cell)
        states = cells[1:4] if step in ("18", "19") else cells[:3]
        row = dict(zip(("Step", "Instruction", *CACHES), (step, instruction, *states)))
        memory = [cell for cell in cells if re.match(r"\d+, \d+, \d+, \d+($|    )", cell)]
        first = second = ""
        if step == "0":
            first, second = memory[0].split("    ")
        elif memory:
            first, second = (memory[0], "") if " A " in bus else ("", memory[0])
        found.append(row | {"Memory Address A": first, "Address B": second, "Bus": bus})
    return found


class Walkthrough(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.sections = sections()

    def test_tables_of_one_value(self):
        columns = ("Step", "Instruction", *CACHES, "Memory", "Bus")
        for title, text in (("Table 2.1", MSI), ("Table 2.2", MESI)):
            wanted, found = quoted(text, columns), table(self.sections[title])
            self.assertEqual(len(found), len(wanted), title)
            for row, printed in zip(wanted, found):
                with self.subTest(table=title, step=row["Step"]):
                    self.assertEqual(printed, row)

    def test_table_of_nmoesi(self):
        wanted, found = vector_rows(), table(self.sections["Table 2.6"])
        # A read request's answer arrives with the data (steps 2, 4 and 6, as in step 13), not beside the request.
        for request in (1, 3, 5):
            for cache in CACHES:
                wanted[request + 1][cache], wanted[request][cache] = wanted[request][cache], ""
        # Cache 2 becomes invalid with the write-back (step 20, as in 16 and 18), not at the request for a write-back.
        self.assertEqual((wanted[19]["Cache 2"], wanted[20]["Cache 2"]), ("(I)", ""))
        wanted[19]["Cache 2"], wanted[20]["Cache 2"] = "", "(I)"
        # The shifted cell: cache 1 writes back, so the cell belongs to cache 1.
        self.assertEqual((wanted[18]["Cache 1"], wanted[18]["Cache 2"]), ("(I)", ""))
        self.assertEqual(len(found), len(wanted))
        for row, printed in zip(wanted, found):
            with self.subTest(step=row["Step"]):
                self.assertEqual(printed, row)

    def test_rows_agree_with_each_other(self):
        """Rules that a protocol's table must follow, even if the document's table breaks a rule."""
        for title, memories in (("Table 2.1", ["Memory"]), ("Table 2.2", ["Memory"]),
                                ("Table 2.6", ["Memory Address A", "Address B"])):
            rows = filled(table(self.sections[title]))
            for before, row in zip(rows, rows[1:]):
                with self.subTest(table=title, step=row["Step"]):
                    changed = [name for name in memories if row[name] != before[name]]
                    # Only write-backs change memory, in the named block and bytes.
                    found = re.match(r"Write Back(?: ([AB]) \[([01]{4})\])? ", row["Bus"])
                    self.assertEqual(bool(changed), bool(found))
                    if found and found.group(1):
                        self.assertEqual(changed, [memories["AB".index(found.group(1))]])
                        old, new = (r[changed[0]].split(", ") for r in (before, row))
                        for i, bit in enumerate(found.group(2)):
                            self.assertTrue(bit == "1" or old[i] == new[i])
                    # A cache's bytes change with a store, or with data sent to a cache without the block.
                    for cache in CACHES:
                        values = [r[cache].rsplit(" (")[0] if " (" in r[cache] else "" for r in (before, row)]
                        if values[1] and values[0] != values[1]:
                            self.assertTrue(row["Bus"] == "-" or (not values[0] and row["Bus"].startswith("Send Data")))
                    # A copy in E or M is the only copy of the bytes' block: no other cache is in M, E, O or S.
                    states = [row[cache][-2] for cache in CACHES]
                    if title != "Table 2.6" and set(states) & {"E", "M"}:
                        self.assertEqual(states.count("I"), 2)

    def test_what_a_load_of_an_invalid_block_leads_to(self):
        """S or E by Table 2.5, never the O of the paragraph above Figure 2.3. The sender follows the cells Read Req."""
        found = [line for line in self.sections["A load by cache 0"] if "->" in line and "before" not in line]
        self.assertEqual(found, [
            "I I I -> E I I: Read Request (C0), Send Data (Memory)",
            "I E I -> S S I: Read Request (C0), Send Data (C1)",
            "I S S -> S S S: Read Request (C0), Send Data (Memory)",
            "I M I -> S O I: Read Request (C0), Send Data (C1)",
            "I O S -> S O S: Read Request (C0), Send Data (C1)",
            "I N I -> S N I: Read Request (C0), Send Data (Memory)",
        ])  # fmt: skip

    def test_other_protocols(self):
        """Under every protocol the readers see the last written value, and memory ends with the vector's sums."""
        sums = ("15, 25, 35, 45", "55, 65, 75, 85")
        for protocol in ("msi", "mesi", "mosi", "moesi", "nmoesi"):
            with self.subTest(protocol=protocol):
                output = run(BUILD / "examples" / "example-coherence_walkthrough", protocol)
                parts = [part.splitlines() for part in output.split("\n\n")]
                number, _, vector = (table(part) for part in parts[:3])
                last_write = next(i for i, row in enumerate(number) if row["Instruction"] == "Cache 1 Write")
                self.assertEqual([number[last_write - 1][cache][0] for cache in CACHES], ["6", "6", "6"])
                self.assertEqual(number[-1]["Cache 1"], "9 (M)")
                last = filled(vector)[-1]
                self.assertEqual([last[cache] for cache in CACHES], 3 * ["(I)"])
                self.assertEqual((last["Memory Address A"], last["Address B"]), sums)

    def test_reports_a_protocol_that_does_not_exist(self):
        self.assertIn("no-such", run(BUILD / "examples" / "example-coherence_walkthrough", "no-such", status=1))

    @unittest.skipUnless(DOCUMENT.is_file(), f"{DOCUMENT} is not there")
    def test_quotes_are_the_documents(self):
        text = DOCUMENT.read_text(encoding="utf-8").replace("\t", "|").replace("\xa0", " ")
        for quote in (MSI, MESI, NMOESI):
            self.assertIn(quote.strip("\n"), text)


if __name__ == "__main__":
    unittest.main()
